"""Running the code of a page while the site is built, for the figures that it saves."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
import warnings
from pathlib import Path

import matplotlib as mpl

FIGURES = (".png", ".svg")
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


def figures_of(page: Path) -> dict[str, bytes]:
    """Run the Python code of a page, from top to bottom; return the figures it saves, by name."""
    code = "\n".join(_PYTHON.findall(page.read_text("utf-8")))
    settings = {"svg.hashsalt": page.stem, "svg.fonttype": "none", "backend": "Agg"}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
        mpl.rc_context(settings),
    ):
        warnings.simplefilter("ignore")
        exec(compile(code, page.name, "exec"), {"__name__": "__main__"})
        saved = [path for path in sorted(Path.cwd().iterdir()) if path.suffix in FIGURES]
        return {path.name: path.read_bytes() for path in saved}


def save_figures(page: Path, folder: Path) -> list[Path]:
    """Write the figures of a page into a folder; return their paths."""
    written = []
    for name, content in figures_of(page).items():
        path = folder / name
        path.write_bytes(content)
        written.append(path)
    return written


if __name__ == "__main__":
    import sys

    for name in sys.argv[1:]:
        for path in save_figures(Path(name), Path(__file__).parents[1] / "figures"):
            print(os.path.relpath(path))
