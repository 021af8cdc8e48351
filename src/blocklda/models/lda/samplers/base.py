"""What a sampler is: a name, and one sweep in two versions that agree to the bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from blocklda.models.lda.samplers.table_sizes import TableSizes, dense_tables
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.errors import unknown_choice

__all__ = ["BACKENDS", "Sampler", "Sweep"]

Sweep = Callable[[State, SweepOptions, int], int]
"""Advance a state in place by some sweeps; return the number of simulation steps it took."""

BACKENDS = ("native", "python")


@dataclass(frozen=True)
class Sampler:
    """A Markov kernel with the posterior as its stationary law, or a name that says it is not.

    ``native`` and ``python`` take the same arguments, draw the same uniforms in the same order and
    leave the same state. ``memory`` tells what the native one takes beside the state.
    """

    name: str
    summary: str
    native: Sweep
    python: Sweep
    memory: TableSizes = dense_tables

    def sweep(self, backend: str) -> Sweep:
        """Return the version of the sweep that a backend runs."""
        if not isinstance(backend, str) or backend not in BACKENDS:
            raise unknown_choice("backend", backend, BACKENDS)
        return self.native if backend == "native" else self.python
