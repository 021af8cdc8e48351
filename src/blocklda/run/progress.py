"""How far sweeps have got, as a line in the terminal: one display for fits and single chains."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from blocklda.run.run import Run
from blocklda.run.run_log import RunLog
from blocklda.support.harmless import harmless_text
from blocklda.support.sparkline import sparkline

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = ["SweepDisplay", "fit_progress", "sweep_bar"]

SMOOTHING_SECONDS = 2.0
"""The speed shown is that of about the last two seconds."""

FIGURES_SECONDS = 0.05
"""Speed and log posterior are worked out no more often: small corpora sweep far faster."""

LINES_SECONDS = 4.0
"""Least time between changes of the lines below the bar, so that they can be read."""

SHORTEST_LINE, SHORT_LINE, LONG_LINE = 4, 12, 24
"""A sparkline takes the room that numbers leave; it is long where there is room for words too."""

SHORTEST_BAR = 10
"""There is no bar where there is less room for it."""

TIME_WIDTH = len("1:23:45")
SPEED_WIDTH = len("123.4 M tokens/s")
LEVEL_WIDTH = len("-123,456,789")
WORDS = "log posterior "

MAX_POINTS = 2_000
"""A longer history is thinned out before it is drawn."""


def sweep_bar(console: Console, *, with_bar: bool = True, below: Sequence[str] = ()) -> Progress:
    """Return a line for a task that is described by its sweep; it has the fields speed and level.

    The lines ``below`` it may change while it is shown. It leaves no trace.
    """
    # rich takes a while to import, and most fits of a program show nothing.
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.table import Column  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    class WithLines(Progress):
        def get_renderables(self) -> Iterator[Any]:
            yield from super().get_renderables()
            for line in below:
                yield Text(harmless_text(line), "dim", no_wrap=True, overflow="ellipsis")

    return WithLines(
        TextColumn("[bold]{task.description}"),
        *([BarColumn(bar_width=None)] if with_bar else []),
        # Not to be folded: where there is little room it is the bar that shrinks.
        TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True)),
        TextColumn("left"),
        TextColumn("{task.fields[speed]}", style="dim"),
        TextColumn("{task.fields[level]}"),
        console=console,
        transient=True,
        expand=with_bar,
    )


class SweepDisplay:
    """A bar with the sweep, the time left, the speed, and the log posterior with its history.

    It leaves no trace. The sweeps of ``n_chains`` chains are counted together, and shown for one.
    Where there is little room the history is shorter and the bar is left out, not the numbers.
    """

    def __init__(
        self,
        console: Console,
        n_sweeps: int,
        n_tokens: int,
        n_chains: int = 1,
        n_done: int = 0,
        *,
        is_limit: bool = False,
    ) -> None:
        self._n_sweeps = n_sweeps
        self._of = "of at most" if is_limit else "of"
        self._n_chains = n_chains
        self._console = console
        self._with_bar = False
        room = self._room("x" * SPEED_WIDTH) - LEVEL_WIDTH - 1
        self._with_bar = room >= SHORT_LINE + 1 + SHORTEST_BAR
        self._below: list[str] = []
        self._bar = sweep_bar(console, with_bar=self._with_bar, below=self._below)
        self._task = self._bar.add_task(
            self._described(n_done),
            total=n_sweeps * n_chains,
            completed=n_done,
            speed="",
            level="",
        )
        self._n_tokens = n_tokens
        self._ascii_only = console.options.ascii_only
        self._seen = [(time.perf_counter(), n_done)]
        self._next_figures = 0.0

    def __enter__(self) -> SweepDisplay:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, n_done: int, history: Sequence[float]) -> None:
        """Show the sweeps of all chains together, and the log posteriors of one of them."""
        self._bar.update(self._task, completed=n_done, description=self._described(n_done))
        now = time.perf_counter()
        if now < self._next_figures:
            return
        self._next_figures = now + FIGURES_SECONDS
        speed = f"{self._speed(now, n_done) * self._n_tokens / 1e6:.1f} M tokens/s"
        self._bar.update(self._task, speed=speed, level=self._level(history, self._room(speed)))

    def show_below(self, lines: Sequence[str]) -> None:
        """Show lines below the bar, in place of those before."""
        self._below[:] = lines

    def _described(self, n_done: int) -> str:
        of_chains = f", {self._n_chains} chains" if self._n_chains > 1 else ""
        return f"sweep {n_done // self._n_chains:,} {self._of} {self._n_sweeps:,}{of_chains}"

    def _speed(self, now: float, n_done: int) -> float:
        """Return sweeps per second, of late."""
        self._seen.append((now, n_done))
        recent = [seen for seen in self._seen if seen[0] > now - SMOOTHING_SECONDS]
        self._seen = recent if len(recent) > 1 else self._seen[-2:]
        (then, before), *_ = self._seen
        return (n_done - before) / max(now - then, 1e-9)

    def _room(self, speed: str) -> int:
        """Return how many columns the other parts leave for the level and its history."""
        widest = self._described(self._n_sweeps * self._n_chains)
        parts = [widest, "x" * TIME_WIDTH, "left", speed, *["x" * SHORTEST_BAR] * self._with_bar]
        return self._console.width - sum(len(part) + 1 for part in parts)

    def _level(self, history: Sequence[float], room: int) -> str:
        if not history:
            return ""
        level = f"{history[-1]:,.0f}"
        if room < len(level):
            return ""  # half a number would say something else
        room -= len(level) + 1
        words = WORDS if room >= len(WORDS) + SHORT_LINE else ""
        width = min(LONG_LINE if words else SHORT_LINE, room - len(words))
        if width < SHORTEST_LINE:
            return level
        thinned = history[:: len(history) // MAX_POINTS + 1]
        return f"{sparkline(thinned, width, ascii_only=self._ascii_only)} {words}{level}"


@contextmanager
def fit_progress(
    n_sweeps: int,
    *,
    is_wanted: bool,
    is_limit: bool = False,
    lines_below: Callable[[Run], Sequence[str]] | None = None,
    console: Console | None = None,
) -> Iterator[Callable[[Run], None] | None]:
    """Yield a function that shows the progress of a run; None if there is nowhere to show it.

    The display is on standard error, if that is a terminal or a notebook. The log posterior is that
    of the chain which is ahead. ``is_limit``: the run may end before its last sweep.
    ``lines_below`` describes the run in a few lines, which are shown below the bar. Where there is
    no display, lines go to the logger "blocklda" if it takes level INFO.
    """
    console = _watched(console, is_wanted=is_wanted)
    if console is None:
        yield RunLog(n_sweeps, is_limit=is_limit).show if RunLog.is_wanted() else None
        return
    with _RunDisplay(console, n_sweeps, lines_below, is_limit=is_limit) as display:
        yield display.show


def _watched(console: Console | None, *, is_wanted: bool) -> Console | None:
    """Return the terminal or notebook behind standard error, None where there is none."""
    if not is_wanted:
        return None
    if console is None:
        from rich.console import Console  # noqa: PLC0415

        console = Console(stderr=True)
    return console if console.is_interactive or console.is_jupyter else None


class _RunDisplay:
    """A display that learns at the first look how many chains there are and where they stand."""

    def __init__(
        self,
        console: Console,
        n_sweeps: int,
        lines_below: Callable[[Run], Sequence[str]] | None,
        *,
        is_limit: bool,
    ) -> None:
        self._console = console
        self._lines_below = lines_below
        self._next_lines = time.perf_counter() + LINES_SECONDS
        self._is_limit = is_limit
        self._n_sweeps = n_sweeps
        self._display: SweepDisplay | None = None

    def __enter__(self) -> _RunDisplay:
        return self

    def __exit__(self, *what: object) -> None:
        if self._display is not None:
            self._display.__exit__(*what)

    def show(self, run: Run) -> None:
        """Draw where the run is now."""
        n_done = sum(chain.n_sweeps for chain in run.chains)
        if self._display is None:
            self._display = SweepDisplay(
                self._console,
                self._n_sweeps,
                run.corpus.n_tokens,
                len(run.chains),
                n_done,
                is_limit=self._is_limit,
            ).__enter__()
        ahead = max(run.chains, key=lambda chain: chain.log_levels[-1:])
        self._display.show(n_done, ahead.log_levels)
        if self._lines_below is not None and time.perf_counter() >= self._next_lines:
            self._display.show_below(self._lines_below(run))
            self._next_lines = time.perf_counter() + LINES_SECONDS
