"""From what a user gives as shards to a folder of them that all machines can read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.data.text_settings import TextSettings
from blocklda.files.atomic_write import cannot_write
from blocklda.files.sharded_corpus import (
    MANIFEST,
    Shard,
    ShardedCorpus,
    Words,
    write_manifest,
    write_shard,
)
from blocklda.formats import read_corpus, read_vocabulary, sharded
from blocklda.formats.in_memory import corpus_from_texts
from blocklda.formats.sharded import cut_into_shards, most_shards
from blocklda.formats.words.word_choice import Frequencies, choose_by_frequency
from blocklda.parallel.machines import Machines
from blocklda.parallel.text_parts import TextPart, find_parts, local_files
from blocklda.support.arrays import Ints
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra
from blocklda.support.messages import Message

__all__ = ["TextOptions", "sharded_corpus", "shards_of_texts"]


READING = ("format", "encoding", "delimiter", "quote", "has_header")
"""What may be said of files, beside their columns."""

AT_ONCE = 16
"""The words of so many parts are counted together, before they are added to those of others."""

SHARDS = 16
"""So many, at most, are made of one corpus: few tasks, and few workers without any."""


@dataclass(frozen=True)
class TextOptions:
    """How shards of texts are read."""

    vocabulary: Any = None
    text_column: str | None = None
    id_column: str | None = None
    settings: TextSettings | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    """Other options of :func:`~blocklda.read_corpus`, by name."""
    n_shards: int | None = None

    @classmethod
    def of(
        cls,
        given: Mapping[str, Any],
        vocabulary: Any = None,
        text_column: str | None = None,
        id_column: str | None = None,
        n_shards: int | None = None,
    ) -> TextOptions:
        """Return the options; those of files and those of words are given together."""
        reading = {name: given[name] for name in READING if given.get(name) is not None}
        words = {name: value for name, value in given.items() if name not in READING}
        settings = TextSettings.from_dict(words) if words else None
        return cls(vocabulary, text_column, id_column, settings, reading, n_shards)

    @property
    def is_given(self) -> bool:
        """Whether anything was said."""
        return self != TextOptions()


def sharded_corpus(
    given: Any, folder: Path, machines: Machines, options: TextOptions
) -> ShardedCorpus:
    """Return shards that are in files; those in memory, or of texts, are written to ``folder``."""
    if isinstance(given, str | os.PathLike):
        if sharded.recognises(Path(given)):
            _refuse_text_options(options, f"{given} holds counts")
            return ShardedCorpus.open(Path(given).resolve())
        return _of_texts(_parts(given, options), folder, machines, options)
    if isinstance(given, Corpus):
        _refuse_text_options(options, "corpus_shards is a Corpus")
        return _of_corpora(list(_cut(given)), folder)
    if isinstance(given, Sequence) and all(isinstance(one, Corpus) for one in given):
        _refuse_text_options(options, "corpus_shards are counts")
        return _of_corpora(given, folder)
    if isinstance(given, list | tuple) and all(isinstance(one, str | os.PathLike) for one in given):
        return _of_texts(_parts(given, options), folder, machines, options)
    return _of_texts(_partitions(given, options), folder, machines, options)


def shards_of_texts(
    given: Any, folder: Path, machines: Machines, options: TextOptions
) -> ShardedCorpus:
    """Count texts and write them to a folder of shards; a sharded corpus that is there goes."""
    is_file = isinstance(given, str | os.PathLike | list | tuple)
    parts = _parts(given, options) if is_file else _partitions(given, options)
    aside = folder.with_name(folder.name + ".part")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        aside.mkdir()
        words = _words_of(parts, machines, options)
        write_manifest(aside, *_written(parts, words, aside, machines, options))
        shutil.rmtree(folder, ignore_errors=True)
        aside.rename(folder)
    except OSError as error:
        raise cannot_write(folder, error) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return ShardedCorpus.open(folder)


# --- counts in memory


def _of_corpora(corpora: Sequence[Corpus], folder: Path) -> ShardedCorpus:
    if not corpora:
        raise InputError("corpus_shards is empty: give at least one Corpus.")
    words = Words.of(corpora[0])
    for number, corpus in enumerate(corpora):
        _require_same_words(words, number, corpus)
    return _kept(folder, lambda to: ([write_shard(to, *one) for one in enumerate(corpora)], words))


def _cut(corpus: Corpus) -> Iterator[Corpus]:
    """Cut a corpus by itself, not by the workers: with others a run shall go on."""
    for shard in cut_into_shards(corpus, min(SHARDS, most_shards(corpus))):
        yield Corpus.from_matrix(shard, corpus.vocabulary, text_settings=corpus.text_settings)


def _require_same_words(words: Words, number: int, corpus: Corpus) -> None:
    start = f"shard {number} has another vocabulary than shard 0"
    remedy = Message.of("[count the same words in the same order, with like= or {vocabulary=}].")
    if corpus.n_words != words.n_words:
        raise InputError(f"{start}, {corpus.n_words} words and not {words.n_words}: ", remedy)
    if corpus.vocabulary == words.vocabulary:
        return
    if corpus.vocabulary is None or words.vocabulary is None:
        raise InputError(f"{start}: one of them has no names of words: ", remedy)
    pairs = zip(corpus.vocabulary, words.vocabulary, strict=True)
    column, (own, other) = next((i, p) for i, p in enumerate(pairs) if p[0] != p[1])
    raise InputError(f"{start}: word (column) {column} is {own!r}, and there {other!r}: ", remedy)


def _kept(folder: Path, write: Callable[[Path], tuple[list[Shard], Words]]) -> ShardedCorpus:
    """Write shards aside and give them the folder's name; equal ones that are there stay."""
    aside = folder.with_name(folder.name + ".part")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir()
    shards, words = write(aside)
    made = write_manifest(aside, words, shards)
    if (folder / MANIFEST).is_file():
        before = ShardedCorpus.open(folder)
        if before.fingerprint == made.fingerprint and before.words == made.words:
            shutil.rmtree(aside, ignore_errors=True)
            return before
        raise InputError.of(
            "{folder.parent} holds a run on other shards: [give the same documents and words, in "
            "the same shards, or another {checkpoint=} to restart]."
        ).where(folder=folder)
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)
    return ShardedCorpus.open(folder)


# --- texts


def _parts(given: Any, options: TextOptions) -> list[Any]:
    return list(find_parts(given, options.reading.get("format", "auto"), options.n_shards))


def _partitions(given: Any, options: TextOptions) -> list[Any]:
    if not hasattr(given, "to_delayed") or not hasattr(given, "npartitions"):
        raise InputError(
            f"corpus_shards is a {type(given).__name__}: give a list of Corpus, the folder of a "
            "sharded corpus or of files of texts, or a Dask bag or dataframe of texts."
        )
    columns = getattr(given, "columns", None)
    if columns is not None and options.text_column not in list(columns):
        listed = ", ".join(repr(str(one)) for one in list(columns)[:20])
        raise InputError.of(
            "{text_column=} is no column of the dataframe: [name the column of the texts, one of: "
            "<{listed}>]."
        ).where(text_column=options.text_column, listed=listed)
    return list(given.to_delayed())


def _of_texts(
    parts: Sequence[Any], folder: Path, machines: Machines, options: TextOptions
) -> ShardedCorpus:
    words = _words_of(parts, machines, options)

    def write(to: Path) -> tuple[list[Shard], Words]:
        of_all, shards = _written(parts, words, to, machines, options)
        return shards, of_all

    return _kept(folder, write)


def _words_of(parts: Sequence[Any], machines: Machines, options: TextOptions) -> tuple[str, ...]:
    """Return the words that are counted: those given, or chosen from all texts."""
    _refuse_phrases(options.settings)
    given = options.vocabulary
    if isinstance(given, str | os.PathLike):
        given = read_vocabulary(Path(given))
    if given is not None:
        return tuple(given)
    merged = _Merged()
    for first in range(0, len(parts), AT_ONCE):
        for one in _of_parts(machines, _frequencies, parts, first, options):
            merged.add(*one)
    return merged.chosen(options.settings or TextSettings())


def _written(
    parts: Sequence[Any],
    words: tuple[str, ...],
    to: Path,
    machines: Machines,
    options: TextOptions,
) -> tuple[Words, list[Shard]]:
    """Count the texts of all parts and write them to a folder; the manifest is to follow."""
    counting = replace(options, vocabulary=words)
    shards = [
        shard
        for first in range(0, len(parts), AT_ONCE)
        for of_part in _of_parts(machines, _write, parts, first, counting, to)
        for shard in of_part
    ]
    return Words(len(words), words, options.settings or TextSettings()), shards


def _of_parts(
    machines: Machines, do: Callable[..., Any], parts: Sequence[Any], first: int, *shared: Any
) -> list[Any]:
    """Return what a function returns for some parts from one on: files, or Dask's partitions."""
    some = list(enumerate(parts))[first : first + AT_ONCE]
    if all(isinstance(part, TextPart) for _, part in some):
        arguments = [(i, part, *shared) for i, part in some]
        return machines.each(do, arguments, [part.n_bytes for _, part in some])
    dask = import_extra("dask", "dask", "a fit on shards")
    everywhere = [dask.delayed(one) for one in shared]
    return machines.compute([dask.delayed(do)(i, part, *everywhere) for i, part in some])


def _refuse_phrases(settings: TextSettings | None) -> None:
    if settings is not None and settings.phrases and not isinstance(settings.phrases, tuple):
        raise InputError.of(
            "{phrases=} cannot be found on shards, each of which has only a part of the texts: "
            "[leave it out, or give the pairs of words themselves]."
        ).where(phrases=settings.phrases)


def _counted(number: int, part: Any, options: TextOptions) -> Corpus:
    """Count the texts of a partition: files, a data frame, or anything that yields strings."""
    settings = {} if options.settings is None else options.settings.keywords()
    read: Callable[[], Corpus]
    if isinstance(part, TextPart):
        read = partial(_read, part, options, settings)
    else:
        frame = hasattr(part, "columns")
        names = None
        if frame and options.id_column is not None:
            names = [str(one) for one in part[options.id_column]]
        texts: Iterable[Any] = part[options.text_column] if frame else part
        read = partial(corpus_from_texts, texts, names, options.vocabulary, None, settings)
    try:
        return read()
    except InputError as error:
        raise InputError(f"shard {number}: ", error.message) from error


def _read(part: TextPart, options: TextOptions, settings: dict[str, Any]) -> Corpus:
    with local_files(part) as paths:
        corpus = read_corpus(
            paths,
            vocabulary=options.vocabulary,
            text_column=options.text_column,
            id_column=options.id_column,
            **{**options.reading, "format": part.format},
            **settings,
        )
    return corpus if part.doc_names is None else _named(corpus, part.doc_names)


def _named(corpus: Corpus, names: Sequence[str]) -> Corpus:
    return Corpus.from_matrix(
        corpus.to_matrix(), corpus.vocabulary, doc_names=names, text_settings=corpus.text_settings
    )


def _frequencies(
    number: int, part: Any, options: TextOptions
) -> tuple[int, tuple[str, ...], Any, Any]:
    """Return how many documents a partition has, its words, and how often each of them occurs."""
    settings = options.settings or TextSettings()
    # Which words are frequent enough is told by all shards together.
    all_words = replace(settings, min_df=1, max_df=1.0, max_words=None)
    corpus = _counted(number, part, replace(options, settings=all_words))
    n_docs_with = np.bincount(corpus.word_ids, minlength=corpus.n_words)
    return corpus.n_docs, corpus.vocabulary or (), n_docs_with, corpus.word_counts()


class _Merged:
    """How often words occur in all parts so far."""

    def __init__(self) -> None:
        self._n_docs = 0
        self._numbers: dict[str, int] = {}
        self._sums = np.zeros((2, 0), dtype=np.int64)

    def add(self, n_docs: int, words: Sequence[str], with_word: Ints, of_word: Ints) -> None:
        """Take one part more: its documents, those with each word, and its tokens."""
        columns = [self._numbers.setdefault(word, len(self._numbers)) for word in words]
        n_new = len(self._numbers) - self._sums.shape[1]
        self._sums = np.pad(self._sums, ((0, 0), (0, n_new)))
        self._sums[:, columns] += [with_word, of_word]
        self._n_docs += n_docs

    def chosen(self, settings: TextSettings) -> tuple[str, ...]:
        """Return the words that a reader of all texts would count."""
        n_docs_with, totals = self._sums
        frequencies = Frequencies(self._n_docs, n_docs_with, lambda: totals)
        return choose_by_frequency(frequencies, self._numbers, frozenset(), settings)[0]


def _write(number: int, part: Any, options: TextOptions, folder: Path) -> list[Shard]:
    corpus = _counted(number, part, options)
    n_shards = part.n_shards if isinstance(part, TextPart) else 1
    if n_shards == 1:
        return [write_shard(folder, number, corpus)]
    cut = cut_into_shards(corpus, min(n_shards, most_shards(corpus)))
    return [write_shard(folder, number * n_shards + i, one) for i, one in enumerate(cut)]


def _refuse_text_options(options: TextOptions, reason: str) -> None:
    if options.is_given:
        raise InputError.of(
            "{reason}, and {vocabulary=}, {text_column=}, {id_column=} and text settings are for "
            "texts: [leave them out]."
        ).where(reason=reason)
