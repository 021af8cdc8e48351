"""Progress of a run in a log, for batch jobs without a terminal."""

from __future__ import annotations

import logging
import time

from blocklda.run.run import Run

__all__ = ["LOGGER", "LOG_SECONDS", "RunLog"]

LOGGER = logging.getLogger("blocklda")
LOGGER.addHandler(logging.NullHandler())  # what a program does with it is the program's business

LOG_SECONDS = 30.0
"""From one line to the next: a run of hours is then some hundred lines."""


class RunLog:
    """Writes a line at level INFO every so often: sweep, tokens per second, log posterior."""

    def __init__(self, n_sweeps: int, *, is_limit: bool) -> None:
        self._of = f"{'of at most' if is_limit else 'of'} {n_sweeps:,}"
        self._last: tuple[float, int] | None = None

    @staticmethod
    def is_wanted() -> bool:
        """Return True if the logger takes messages of level INFO."""
        return LOGGER.isEnabledFor(logging.INFO)

    def show(self, run: Run) -> None:
        """Write a line, if it is time for one."""
        now = time.perf_counter()
        n_done = sum(chain.n_sweeps for chain in run.chains)
        if self._last is None:
            self._last = now, n_done
            return
        then, before = self._last
        if now - then < LOG_SECONDS:
            return
        self._last = now, n_done
        ahead = max(run.chains, key=lambda chain: chain.log_levels[-1:])
        level = f"{ahead.log_levels[-1]:,.0f}" if ahead.log_levels else "unknown"
        chains = len(run.chains)
        LOGGER.info(
            "sweep %s %s%s, %.1f M tokens/s, log posterior %s",
            f"{n_done // chains:,}",
            self._of,
            f" in each of {chains} chains" if chains > 1 else "",
            (n_done - before) * run.corpus.n_tokens / (now - then) / 1e6,
            level,
        )
