"""Texts of users' files made harmless for the programs that show them: terminals, spreadsheets."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["harmless_cell", "harmless_text"]

# Tabs and line feeds move a cursor as everybody expects; the others of the first 32, the one of
# 127 and those of 128 to 159 may begin commands to a terminal.
_CONTROLS = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}

_COMMANDS = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def harmless_text(text: str) -> str:
    """Return a text whose control characters a terminal shows instead of obeying them."""
    return text.translate(_CONTROLS)


def harmless_cell(value: Any) -> Any:
    """Return a cell of a table; a text that a spreadsheet would run gets an apostrophe before it.

    Numbers, also as text, stay as they are.
    """
    if not isinstance(value, str) or not value.startswith(_COMMANDS) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"
