"""The stationary law of `approximate-parallel` on a corpus whose states can all be listed.

A block is drawn from its conditional law given all else, so drawing it is a matrix over the states.
The cells of a step all start from the same state and do not see each other: a step takes each cell
where its own blocks lead, independently. A sweep is the product of its steps, and its stationary
law is computed, not sampled.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

import blocklda
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.grid.plan import Cell, cut_grid
from blocklda.models.lda.samplers.sparse.plan import rows_are_words

Matrix = np.ndarray


@dataclass(frozen=True)
class TinyCorpus:
    """Counts, shape (documents, words), and symmetric priors; blocks of at most 16 tokens."""

    counts: tuple[tuple[int, ...], ...]
    n_topics: int
    alpha: float
    beta: float

    @cached_property
    def corpus(self) -> blocklda.Corpus:
        return blocklda.Corpus.from_matrix(np.array(self.counts))

    @cached_property
    def priors(self) -> Priors:
        return Priors.create(self.n_topics, self.corpus.n_words, self.alpha, self.beta)

    @cached_property
    def choices(self) -> list[Matrix]:
        """For every entry, the ways to share its tokens out: (ways, topics)."""
        return [_ways(int(n), self.n_topics) for n in self.corpus.counts]

    @cached_property
    def states(self) -> Matrix:
        """Every state n_dvk, shape (states, entries, topics)."""
        ways = [range(len(choice)) for choice in self.choices]
        return np.array(
            [
                [choice[i] for choice, i in zip(self.choices, chosen, strict=True)]
                for chosen in itertools.product(*ways)
            ]
        )

    @cached_property
    def posterior(self) -> Matrix:
        """The probability of every state."""
        docs, words = self.corpus.to_matrix().nonzero()
        n_dk, n_vk = (
            np.stack([self.states[:, axis == i].sum(axis=1) for i in range(n)], axis=1)
            for axis, n in ((docs, self.corpus.n_docs), (words, self.corpus.n_words))
        )
        totals = self.states.sum(axis=1) + self.corpus.n_words * self.beta
        log_weights = (
            gammaln(n_dk + self.alpha).sum(axis=(1, 2))
            + gammaln(n_vk + self.beta).sum(axis=(1, 2))
            - gammaln(totals).sum(axis=1)
            - gammaln(self.states + 1).sum(axis=(1, 2))
        )
        weights = np.exp(log_weights - log_weights.max())
        return weights / weights.sum()

    def stale_law(self, size: int) -> Matrix:
        """Return the probability of every state under the approximate sampler."""
        sweep = np.eye(len(self.states))
        for cells in cut_grid(self.corpus, self._by_word, size).steps():
            sweep = sweep @ self._step([self._cell(cell) for cell in cells])
        # The law π with π (P − 1) = 0 and a sum of 1.
        equations = np.vstack([sweep.T - np.eye(len(sweep)), np.ones(len(sweep))])
        return np.linalg.lstsq(equations, np.append(np.zeros(len(sweep)), 1.0), rcond=None)[0]

    @property
    def _by_word(self) -> bool:
        return rows_are_words(self.corpus, self.priors)

    def _step(self, cells: list[Matrix]) -> Matrix:
        """Return where the cells lead together: each changes entries of its own."""
        n = len(self.states)
        together = np.eye(n)
        for cell in cells:
            joined = np.zeros((n, n))
            for state in range(n):
                # In a number made of one digit an entry, changes of different digits add up.
                before, after = np.flatnonzero(together[state]), np.flatnonzero(cell[state])
                ends = before[:, None] + after - state
                joined[state, ends] = together[state, before][:, None] * cell[state, after]
            together = joined
        return together

    def _cell(self, cell: Cell) -> Matrix:
        docs, words = self.corpus.to_matrix().nonzero()
        rows, minors = (words, docs) if self._by_word else (docs, words)
        inside = [
            e
            for e in range(self.corpus.n_entries)
            if cell.rows[0] <= rows[e] < cell.rows[1]
            and cell.minors[0] <= minors[e] < cell.minors[1]
        ]
        # As a sweep goes: row by row, the largest blocks first.
        inside.sort(key=lambda e: (rows[e], -self.corpus.counts[e], minors[e]))
        swept = np.eye(len(self.states))
        for entry in inside:
            swept = swept @ self._block(entry)
        return swept

    def _block(self, entry: int) -> Matrix:
        """Draw one entry anew, given all others."""
        shape = [len(choice) for choice in self.choices]
        numbers = np.moveaxis(np.arange(len(self.states)).reshape(shape), entry, -1)
        drawn = np.zeros((len(self.states),) * 2)
        for alike in numbers.reshape(-1, shape[entry]):
            weights = self.posterior[alike]
            drawn[np.ix_(alike, alike)] = weights / weights.sum()
        return drawn


def total_variation(one: Matrix, other: Matrix) -> float:
    """Return half the sum of the absolute differences of two laws."""
    return 0.5 * float(np.abs(one - other).sum())


def _ways(n_tokens: int, n_topics: int) -> Matrix:
    """Return every way to share tokens out among topics, shape (ways, topics)."""
    counts = itertools.product(range(n_tokens + 1), repeat=n_topics)
    return np.array([way for way in counts if sum(way) == n_tokens])
