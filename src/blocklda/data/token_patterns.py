"""Regular expressions of a word."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from typing import Any

from blocklda.support.errors import InputError, not_allowed

__all__ = ["UNICODE", "checked_pattern"]

UNICODE = "unicode"
"""The name of the pattern that keeps marks with their letters."""


def checked_pattern(given: Any) -> str:
    """Return a pattern that can be used: as given, or the one that is named."""
    if given == UNICODE:
        return _with_marks()
    if not isinstance(given, str):
        raise not_allowed("token_pattern", given, f'a regular expression, or "{UNICODE}"')
    try:
        pattern = re.compile(given)
    except re.error as error:
        raise InputError.of(
            "{token_pattern=} is not a regular expression ({error}): [correct it]."
        ).where(token_pattern=given, error=error) from error
    if pattern.fullmatch(""):
        raise InputError.of(
            "{token_pattern=} matches the empty string: [use + instead of *, for example]."
        ).where(token_pattern=given)
    if pattern.groups > 1:
        raise InputError.of(
            "{token_pattern=} has {pattern.groups} groups, but can have only one, the word: "
            "[write the others as (?:…)]."
        ).where(token_pattern=given, pattern=pattern)
    return given


@cache
def _with_marks() -> str:
    """Return the pattern of two or more letters, digits and marks.

    What a pattern takes for a letter leaves out combining marks, such as the vowel signs of Hindi,
    and the joiners between letters.
    """
    marks = [code for code in range(0x300, sys.maxunicode + 1) if _is_mark(code)]
    starts = [code for code, before in zip(marks, [-2, *marks], strict=False) if code != before + 1]
    ends = [code for code, after in zip(marks, [*marks[1:], -2], strict=True) if code != after - 1]
    ranges = "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))
    return rf"(?u)\w[\w\u200c\u200d{ranges}]+"


def _is_mark(code: int) -> bool:
    return unicodedata.category(chr(code)) in ("Mn", "Mc")
