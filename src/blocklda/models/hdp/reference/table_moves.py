"""The second kind of block: all tokens of a document that sit at one table.

Given topics and sticks, the tokens of a document that have one topic are seated by a Chinese
restaurant process with the concentration α₀τ_k. Then each table in turn, x_v tokens of word v and
N in all, is taken out of its topic and draws one again, with the weights

    τ_k ∏_v b_kv^(x_v) / c_k^(N),     new: τ_u ∏_v β^(x_v) / B^(N),

in the notation of rising factorials. All are divided here by what a new topic has beside τ_u.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from blocklda.models.hdp.reference.stick import Stick
from blocklda.models.hdp.state import State
from blocklda.models.lda.reference.draw import check_total, lane_ends, lanes_of, topic_at
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["TableMoves", "move_tables"]

FACTORS = 8
"""Products of so many factors are within the range of doubles."""

LOWEST = -1000
"""A topic this many powers of two below the largest weighs nothing."""


@dataclass
class Table:
    """A table: its topic, and the places of its tokens in the document, which ascend."""

    topic: int
    tokens: list[int]


class TableMoves:
    """Moves of tables on a state."""

    stick_type: type[Stick] = Stick

    def __init__(self, state: State) -> None:
        self.state, self.rng = state, state.rng
        self.stick = self.stick_type(state, 1)
        self.n_vk = state.word_topic_counts()
        self.n_k = state.topic_counts()
        self.steps = 0

    def run(self, first: int, every: int) -> None:
        """Move the tables of every so many documents, from the first on."""
        corpus = self.state.corpus
        words = np.repeat(corpus.word_ids, corpus.counts)
        ends = np.cumsum(corpus.doc_lengths(), dtype=np.int64)
        for d in range(first, corpus.n_docs, every):
            tokens = slice(int(ends[d] - corpus.doc_lengths()[d]), int(ends[d]))
            self.move_document(self.state.topics[tokens], words[tokens])

    def move_document(self, topics: Int32s, words: Int32s) -> None:
        """Seat the tokens of a document, and move its tables one after the other."""
        for table in self.seat(topics):
            topic = self.drawn_topic(table, words[table.tokens])
            self.move(table, topic, words[table.tokens])
            topics[table.tokens] = topic

    def seat(self, topics: Int32s) -> list[Table]:
        """Seat the tokens of each topic, which have the conditional law of tables given τ."""
        tables: list[Table] = []
        for topic in np.unique(topics):
            a = float(self.stick.alpha[topic])
            seated: list[Table] = []
            for i, t in enumerate(np.flatnonzero(topics == topic)):
                table = None
                if i > 0:
                    point = self.rng.random() * (a + i)
                    if point >= a:
                        table = seated[min(int(point - a), i - 1)]
                if table is None:
                    table = Table(int(topic), [])
                    tables.append(table)
                table.tokens.append(int(t))
                seated.append(table)
        return tables

    def drawn_topic(self, table: Table, words: Int32s) -> int:
        """Draw a topic for a table given all other tokens."""
        weights, rest = self.weights(table.topic, words)
        total = check_total(rest + float(lane_ends(lanes_of(weights)[-1])[-1]))
        self.steps += 1
        point = self.rng.random() * total
        return self.stick.born(1) if point < rest else topic_at(weights, point - rest)

    def weights(self, own: int, words: Int32s) -> tuple[Floats, float]:
        """Return the weights of all slots without the table's tokens, and that of a new topic."""
        state, beta, total = self.state, self.stick.beta, self.stick.total
        size = len(words)
        n_k = self.n_k.copy()
        n_k[own] -= size
        c = n_k + total
        weights, exponents = state.tau.copy(), np.zeros(state.n_slots, dtype=np.int64)
        for first in range(0, size, FACTORS):
            part = range(first, min(first + FACTORS, size))
            losses = np.ones(state.n_slots)
            for i in part:
                losses = losses * ((c + i) * (1.0 / (total + i)))
            weights = weights / losses
            for i in part:
                earlier = int((words[:i] == words[i]).sum())
                n = self.without_table(own, words, i)
                gain = ((n + beta) + earlier) * (1.0 / (beta + earlier))
                weights = np.where(n > 0, weights * gain, weights)
            if size > FACTORS:
                weights, more = np.frexp(weights)
                exponents += more
        if size <= FACTORS:
            return weights, state.rest
        return with_common_exponent(weights, exponents, state.rest)

    def without_table(self, own: int, words: Int32s, i: int) -> Ints:
        """Return the counts n_vk of one token's word without the table."""
        n: Ints = self.n_vk[words[i]].copy()
        n[own] -= int((words == words[i]).sum())
        return n

    def move(self, table: Table, topic: int, words: Int32s) -> None:
        """Have the table's tokens in another topic."""
        for k, by in ((table.topic, -1), (topic, 1)):
            np.add.at(self.n_vk[:, k], words, by)
            self.n_k[k] += by * len(words)


def with_common_exponent(weights: Floats, exponents: Ints, rest: float) -> tuple[Floats, float]:
    """Return weights with one exponent, that of the largest, and the rest with the same."""
    mantissa, of_rest = math.frexp(rest)
    largest = max(of_rest, int(exponents[weights > 0].max(initial=of_rest)))
    shifts = np.maximum(exponents - largest, LOWEST - 1)
    scaled = np.where(shifts < LOWEST, 0.0, np.ldexp(weights, shifts.astype(np.int32)))
    shift = of_rest - largest
    return scaled, 0.0 if shift < LOWEST else math.ldexp(mantissa, shift)


def move_tables(state: State, first: int, every: int) -> int:
    """Move the tables of the documents first, first + every, …; return the number of draws."""
    moves = TableMoves(state)
    moves.run(first, every)
    return moves.steps
