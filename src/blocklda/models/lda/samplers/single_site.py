"""`single-site`: collapsed Gibbs sampling one token at a time (Griffiths & Steyvers 2004)."""

from __future__ import annotations

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors, padded_length
from blocklda.models.lda.reference import single_site as twin
from blocklda.models.lda.samplers.base import Sampler, TableBytes
from blocklda.models.lda.samplers.kernel_call import run_collapsed
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["SINGLE_SITE"]


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    workspace = state.workspace
    if not isinstance(workspace, _native.DenseWorkspace):
        state.workspace = workspace = _native.DenseWorkspace()
    steps = run_collapsed(
        _native.single_site,
        state,
        n_sweeps,
        workspace=workspace,
        shuffles=not state.is_in_random_order,
        notes_cells=state.notes_cells,
    )
    state.random_order_at = state.n_sweeps + n_sweeps
    if state.notes_cells:
        state.take_noted(_native.noted_cells(workspace))
    return steps


def _table_bytes(corpus: Corpus, priors: Priors, options: SweepOptions) -> TableBytes:
    """Return what the table n_vk takes, which has 16 bits a count where these are enough."""
    is_short = corpus.word_counts().max(initial=0) < 2**16
    size = 2 if is_short else 4
    return TableBytes(size * corpus.n_words * padded_length(priors.n_topics), 0)


SINGLE_SITE = Sampler(
    name="single-site",
    summary="collapsed Gibbs, one token at a time",
    native=_native_sweep,
    python=twin.sweep,
    memory=_table_bytes,
)
