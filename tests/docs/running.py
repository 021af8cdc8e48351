"""Running the code of a page in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

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
