"""From texts to counts, as scikit-learn's CountVectorizer counts them.

scikit-learn cuts the texts into words. Adding up is done here, with the same result in less time
and memory: a word becomes a number at once, and compiled code counts the numbers.
"""

from __future__ import annotations

import os
import warnings
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import replace
from itertools import repeat
from typing import Any, cast

import numpy as np
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.data.doc_index import DocIndex
from blocklda.data.names import checked_vocabulary
from blocklda.data.text_settings import TextSettings
from blocklda.data.word_columns import warn_of_unknown_words
from blocklda.formats.options import ReadOptions
from blocklda.formats.words.phrases import THRESHOLD, find_phrases, join_phrases
from blocklda.formats.words.scripts import ScriptWatch
from blocklda.formats.words.tokenizing import require_tokenizer, tokenizer_of, vectorizer
from blocklda.formats.words.word_choice import choose_words
from blocklda.support.errors import DataWarning, InputError
from blocklda.support.memory import require_memory

__all__ = ["count_file_texts", "count_texts"]

# Tokens that wait to be added up, at 16 bytes each while they are.
PIECE_TOKENS = 2**22
# Its offset in the matrix, in the corpus, and the two sums it is made of.
_BYTES_PER_DOCUMENT = 32


def count_texts(
    texts: Iterable[Any],
    settings: TextSettings | None = None,
    *,
    vocabulary: Iterable[str] | None = None,
    doc_names: Iterable[str] | None = None,
    doc_index: DocIndex | None = None,
    source: str | os.PathLike[str] | None = None,
    warn_of_unknown: bool = False,
) -> Corpus:
    """Count the words of texts, or of lists of words, which are taken one at a time.

    With a vocabulary no other words are counted, and document frequencies do not matter.
    ``doc_names`` is looked at after the last text, so it may be a list that grows with them.
    ``source`` is the file or folder to name if there is nothing to count. ``warn_of_unknown`` asks
    for a warning of words, stop words apart, that the vocabulary does not have.
    """
    settings = settings or TextSettings()
    place = "" if source is None else f"{os.fspath(source)}: "
    require_tokenizer(settings, place)
    words_of, left_out = _analyzer(settings)
    watch = ScriptWatch(settings)
    documents, settings = _with_phrases(map(words_of, watch.watched(texts)), settings, left_out)
    if vocabulary is None:
        matrix, numbers = _count_all(documents, place)
        watch.warn(stacklevel=5)
        words, columns = choose_words(matrix, numbers, left_out, settings, place)
        matrix = matrix[:, columns]
    else:
        words = _words_to_count(vocabulary, settings)
        matrix, n_unknown = _count_known(documents, words, left_out, place)
        if warn_of_unknown:
            warn_of_unknown_words(n_unknown, int(matrix.sum(dtype=np.int64)) + n_unknown)
    return Corpus.from_matrix(
        matrix.tocsr(), words, doc_names=doc_names, text_settings=settings, doc_index=doc_index
    )


def count_file_texts(
    path: str | os.PathLike[str],
    texts: Iterable[Any],
    options: ReadOptions,
    doc_names: Iterable[str] | None = None,
) -> Corpus:
    """Count the words of texts in a file, with the options of the reader."""
    return count_texts(
        texts,
        options.text,
        vocabulary=options.vocabulary,
        doc_names=doc_names,
        source=path,
        warn_of_unknown=options.warn_of_unknown,
    )


def _analyzer(settings: TextSettings) -> tuple[Callable[[Any], list[str]], frozenset[str]]:
    """Return what makes words of a document, and which of them not to count."""
    counter = vectorizer(settings)
    with warnings.catch_warnings():
        # Stop words are left out as they are given; that some are not whole tokens is no harm, and
        # neither is a pattern beside a function that does without.
        warnings.simplefilter("ignore", UserWarning)
        if settings.ngrams == (1, 1):
            # It is faster to leave out a few columns at the end than every token on its way.
            return tokenizer_of(settings), frozenset(counter.get_stop_words() or ())
        return counter.build_analyzer(), frozenset()


def _with_phrases(
    documents: Iterable[list[str]], settings: TextSettings, left_out: frozenset[str]
) -> tuple[Iterable[list[str]], TextSettings]:
    """Return documents with phrases joined, and settings with the phrases that were found."""
    if settings.phrases is False:
        return documents, settings
    if not isinstance(settings.phrases, tuple):
        threshold = THRESHOLD if settings.phrases is True else settings.phrases
        found, documents = find_phrases(documents, left_out, threshold)
        settings = replace(settings, phrases=found)
    pairs = cast("tuple[tuple[str, str], ...]", settings.phrases)
    return join_phrases(documents, pairs), settings


def _words_to_count(vocabulary: Iterable[str], settings: TextSettings) -> tuple[str, ...]:
    given = tuple(vocabulary) if isinstance(vocabulary, Iterator) else vocabulary
    words = checked_vocabulary(given, len(given) if isinstance(given, Sized) else 0)
    if not words:
        raise InputError("the vocabulary is empty, so there is no word to count: add words.")
    if settings.lowercase:
        capital = next((word for word in words if word != word.lower()), None)
        if capital is not None:
            warnings.warn(
                DataWarning.of(
                    "the vocabulary has words with capitals (for example {capital!r:.40}), which "
                    "never occur in lower-case texts: [use {lowercase=False}, or lower-case "
                    "words]."
                ).where(capital=capital, parameter="vocabulary"),
                stacklevel=5,
            )
    return words


# --- adding up


def _count_all(
    documents: Iterable[list[str]], place: str
) -> tuple[sparse.csc_matrix[np.int32], dict[str, int]]:
    """Count every word there is; return the columns of the words, too."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    number = numbers.__getitem__
    pieces = _pieces((map(number, words) for words in documents), lambda: len(numbers))
    return _stacked(pieces, place), numbers


def _count_known(
    documents: Iterable[list[str]], words: tuple[str, ...], left_out: frozenset[str], place: str
) -> tuple[sparse.csc_matrix[np.int32], int]:
    """Count these words; return how many tokens are of others, stop words apart.

    Stop words and others go to columns behind the words, which are taken away.
    """
    stopped, unknown = len(words), len(words) + 1
    numbers = {word: column for column, word in enumerate(words)} | dict.fromkeys(left_out, stopped)
    numbered = (map(numbers.get, found, repeat(unknown)) for found in documents)
    counts = _stacked(_pieces(numbered, lambda: unknown + 1), place)
    return counts[:, :stopped], int(counts[:, unknown].sum(dtype=np.int64))


def _pieces(
    documents: Iterable[Iterable[int]], n_columns: Callable[[], int]
) -> Iterator[sparse.csc_matrix[np.int32]]:
    """Yield the counts of some documents after the other."""
    tokens, offsets = array("i"), array("q", [0])
    for document in documents:
        tokens.extend(document)
        offsets.append(len(tokens))
        if len(tokens) + len(offsets) > PIECE_TOKENS:
            yield _added_up(tokens, offsets, n_columns())
            tokens, offsets = array("i"), array("q", [0])
    if len(offsets) > 1:
        yield _added_up(tokens, offsets, n_columns())


def _added_up(
    tokens: array[int], offsets: array[int], n_columns: int
) -> sparse.csc_matrix[np.int32]:
    """Count the columns in each row; by column, because in that order equal ones are neighbours."""
    ones = np.ones(len(tokens), dtype=np.int32)
    rows = sparse.csr_matrix(
        (ones, np.array(tokens, dtype=np.int32), np.array(offsets, dtype=np.int64)),
        shape=(len(offsets) - 1, n_columns),
    )
    columns = rows.tocsc()
    columns.sum_duplicates()
    return columns


def _stacked(
    pieces: Iterable[sparse.csc_matrix[np.int32]], place: str
) -> sparse.csc_matrix[np.int32]:
    """Put pieces below each other; later ones may know more words."""
    parts: list[sparse.csc_matrix[np.int32]] = []
    n_docs = n_bytes = 0
    for piece in pieces:
        parts.append(piece)
        n_docs += piece.shape[0]
        n_bytes += piece.data.nbytes + piece.indices.nbytes + piece.indptr.nbytes
        # Compressed texts may be endless. Joining them needs the same memory again.
        require_memory(
            n_bytes + _BYTES_PER_DOCUMENT * n_docs + 16 * PIECE_TOKENS,
            f"{place}counting more words after {n_docs} documents",
            "use a part of the texts, or a machine with more memory",
        )
    if not parts:
        raise InputError(f"{place}there is no document to count; check that this is the right one.")
    if len(parts) == 1:
        return parts[0]
    n_columns = parts[-1].shape[1]
    stacked = sparse.vstack([_widened(part, n_columns) for part in parts], format="csc")
    return cast("sparse.csc_matrix[np.int32]", stacked)


def _widened(part: sparse.csc_matrix[np.int32], n_columns: int) -> sparse.csc_matrix[np.int32]:
    """Add empty columns."""
    ends = np.pad(part.indptr, (0, n_columns - part.shape[1]), mode="edge")
    return sparse.csc_matrix((part.data, part.indices, ends), shape=(part.shape[0], n_columns))
