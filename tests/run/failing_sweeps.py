"""A sampler whose sweeps do their work and then fail, as long as they are told to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.registry import Sampler, find_sampler
from blocklda.models.lda.state import State, SweepOptions


@dataclass
class FailingSweep:
    """The sweep of a sampler; once ``error`` is set, it raises that when all topics have moved."""

    whole: Sweep
    error: type[BaseException] | None = None

    def __call__(self, state: State, options: SweepOptions, n_sweeps: int) -> int:
        n_steps = self.whole(state, options, n_sweeps)
        if self.error is not None:
            raise self.error
        return n_steps


def failing(name: str) -> tuple[Sampler, FailingSweep]:
    """Return a sampler that can be told to fail, and the sweep to tell it."""
    found = find_sampler(name)
    sweep = FailingSweep(found.native)
    return replace(found, native=sweep), sweep
