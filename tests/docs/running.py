"""Running the code of a page in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def in_place(codes: Sequence[str]) -> str:
    """Lay blocks over one another: each has empty lines where the others have their code."""
    script = ""
    for code in codes:
        script += code[script.count("\n") :]
    return script


def run_code(code: str, folder: Path, name: str, **environment: str) -> str:
    """Run a script in a folder, warnings as errors; return what it prints."""
    script = folder / "code_of_the_page.py"
    script.write_text(code, encoding="utf-8")
    return run_python("-W", "error", script.name, folder=folder, name=name, **environment)


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
