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

from collections.abc import Sequence

import numpy as np

from blocklda.models.lda.reference.draw import draw_topic, shuffle_tokens
from blocklda.models.mixture.reference.scaled import (
    ONE,
    ZERO,
    Scaled,
    aligned,
    divided,
    draw_place,
    product,
    rising,
    scaled,
    total,
)
from blocklda.models.mixture.state import State, SweepOptions
from blocklda.support.arrays import Int32s

__all__ = ["Sweep", "sweep_documents"]

NONE = -1
"""The label of a document that has no component yet, and the number of a free slot."""

Series = list[Scaled]
"""Coefficients of a power series, from that of x^0 on."""


def sweep_documents(state: State, options: SweepOptions) -> int:
    """Advance the labels by one sweep; return the number of simulation steps."""
    return Sweep(state).run(options.max_block)


class Sweep:
    """Documents in slots. A component that dies leaves its slot; one that is born takes the lowest.

    A method per quantity, so that a test can replace one.
    """

    def __init__(self, state: State) -> None:
        self.state, self.rng = state, state.rng
        self.alpha, self.beta = state.alpha, state.priors.beta.tolist()
        self.B = state.priors.beta_sum
        self.is_finite = state.priors.n_components is not None
        self.labels, self.births = state.labels.tolist(), state.slots().tolist()
        self.n_born, self.n_steps = state.n_born, 0
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

    def take_out(self, docs: Sequence[int]) -> None:
        """Take documents out of the counts; at a sequential start they are in none yet."""
        for d in docs:
            if self.labels[d] != NONE:
                self.change(d, self.labels[d], -1)

    def put_in(self, docs: Sequence[int], slots: Sequence[int]) -> None:
        """Give documents their components."""
        for d, slot in zip(docs, slots, strict=True):
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

    def move_block(self, docs: Sequence[int]) -> None:
        """Draw the components of documents of one kind given all others."""
        self.take_out(docs)
        slots = self.draw_slots(docs[0], len(docs))
        self.put_in(docs, self.dealt(slots))

    def dealt(self, slots: list[int]) -> list[int]:
        """Return which document goes where: every way to deal them out is equally likely."""
        places: Int32s = np.array(slots, dtype=np.int32)
        shuffle_tokens(places, self.rng)
        return [int(slot) for slot in places]

    def draw_slots(self, d: int, m: int) -> list[int]:
        """Draw the components of m documents, in no particular order."""
        parts = [self.beta_part(d, copies) for copies in range(m)]
        F = self.new_series(d, parts)
        U = self.any_new(F, m)
        slots = self.open_slots()
        leaves = [self.leaf(d, slot, parts) for slot in slots]
        below = [U]
        for leaf in leaves:
            below.append(convolved(leaf, below[-1], m))
        drawn: list[int] = []
        for i in range(len(slots) - 1, -1, -1):
            left = m - len(drawn)
            if left == 0:
                break
            drawn += [slots[i]] * self.draw(products(leaves[i], below[i], left))
        for j in self.draw_new(F, U, m - len(drawn)):
            slot = next(c for c, n in enumerate(self.sizes) if n == 0 and c not in drawn)
            self.name_new(slot)
            drawn += [slot] * j
        return drawn

    def draw_new(self, F: Series, U: Series, left: int) -> list[int]:
        """Draw the sizes of new components: the first document's has j with weight F(j) U_(c−j)."""
        sizes = []
        while left:
            j = 1 + self.draw(products(F[1:], U, left - 1))
            sizes.append(j)
            left -= j
        return sizes

    def draw(self, weights: Series) -> int:
        """Draw a place by its weight."""
        self.n_steps += 1
        return draw_place(weights, self.rng.random())

    def open_slots(self) -> list[int]:
        """Return the components that documents may join beside new ones."""
        return [slot for slot, n in enumerate(self.sizes) if self.is_finite or n > 0]

    def leaf(self, d: int, slot: int, parts: Series) -> Series:
        """Return q_c(0), …, q_c(m)."""
        size = self.size_weight(slot)
        series = [ONE]
        for copies, part in enumerate(parts):
            step = product(self.next_weight(d, slot, size, copies), part)
            series.append(product(series[-1], step))
        return series

    def new_series(self, d: int, parts: Series) -> Series:
        """Return F(0), …, F(m)."""
        N = sum(x for _, x in self.words[d])
        series = [ONE]
        for copies, part in enumerate(parts):
            step = divided(part, rising(float(copies * N) + self.B, N))
            series.append(product(series[-1], step))
        return series

    def any_new(self, F: Series, m: int) -> Series:
        """Return U_0, …, U_m; a finite mixture has no new components."""
        if self.is_finite:
            return [ONE] + [ZERO] * m
        U = [ONE]
        for j in range(1, m + 1):
            sum_of_sizes = total(products(F[1:], U, j - 1))
            U.append(product(sum_of_sizes, scaled(self.alpha / float(j))))
        return U


def words_of_documents(state: State) -> list[list[tuple[int, int]]]:
    """Return the words of each document, each with how often it has it."""
    corpus = state.corpus
    pairs = list(zip(corpus.word_ids.tolist(), corpus.counts.tolist(), strict=True))
    offsets = corpus.doc_offsets.tolist()
    return [pairs[offsets[d] : offsets[d + 1]] for d in range(corpus.n_docs)]


def products(first: Series, second: Series, n: int) -> Series:
    """Return first[i] · second[n − i] for i = 0, …, n."""
    return [product(first[i], second[n - i]) for i in range(n + 1)]


def convolved(first: Series, second: Series, m: int) -> Series:
    """Return the coefficients up to x^m of the product of two series."""
    return [total(products(first, second, n)) for n in range(m + 1)]
