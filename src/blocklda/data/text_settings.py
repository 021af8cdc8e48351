"""TextSettings: how a text becomes words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import Any

from blocklda.data.stop_words import language_stop_words
from blocklda.data.token_patterns import checked_pattern
from blocklda.support.errors import InputError, not_allowed, unknown_choice
from blocklda.support.messages import Allowed

__all__ = ["DOCUMENT_FREQUENCIES", "TOKENS", "TextSettings"]

TOKENS = "tokens"
"""The name of the tokenizer of documents that came as lists of words."""

_AS_TOKENS = {"tokenizer": TOKENS}

DOCUMENT_FREQUENCIES = (
    "a whole number of documents from 1, or a share of the documents between 0.0 and 1.0"
)
"""What min_df and max_df can be."""


@dataclass(frozen=True)
class TextSettings:
    """How a text becomes words: settings of scikit-learn's CountVectorizer, and a few more.

    Attributes
    ----------
    stop_words
        Words to leave out: "english" for scikit-learn's list, "none", another language ("german"),
        or the words themselves. Of a language the words are kept, not the name.
    min_df, max_df
        Words in fewer or in more documents than this are left out: a whole number of documents, or
        a share of them between 0.0 and 1.0.
    ngrams
        The shortest and the longest run of words that counts as one: (1, 2) counts pairs too.
    max_words
        How many words to keep at most, the most frequent ones; None for all.
    lowercase
        True to convert texts to lower case first.
    token_pattern
        The regular expression of a word. "unicode" is one that keeps combining marks, such as the
        vowel signs of Hindi, with their letters.
    tokenizer
        A function that cuts a text into words, instead of the pattern. Files keep its name only:
        whoever counts new texts for a loaded model gives the function again. `TOKENS` says that
        documents came as lists of words.
    unicode
        The normal form of texts, "NFC" or "none": a letter with an accent is one character, however
        it was typed.
    phrases
        True to find pairs of words that belong together and count each as one word, "new_york"; a
        number between 0 and 1 for a threshold of your own; False for none. The pairs that were
        found are kept in its place. See docs/how-to/languages.md.
    """

    stop_words: str | tuple[str, ...] = "english"
    min_df: float = 1
    max_df: float = 1.0
    ngrams: tuple[int, int] = (1, 1)
    max_words: int | None = None
    lowercase: bool = True
    token_pattern: str = r"(?u)\b\w\w+\b"
    tokenizer: str | None = None
    unicode: str = "NFC"
    phrases: bool | float | tuple[tuple[str, str], ...] = False
    function: Callable[[str], Iterable[str]] | None = field(default=None, compare=False, repr=False)
    """The tokenizer itself, as long as the process runs."""

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
        object.__setattr__(self, "token_pattern", checked_pattern(self.token_pattern))
        if callable(self.tokenizer):
            object.__setattr__(self, "function", self.tokenizer)
            object.__setattr__(self, "tokenizer", _name_of(self.tokenizer))
        elif self.tokenizer is not None and not isinstance(self.tokenizer, str):
            raise not_allowed("tokenizer", self.tokenizer, "a function from a text to its words")
        if self.unicode not in ("NFC", "none"):
            raise unknown_choice("unicode", self.unicode, ("NFC", "none"))
        object.__setattr__(self, "phrases", _phrases(self.phrases))
        if self.phrases is not False and self.ngrams != (1, 1):
            raise InputError.of("{phrases} and {ngrams} both join words: [leave one of them out].")

    @property
    def has_tokens(self) -> bool:
        """True if documents came as lists of words."""
        return self.tokenizer == TOKENS

    @classmethod
    def of_tokens(cls, values: Mapping[str, Any]) -> TextSettings:
        """Return settings for documents that are lists of words, which are taken as they are."""
        return cls.from_dict({"stop_words": "none", "lowercase": False, **values, **_AS_TOKENS})

    def prepared(self, text: str) -> str:
        """Return a text as words are looked for in it."""
        if self.unicode == "NFC" and not text.isascii():
            text = unicodedata.normalize("NFC", text)
        return text.lower() if self.lowercase else text

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "function"}

    def keywords(self) -> dict[str, Any]:
        """Return the same with the tokenizer itself, for calls within a program."""
        return {**self.to_dict(), "tokenizer": self.function or self.tokenizer}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TextSettings:
        """Return settings from what :meth:`to_dict` returned, perhaps by way of JSON."""
        known = {one.name for one in fields(cls)} - {"function"}
        unknown = sorted(set(values) - known)
        if unknown:
            raise InputError(
                f"there is no text setting {unknown[0]!r}; use {', '.join(sorted(known))}."
            )
        return cls(**values)

    @classmethod
    def from_file(cls, values: Mapping[str, Any]) -> TextSettings:
        """Return settings that a file holds; those of before there were normal forms have none."""
        return cls.from_dict({"unicode": "none", **values})


def _stop_words(given: Any) -> str | tuple[str, ...]:
    if isinstance(given, str):
        return given if given in ("english", "none") else language_stop_words(given)
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


def _phrases(given: Any) -> bool | float | tuple[tuple[str, str], ...]:
    if isinstance(given, bool):
        return given
    if isinstance(given, float | int) and 0 < given < 1:
        return float(given)
    if isinstance(given, list | tuple) and all(_is_pair(pair) for pair in given):
        return tuple((first, second) for first, second in given)
    raise not_allowed("phrases", given, "True, False, a number between 0 and 1, or pairs of words")


def _is_pair(pair: Any) -> bool:
    is_two = isinstance(pair, list | tuple) and len(pair) == 2
    return is_two and all(isinstance(word, str) for word in pair)


def _name_of(function: Any) -> str:
    """Return the name by which a user knows a function."""
    named = function if hasattr(function, "__qualname__") else type(function)
    module = getattr(named, "__module__", None) or "builtins"
    return f"{module}.{named.__qualname__}"


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least
