"""The bar of a fit: there when somebody looks, silent when not, and of no effect on the draws."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import numpy as np
import pytest
from rich.console import Console

from blocklda.fitting.plan import FitPlan
from blocklda.fitting.progress import fit_progress
from tests.estimator.settings import TRAIN, make


def planned(**settings: object) -> FitPlan:
    lda = make(**settings)
    corpus = lda.fit(TRAIN)._run.corpus
    return FitPlan.create(lda, corpus)


def test_a_bar_shows_sweeps_speed_level_and_time_left(tmp_path):
    plan = planned(n_chains=2, n_sweeps=3_000)
    path = tmp_path / "terminal"
    with path.open("w", encoding="utf-8") as file:
        console = Console(file=file, force_terminal=True, force_interactive=True, width=120)
        with fit_progress(3_000, is_wanted=True, console=console) as show:
            run = plan.start()
            run.advance(plan.schedule, on_progress=show)
    shown = path.read_text(encoding="utf-8")
    assert "of 3,000, 2 chains" in shown
    assert "M tokens/s" in shown
    assert "log posterior -" in shown
    assert "left" in shown
    assert run.n_sweeps == 3_000


@pytest.mark.parametrize(
    ("is_wanted", "console"),
    [(False, Console(force_terminal=True, force_interactive=True)), (True, None)],
    ids=["not wanted", "no terminal"],
)
def test_where_nobody_looks_nothing_is_shown(is_wanted, console):
    with fit_progress(10, is_wanted=is_wanted, console=console) as show:
        assert show is None


SCRIPT = """
import numpy as np, blocklda
X = np.random.default_rng(0).poisson(1.0, size=(50, 20)) + 1
lda = blocklda.LDA(3, n_sweeps=400, random_state=0, progress={progress}).fit(X)
"""


@pytest.mark.parametrize("progress", [True, False])
def test_a_terminal_shows_a_bar_unless_silenced(progress):
    shown = _in_a_terminal(SCRIPT.format(progress=progress))
    assert ("sweep" in shown) is progress


def test_a_pipe_shows_nothing():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(progress=True)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")


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
    assert np.array_equal(watched.log_posterior(), alone.log_posterior())
