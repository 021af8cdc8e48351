"""Names of words and documents, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from blocklda.support.errors import InputError

__all__ = ["checked_doc_names", "checked_vocabulary"]


def checked_vocabulary(
    vocabulary: Iterable[str], n_words: int, n_docs: int | None = None
) -> tuple[str, ...]:
    """Return the words as a tuple of different plain strings, one per column.

    ``n_docs`` is the number of rows of a matrix that may be the other way round.
    """
    if not _is_ordered(vocabulary):
        raise InputError(
            f"the vocabulary is a {type(vocabulary).__name__}; it must be a sequence of words in "
            "the order of the columns, such as a list of strings."
        )
    words = tuple(vocabulary)
    if len(words) != n_words:
        remedy = "give one word per column"
        if len(words) == n_docs:
            remedy = "the matrix has that many rows: if its rows are words, transpose it (X.T)"
        raise InputError(
            f"the vocabulary has {len(words)} words, but the matrix has {n_words} columns; "
            f"{remedy}.",
            parameter="vocabulary",
        )
    for column, word in enumerate(words):
        if not isinstance(word, str):
            raise InputError(
                f"word (column) {column} of the vocabulary is {word!r}, a {type(word).__name__}; "
                "words must be strings: convert it with str()."
            )
    return _without_duplicates(tuple(map(str, words)))


def _without_duplicates(words: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(words)) == len(words):
        return words
    seen: dict[str, int] = {}
    for column, word in enumerate(words):
        if word in seen:
            raise InputError(
                f"the vocabulary has the word {word!r} twice, in columns {seen[word]} and "
                f"{column}; every column needs its own word: rename one or add the columns up."
            )
        seen[word] = column
    return words


def checked_doc_names(doc_names: Iterable[str], n_docs: int) -> tuple[str, ...]:
    """Return the names as a tuple of plain strings, one per row; they need not differ."""
    if not _is_ordered(doc_names):
        raise InputError(
            f"doc_names is a {type(doc_names).__name__}; it must be a sequence of names in the "
            "order of the rows, such as a list of strings."
        )
    names = tuple(doc_names)
    if len(names) != n_docs:
        raise InputError(
            f"doc_names has {len(names)} names, but the matrix has {n_docs} rows; give one name "
            "per row."
        )
    for row, name in enumerate(names):
        if not isinstance(name, str):
            raise InputError(
                f"the name of document (row) {row} is {name!r:.80}, a {type(name).__name__}; names "
                "must be strings: convert it with str()."
            )
    return tuple(map(str, names))


def _is_ordered(names: object) -> bool:
    is_unordered = isinstance(names, str | bytes | Mapping | AbstractSet)
    return isinstance(names, Iterable) and not is_unordered
