"""Small tables for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

__all__ = ["html_lines", "html_table"]


def html_table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> str:
    """Return an HTML table of texts, none of which is taken for HTML."""
    parts = ["<table>"]
    if caption:
        parts.append(f"<caption>{html.escape(caption)}</caption>")
    if header:
        parts.append(_row("th", header))
    parts += [_row("td", row) for row in rows]
    return "".join([*parts, "</table>"])


def html_lines(text: str) -> str:
    """Return lines as they are."""
    return f"<pre>{html.escape(text)}</pre>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
