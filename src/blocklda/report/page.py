"""A page in one string: the HTML, styles and scripts of page/, a library, and the contents."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from blocklda.files.atomic_write import named_path, replace_file

__all__ = ["Report", "assembled", "chart_library", "short", "shorts"]

SCRIPTS = (
    "shared.js",
    "downloads.js",
    "charts.js",
    "topic_list.js",
    "word_list.js",
    "documents.js",
    "groups.js",
    "search.js",
    "convergence.js",
    "misfit.js",
    "main.js",
)
"""The page's own scripts; they share one scope, and `main.js` starts the page."""

NOTEBOOK_HEIGHT = 900
"""Of the frame in a notebook, in pixels."""


LIBRARY_NOTICE = (
    "copyright University of Washington Interactive Data Lab and others, BSD-3-Clause; "
    "licenses/vega.txt of the package blocklda has this and the licences of what is built in"
)
"""What stands above the chart library in a page."""


@dataclass(frozen=True, repr=False)
class Report:
    """A page about a model: shown in a notebook, or saved to a file.

    Attributes
    ----------
    html
        The whole page. It loads nothing, and works offline.
    """

    html: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; an existing file stays until the new one is complete."""
        with replace_file(named_path(path)) as file:
            file.write(self.html.encode())

    def _repr_html_(self) -> str:
        # A frame of its own: neither do styles leak, nor may the page reach the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'title="Report" style="width: 100%; height: {NOTEBOOK_HEIGHT}px; border: 0"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Report: {len(self.html.encode()):,} bytes; save(path) writes it>"


def assembled(contents: dict[str, Any], library: str) -> str:
    """Put a page together.

    Nothing of the contents is ever part of HTML or of a script: they are data that the scripts put
    into the page as text. And if something were, the browser would not run it: it is told by
    their digests which scripts belong to the page, and to load nothing.
    """
    own = "\n".join(_part(name) for name in SCRIPTS)
    scripts = [_harmless(script) for script in (library, f'(() => {{\n"use strict";\n{own}}})();')]
    page = Template(_part("page.html")).substitute(
        policy=html.escape(_policy(scripts)),
        title=html.escape(contents["title"]),
        style=_part("style.css"),
        contents=_json(contents),
        library=scripts[0],
        scripts=scripts[1],
    )
    # Half a surrogate pair, which a broken file may hold, is no character at all.
    return page.encode("utf-8", errors="replace").decode()


def _part(name: str) -> str:
    return (files("blocklda.report") / "page" / name).read_text(encoding="utf-8")


def _harmless(script: str) -> str:
    """Return a script in which no text reads like the end of a script to HTML.

    Browsers read every line end as a line feed, and the digest is of what they read.
    """
    script = script.replace("\r\n", "\n").replace("\r", "\n")
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _json(contents: dict[str, Any]) -> str:
    """Return JSON in which nothing reads like HTML."""
    text = json.dumps(contents, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _policy(scripts: Iterable[str]) -> str:
    """Return what a browser may do with a page: run these scripts, and load nothing."""
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def chart_library() -> str:
    """Return the scripts that draw charts; see docs/how-to/report.md.

    Maps of sources, which minified files name in their last line, are not part of a page.
    """
    folder = files("blocklda.report") / "vega"
    parts = json.loads((folder / "versions.json").read_text(encoding="utf-8"))
    names = ", ".join(f"{name} {part['version']}" for name, part in parts.items())
    scripts = [(folder / part["file"]).read_text(encoding="utf-8") for part in parts.values()]
    kept = [re.sub(r"^//# sourceMappingURL=.*$", "", text, flags=re.MULTILINE) for text in scripts]
    return "\n".join([f"/* {names}: {LIBRARY_NOTICE} */", *kept])


DIGITS = 4
"""Significant digits: more than a chart shows, and a third of the bytes."""


def short(value: float) -> float | int | None:
    """Return a number with few digits; None for what is not a number."""
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def shorts(values: Iterable[Any]) -> list[Any]:
    """Return numbers, in lists of lists if the array has several axes, with few digits."""
    rows = values.tolist() if isinstance(values, np.ndarray) else values
    return [shorts(item) if isinstance(item, list) else short(item) for item in rows]
