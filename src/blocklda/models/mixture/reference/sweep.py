"""One sweep over the documents: all of a kind move at once.

With a kind of N words, x_v times word v, taken out, component c holds n_c documents with n_cv times
word v and n_c· words. j documents of the kind weigh

    existing component:   q_c(j) = n_c^(j) / j! · ∏_v (n_cv + β_v)^(j x_v) / (n_c· + B)^(j N)
    a new component:      α/j · F(j),   F(j) = ∏_v β_v^(j x_v) / B^(j N)
    any number of new:    U(x) = exp(α Σ_j F(j) x^j / j),   j U_j = α Σ_i F(i) U_(j−i),

y^(n) being y (y + 1) … (y + n − 1), and m documents are distributed as the coefficient of x^m in
U(x) ∏_c Q_c(x). A finite mixture has n_c + α in place of n_c, and no U.
See docs/explanation/mixtures.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from blocklda.models.blocks import BlockSweep, Leaves, Series, ratios_multiplied
from blocklda.models.lda.reference.draw import draw_topic
from blocklda.models.mixture.state import State, SweepOptions
from blocklda.models.scaled import ONE, ZERO, Scaled, aligned, divided, product, rising, scaled

__all__ = ["Sweep", "sweep_documents"]

NONE = -1
"""The label of a document that has no component yet, and the number of a free slot."""


def sweep_documents(state: State, options: SweepOptions) -> int:
    """Advance the labels by one sweep; return the number of simulation steps."""
    return Sweep(state).run(options.max_block)


class Sweep(BlockSweep):
    """Documents in slots.

    A component that dies leaves its slot. One that is born takes the lowest, or that of a component
    which its documents had for themselves, whose number it keeps.
    How blocks are drawn is the same for all models (`models/blocks.py`).
    """

    def __init__(self, state: State) -> None:
        super().__init__(state.rng, state.alpha)
        self.state = state
        self.beta, self.B = state.priors.beta.tolist(), state.priors.beta_sum
        self.is_finite = state.priors.n_components is not None
        self.labels, self.births = state.labels.tolist(), state.slots().tolist()
        self.n_born = state.n_born
        self.emptied: list[int] = []
        n_slots = len(self.births)
        self.sizes = [0] * n_slots
        self.totals = [0] * n_slots
        self.counts: list[dict[int, int]] = [{} for _ in range(n_slots)]
        self.words = words_of_documents(state)
        for d, slot in enumerate(self.labels):
            if slot != NONE:
                self.change(d, slot, +1)

    def run(self, max_block: int) -> int:
        """Visit every block once, and give the state what they became."""
        for docs in self.state.kinds.blocks(max_block):
            if len(docs) == 1:
                self.move_one(int(docs[0]))
            else:
                self.move_block(docs.tolist())
        labels = np.array(self.labels, dtype=np.int32)
        self.state.take_slots(labels, np.array(self.births, dtype=np.int64), self.n_born)
        return self.n_steps

    # --- counts

    def change(self, d: int, slot: int, sign: int) -> None:
        """Add a document to the counts of a component, or take it out."""
        held = self.counts[slot]
        self.sizes[slot] += sign
        for v, x in self.words[d]:
            self.totals[slot] += sign * x
            held[v] = held.get(v, 0) + sign * x

    def take_out(self, items: Sequence[int]) -> None:
        """Take documents out of the counts; at a sequential start they are in none yet.

        Components that nothing else is in are noted, the largest first, ties: the lowest. What is
        born next takes their places and numbers, so that a group of equal documents that stays
        together keeps its number.
        """
        held = Counter(self.labels[d] for d in items if self.labels[d] != NONE)
        for d in items:
            if self.labels[d] != NONE:
                self.change(d, self.labels[d], -1)
        emptied = [slot for slot in held if self.sizes[slot] == 0]
        self.emptied = sorted(emptied, key=lambda slot: (-held[slot], slot))

    def put_in(self, items: Sequence[int], components: Sequence[int]) -> None:
        """Give documents their components."""
        for d, slot in zip(items, components, strict=True):
            self.labels[d] = slot
            self.change(d, slot, +1)

    def free_slot(self) -> int:
        """Return the lowest slot without documents."""
        return self.sizes.index(0)

    def name_new(self, slot: int) -> None:
        """Give the component that is born in a slot its number."""
        self.births[slot] = self.n_born
        self.n_born += 1

    # --- weights

    def size_weight(self, slot: int) -> float:
        """Return what stands for n_c: n_c itself, and n_c + α in a finite mixture."""
        return float(self.sizes[slot]) + self.alpha if self.is_finite else float(self.sizes[slot])

    def next_weight(self, d: int, slot: int, size: float, copies: int) -> Scaled:
        """Return q_c(j) / q_c(j−1) for j = copies + 1, but for the factor of :meth:`beta_part`.

        Every component begins at its part without words, which is right for words that it does not
        have; each n_cv > 0 then corrects it.
        """
        if size == 0.0:
            return ZERO
        N = sum(x for _, x in self.words[d])
        lead = (size + float(copies)) / float(copies + 1)
        weight = divided(scaled(lead), rising(float(self.totals[slot] + copies * N) + self.B, N))
        for v, x in self.words[d]:
            n = self.counts[slot].get(v, 0)
            if n > 0:
                unseen = divided(ONE, rising(float(copies * x) + self.beta[v], x))
                seen = rising(float(n + copies * x) + self.beta[v], x)
                weight = product(weight, product(seen, unseen))
        return weight

    def beta_part(self, d: int, copies: int) -> Scaled:
        """Return ∏_v (β_v + copies·x_v)^(x_v)."""
        part = ONE
        for v, x in self.words[d]:
            part = product(part, rising(float(copies * x) + self.beta[v], x))
        return part

    # --- one document

    def move_one(self, d: int) -> None:
        """Draw the component of a document given all others.

        The new component takes the place of one that the document had for itself, whose number it
        keeps: nothing is born where nothing changes.
        """
        own, new = self.labels[d], NONE
        self.take_out([d])
        sizes = [self.size_weight(slot) for slot in range(len(self.sizes))]
        if not self.is_finite:
            was_alone = own != NONE and self.sizes[own] == 0
            new = own if was_alone else self.free_slot()
            sizes[new] = self.alpha
        weights, _ = aligned([self.next_weight(d, c, size, 0) for c, size in enumerate(sizes)])
        slot = draw_topic(np.array(weights), self.rng.random())
        self.n_steps += 1
        if slot == new and new != own:
            self.name_new(slot)
        self.put_in([d], [slot])

    # --- several documents of one kind

    def leaves(self, item: int, m: int) -> Leaves:
        """Return the series of all components that documents may join, and F."""
        parts = [self.beta_part(item, copies) for copies in range(m)]
        slots = self.open_slots()
        series = [self.leaf(item, slot, parts) for slot in slots]
        return Leaves(slots, series, None if self.is_finite else self.new_series(item, parts))

    def born(self, taken: Sequence[int]) -> int:
        """Return a slot that the block has left empty, or else the lowest free one, newly named."""
        for slot in self.emptied:
            if slot not in taken:
                return slot
        slot = next(c for c, n in enumerate(self.sizes) if n == 0 and c not in taken)
        self.name_new(slot)
        return slot

    def open_slots(self) -> list[int]:
        """Return the components that documents may join beside new ones."""
        return [slot for slot, n in enumerate(self.sizes) if self.is_finite or n > 0]

    def leaf(self, d: int, slot: int, parts: Series) -> Series:
        """Return q_c(0), …, q_c(m)."""
        size = self.size_weight(slot)
        return ratios_multiplied(
            [
                product(self.next_weight(d, slot, size, copies), part)
                for copies, part in enumerate(parts)
            ]
        )

    def new_series(self, d: int, parts: Series) -> Series:
        """Return F(0), …, F(m)."""
        N = sum(x for _, x in self.words[d])
        return ratios_multiplied(
            [
                divided(part, rising(float(copies * N) + self.B, N))
                for copies, part in enumerate(parts)
            ]
        )


def words_of_documents(state: State) -> list[list[tuple[int, int]]]:
    """Return the words of each document, each with how often it has it."""
    corpus = state.corpus
    pairs = list(zip(corpus.word_ids.tolist(), corpus.counts.tolist(), strict=True))
    offsets = corpus.doc_offsets.tolist()
    return [pairs[offsets[d] : offsets[d + 1]] for d in range(corpus.n_docs)]
