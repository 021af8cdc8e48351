"""The sampler of a mixture: documents, all of a kind at once, then the concentration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from blocklda import _native
from blocklda.models.lda.samplers.base import BACKENDS
from blocklda.models.mixture.concentration import draw_concentration
from blocklda.models.mixture.reference.sweep import sweep_documents
from blocklda.models.mixture.state import State, SweepOptions
from blocklda.support.errors import KernelError, unknown_choice

__all__ = ["BLOCKS", "DocumentSweep", "Sampler", "Sweep"]

Sweep = Callable[[State, SweepOptions, int], int]

DocumentSweep = Callable[[State, SweepOptions], int]
"""Move every document once, in place; return the number of simulation steps."""


@dataclass(frozen=True)
class Sampler:
    """A Markov kernel: one sweep over the documents in two versions that agree to the bit."""

    name: str
    native: DocumentSweep
    python: DocumentSweep

    def documents(self, backend: str) -> DocumentSweep:
        """Return the version that a backend runs."""
        if not isinstance(backend, str) or backend not in BACKENDS:
            raise unknown_choice("backend", backend, BACKENDS)
        return self.native if backend == "native" else self.python

    def sweep(self, backend: str) -> Sweep:
        """Return what advances a state: sweeps over documents, each with a draw of alpha after it.

        Alpha is drawn only where it is learned.
        """
        documents = self.documents(backend)

        def advance(state: State, options: SweepOptions, n_sweeps: int) -> int:
            n_steps = 0
            for _ in range(n_sweeps):
                n_steps += documents(state, options)
                if state.priors.is_learned:
                    state.alpha = draw_concentration(state)
            return n_steps

        return advance


def native_sweep(state: State, options: SweepOptions) -> int:
    """Advance the labels by one sweep of the kernel; return the number of simulation steps."""
    labels, births = state.labels.copy(), state.slots()
    # The capsule's functions are not thread-safe: NumPy asks its users to hold this lock.
    with state.rng.bit_generator.lock:
        n_steps, failed_doc, n_born = _native.mixture(
            corpus=state.corpus.native,
            beta=state.priors.beta,
            beta_sum=state.priors.beta_sum,
            alpha=state.alpha,
            n_components=state.priors.n_components or 0,
            docs=state.kinds.docs,
            kind_offsets=state.kinds.offsets,
            max_block=options.max_block,
            n_born=state.n_born,
            labels=labels,
            births=births,
            bit_generator=state.rng.bit_generator.capsule,
        )
    if failed_doc >= 0:
        raise KernelError(
            f"the weights of the components of document {failed_doc} are not positive numbers; "
            "alpha and beta are outside the range of double precision."
        )
    state.take_slots(labels, births, n_born)
    return n_steps


BLOCKS = Sampler("blocks", native=native_sweep, python=sweep_documents)
