"""`grid` on dense counts: one token at a time, given the masses of groups of words."""

from __future__ import annotations

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.priors import Priors, padded_length
from blocklda.models.lda.samplers.base import TableBytes
from blocklda.models.lda.samplers.grid.plan import cut_dense_grid, dense_grid_size
from blocklda.models.lda.samplers.grid.word_masses import WordGroups
from blocklda.models.lda.samplers.kernel_call import Kernel, state_arguments
from blocklda.models.lda.samplers.sweep_streams import CELLS, MASSES, piece_stream, sweep_key
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["dense_bytes", "run_dense"]

TOKENS_PER_TOPIC = 4
"""Tokens of a document for each topic, on average, from which on n_dk is kept: it then takes at
most a quarter of the memory of the tokens' topics."""


class _Workspace:
    """The grid of a corpus, and the counts that the kernel keeps between sweeps."""

    def __init__(self, corpus: Corpus, size: int | None) -> None:
        self.corpus = corpus
        self.size = size
        self.grid = cut_dense_grid(corpus, size)
        self.tables = _native.DenseGridWorkspace()

    @classmethod
    def of(cls, state: State, size: int | None) -> _Workspace:
        """Return the workspace of a state, made if it has none for its corpus."""
        kept = state.workspace
        if type(kept) is not cls or kept.corpus is not state.corpus or kept.size != size:
            state.workspace = kept = cls(state.corpus, size)
        return kept


def run_dense(state: State, options: SweepOptions, n_sweeps: int, size: int | None = None) -> int:
    """Sweep a state by the kernel; return the simulation steps.

    ``size`` is the number of groups on each axis, if it is not to be that of the corpus.
    """
    workspace = _Workspace.of(state, size)
    words = WordGroups(workspace.grid.word_groups, state.priors, once=True)
    shuffles = not state.is_in_random_order
    steps = 0
    for _ in range(n_sweeps):
        steps += _sweep(state, options, workspace, words, shuffles)
        shuffles = False
    state.random_order_at = state.n_sweeps + n_sweeps
    return steps


def _sweep(
    state: State, options: SweepOptions, workspace: _Workspace, words: WordGroups, shuffles: bool
) -> int:
    key, grid = sweep_key(state.rng), workspace.grid
    streams = [piece_stream(key, CELLS, i).bit_generator for i in range(grid.size)]
    masses = piece_stream(key, MASSES, 0)
    sweep: Kernel = _native.sweep_dense_grid
    steps, failed = sweep(
        *state_arguments(state),
        [stream.capsule for stream in streams],
        workspace=workspace.tables,
        doc_groups=grid.row_groups,
        word_groups=grid.word_groups,
        group_beta_sum=words.beta_sum,
        totals=words.totals,
        masses=words.masses,
        draw_masses=words.for_sweep(masses),
        keeps_docs=_keeps_docs(state.corpus, state.priors.n_topics),
        shuffles=shuffles,
        n_threads=options.n_threads,
    )
    raise_if_failed(state.corpus, failed)
    return steps


def _keeps_docs(corpus: Corpus, n_topics: int) -> bool:
    """Return True if n_dk is small beside the topics of all tokens, and so is worth its memory.

    It spares each cell counting the tokens of its documents; whether it is kept changes no draw.
    """
    return TOKENS_PER_TOPIC * n_topics * corpus.n_docs <= corpus.n_tokens


def dense_bytes(corpus: Corpus, priors: Priors, options: SweepOptions) -> TableBytes:
    """Count n_vk, n_dk, a place in each document, and rows of numbers in each group and thread."""
    size, padded = dense_grid_size(corpus), padded_length(priors.n_topics)
    n_rows = corpus.n_words + corpus.n_docs * _keeps_docs(corpus, priors.n_topics)
    per_topic = 4 * size * 6 + 80 * min(options.n_threads, size)
    return TableBytes(4 * padded * n_rows + 16 * corpus.n_docs, per_topic * padded)
