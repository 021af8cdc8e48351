"""Sweeps of a single chain under the display of fits."""

from __future__ import annotations

import time

from rich.console import Console

from blocklda.models.lda.chain import Chain
from blocklda.run.progress import SweepDisplay

__all__ = ["sweep_with_progress"]

STEP_SECONDS = 0.1
"""The display moves about this often; the chain sweeps undisturbed in between."""

LOG_POSTERIOR_SHARE = 0.05
"""The log posterior is shown as often as it can be for this share of the time."""


def sweep_with_progress(
    chain: Chain, n_sweeps: int, console: Console, total: int | None = None
) -> None:
    """Advance ``chain`` by ``n_sweeps``, with a display if ``console`` is interactive.

    It counts the sweeps of the chain since its start, up to ``total``: by default where this call
    ends, more if the caller continues. It leaves no trace. The draws are the same with and without.
    """
    if not console.is_interactive:
        chain.sweep(n_sweeps)
        return
    end = chain.n_sweeps + n_sweeps
    total = end if total is None else total
    history = _History(chain)
    pace = _Pace(chain)
    with SweepDisplay(console, total, chain.corpus.n_tokens, n_done=chain.n_sweeps) as display:
        while chain.n_sweeps < end:
            chain.sweep(min(pace.sweeps_per_step(), end - chain.n_sweeps))
            display.show(chain.n_sweeps, history.so_far())


class _Pace:
    """How many sweeps to make between two moves of the display."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._first_sweep = chain.n_sweeps
        self._start = time.perf_counter()

    def sweeps_per_step(self) -> int:
        """Return at least one."""
        seconds = time.perf_counter() - self._start
        done = self._chain.n_sweeps - self._first_sweep
        return max(1, int(done / max(seconds, 1e-9) * STEP_SECONDS))


class _History:
    """The log posterior of a chain, computed now and then."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._levels: list[float] = []
        self._next = time.perf_counter()

    def so_far(self) -> list[float]:
        """Return the levels known, the latest computed again when it is due."""
        begin = time.perf_counter()
        if begin >= self._next:
            self._levels.append(self._chain.log_posterior())
            end = time.perf_counter()
            self._next = end + (end - begin) / LOG_POSTERIOR_SHARE
        return self._levels
