"""`sparse`: blocks at once over short lists of topics, at a cost that does not grow with K."""

from __future__ import annotations

from typing import Self

import numpy as np

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import sparse as twin
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.kernel_call import call_kernel
from blocklda.models.lda.samplers.sparse.plan import largest_part, one_by_one_shares, rows_are_words
from blocklda.models.lda.samplers.table_sizes import sparse_tables, topic_list_bytes
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.memory import WORTH_ASKING, require_memory

__all__ = ["SPARSE", "SparseWorkspace", "raise_if_failed_at", "run_sparse"]


def run_sparse(state: State, n_sweeps: int, max_block: int) -> int:
    """Run the sparse kernel with blocks of at most ``max_block`` tokens."""
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

    def follow(self, state: State) -> None:
        """Choose the axis again if the priors are new: a resumed chain knows no older ones."""
        if self.priors is state.priors:
            return
        by_word = rows_are_words(state.corpus, state.priors)
        if self.priors is None or by_word != self.by_word:
            _require_memory_for_lists(state.corpus, state.priors.n_topics, by_word)
        self.priors, self.by_word = state.priors, by_word


def _require_memory_for_lists(corpus: Corpus, n_topics: int, by_word: bool) -> None:
    n_bytes = sum(topic_list_bytes(corpus, n_topics, by_word))
    if n_bytes > WORTH_ASKING:
        axis = f"{corpus.n_docs:,} documents" if by_word else f"{corpus.n_words:,} words"
        require_memory(
            n_bytes,
            f"the topic lists of {axis} and {n_topics:,} topics",
            "use fewer topics or fewer documents",
        )


def _entry_of(corpus: Corpus, token: int) -> int:
    """Return the entry that a token belongs to."""
    return int(np.searchsorted(np.cumsum(corpus.counts, dtype=np.int64), token, side="right"))


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    return run_sparse(state, n_sweeps, largest_part(state.priors.n_topics, options.max_block))


SPARSE = Sampler(
    name="sparse",
    summary="blocked collapsed Gibbs over short lists of topics",
    native=_native_sweep,
    python=twin.sweep,
    memory=sparse_tables,
)
