"""Stop words by language, from the package stop-words."""

from __future__ import annotations

import unicodedata
from typing import Any

from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra, install_command
from blocklda.support.messages import Allowed

__all__ = ["language_stop_words"]

EXTRA = "languages"


def language_stop_words(language: str) -> tuple[str, ...]:
    """Return the stop words of a language, named in English ("german") or by its code ("de").

    The words themselves are kept with a corpus, so that a model can be used without the package.
    """
    lists = _lists(language)
    names: dict[str, str] = lists.LANGUAGE_MAPPING
    name = language.strip().lower()
    if name not in names and name not in names.values():
        known = sorted(set(names.values()))
        raise InputError.of(
            '{stop_words=} is not allowed: [use "english", "none", a list or file of words, or a '
            "language: {allowed}]."
        ).where(stop_words=language, allowed=Allowed(", ".join(known), choices=known))
    words = lists.get_stop_words(name)
    return tuple(sorted({unicodedata.normalize("NFC", word).lower() for word in words}))


def _lists(language: str) -> Any:
    try:
        return import_extra("stop_words", EXTRA, "a list by language")
    except InputError as error:
        raise InputError.of(
            '{stop_words=} is not allowed: [use "english", "none" or a list or file of words; '
            "lists of other languages come with {command}]."
        ).where(stop_words=language, command=install_command(EXTRA)) from error
