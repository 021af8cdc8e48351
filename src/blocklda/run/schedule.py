"""Which sweeps of a chain are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["Schedule"]


@dataclass(frozen=True)
class Schedule:
    """Sweeps are numbered from 1; after ``burn_in`` of them every ``thin``-th is kept."""

    n_sweeps: int
    burn_in: int
    thin: int

    @classmethod
    def create(cls, n_sweeps: Any, burn_in: Any, thin: Any) -> Schedule:
        """Check what a user gave."""
        schedule = cls(
            whole_number("n_sweeps", n_sweeps, 1),
            whole_number("burn_in", burn_in, 0),
            whole_number("thin", thin, 1),
        )
        if schedule.n_draws == 0:
            raise InputError.of(
                "{n_sweeps=} with {burn_in=} and {thin=} keeps no draw: [give {n_sweeps} of at "
                "least {burn_in} + {thin} = {least}]."
            ).where(n_sweeps=n_sweeps, burn_in=burn_in, thin=thin, least=burn_in + thin)
        return schedule

    @property
    def n_draws(self) -> int:
        """How many sweeps of a chain are kept."""
        return max(0, self.n_sweeps - self.burn_in) // self.thin

    def keeps(self, sweep: int) -> bool:
        """Return True if the state after this sweep is kept."""
        return sweep > self.burn_in and (sweep - self.burn_in) % self.thin == 0

    def next_kept(self, sweep: int) -> int:
        """Return the first sweep after this one that is kept, whether or not it will be done."""
        done = max(0, sweep - self.burn_in)
        return self.burn_in + (done // self.thin + 1) * self.thin
