"""Sums of θ and φ over draws, as sparse as the counts are.

θ and φ are shares of counts and of priors. Of the counts few cells are filled; what the priors add
follows from a few numbers for each draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.base import Arrays, Stored
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.priors import Priors
from blocklda.support.arrays import Floats, Ints

__all__ = ["DocSums", "WordSums"]

CELLS_AT_ONCE = 2**19
"""Numbers of a table that are made at a time: 4 MB, and counts of 8 draws, 16 MB. Every piece goes
through the corpus: a quarter of them takes a third longer."""

Cells = Any
"""A SciPy CSR matrix of doubles: rows of documents or words, a column per topic."""


class WordSums:
    """Σ φ_kv over draws, where φ_kv = (n_vk + β_kv) / (n_k + Σ_v β_kv)."""

    def __init__(self, cells: Cells, of_priors: Floats, priors: Priors) -> None:
        self._cells = cells
        self._of_priors = of_priors
        self._priors = priors

    @classmethod
    def none(cls, corpus: Corpus, priors: Priors) -> WordSums:
        """Return the sums over no draws."""
        shape = (corpus.n_words, priors.n_topics)
        return cls(sparse.csr_matrix(shape), np.zeros(priors.n_topics), priors)

    def plus(self, draw: Draw) -> WordSums:
        """Return the sums with one more draw."""
        shares, of_priors = self._shares([draw])
        cells = _summed(draw, shares, by_word=True)
        return WordSums(_added(self._cells, cells), of_priors, draw.priors)

    def _shares(self, draws: Sequence[Draw]) -> tuple[Floats, Floats]:
        """Return what a token weighs, by draw and topic, and what the priors add up to."""
        shares = [1.0 / (draw.topic_counts() + draw.priors.beta_sum) for draw in draws]
        of_priors = self._of_priors
        for draw, share in zip(draws, shares, strict=True):
            # A learned β is one number; one that differs between words or topics never changes.
            weight = draw.priors.beta[0] if draw.priors.beta_is_symmetric else 1.0
            of_priors = of_priors + weight * share
        return np.array(shares), of_priors

    @property
    def shape(self) -> tuple[int, int]:
        """(topics, words)."""
        n_words, n_topics = self._cells.shape
        return n_topics, n_words

    def rows(self, draws: Sequence[Draw] = ()) -> Iterator[tuple[slice, Floats]]:
        """Yield the sums, with some more draws, of some words at a time: (words, topics)."""
        shares, of_priors = self._shares(draws)
        beta = None if self._priors.beta_is_symmetric else self._priors.beta
        for words in _pieces(self._cells.shape):
            sums = _dense(self._cells[words])
            _add(draws, shares, words.start, sums, by_word=True)
            sums += of_priors if beta is None else of_priors * beta[words]
            yield words, sums

    def to_arrays(self) -> Arrays:
        """Return what a file holds."""
        return {**_cell_arrays("word", self._cells), "sum_word_priors": self._of_priors}

    @classmethod
    def restore(cls, stored: Stored, corpus: Corpus, priors: Priors, n_draws: int) -> WordSums:
        """Return the sums in a file, if they can be such."""
        cells = _restored_cells("word", stored, (corpus.n_words, priors.n_topics))
        of_priors = stored.shaped("sum_word_priors", np.float64, (priors.n_topics,))
        weights = corpus.n_words if priors.beta_is_symmetric else priors.beta_sum
        found = np.bincount(cells.indices, weights=cells.data, minlength=priors.n_topics)
        _require_totals(stored, of_priors, found + weights * of_priors, n_draws)
        return cls(cells, of_priors, priors)


class DocSums:
    """Σ θ_dk over draws, where θ_dk = (n_dk + α_k) / (N_d + Σ_k α_k).

    ``alphas`` has a row for every α that draws had, ``n_draws`` in a run.
    """

    def __init__(self, cells: Cells, lengths: Ints, alphas: Floats, n_draws: Ints) -> None:
        self._cells = cells
        self._lengths = lengths
        self._alphas = alphas
        self._n_draws = n_draws

    @classmethod
    def none(cls, corpus: Corpus, priors: Priors) -> DocSums:
        """Return the sums over no draws."""
        shape = (corpus.n_docs, priors.n_topics)
        no_alphas = np.zeros((0, priors.n_topics))
        return cls(sparse.csr_matrix(shape), corpus.doc_lengths(), no_alphas, np.zeros(0, np.int64))

    def plus(self, draw: Draw) -> DocSums:
        """Return the sums with one more draw."""
        cells = _summed(draw, _alpha_sums([draw]), by_word=False)
        alphas, n_draws = self._runs_with([draw])
        return DocSums(_added(self._cells, cells), self._lengths, alphas, n_draws)

    def _runs_with(self, draws: Sequence[Draw]) -> tuple[Floats, Ints]:
        """Return every α once, and how many draws in a row have it."""
        alphas, n_draws = list(self._alphas), self._n_draws.tolist()
        for draw in draws:
            if alphas and np.array_equal(alphas[-1], draw.priors.alpha):
                n_draws[-1] += 1
            else:
                alphas.append(draw.priors.alpha)
                n_draws.append(1)
        return np.array(alphas), np.array(n_draws, dtype=np.int64)

    def dense(self, draws: Sequence[Draw] = ()) -> Floats:
        """Return the sums, with some more draws, shape (documents, topics)."""
        lengths, numbers = np.unique(self._lengths, return_inverse=True)
        of_priors = _share_of_priors(lengths, *self._runs_with(draws))
        totals = _alpha_sums(draws)
        sums = np.empty(self._cells.shape)
        for docs in _pieces(self._cells.shape):
            sums[docs] = _dense(self._cells[docs])
            _add(draws, totals, docs.start, sums[docs], by_word=False)
            sums[docs] += of_priors[numbers[docs]]
        return sums

    def to_arrays(self) -> Arrays:
        """Return what a file holds."""
        cells = _cell_arrays("doc", self._cells)
        return {**cells, "sum_alphas": self._alphas, "sum_alpha_draws": self._n_draws}

    @classmethod
    def restore(cls, stored: Stored, corpus: Corpus, priors: Priors, n_draws: int) -> DocSums:
        """Return the sums in a file, if they can be such."""
        cells = _restored_cells("doc", stored, (corpus.n_docs, priors.n_topics))
        runs = stored.array("sum_alpha_draws", np.int64, 1)
        alphas = stored.shaped("sum_alphas", np.float64, (len(runs), priors.n_topics))
        if (runs < 1).any() or runs.sum() != n_draws or not (alphas > 0).all():
            raise stored.damaged("its averages do not belong to its draws")
        sums = cls(cells, corpus.doc_lengths(), alphas, runs)
        lengths, numbers = np.unique(corpus.doc_lengths(), return_inverse=True)
        found = np.asarray(cells.sum(axis=1)).ravel()
        totals = found + _share_of_priors(lengths, alphas, runs).sum(axis=1)[numbers]
        _require_totals(stored, alphas, totals, n_draws)
        return sums


def _pieces(shape: tuple[int, int]) -> Iterator[slice]:
    n_rows, n_topics = shape
    at_once = max(1, CELLS_AT_ONCE // n_topics)
    return (slice(i, min(i + at_once, n_rows)) for i in range(0, n_rows, at_once))


def _alpha_sums(draws: Sequence[Draw]) -> Floats:
    return np.array([[draw.priors.alpha.sum()] for draw in draws])


def _share_of_priors(lengths: Ints, alphas: Floats, n_draws: Ints) -> Floats:
    """Return what the priors add for documents of some lengths."""
    found = np.zeros((len(lengths), alphas.shape[1]))
    for alpha, n in zip(alphas, n_draws, strict=True):
        # Divided first: for an empty document and tiny α, n / Σ α would be infinite.
        found += n * (alpha / (lengths + alpha.sum())[:, None])
    return found


def _summed(draw: Draw, weights: Floats, *, by_word: bool) -> Cells:
    """Return what a draw adds, in the rows of words or documents: native/counts/topic_sums.hpp."""
    corpus, n_topics = draw.corpus, draw.priors.n_topics
    offsets, columns, sums = _native.topic_sums(
        corpus.native, n_topics, [draw.topics], weights, by_word
    )
    # Columns of 32 bits would be copied to the 64 bits of the offsets.
    narrow = offsets.astype(np.int32) if len(sums) < 2**31 else offsets
    n_rows = corpus.n_words if by_word else corpus.n_docs
    return sparse.csr_matrix((sums, columns, narrow), shape=(n_rows, n_topics))


def _add(
    draws: Sequence[Draw], weights: Floats, first: int, sums: Floats, *, by_word: bool
) -> None:
    """Add draws to the rows from ``first`` on, to the bit as if each had been summed before."""
    if draws:
        corpus, n_topics = draws[0].corpus, draws[0].priors.n_topics
        topics = [draw.topics for draw in draws]
        _native.add_topic_sums(corpus.native, n_topics, topics, weights, by_word, first, sums)


def _added(sums: Cells, more: Cells) -> Cells:
    return more if sums.nnz == 0 else sums + more


def _dense(cells: Cells) -> Floats:
    dense: Floats = cells.toarray()
    return dense


def _cell_arrays(name: str, cells: Cells) -> Arrays:
    return {
        f"sum_{name}_offsets": cells.indptr.astype(np.int64),
        f"sum_{name}_topics": cells.indices.astype(np.int32),
        f"sum_{name}_values": cells.data,
    }


def _restored_cells(name: str, stored: Stored, shape: tuple[int, int]) -> Cells:
    offsets = stored.shaped(f"sum_{name}_offsets", np.int64, (shape[0] + 1,))
    lengths = np.diff(offsets)
    if offsets[0] != 0 or not ((lengths >= 0) & (lengths <= shape[1])).all():
        raise stored.damaged("its averages are out of order")
    n_cells = int(offsets[-1])
    topics = stored.shaped(f"sum_{name}_topics", np.int32, (n_cells,))
    values = stored.shaped(f"sum_{name}_values", np.float64, (n_cells,))
    starts = np.zeros(n_cells, dtype=np.bool_)
    starts[offsets[:-1][lengths > 0]] = True
    is_ascending = (starts[1:] | (np.diff(topics) > 0)).all()
    if not is_ascending or not ((topics >= 0) & (topics < shape[1])).all():
        raise stored.damaged("its averages are out of order")
    if not (values >= 0).all():
        raise stored.damaged("its averages are no probabilities")
    return sparse.csr_matrix((values, topics, offsets), shape=shape)


def _require_totals(stored: Stored, numbers: Floats, totals: Floats, n_draws: int) -> None:
    """Refuse sums of what are no probabilities: those of a draw add up to 1."""
    if not (numbers >= 0).all() or not np.allclose(totals, n_draws, rtol=1e-6):
        raise stored.damaged("its averages are no probabilities")
