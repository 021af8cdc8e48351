"""From what a user gives as shards to a folder of them that all machines can read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.data.text_settings import TextSettings
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
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra
from blocklda.support.messages import Message

__all__ = ["TextOptions", "sharded_corpus"]


SHARDS = 16
"""So many, at most, are made of one corpus: few tasks, and few workers without any."""


@dataclass(frozen=True)
class TextOptions:
    """How shards of texts are read."""

    vocabulary: Any = None
    text_column: str | None = None
    id_column: str | None = None
    settings: TextSettings | None = None

    @property
    def is_given(self) -> bool:
        """Whether anything was said."""
        return self != TextOptions()


def sharded_corpus(
    given: Any, folder: Path, machines: Machines, options: TextOptions
) -> ShardedCorpus:
    """Return shards that are in files; those in memory, or of texts, are written to ``folder``."""
    if isinstance(given, str | os.PathLike):
        path = Path(given).resolve()
        if sharded.recognises(path):
            _refuse_text_options(options, f"{given} holds counts")
            return ShardedCorpus.open(path)
        return _of_texts(_parquet_files(path), folder, machines, options)
    if isinstance(given, Corpus):
        _refuse_text_options(options, "corpus_shards is a Corpus")
        return _of_corpora(list(_cut(given)), folder)
    if isinstance(given, Sequence) and all(isinstance(one, Corpus) for one in given):
        _refuse_text_options(options, "corpus_shards are counts")
        return _of_corpora(given, folder)
    return _of_texts(_partitions(given, options), folder, machines, options)


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


def _parquet_files(path: Path) -> list[str]:
    if not path.exists():
        raise InputError(f"there is no folder {path}: give that of a sharded corpus or of Parquet.")
    files = sorted(path.glob("*.parquet")) if path.is_dir() else []
    if not files:
        raise InputError(
            f"{path} is neither a sharded corpus, which `blocklda convert --shards` writes, nor a "
            "folder of .parquet files: give one of these."
        )
    return [str(file) for file in files]


def _partitions(given: Any, options: TextOptions) -> list[Any]:
    if not hasattr(given, "to_delayed") or not hasattr(given, "npartitions"):
        raise InputError(
            f"corpus_shards is a {type(given).__name__}: give a list of Corpus, the folder of a "
            "sharded corpus or of Parquet files, or a Dask bag or dataframe of texts."
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
    _refuse_phrases(options.settings)
    given = options.vocabulary
    if isinstance(given, str | os.PathLike):
        given = read_vocabulary(Path(given))
    if given is None:
        found = _of_parts(machines, _frequencies, parts, options)
        words = _chosen(found, options.settings or TextSettings())
    else:
        words = tuple(given)
    counting = replace(options, vocabulary=words)

    def write(to: Path) -> tuple[list[Shard], Words]:
        settings = options.settings or TextSettings()
        shards = _of_parts(machines, _write, parts, counting, to)
        return shards, Words(len(words), words, settings)

    return _kept(folder, write)


def _of_parts(
    machines: Machines, do: Callable[..., Any], parts: Sequence[Any], *shared: Any
) -> list[Any]:
    """Return what a function returns for each part: a file, or a partition of Dask's."""
    if all(isinstance(part, str) for part in parts):
        arguments = [(i, part, *shared) for i, part in enumerate(parts)]
        return machines.each(do, arguments, [os.path.getsize(part) for part in parts])
    dask = import_extra("dask", "dask", "a fit on shards")
    everywhere = [dask.delayed(one) for one in shared]
    return machines.compute(
        [dask.delayed(do)(i, part, *everywhere) for i, part in enumerate(parts)]
    )


def _refuse_phrases(settings: TextSettings | None) -> None:
    if settings is not None and settings.phrases and not isinstance(settings.phrases, tuple):
        raise InputError.of(
            "{phrases=} cannot be found on shards, each of which has only a part of the texts: "
            "[leave it out, or give the pairs of words themselves]."
        ).where(phrases=settings.phrases)


def _counted(number: int, part: Any, options: TextOptions) -> Corpus:
    """Count the texts of a partition: a path, a data frame, or anything that yields strings."""
    settings = {} if options.settings is None else options.settings.keywords()
    read: Callable[[], Corpus]
    if isinstance(part, str):
        read = partial(
            read_corpus,
            part,
            "parquet",
            options.vocabulary,
            text_column=options.text_column,
            id_column=options.id_column,
            **settings,
        )
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


def _chosen(found: Sequence[Any], settings: TextSettings) -> tuple[str, ...]:
    numbers: dict[str, int] = {}
    for _, words, _, _ in found:
        for word in words:
            numbers.setdefault(word, len(numbers))
    n_docs_with, totals = np.zeros((2, len(numbers)), dtype=np.int64)
    for _, words, with_word, of_word in found:
        columns = [numbers[word] for word in words]
        n_docs_with[columns] += with_word
        totals[columns] += of_word
    n_docs = sum(one[0] for one in found)
    frequencies = Frequencies(n_docs, n_docs_with, lambda: totals)
    return choose_by_frequency(frequencies, numbers, frozenset(), settings)[0]


def _write(number: int, part: Any, options: TextOptions, folder: Path) -> Shard:
    return write_shard(folder, number, _counted(number, part, options))


def _refuse_text_options(options: TextOptions, reason: str) -> None:
    if options.is_given:
        raise InputError.of(
            "{reason}, and {vocabulary=}, {text_column=}, {id_column=} and text settings are for "
            "texts: [leave them out]."
        ).where(reason=reason)
