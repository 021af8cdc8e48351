"""`sparse`: blocks at once over short lists of topics, at a cost that does not grow with K."""

from __future__ import annotations

from typing import Self

import numpy as np

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.priors import LANES, Priors, padded_length
from blocklda.models.lda.reference import sparse as twin
from blocklda.models.lda.samplers.base import Sampler, TableBytes
from blocklda.models.lda.samplers.kernel_call import call_kernel
from blocklda.models.lda.samplers.sparse.plan import (
    ALL_LISTED,
    largest_part,
    one_by_one_shares,
    rows_are_words,
    sequential_from,
    sequential_part,
)
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.arrays import Ints

__all__ = ["SPARSE", "SparseWorkspace", "list_bytes", "raise_if_failed_at", "run_sparse"]


def run_sparse(state: State, n_sweeps: int, max_block: int, sequential_block: int = 1) -> int:
    """Run the sparse kernel with blocks of at most ``max_block`` tokens.

    Blocks whose list has many other tokens are drawn token after token, in parts of at most
    ``sequential_block``; 1 for none.
    """
    plan = SparseWorkspace.of(state)
    steps, failed = call_kernel(
        _native.sparse,
        state,
        n_sweeps,
        by_word=plan.by_word,
        workspace=plan.tables,
        max_block=max_block,
        one_by_one=one_by_one_shares(
            state.priors.n_topics, state.random_start, state.n_sweeps, n_sweeps
        ),
        sequential_block=sequential_block,
        sequential_from=sequential_from(),
        notes_cells=state.notes_cells,
    )
    raise_if_failed_at(state.corpus, failed, plan.by_word)
    return steps


def raise_if_failed_at(corpus: Corpus, failed: int, by_word: bool) -> None:
    """Name the block at which a kernel failed, which counts entries along the axis of its rows."""
    if failed >= 0 and by_word:
        failed = _entry_of(corpus, int(corpus.by_word().starts[failed]))
    raise_if_failed(corpus, failed)


class SparseWorkspace:
    """What the kernel keeps for a state, and the axis that was chosen for it."""

    @classmethod
    def of(cls, state: State) -> Self:
        """Return the workspace of a state, made if it has none for its corpus."""
        kept = state.workspace
        if type(kept) is not cls or kept.corpus is not state.corpus:
            state.workspace = kept = cls(state)
        kept.follow(state)
        return kept

    def __init__(self, state: State) -> None:
        self.corpus = state.corpus
        self.priors: Priors | None = None
        self.by_word = False
        self.tables = _native.SparseWorkspace()

    def noted_cells(self, state: State) -> tuple[Ints, Ints, Ints, Ints, Ints] | None:
        """Return the counts of cells that the last sweep noted, None if the topics are others."""
        corpus = state.corpus.native_by_word if self.by_word else state.corpus.native
        return _native.sparse_cells(corpus, state.priors.n_topics, state.topics, self.tables)

    def follow(self, state: State) -> None:
        """Choose the axis again if the priors are new: a resumed chain knows no older ones."""
        if self.priors is state.priors:
            return
        self.priors, self.by_word = state.priors, rows_are_words(state.corpus, state.priors)


def _entry_of(corpus: Corpus, token: int) -> int:
    """Return the entry that a token belongs to."""
    return int(np.searchsorted(np.cumsum(corpus.counts, dtype=np.int64), token, side="right"))


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    largest = largest_part(state.priors.n_topics, options.max_block)
    return run_sparse(state, n_sweeps, largest, sequential_part(options.max_block))


def list_bytes(corpus: Corpus, priors: Priors, options: SweepOptions) -> TableBytes:
    """Count a topic and a count for each place of the lists, and where each list begins.

    A list has a place for each token of its row, up to all topics, in whole lanes. The tokens are
    there once more, grouped by list, while the lists are made, and counts are wider while rows are
    added up. If words have the rows, the corpus is put in order of its words.
    """
    by_word = rows_are_words(corpus, priors)
    lengths = corpus.doc_lengths() if by_word else corpus.word_counts()
    longest = padded_length(priors.n_topics)
    if priors.n_topics > ALL_LISTED:
        places = int(np.minimum(-(-lengths // LANES) * LANES, longest).sum())
    else:
        places = longest * len(lengths)
    per_entry = 24 if by_word else 8
    making = 16 * len(lengths) + 2 * corpus.n_tokens + per_entry * corpus.n_entries
    return TableBytes(8 * places + 12 * len(lengths), making)


SPARSE = Sampler(
    name="sparse",
    summary="blocked collapsed Gibbs over short lists of topics",
    native=_native_sweep,
    python=twin.sweep,
    memory=list_bytes,
    companion="sparse-single-site",
)
