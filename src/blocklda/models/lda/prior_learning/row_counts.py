"""What an assignment of topics says about the parameters of a Dirichlet prior.

Rows of counts (documents by topics, or topics by words) share the parameters x of one Dirichlet
prior. Their likelihood, with n_rj the counts, N_r their sum over a row and A the sum of x over a
row, is

    ∏_r Γ(A) / Γ(A + N_r) · ∏_r ∏_j Γ(n_rj + x_j) / Γ(x_j),   Γ(n + x) / Γ(x) = ∏_{i<n} (x + i),

so it is enough to know the N_r, and for each parameter and each i how many cells hold more than i
tokens. That is short: few cells hold many tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blocklda.models.lda.topic_counts import CellCounts, TopicCounts
from blocklda.support.arrays import AnyInts, Floats, Ints

__all__ = ["RowCounts", "asymmetric_counts", "doc_counts", "shared_counts", "word_counts"]


@dataclass(frozen=True)
class RowCounts:
    """Ints of rows that share ``n_parameters`` parameters, each of them for ``width`` cells.

    ``above[j]`` cells that have the parameter ``parameter[j]`` hold more than ``level[j]`` tokens.
    ``totals`` holds the N_r; rows without tokens say nothing and may be left out.
    """

    totals: Ints
    above: Ints
    level: Ints
    parameter: Ints
    n_parameters: int
    width: int

    def row_sum(self, x: Floats) -> float:
        """Return A, the sum of the parameters over the cells of a row."""
        return self.width * float(x.sum())

    def by_parameter(self, terms: NDArray[np.number]) -> Floats:
        """Sum what was computed for each number in ``above``, parameter by parameter."""
        sums = np.bincount(self.parameter, weights=terms, minlength=self.n_parameters)
        return sums.astype(np.float64, copy=False)


def asymmetric_counts(counted: TopicCounts, cells: CellCounts) -> RowCounts:
    """Return what the documents say about α_k, one parameter for each topic."""
    topic, level, above = cells.topic_histograms
    return RowCounts(
        totals=_filled(counted.corpus.doc_lengths()),
        above=above,
        level=level,
        parameter=topic,
        n_parameters=counted.n_columns,
        width=1,
    )


def doc_counts(counted: TopicCounts, cells: CellCounts) -> RowCounts:
    """Return what the documents say about one α for all topics."""
    docs, _, _ = cells.occupancy
    return shared_counts(counted.corpus.doc_lengths(), docs, counted.n_columns)


def word_counts(counted: TopicCounts, cells: CellCounts) -> RowCounts:
    """Return what the topics say about one β for all words."""
    _, words, n_k = cells.occupancy
    return shared_counts(n_k, words, counted.corpus.n_words)


def shared_counts(totals: AnyInts, holding: Ints, width: int) -> RowCounts:
    """Return what ``holding[n]`` cells of n tokens each say about one parameter of them all."""
    # The cells that hold n tokens hold more than 0, …, n − 1.
    above = np.cumsum(holding[:0:-1])[::-1]
    return RowCounts(
        totals=_filled(totals),
        above=above,
        level=np.arange(len(above)),
        parameter=np.zeros(len(above), dtype=np.int64),
        n_parameters=1,
        width=width,
    )


def _filled(totals: AnyInts) -> Ints:
    return totals[totals > 0].astype(np.int64)
