"""`augmented`: data augmentation, θ and φ drawn and then every token given them."""

from __future__ import annotations

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.priors import Priors, pad_to_lanes
from blocklda.models.lda.reference import augmented as twin
from blocklda.models.lda.samplers.base import Sampler, TableBytes
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["AUGMENTED"]


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    # θ and φ are Dirichlet draws by NumPy's own code, in both backends.
    corpus, steps = state.corpus, 0
    for _ in range(n_sweeps):
        theta = pad_to_lanes(twin.draw_theta(state))
        phi = pad_to_lanes(twin.draw_phi(state))
        with state.rng.bit_generator.lock:
            done, failed_entry = _native.augmented(
                corpus.native,
                theta,
                phi,
                state.priors.n_topics,
                state.topics,
                state.rng.bit_generator.capsule,
            )
        raise_if_failed(corpus, failed_entry)
        steps += done
    return steps


def _table_bytes(corpus: Corpus, priors: Priors, options: SweepOptions) -> TableBytes:
    """Count θ and φ, and the larger of them twice more while it is drawn and padded.

    Before that, the tokens are counted by cell.
    """
    cells = priors.n_topics * max(corpus.n_docs, corpus.n_words)
    both = priors.n_topics * (corpus.n_docs + corpus.n_words)
    return TableBytes(0, 8 * (both + max(2 * cells, corpus.n_tokens)))


AUGMENTED = Sampler(
    name="augmented",
    summary="data augmentation: θ and φ drawn, then every token",
    native=_native_sweep,
    python=twin.sweep,
    memory=_table_bytes,
)
