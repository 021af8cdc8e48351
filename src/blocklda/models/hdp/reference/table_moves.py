"""The second kind of block: all tokens of a document that sit at one table.

Given topics and sticks, the tokens of a document that have one topic are seated by a Chinese
restaurant process with the concentration α₀τ_k. Then each table in turn, x_v tokens of word v and
N in all, is taken out of its topic and draws one again, with the weights

    τ_k ∏_v b_kv^(x_v) / c_k^(N),     new: τ_u ∏_v β_v^(x_v) / B^(N),

in the notation of rising factorials. All are divided here by what a new topic has beside τ_u.

Topics that have a word of the table are listed and weighed one by one. Of all others the words are
those of a new topic, and c_k ≥ B: they weigh together at most Σ_k τ_k ∏_{i<n} (B + i) / (c_k + i),
n ≤ N, a running sum that is kept for the first n. A draw that ends among them adds up their true
weights; if it lies above them it is repeated with these in the place of the bound, so the law is
the exact one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from blocklda.models.hdp.reference.stick import Stick, running_sum
from blocklda.models.hdp.state import State
from blocklda.models.lda.reference.draw import check_total, lane_ends, lanes_of, topic_at
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["TableMoves", "move_tables"]

MOST_FACTORS, LARGEST = 64, 1e290
"""Factors that are multiplied at once at the most, and how large a product of them may be."""

LOWEST = -1000
"""A topic this many powers of two below the largest weighs nothing."""

ORDERS = 4
"""Running sums are kept for tables of up to so many tokens."""

MARGIN = 1e-9
"""What rounding may have taken from a running sum is far below this share of it."""


@dataclass
class Table:
    """A table: its topic, and the places of its tokens in the document, which ascend."""

    topic: int
    tokens: list[int]


@dataclass
class Weights:
    """Weights of topics: mantissas, and exponents where they were split off."""

    mantissas: Floats
    exponents: Ints

    def split(self) -> None:
        """Bring the mantissas back to the range from 1/2 to 1."""
        self.mantissas, more = np.frexp(self.mantissas)
        self.exponents = self.exponents + more

    def largest_exponent(self) -> int:
        """Return the largest exponent of a weight that is not 0."""
        return int(self.exponents[self.mantissas > 0].max())

    def with_exponent(self, exponent: int) -> Floats:
        """Return the weights as multiples of 2^exponent."""
        shifts = np.maximum(self.exponents - exponent, LOWEST - 1)
        scaled = np.ldexp(self.mantissas, shifts.astype(np.int32))
        return np.where(shifts < LOWEST, 0.0, scaled)


class TableMoves:
    """Moves of tables on a state."""

    stick_type: type[Stick] = Stick

    def __init__(self, state: State) -> None:
        self.state, self.rng = state, state.rng
        self.stick = self.stick_type(state, 1)
        self.n_vk = state.word_topic_counts()
        self.n_k = state.topic_counts()
        self.factors = factors_for(float(self.stick.words.values.min()), state.corpus.n_tokens)
        self.shares = [self.shares_of(k) for k in range(state.n_slots)]
        self.sums = [running_sum(list(of_order)) for of_order in zip(*self.shares, strict=True)]
        self.tops = self.sums.copy()
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
            if topic != table.topic:
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
        listed = self.listed(words)
        weights = self.weights(table.topic, words, listed)
        rest, background, exponent = self.state.rest, self.bound(len(words)), 0
        if len(words) > self.factors:
            exponents = [math.frexp(rest)[1], math.frexp(background)[1]]
            exponent = max(weights.largest_exponent(), *exponents)
            rest, background = (scaled(number, -exponent) for number in (rest, background))
        of_listed = weights.with_exponent(exponent)
        in_lists = total_of(of_listed)
        others: Floats | None = None
        while True:
            total = check_total((rest + in_lists) + background)
            self.steps += 1
            point = self.rng.random() * total
            if point < rest:
                return self.stick.born(1)
            point -= rest
            if point < in_lists:
                return int(listed[topic_at(of_listed, point)])
            point -= in_lists
            if others is None:
                others = self.others(table.topic, words, listed, exponent)
                background = total_of(others)
            if point < background:
                return topic_at(others, point)

    def listed(self, words: Int32s) -> Ints:
        """Return the topics that have one of the words, in the order in which words find them."""
        found = dict.fromkeys(k for v in words for k in np.flatnonzero(self.n_vk[v]).tolist())
        return np.array(list(found), dtype=np.int64)

    def weights(self, own: int, words: Int32s, slots: Ints) -> Weights:
        """Return the weights of some slots without the table's tokens."""
        total, size = self.stick.total, len(words)
        weights = Weights(np.ones(len(slots)), np.zeros(len(slots), dtype=np.int64))
        n_factors = 0
        for word, of_word in zip(*np.unique(words, return_counts=True), strict=True):
            beta = self.stick.words.at(int(word))
            b, earlier = self.without_table(own, words, word)[slots] + beta, 0
            while earlier < of_word:
                end = min(earlier + self.factors - n_factors, int(of_word))
                gain = np.ones(len(slots))
                for i in range(earlier, end):
                    gain = gain * ((b + i) * (1.0 / (beta + i)))
                gain = np.where(self.n_vk[word][slots] > 0, gain, 1.0)
                weights.mantissas = weights.mantissas * gain
                n_factors, earlier = n_factors + end - earlier, end
                if n_factors == self.factors and size != self.factors:
                    weights.split()
                    n_factors = 0
        if size > self.factors:
            weights.split()
        weights.mantissas = weights.mantissas * self.state.tau[slots]
        c = (self.n_k - size * (np.arange(self.state.n_slots) == own))[slots] + total
        for first in range(0, size, self.factors):
            losses = np.ones(len(slots))
            for i in range(first, min(first + self.factors, size)):
                losses = losses * ((c + i) * (1.0 / (total + i)))
            weights.mantissas = weights.mantissas / losses
            if size > self.factors:
                weights.split()
        return weights

    def others(self, own: int, words: Int32s, listed: Ints, exponent: int) -> Floats:
        """Return the weights of all slots, without those of listed topics."""
        slots = np.arange(self.state.n_slots)
        found = self.weights(own, words, slots).with_exponent(exponent)
        found[listed] = 0.0
        return found

    def without_table(self, own: int, words: Int32s, word: int) -> Ints:
        """Return the counts n_vk of a word without the table."""
        n: Ints = self.n_vk[word].copy()
        n[own] -= int((words == word).sum())
        return n

    # --- what topics weigh at the most that have no word of a table

    def bound(self, size: int) -> float:
        """Return at least what topics weigh together that have no word of a table."""
        j = min(size, ORDERS) - 1
        return self.sums[j] + MARGIN * self.tops[j]

    def shares_of(self, k: int) -> list[float]:
        """Return τ_k ∏_{i<n} (B + i) / (c_k + i) for n = 1, 2, …."""
        total, share, found = self.stick.total, float(self.state.tau[k]), []
        c = float(self.n_k[k]) + total
        for i in range(ORDERS):
            share *= (total + i) / (c + i)
            found.append(share)
        return found

    def move(self, table: Table, topic: int, words: Int32s) -> None:
        """Have the table's tokens in another topic."""
        for k, by in ((table.topic, -1), (topic, 1)):
            np.add.at(self.n_vk[:, k], words, by)
            self.n_k[k] += by * len(words)
            before, self.shares[k] = self.shares[k], self.shares_of(k)
            for j in range(ORDERS):
                self.sums[j] = (self.sums[j] - before[j]) + self.shares[k][j]
                self.tops[j] = max(self.tops[j], self.sums[j])


def factors_for(beta: float, n_tokens: int) -> int:
    """Return how many factors (b + i) / (β + i) or (c + i) / (B + i) can be multiplied at once.

    The first is below 1 + n / β, n being all tokens and β the smallest prior of a word, and the
    second is below that.
    """
    largest = 1.0 + n_tokens / beta
    n, product = 1, largest * largest
    while n < MOST_FACTORS and product < LARGEST:
        n, product = n + 1, product * largest
    return n


def total_of(weights: Floats) -> float:
    """Return the sum of weights as they are drawn from."""
    return float(lane_ends(lanes_of(weights)[-1])[-1])


def scaled(number: float, shift: int) -> float:
    """Return a number times a power of two, and 0 if it is far below 1 then."""
    mantissa, exponent = math.frexp(number)
    return 0.0 if exponent + shift < LOWEST else math.ldexp(mantissa, exponent + shift)


def move_tables(state: State, first: int, every: int) -> int:
    """Move the tables of the documents first, first + every, …; return the number of draws."""
    moves = TableMoves(state)
    moves.run(first, every)
    return moves.steps
