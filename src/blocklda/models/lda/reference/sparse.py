"""The sparse samplers: a dense row of one axis, short lists of topics on the other.

With documents as rows the weight of a topic for one token is

    (n_dk + α_k)(n_vk + β) / c_k  =  n_vk g_k + β g_k,   g_k = (n_dk + α_k) / c_k,

a sum over the topics of the word's list and one over all topics, the background. With words as rows
the two axes and their priors change places; nothing else does. The kernel keeps the lists from
token to token; here they are read off the full table of counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from blocklda.models.lda.reference.background import NEW_TOPIC, NO_NEW_TOPICS, NewTopics
from blocklda.models.lda.reference.draw import (
    check_total,
    lane_ends,
    lanes_of,
    shuffle_tokens,
    sum_in_lanes,
    topic_at,
)
from blocklda.models.lda.reference.list_block import ListBlock
from blocklda.models.lda.reference.major_row import MajorRow
from blocklda.models.lda.reference.sequential_block import FEW_DIGITS, SequentialBlock
from blocklda.models.lda.samplers.sparse.plan import (
    ALL_LISTED,
    largest_part,
    one_by_one_shares,
    rows_are_words,
    sequential_from,
    sequential_part,
)
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.arrays import Bools, Floats, Int32s, Ints

__all__ = ["SparseSweep", "sweep", "sweep_single_site"]


@dataclass(frozen=True)
class Visit:
    """One entry of a row: its place on the other axis, and the view of its tokens."""

    minor: int
    tokens: Int32s


class SparseSweep:
    """Sweeps over a state, with blocks of at most ``largest`` tokens.

    Blocks whose list has many other tokens are drawn token after token in parts of at most
    ``sequential``; 1 for none.
    """

    sequential = 1

    def __init__(
        self, state: State, largest: int, sequential: int = 1, by_word: bool | None = None
    ) -> None:
        """Take the state; ``by_word`` is whether words have the rows, if that is given."""
        self.state = state
        self.rng = state.rng
        self.largest = largest
        self.sequential = sequential
        self.steps = 0
        self.by_word = rows_are_words(state.corpus, state.priors) if by_word is None else by_word
        priors = state.priors
        tables = state.doc_topic_counts(), state.word_topic_counts()
        self.lists = tables[0] if self.by_word else tables[1]
        self.other_prior = priors.alpha if self.by_word else priors.word_prior(0)
        self.n_k = state.topic_counts()
        self.beta_sum = priors.beta_sum
        self.masses: Floats | None = None
        self.all_listed = priors.n_topics <= ALL_LISTED
        self.new_topics: NewTopics = NO_NEW_TOPICS
        self.row: MajorRow

    def run(self, one_by_one: float) -> None:
        """Visit every block once; with a given probability token by token."""
        corpus = self.state.corpus
        docs, words = (0, corpus.n_docs), (0, corpus.n_words)
        rows, minors = (words, docs) if self.by_word else (docs, words)
        self.run_cell(rows, minors, one_by_one)

    def run_cell(self, rows: tuple[int, int], minors: tuple[int, int], one_by_one: float) -> None:
        """Visit the blocks of some rows in some part of the other axis.

        Both are told by their first number and the one after the last. A row is weighed with all
        its tokens, those outside the part included.
        """
        for number, tokens, visits in self.visited_rows(rows, minors):
            own = self.own_prior(number)
            counts = np.bincount(tokens, minlength=len(own))
            self.row = MajorRow(counts, self.n_k, own, self.other_prior, self.beta_sum, self.masses)
            for visit in visits:
                self.start_list(visit.minor)
                self._update(visit.tokens, self.lists[visit.minor], one_by_one)

    def start_list(self, minor: int) -> None:
        """Prepare for the blocks of a list; there is nothing to do where all share one prior."""

    def own_prior(self, row: int) -> Floats:
        """Return the prior of the topics of a row."""
        priors = self.state.priors
        return priors.word_prior(row) if self.by_word else priors.alpha

    def visited_rows(
        self, rows: tuple[int, int], minors: tuple[int, int]
    ) -> Iterator[tuple[int, Int32s, list[Visit]]]:
        """Yield each row that has blocks in a part of the other axis, with the topics of the row.

        The largest blocks come first, and else all are as in the corpus; so are all where some are
        drawn token after token.
        """
        corpus, topics = self.state.corpus, self.state.topics
        if self.by_word:
            offsets, minor_ids, counts, starts = corpus.by_word()
        else:
            offsets, minor_ids, counts = corpus.doc_offsets, corpus.word_ids, corpus.counts
            starts = np.cumsum(counts, dtype=np.int64) - counts
        for number in range(*rows):
            in_row = np.arange(offsets[number], offsets[number + 1])
            entries = in_row[(minor_ids[in_row] >= minors[0]) & (minor_ids[in_row] < minors[1])]
            sizes = np.minimum(counts[entries], 1 if self.sequential > 1 else self.largest)
            order = entries[np.argsort(-sizes, kind="stable")]
            blocks = {int(e): topics[starts[e] :][: counts[e]] for e in in_row}
            if len(entries):
                visits = [Visit(int(minor_ids[e]), blocks[int(e)]) for e in order]
                yield number, np.concatenate(list(blocks.values())), visits

    def _update(self, block: Int32s, counts: Ints, one_by_one: float) -> None:
        """Update an entry: at once, or in random parts, or token by token."""
        if self.largest == 1:
            self.update_each(block, counts)
            return
        if self.is_sequential(block, counts):
            self.update_sequentially(block, counts)
            return
        if len(block) > self.largest:
            shuffle_tokens(block, self.rng)
        for start in range(0, len(block), self.largest):
            self.update_part(block[start : start + self.largest], counts, one_by_one)

    def is_sequential(self, block: Int32s, counts: Ints) -> bool:
        """Return True if a block is drawn token by token; no sweep changes that."""
        outside = int(counts.sum()) - len(block)
        return self.sequential > 1 and len(block) > 1 and outside >= sequential_from()

    def update_sequentially(self, block: Int32s, counts: Ints) -> None:
        """Draw the tokens of a block one after another, in random order and in parts."""
        shuffle_tokens(block, self.rng)
        for start in range(0, len(block), self.sequential):
            part = block[start : start + self.sequential]
            if len(part) == 1:
                self.update_one(part, counts)
            else:
                draw = SequentialBlock(
                    self.row, self._listed(counts), counts, part, self.rng, self.new_topics
                )
                draw.update()
                self.steps += draw.steps

    def update_part(self, block: Int32s, counts: Ints, one_by_one: float) -> None:
        """Decide, before the state is looked at, whether the tokens go one by one.

        What is left of the uniform draws the block.
        """
        if len(block) == 1:
            self.update_one(block, counts)
            return
        u = self.rng.random()
        if u < one_by_one:
            self.update_each(block, counts)
        else:
            self.update_block(block, counts, (u - one_by_one) / (1.0 - one_by_one))

    def update_each(self, block: Int32s, counts: Ints) -> None:
        """Update the tokens of a block one by one, in random order."""
        shuffle_tokens(block, self.rng)
        for t in range(len(block)):
            self.update_one(block[t : t + 1], counts)

    def _listed(self, counts: Ints) -> Ints:
        """Return the topics of a list: those with tokens, or all if there are few."""
        return np.arange(len(counts)) if self.all_listed else np.flatnonzero(counts)

    def update_one(self, token: Int32s, counts: Ints) -> None:
        """Draw one token: its old topic first, then the rest of the list, then the background."""
        row, r = self.row, self.row.prior
        old = int(token[0])
        listed = self._listed(counts)
        weights = counts[listed] * row.g[listed]
        others = self.weight_of_others(weights, listed == old)
        stays = (float(counts[old] - 1) + r[old]) * row.g_with(old, -1)
        fresh = self.new_topics.weight(1)
        total = check_total((stays + others) + row.bound_without(old) + fresh)
        while True:
            self.steps += 1
            point = self.rng.random() * total
            if point < stays:
                return
            point -= stays
            if point < others:
                weights[listed == old] = 0.0
                topic = int(listed[topic_at(weights, point)])
                break
            point -= others
            if point < fresh:
                topic = self.born(1)
                break
            point -= fresh
            # A bound was drawn from: a point above the true weights is drawn again, from those.
            background = np.where(np.arange(len(r)) == old, 0.0, r * row.g)
            true = float(lane_ends(lanes_of(background)[-1])[-1])
            if point < true:
                topic = topic_at(background, point)
                break
            total = check_total((stays + others) + true + fresh)
        for k, by in ((old, -1), (topic, 1)):
            row.change(k, by)
            counts[k] += by
        token[0] = topic

    def born(self, count: int) -> int:
        """Return the slot of a new topic, which now has its prior weight in the row."""
        slot = self.new_topics.born(count)
        self.row.change(slot, 0)
        return slot

    def weight_of_others(self, weights: Floats, is_old: Bools) -> float:
        """Return what the topics of a list weigh without the old one.

        Where the old one has nearly all of the weight the difference holds hardly a digit of
        theirs, and they are summed by themselves.
        """
        in_list = sum_in_lanes(weights)
        others = in_list - float(weights[is_old][0])
        if others >= FEW_DIGITS * in_list:
            return others
        return sum_in_lanes(np.where(is_old, 0.0, weights))

    def update_block(self, block: Int32s, counts: Ints, u: float) -> None:
        """Draw a block from its conditional, restricted to at most one background topic.

        The background are the topics that this row of the other axis has no other token of. Which
        they are depends on what lies outside the block alone; so a block that is spread over more
        than one of them stays as it is, and all others are drawn again within that set.
        """
        row = self.row
        old = dict.fromkeys(map(int, block), 0)
        for k in block:
            old[int(k)] += 1
        listed = self._listed(counts)
        for k, n in old.items():
            counts[k] -= n
        emptied = [k for k in old if counts[k] == 0 and not self.all_listed]
        if len(emptied) > 1:
            for k, n in old.items():
                counts[k] += n
            return
        for k, n in old.items():
            row.lift(k, n)
        # A topic whose count is zero now that the block is out belongs to the background.
        is_leaf = None if self.all_listed else counts[listed] > 0
        draw = ListBlock(
            row, listed, counts[listed], is_leaf, len(block), self.rng, self.new_topics
        )
        placed = draw.draw(u, emptied[0] if emptied else None)
        self.steps += draw.steps
        for k in old:
            row.lift(k, 0)
        if dict(placed) == old:
            for k, n in old.items():
                counts[k] += n
            return
        for k, n in old.items():
            row.change(k, -n)
        for i, (topic, n) in enumerate(placed):
            k = self.born(n) if topic == NEW_TOPIC else topic
            placed[i] = (k, n)
            row.change(k, n)
            counts[k] += n
        block[:] = np.repeat(*np.array(placed, dtype=np.int64).T)


def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Update every block, ``n_sweeps`` times; return the number of draws."""
    largest = largest_part(state.priors.n_topics, options.max_block)
    return _sweeps(SparseSweep(state, largest, sequential_part(options.max_block)), n_sweeps)


def sweep_single_site(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Update every token, ``n_sweeps`` times; return the number of draws."""
    return _sweeps(SparseSweep(state, 1), n_sweeps)


def _sweeps(sweeps: SparseSweep, n_sweeps: int) -> int:
    state, n_topics = sweeps.state, sweeps.state.priors.n_topics
    for share in one_by_one_shares(n_topics, state.random_start, state.n_sweeps, n_sweeps):
        sweeps.run(float(share))
    return sweeps.steps
