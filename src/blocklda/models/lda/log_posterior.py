"""The log posterior of the assignments: the paper's log q, and the same with all constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.special import gammaln

from blocklda.data.pieces import Piece, word_pieces
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.topic_counts import CellCounts, FilledCells, TopicCounts, TopicHistograms
from blocklda.support.arrays import Floats, Ints
from blocklda.support.fixed_order import dot

__all__ = ["Cells", "log_joint", "log_normaliser", "log_posterior", "log_q", "word_table_sum"]


class Cells(Protocol):
    """How full the cells of the count tables are, as :class:`CellCounts` says."""

    @property
    def filled(self) -> tuple[FilledCells, FilledCells]:
        """The cells of n_dk and of n_vk that are not empty."""

    @property
    def topic_totals(self) -> Ints:
        """n_k."""

    @property
    def topic_histograms(self) -> TopicHistograms:
        """How many documents hold more than i tokens of a topic, for each topic and i."""


def log_posterior(counted: TopicCounts, cells: CellCounts | None = None) -> float:
    """Return log q, the paper's first measure, with the terms of empty counts included.

    log q = Σ_d Σ_k log Γ(n_dk + α_k) + Σ_k Σ_v log Γ(n_vk + β_kv) − Σ_k log Γ(n_k + Σ_v β_kv)

    ``cells`` is ``counted.cells()``, if it is there already.
    """
    priors, corpus = counted.priors, counted.corpus
    sums: list[float] = []
    if not priors.beta_is_symmetric:
        n_vk = counted.word_topic_counts()
        pieces = word_pieces(corpus.n_words, priors.n_topics)
        sums = [word_table_sum(n_vk[slice(*piece)], priors, piece) for piece in pieces]
    return log_q(priors, cells or counted.cells(), corpus.n_docs, corpus.n_words, sums)


def log_q(
    priors: Priors, cells: Cells, n_docs: int, n_words: int, table_sums: Sequence[float]
) -> float:
    """Return log q from counts of cells; ``table_sums`` are for words with priors of their own.

    They are those of the pieces of words, in order, as each is :func:`word_table_sum`.
    """
    docs, words = cells.filled
    if np.ptp(priors.alpha) == 0:
        of_docs = _equal_priors_sum(docs, n_docs, priors.alpha)
    else:
        of_docs = _alphas_sum(cells.topic_histograms, n_docs, priors.alpha)
    if priors.beta_is_symmetric:
        of_words = _equal_priors_sum(words, n_words, priors.beta[0])
    else:
        of_words = sum(table_sums)
    return float(of_docs + of_words - gammaln(cells.topic_totals + priors.beta_sum).sum())


def word_table_sum(n_vk: Ints, priors: Priors, piece: Piece) -> float:
    """Return Σ_v Σ_k log Γ(n_vk + β_kv) over a piece of words that have priors of their own."""
    return float(gammaln(n_vk + priors.beta[slice(*piece)]).sum())


def log_joint(counted: TopicCounts, cells: CellCounts | None = None) -> float:
    """Return log p(z, w | α, β) of the tokens' topics and words, θ and φ integrated out.

    It is log q and what depends on the priors alone,

    Σ_d log Γ(Σ_k α_k) / (Γ(N_d + Σ_k α_k) ∏_k Γ(α_k)) + Σ_k log Γ(Σ_v β_kv) / ∏_v Γ(β_kv),

    so that states with different priors can be compared.
    """
    return log_posterior(counted, cells) + log_normaliser(
        counted.priors, counted.corpus.length_counts(), counted.corpus.n_words
    )


def log_normaliser(priors: Priors, length_counts: tuple[Ints, Ints], n_words: int) -> float:
    """Return what log p(z, w | α, β) has beside log q.

    ``length_counts`` are distinct lengths of documents, and how many documents have each.
    """
    lengths, n_docs = length_counts
    alpha_sum = priors.alpha.sum()
    of_doc = gammaln(alpha_sum) - gammaln(priors.alpha).sum()
    of_docs = n_docs.sum() * of_doc - dot(n_docs, gammaln(lengths + alpha_sum))
    words_per_row = n_words if priors.beta_is_symmetric else 1
    of_topics = gammaln(priors.beta_sum).sum() - words_per_row * gammaln(priors.beta).sum()
    return float(of_docs + of_topics)


def _equal_priors_sum(cells: FilledCells, n_rows: int, prior: Floats) -> float:
    """Return Σ log Γ(count + x) over a table of counts whose cells all have the prior x.

    The table is not needed: few numbers of tokens in a cell are distinct.
    """
    x = prior[0]
    n_empty = n_rows * len(prior) - cells.n_cells.sum()
    return float(dot(cells.n_cells, gammaln(cells.n_tokens + x)) + n_empty * gammaln(x))


def _alphas_sum(histograms: TopicHistograms, n_docs: int, alpha: Floats) -> float:
    """Return Σ_d Σ_k log Γ(n_dk + α_k), as Γ(n + α) = Γ(α) α (α + 1) ⋯ (α + n − 1).

    It needs no table (documents, topics), which may be larger than the corpus.
    """
    topic, level, above = histograms
    return float(dot(above, np.log(alpha[topic] + level)) + n_docs * gammaln(alpha).sum())
