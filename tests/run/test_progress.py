"""The bar of a fit: there when somebody looks, silent when not, and of no effect on the draws."""

from __future__ import annotations

import io
import itertools
import os
import pty
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console

from blocklda import Corpus
from blocklda.estimator.plan import FitPlan
from blocklda.run.progress import SweepDisplay, fit_progress
from tests.estimator.settings import TRAIN, make


def planned(**settings: object) -> FitPlan:
    return FitPlan.create(make(**settings), Corpus.from_matrix(TRAIN))


def test_a_bar_shows_sweeps_speed_level_and_time_left(tmp_path):
    plan = planned(n_chains=2, n_sweeps=300)
    path = tmp_path / "terminal"
    with path.open("w", encoding="utf-8") as file:
        console = Console(file=file, force_terminal=True, force_interactive=True, width=120)
        with fit_progress(300, is_wanted=True, console=console) as show:
            run = plan.start()
            run.advance(plan.schedule, on_progress=show)
    shown = path.read_text(encoding="utf-8")
    assert "of 300, 2 chains" in shown
    assert "M tokens/s" in shown
    assert "log posterior -" in shown
    assert "left" in shown
    assert run.n_sweeps == 300


def shown_at(width: int, n_chains: int, **settings: object) -> list[str]:
    """Return the lines that a display of two looks draws at a terminal of this width."""
    file = io.StringIO()
    console = Console(
        file=file, force_terminal=True, force_interactive=True, width=width, **settings
    )
    history = [-2e6, *np.linspace(-1_100_000.0, -1_000_000.0, 399)]
    with SweepDisplay(console, 1_000, 1, n_chains, n_done=350 * n_chains) as display:
        display.show(400 * n_chains, history)
    return plain_lines(file.getvalue())


def plain_lines(shown: str) -> list[str]:
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown))
    return [line for line in lines if line.strip()]


@pytest.mark.parametrize("n_chains", [1, 4])
@pytest.mark.parametrize("width", [80, 120])
def test_a_line_fits_and_has_everything(width, n_chains):
    lines = shown_at(width, n_chains)
    assert lines[0].startswith("sweep 350 of 1,000")  # where a run that goes on stands
    last = lines[-1]
    assert len(last) <= width
    of_chains = ", 4 chains" if n_chains > 1 else ""
    assert last.startswith(f"sweep 400 of 1,000{of_chains} ")
    assert "M tokens/s" in last
    assert "left" in last
    assert "…" not in last
    assert last.rstrip().endswith("█ log posterior -1,000,000" if width > 100 else "█ -1,000,000")
    assert re.search("▁▂+▃+▄+▅+▆+▇+█", last.replace("▁▁", "▁")), "the climb after the jump shows"


@pytest.mark.parametrize("n_chains", [1, 4])
@pytest.mark.parametrize("width", [64, 80, 90, 100, 110, 120])
def test_what_shrinks_is_the_history_and_never_a_number(width, n_chains, monkeypatch):
    ticking = itertools.count(step=600.0)
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticking))
    file = io.StringIO()
    console = Console(
        file=file,
        force_terminal=True,
        force_interactive=True,
        width=width,
        get_time=lambda: next(ticking),
    )
    with SweepDisplay(console, 3_000, 10**8, n_chains) as display:
        for done in (1_000, 2_000, 3_000):
            display.show(done * n_chains, [-2e8, *np.linspace(-1.4e8, -123_456_789.0, done)])
    (*_, last) = [line for line in plain_lines(file.getvalue()) if "tokens/s" in line]
    assert len(last) <= width
    assert "…" not in last
    of_chains = ", 4 chains" if n_chains > 1 else ""
    assert last.startswith(f"sweep 3,000 of 3,000{of_chains} ")
    assert re.search(r" \d+:\d\d(:\d\d)? left +[\d.]+ M tokens/s", last)
    if n_chains == 1 or width > 64:  # where there is no room for the level it is left out
        assert last.rstrip().endswith(" -123,456,789")
    assert ("█" in last) is (width > 64)


def test_where_only_ascii_can_be_written_the_history_is_ascii():
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    console = Console(file=file, force_terminal=True, force_interactive=True, width=120)
    with SweepDisplay(console, 100, 10**6) as display:
        display.show(50, list(range(-50, 0)))
    file.flush()
    assert "%## log posterior -1" in file.buffer.getvalue().decode("ascii")


def test_a_display_leaves_no_trace():
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, force_interactive=True, width=80)
    with SweepDisplay(console, 10, 10**6) as display:
        display.show(5, [-1.0])
    # The cursor goes up to the line and erases it.
    assert file.getvalue().endswith("\x1b[1A\x1b[2K")


@pytest.mark.parametrize(
    ("is_wanted", "console"),
    [(False, Console(force_terminal=True, force_interactive=True)), (True, None)],
    ids=["not wanted", "no terminal"],
)
def test_where_nobody_looks_nothing_is_shown(is_wanted, console):
    with fit_progress(10, is_wanted=is_wanted, console=console) as show:
        assert show is None


SCRIPT = """
import sys, numpy as np, blocklda
X = np.random.default_rng(0).poisson(1.0, size=(50, 20)) + 1
for progress in (False, True):
    blocklda.LDA(3, n_sweeps=400, random_state=0, progress=progress).fit(X)
    print("fitted", file=sys.stderr, flush=True)
"""


def test_a_terminal_shows_a_bar_unless_silenced():
    silenced, shown, _ = _in_a_terminal(SCRIPT).split("fitted")
    assert silenced == ""
    assert "sweep" in shown


def test_a_pipe_shows_nothing():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "fitted\nfitted\n")


def _in_a_terminal(script: str) -> str:
    """Run a script with standard error at a terminal; return what appeared there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", script], stderr=theirs, env={**os.environ, "TERM": "xterm"}
    )
    os.close(theirs)
    chunks = []
    try:
        while chunk := os.read(ours, 65536):
            chunks.append(chunk)
    except OSError:  # Linux reports the end of a terminal as an error
        pass
    finally:
        os.close(ours)
    assert process.wait() == 0
    return b"".join(chunks).decode(errors="replace")


def test_a_bar_changes_no_draw(tmp_path):
    plan = planned()
    with (tmp_path / "terminal").open("w", encoding="utf-8") as file:
        console = Console(file=file, force_terminal=True, force_interactive=True)
        with fit_progress(30, is_wanted=True, console=console) as show:
            watched, alone = plan.start(), plan.start()
            watched.advance(plan.schedule, on_progress=show)
            alone.advance(plan.schedule)
    assert np.array_equal(watched.log_levels(), alone.log_levels())
