"""How far a fit has got, as a bar in the terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from blocklda.fitting.run import Run

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = ["fit_progress", "sweep_bar"]

SMOOTHING_SECONDS = 2.0
"""The speed shown is that of about the last two seconds."""


def sweep_bar(console: Console) -> Progress:
    """Return a bar that counts sweeps; its tasks have the fields "speed" and "level"."""
    # rich takes a while to import, and most fits of a program show no bar.
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    return Progress(
        TextColumn("[bold]sweep {task.completed:,} of {task.total:,}"),
        BarColumn(bar_width=None),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        TextColumn("{task.fields[speed]}", style="dim"),
        TextColumn("{task.fields[level]}"),
        console=console,
        transient=True,
        expand=True,
    )


@contextmanager
def fit_progress(
    n_sweeps: int, *, is_wanted: bool, console: Console | None = None
) -> Iterator[Callable[[Run], None] | None]:
    """Give a function to be told about a run now and then; None where nobody looks.

    The bar is drawn on standard error, if that is a terminal or a notebook, and leaves no trace.
    """
    if not is_wanted:
        yield None
        return
    if console is None:
        from rich.console import Console  # noqa: PLC0415

        console = Console(stderr=True)
    if not (console.is_interactive or console.is_jupyter):
        yield None
        return
    with sweep_bar(console) as bar:
        yield _Meter(bar, n_sweeps).show


class _Meter:
    """Moves a bar; the sweeps it counts are those of all chains together."""

    def __init__(self, bar: Progress, n_sweeps: int) -> None:
        self._bar = bar
        self._n_sweeps = n_sweeps
        self._task = bar.add_task("", total=n_sweeps, speed="", level="")
        self._seen: list[tuple[float, int]] = []

    def show(self, run: Run) -> None:
        """Draw where the run is now."""
        n_done = sum(chain.n_sweeps for chain in run.chains)
        level = max((chain.log_posterior[-1:] for chain in run.chains), default=[])
        self._bar.update(
            self._task,
            total=self._n_sweeps * len(run.chains),
            completed=n_done,
            speed=f"{self._speed(n_done) * run.corpus.n_tokens / 1e6:.1f} M tokens/s",
            level=f"log posterior {level[0]:,.0f}" if level else "",
        )

    def _speed(self, n_done: int) -> float:
        """Return sweeps per second, of late."""
        now = time.perf_counter()
        self._seen.append((now, n_done))
        recent = [seen for seen in self._seen if seen[0] > now - SMOOTHING_SECONDS]
        self._seen = recent if len(recent) > 1 else self._seen[-2:]
        (then, before), *_ = self._seen
        return (n_done - before) / max(now - then, 1e-9)
