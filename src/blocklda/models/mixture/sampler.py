"""The sampler of a mixture: documents, all of a kind at once, then the concentration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from blocklda.models.lda.samplers.base import BACKENDS
from blocklda.models.mixture.concentration import draw_concentration
from blocklda.models.mixture.reference.sweep import sweep_documents
from blocklda.models.mixture.state import State, SweepOptions
from blocklda.support.errors import unknown_choice

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


BLOCKS = Sampler("blocks", native=sweep_documents, python=sweep_documents)
