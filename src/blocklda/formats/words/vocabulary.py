"""Vocabularies: one word per line, in files of their own beside the counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from blocklda.data.corpus import Corpus
from blocklda.data.names import checked_vocabulary
from blocklda.formats.streams.line_chunks import decoded_lines, text_chunks
from blocklda.formats.streams.text_output import encoded, text_output, write_text
from blocklda.support.errors import CapacityError, FileFormatError, InputError
from blocklda.support.memory import require_memory

__all__ = [
    "corpus_of",
    "fitting_words",
    "plain_and_gzip",
    "read_lines",
    "read_vocabulary",
    "stem",
    "vocabulary_places",
    "words_beside",
    "write_with_vocabulary",
]

# A short string takes about 60 bytes in memory and at least two in a file.
_MEMORY_PER_FILE_BYTE = 32


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """Read words from a UTF-8 file, one per line, all different; blank lines may end the file."""
    words = read_lines(path)
    _check_words(path, words)
    return tuple(words)


def read_lines(path: Path) -> list[str]:
    """Return the lines of a UTF-8 file without the blank ones at its end."""
    words: list[str] = []
    with closing(text_chunks(path)) as chunks:
        for chunk in chunks:
            require_memory(
                _MEMORY_PER_FILE_BYTE * len(chunk),
                f"continuing to read {path} after {len(words)} words",
                "check that it is the vocabulary, one word per line",
            )
            words.extend(line.removesuffix("\r") for line in decoded_lines(path, chunk, len(words)))
    while words and not words[-1].strip():
        words.pop()
    return words


def _check_words(path: Path, words: list[str]) -> None:
    if not words:
        raise FileFormatError(f"{path}, line 1: the vocabulary is empty; it has one word per line.")
    if len(set(words)) == len(words) and not any(_is_no_word(word) for word in words):
        return
    seen: dict[str, int] = {}
    for line, word in enumerate(words, start=1):
        if not word.strip():
            raise FileFormatError(
                f"{path}, line {line}: the line is blank; the vocabulary has one word per line, so "
                "write the word or remove the line."
            )
        if "\0" in word:
            raise FileFormatError(
                f"{path}, line {line}: the line has zero bytes, so this is binary data; save the "
                "vocabulary as UTF-8 text."
            )
        if word in seen:
            raise FileFormatError(
                f"{path}, line {line}: the word {word!r:.80} is already on line {seen[word]}; "
                "every word must be unique: rename one of them."
            )
        seen[word] = line


def _is_no_word(word: str) -> bool:
    return not word.strip() or "\0" in word


ENDINGS = (".vocab", ".vocab.txt", ".tokens")
"""How X.vocab may be called beside X.ldac, X.svm, X.mtx and X.npz; the first is written.

gensim puts a vocabulary for X.ldac in X.ldac.vocab, which is looked for too.
"""

_BYTE_ORDER_MARK = "\ufeff"


def plain_and_gzip(path: Path) -> list[Path]:
    """Return a name and the same with .gz."""
    return [path, path.with_name(path.name + ".gz")]


def stem(path: Path) -> str:
    """Return a file's name without .gz and without what then follows the last point."""
    return Path(path.name.removesuffix(".gz")).stem


def vocabulary_places(path: Path) -> list[Path]:
    """Return where the vocabulary of a count file may be."""
    names = [path.with_name(stem(path) + ending) for ending in ENDINGS]
    names.append(path.with_name(path.name.removesuffix(".gz") + ENDINGS[0]))
    return [place for name in names for place in plain_and_gzip(name)]


def words_beside(
    given: Iterable[str] | None,
    places: Sequence[Path],
    reader: Callable[[Path], tuple[str, ...]] = read_vocabulary,
) -> tuple[tuple[str, ...] | None, Path | None]:
    """Return the words that were given, or those in the first place that exists, and that place."""
    if given is not None:
        words = given if isinstance(given, Collection) else tuple(given)
        return checked_vocabulary(words, len(words)), None
    for place in places:
        if place.is_file():
            return reader(place), place
    return None, None


def fitting_words(
    path: Path,
    announced: str,
    n_words: int,
    given: Iterable[str] | None,
    places: Sequence[Path],
    n_docs: int | None = None,
) -> tuple[str, ...] | None:
    """Return the words, given or found, refused before the long reading if they do not fit.

    ``n_docs`` is the other length of a matrix that may have been saved the other way round.
    """
    if given is not None:
        given = given if isinstance(given, Collection) else tuple(given)
        _refuse_transposed(path, "the vocabulary", len(given), n_words, n_docs)
        try:
            return checked_vocabulary(given, n_words)
        except InputError as error:
            raise InputError(f"{path}: ", error.message) from error
    words, place = words_beside(None, places)
    if words is not None:
        _refuse_transposed(path, str(place), len(words), n_words, n_docs)
    if words is not None and len(words) != n_words:
        raise FileFormatError.of(
            "{announced} {n_words} words, but {place} has {found}; [put the right vocabulary there "
            "or pass it as {vocabulary=}]."
        ).where(announced=announced, n_words=n_words, place=place, found=len(words))
    return words


def _refuse_transposed(
    path: Path, place: str, found: int, n_words: int, n_docs: int | None
) -> None:
    """Refuse a matrix whose rows, and not whose columns, are as many as its words."""
    if found != n_words and found == n_docs:
        raise FileFormatError.of(
            "{path}: {place} has {found} words, which is the number of rows of the matrix, not of "
            "its {n_words} columns: it seems to hold words × documents; [give {transpose=True}]."
        ).where(path=path, place=place, found=found, n_words=n_words, parameter="transpose")


def corpus_of(path: Path, matrix: Any, words: Iterable[str] | None, **notes: Any) -> Corpus:
    """Make the corpus of a file's counts; what is wrong with them is said of the file."""
    try:
        return Corpus.from_matrix(matrix, words, **notes)
    except CapacityError as error:
        raise CapacityError(f"{path}: ", error.message) from error
    except InputError as error:
        raise FileFormatError(f"{path}: ", error.message) from error


def write_with_vocabulary(
    corpus: Corpus,
    path: Path,
    pieces: Iterable[bytes],
    places: Sequence[Path],
    vocabulary: Callable[[Path, Corpus], bytes] | None = None,
) -> None:
    """Write the counts and, if the words have names, the vocabulary in the first of its places.

    Both are whole before either gets its name.
    """
    if corpus.vocabulary is None:
        _refuse_stale(path, places)
        write_text(path, pieces)
        return
    content = (vocabulary or _one_per_line)(places[0], corpus)
    _refuse_others(path, places[0], content)
    with text_output(places[0]) as beside:
        beside.write(content)
        write_text(path, pieces)


def _refuse_stale(path: Path, places: Sequence[Path]) -> None:
    """Refuse to put counts without names beside a vocabulary that is not theirs."""
    for place in places:
        if place.exists():
            raise InputError(
                f"the corpus has no vocabulary, but {place} would be read as the vocabulary of "
                f"{path}; remove it or choose another name."
            )


def _refuse_others(path: Path, place: Path, content: bytes) -> None:
    """Refuse to replace words that cannot be those of the counts to replace: there are none."""
    if not path.exists() and place.is_file() and place.read_bytes() != content:
        raise InputError(
            f"cannot write {path}: its vocabulary would be written to {place}, which holds other "
            "words and may belong to other counts; remove it or choose another name."
        )


def _one_per_line(path: Path, corpus: Corpus) -> bytes:
    """Return the words one per line, if they can be read back as they are."""
    words = corpus.vocabulary or ()
    for column, word in enumerate(words):
        if not word.strip() or "\n" in word or "\0" in word or word.endswith("\r"):
            raise _no_line(path, column, word)
    if words[0].startswith(_BYTE_ORDER_MARK):
        raise _no_line(path, 0, words[0])
    return encoded(path, "".join([word + "\n" for word in words]))


def _no_line(path: Path, column: int, word: str) -> InputError:
    return InputError(
        f"cannot write {path}: word (column) {column} is {word!r:.80}, which cannot be written on "
        "one line and read back; rename it."
    )
