"""How much memory the tables of the samplers take: what a fit asks for before it starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import LANES, Priors, padded_length
from blocklda.models.lda.samplers.convolution import fft_from
from blocklda.models.lda.samplers.grid.plan import grid_size
from blocklda.models.lda.samplers.partially_collapsed.phi import Phi
from blocklda.models.lda.samplers.partially_collapsed.pieces import CELLS_PER_PIECE, document_pieces
from blocklda.models.lda.samplers.sparse.plan import ALL_LISTED, rows_are_words
from blocklda.models.lda.state import SweepOptions

__all__ = [
    "SweepMemory",
    "TableSizes",
    "augmented_tables",
    "backward_tables",
    "dense_count_bytes",
    "dense_tables",
    "grid_tables",
    "largest_block",
    "nested_tables",
    "partially_collapsed_tables",
    "sparse_tables",
    "topic_list_bytes",
]

DOUBLE = 8

ROW_NUMBERS = 27
"""Doubles a topic that a sweep over topic lists has for the row it is in."""

GROUP_SIZE = 8
"""Topics that nested simulation multiplies without keeping their products:
native/dense/group_tree.hpp."""

ARRAY_OBJECT = 120
"""Bytes of an array beside its numbers; `augmented` has one for every row of θ and φ."""


class SweepMemory(NamedTuple):
    """Bytes a sampler takes: kept between sweeps, and more of them during one."""

    kept: int
    during: int


TableSizes = Callable[[Corpus, Priors, SweepOptions], SweepMemory]
"""What tells how much memory a sampler takes."""


def dense_count_bytes(corpus: Corpus, n_topics: int) -> int:
    """Return what the table n_vk takes."""
    return corpus.n_words * padded_length(n_topics) * np.dtype(np.int32).itemsize


def dense_tables(corpus: Corpus, priors: Priors, options: SweepOptions) -> SweepMemory:
    """Return what a sampler takes that has the table n_vk and rows of topics beside it."""
    return SweepMemory(0, dense_count_bytes(corpus, priors.n_topics))


def backward_tables(corpus: Corpus, priors: Priors, options: SweepOptions) -> SweepMemory:
    """Add the leaves and the partial sums of the largest block, C + 1 numbers for each topic."""
    coefficients = largest_block(corpus, options) + 1
    rows = padded_length(priors.n_topics) + priors.n_topics
    return SweepMemory(0, dense_count_bytes(corpus, priors.n_topics) + DOUBLE * rows * coefficients)


def nested_tables(corpus: Corpus, priors: Priors, options: SweepOptions) -> SweepMemory:
    """Add the tree of the largest block, C + 1 numbers for each node.

    By FFT, three times the lowest level is there besides, and transforms of twice its length: those
    of two factors, and one of them padded.
    """
    n_topics, block = priors.n_topics, largest_block(corpus, options)
    stride = LANES * -(-n_topics // (LANES * GROUP_SIZE))
    groups = min(n_topics, stride)
    rows = 2 * padded_length(groups) + 3 * LANES
    if block >= fft_from(options.convolution):
        rows += (3 + 8) * groups
    return SweepMemory(0, dense_count_bytes(corpus, n_topics) + DOUBLE * rows * (block + 1))


def augmented_tables(corpus: Corpus, priors: Priors, options: SweepOptions) -> SweepMemory:
    """Return what θ and φ take: each drawn by rows from its counts, put together, and padded."""
    n_topics = priors.n_topics
    per_table = DOUBLE * n_topics
    counting = DOUBLE * corpus.n_tokens
    theta = max(3 * per_table * corpus.n_docs, per_table * corpus.n_docs + counting)
    phi = max(3 * per_table * corpus.n_words, per_table * corpus.n_words + counting)
    kept_theta = DOUBLE * padded_length(n_topics) * corpus.n_docs
    rows = ARRAY_OBJECT * max(corpus.n_docs, n_topics)
    return SweepMemory(0, max(theta, kept_theta + phi) + rows)


def sparse_tables(corpus: Corpus, priors: Priors, options: SweepOptions) -> SweepMemory:
    """Return what the topic lists take, and once more the tokens while they are made."""
    by_word = rows_are_words(corpus, priors)
    lists, grouped = topic_list_bytes(corpus, priors.n_topics, by_word)
    return SweepMemory(lists, grouped)


def grid_tables(corpus: Corpus, priors: Priors, options: SweepOptions) -> SweepMemory:
    """Add the totals of every cell of a step, the rows of every thread and the rows' first tokens.

    A row of topics has about as many numbers as one of a chain. Groups of words have rows for
    their tokens, which are counted by each group of rows, and for the masses and what they are
    drawn from.
    """
    lists = sparse_tables(corpus, priors, options)
    size, padded = grid_size(corpus), padded_length(priors.n_topics)
    of_groups = 4 * size * (size + 2) + 5 * DOUBLE * size
    rows = of_groups + ROW_NUMBERS * DOUBLE * min(options.n_threads, size)
    of_axes = DOUBLE * corpus.n_docs + 4 * max(corpus.n_docs, corpus.n_words)
    return SweepMemory(lists.kept, max(lists.during, rows * padded + of_axes))


def partially_collapsed_tables(
    corpus: Corpus, priors: Priors, options: SweepOptions
) -> SweepMemory:
    """Return what φ takes, the corpus by word and its pieces; and one piece in each thread.

    That is gamma draws of words, or the counts of documents and what they weigh.
    """
    n_topics = priors.n_topics
    kept = Phi.bytes_needed(corpus.n_words, n_topics) + 24 * corpus.n_entries
    words = 3 * DOUBLE * max(CELLS_PER_PIECE, n_topics)
    docs = 12 * padded_length(n_topics) * _documents_per_piece(corpus)
    return SweepMemory(kept, options.n_threads * max(words, docs))


def _documents_per_piece(corpus: Corpus) -> int:
    return max((last - first for first, last in document_pieces(corpus.doc_lengths())), default=0)


def topic_list_bytes(corpus: Corpus, n_topics: int, by_word: bool) -> tuple[int, int]:
    """Return what the lists take, a topic and a count for each place, and what making them does.

    That is where each list begins and how long it is, and the tokens once more, grouped by list.
    """
    lengths = corpus.doc_lengths() if by_word else corpus.word_counts()
    longest = padded_length(n_topics)
    if n_topics <= ALL_LISTED:
        places = longest * len(lengths)
    else:
        places = int(np.minimum(-(-lengths // LANES) * LANES, longest).sum())
    per_token = 2 if n_topics <= 2**16 else 4
    return 8 * places + 12 * len(lengths), 16 * len(lengths) + per_token * corpus.n_tokens


def largest_block(corpus: Corpus, options: SweepOptions) -> int:
    """Return how many tokens are drawn at once at the most."""
    return min(corpus.max_count, options.max_block or corpus.max_count)
