"""Running the code and the commands of a page, in this process or in one of their own."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import pytest

from blocklda.estimator import base_plan
from blocklda.models.lda.samplers import openings
from blocklda.support.errors import ConvergenceWarning
from tests.cli.terminal import run
from tests.demo.small_library import use_small_library

COMPANION_SWEEPS = openings.COMPANION_SWEEPS
"""As a user has it; the tests of samplers do without."""

UNFINISHED = ("-W", "ignore:None of", "-W", "ignore:Not finished")
"""How the sentences of a ConvergenceWarning begin; Python's option takes no class of ours."""


def in_place(codes: Sequence[str]) -> str:
    """Lay blocks over one another: each has empty lines where the others have their code."""
    script = ""
    for code in codes:
        script += code[script.count("\n") :]
    return script


def run_code(code: str, folder: Path, name: str, **environment: str) -> str:
    """Run a script in a folder, warnings as errors; return what it prints.

    But for those of fits that are not finished: the corpora of tests are thinned out.
    """
    script = folder / "code_of_the_page.py"
    script.write_text(code, encoding="utf-8")
    options = ["-W", "error", *UNFINISHED]
    return run_python(*options, script.name, folder=folder, name=name, **environment)


def run_python(*arguments: str, folder: Path, name: str, **environment: str) -> str:
    """Run Python in a folder; return what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, f"{name}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@contextmanager
def _at_work(folder: Path, environment: dict[str, str], *, short: bool) -> Iterator[None]:
    """Be in a folder, with settings of a user's process.

    ``short`` fits end soon by themselves, and the standard library is a small one.
    """
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
        tempfile.TemporaryDirectory() as elsewhere,
    ):
        patch.chdir(folder)
        patch.setattr(openings, "COMPANION_SWEEPS", COMPANION_SWEEPS)
        if short:
            patch.setattr(base_plan, "LONG_BURN_IN", 12)
            patch.setattr(base_plan, "MAX_SWEEPS_KEPT", 24)
            use_small_library(Path(elsewhere) / "library", patch)
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


def run_here(code: str, folder: Path, name: str, *, short: bool, **environment: str) -> str:
    """Run a script in this process, which spares it the imports; return what it prints."""
    printed = io.StringIO()
    with _at_work(folder, environment, short=short), redirect_stdout(printed):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        exec(compile(code, name, "exec"), {"__name__": "__main__"})  # noqa: S102
    return printed.getvalue()


def run_command(line: str, folder: Path) -> None:
    """Run a line of shell code: a command of ours in this process, anything else in a shell."""
    words = shlex.split(line)
    if words[0] != "blocklda" or ">" in words:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
        done = subprocess.run(
            ["sh", "-c", line], cwd=folder, env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stderr.decode()}"
        return
    with _at_work(folder, {}, short=True):
        result = run(*words[1:])
    assert result.exit_code == 0, f"{line}\n{result.output}"
