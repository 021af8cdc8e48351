"""TextSettings: how a text becomes words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, fields
from numbers import Integral
from typing import Any

from blocklda.support.errors import InputError, not_allowed
from blocklda.support.messages import Allowed

__all__ = ["DOCUMENT_FREQUENCIES", "TextSettings"]

DOCUMENT_FREQUENCIES = (
    "a whole number of documents from 1, or a share of the documents between 0.0 and 1.0"
)
"""What min_df and max_df can be."""


@dataclass(frozen=True)
class TextSettings:
    """How a text becomes words: what scikit-learn's CountVectorizer is told.

    Attributes
    ----------
    stop_words
        Words to leave out: "english" for scikit-learn's list, "none", or the words themselves.
    min_df, max_df
        Words in fewer or in more documents than this are left out: a whole number of documents, or
        a share of them between 0.0 and 1.0.
    ngrams
        The shortest and the longest run of words that counts as one: (1, 2) counts pairs too.
    max_words
        How many words to keep at most, the most frequent ones; None for all.
    lowercase
        Whether capitals are made small before words are told apart.
    token_pattern
        The regular expression of a word.
    """

    stop_words: str | tuple[str, ...] = "english"
    min_df: float = 1
    max_df: float = 1.0
    ngrams: tuple[int, int] = (1, 1)
    max_words: int | None = None
    lowercase: bool = True
    token_pattern: str = r"(?u)\b\w\w+\b"

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop_words", _stop_words(self.stop_words))
        for name in ("min_df", "max_df"):
            object.__setattr__(self, name, _document_frequency(name, getattr(self, name)))
        object.__setattr__(self, "ngrams", _ngrams(self.ngrams))
        object.__setattr__(self, "max_words", _max_words(self.max_words))
        if not isinstance(self.lowercase, bool):
            raise InputError.of("{lowercase=} is not allowed: [use {allowed}].").where(
                lowercase=self.lowercase, allowed=Allowed("True or False", choices=(True, False))
            )
        _require_pattern(self.token_pattern)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TextSettings:
        """Return settings from what :meth:`to_dict` returned, perhaps by way of JSON."""
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise InputError(
                f"there is no text setting {unknown[0]!r}; use {', '.join(sorted(known))}."
            )
        return cls(**values)


def _stop_words(given: Any) -> str | tuple[str, ...]:
    if isinstance(given, str):
        if given in ("english", "none"):
            return given
        raise _no_stop_words(given)
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        words = tuple(given)
        if all(isinstance(word, str) for word in words):
            # A set has another order in every run, and settings are compared.
            return tuple(sorted(words)) if isinstance(given, AbstractSet) else words
    raise _no_stop_words(given)


def _no_stop_words(given: Any) -> InputError:
    what = '"english", "none" or a list of words'
    return InputError.of("{stop_words=} is not allowed: [use <{what}>].").where(
        stop_words=given, what=what
    )


def _document_frequency(name: str, given: Any) -> float:
    """Return a number of documents as an int, a share of them as a float."""
    if _is_whole(given, 1):
        return int(given)
    if isinstance(given, float) and 0 <= given <= 1:
        return float(given)
    raise not_allowed(name, given, DOCUMENT_FREQUENCIES)


def _ngrams(given: Any) -> tuple[int, int]:
    try:
        shortest, longest = given
    except (TypeError, ValueError):
        shortest = longest = None
    if not (_is_whole(shortest, 1) and _is_whole(longest, 1) and shortest <= longest):
        raise not_allowed(
            "ngrams", given, "the shortest and the longest run of words, such as (1, 2)"
        )
    return int(shortest), int(longest)


def _max_words(given: Any) -> int | None:
    if given is None:
        return None
    if not _is_whole(given, 1):
        raise not_allowed("max_words", given, "a whole number of at least 1, or None for all words")
    return int(given)


def _require_pattern(given: Any) -> None:
    if not isinstance(given, str):
        raise not_allowed("token_pattern", given, "a regular expression")
    try:
        pattern = re.compile(given)
    except re.error as error:
        raise InputError.of(
            "{token_pattern=} is not a regular expression ({error}): [correct it]."
        ).where(token_pattern=given, error=error) from error
    if pattern.fullmatch(""):
        raise InputError.of(
            "{token_pattern=} takes nothing at all for a word: [use + instead of *, say]."
        ).where(token_pattern=given)
    if pattern.groups > 1:
        raise InputError.of(
            "{token_pattern=} has {pattern.groups} groups, and it can have one, the word: [make "
            "the others (?:…)]."
        ).where(token_pattern=given, pattern=pattern)


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least
