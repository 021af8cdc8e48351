"""Sweeps under a progress bar."""

from __future__ import annotations

import time

from rich.console import Console

from blocklda.chain import Chain
from blocklda.fitting.progress import sweep_bar

__all__ = ["sweep_with_progress"]

STEP_SECONDS = 0.1
"""The bar moves about this often; the chain sweeps undisturbed in between."""

LOG_POSTERIOR_SHARE = 0.05
"""The log posterior is shown as often as it can be for this share of the time."""


def sweep_with_progress(
    chain: Chain, n_sweeps: int, console: Console, total: int | None = None
) -> None:
    """Advance ``chain`` by ``n_sweeps``, with a bar if ``console`` is interactive.

    The bar counts the sweeps of the chain since its start, up to ``total``: by default where this
    call ends, more if the caller goes on. It leaves no trace. The draws are the same with and
    without a bar.
    """
    if not console.is_interactive:
        chain.sweep(n_sweeps)
        return
    end = chain.n_sweeps + n_sweeps
    with sweep_bar(console) as bar:
        total = end if total is None else total
        task = bar.add_task("", total=total, completed=chain.n_sweeps, speed="", level="")
        meter = _Meter(chain)
        while chain.n_sweeps < end:
            chain.sweep(min(meter.sweeps_per_step(), end - chain.n_sweeps))
            level = meter.log_posterior()
            bar.update(task, completed=chain.n_sweeps, speed=meter.speed(), level=level)


class _Meter:
    """How fast a chain runs, and its log posterior now and then."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._first_sweep = chain.n_sweeps
        self._start = time.perf_counter()
        self._next_level = self._start
        self._level = ""

    def _sweeps_per_second(self) -> float:
        seconds = time.perf_counter() - self._start
        return (self._chain.n_sweeps - self._first_sweep) / max(seconds, 1e-9)

    def sweeps_per_step(self) -> int:
        """Return how many sweeps fit between two moves of the bar, at least one."""
        return max(1, int(self._sweeps_per_second() * STEP_SECONDS))

    def speed(self) -> str:
        tokens = self._sweeps_per_second() * self._chain.corpus.n_tokens
        return f"{tokens / 1e6:.1f} M tokens/s"

    def log_posterior(self) -> str:
        """Return the latest log posterior as text, computed anew when it is due."""
        begin = time.perf_counter()
        if begin >= self._next_level:
            self._level = f"log posterior {self._chain.log_posterior():,.0f}"
            end = time.perf_counter()
            self._next_level = end + (end - begin) / LOG_POSTERIOR_SHARE
        return self._level
