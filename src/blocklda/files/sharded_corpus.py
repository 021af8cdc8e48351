"""A corpus in shards: a folder with a file for some neighbouring documents each, and a manifest.

`corpus.json` has the words, once, and what is in each file. It gets its name after all of them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import numpy as np
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.data.names import checked_vocabulary
from blocklda.data.text_settings import TextSettings
from blocklda.files.atomic_write import replace_file
from blocklda.files.corpus_file import read_corpus_file, write_corpus_file
from blocklda.support.checks import whole_number
from blocklda.support.errors import FileFormatError, InputError, said_by

__all__ = ["MANIFEST", "Shard", "ShardedCorpus", "Words", "joined", "write_manifest", "write_shard"]

MANIFEST = "corpus.json"
KIND, VERSION = "blocklda sharded corpus", 1

_SHARD_NAME = re.compile(r"shard-\d{6,9}\.npz")


@dataclass(frozen=True)
class Words:
    """The columns that all shards share."""

    n_words: int
    vocabulary: tuple[str, ...] | None = None
    text_settings: TextSettings | None = None

    @classmethod
    def of(cls, corpus: Corpus) -> Words:
        """Return the words of a corpus."""
        return cls(corpus.n_words, corpus.vocabulary, corpus.text_settings)


@dataclass(frozen=True)
class Shard:
    """What a file of a shard holds."""

    file: str
    n_docs: int
    n_entries: int
    n_tokens: int
    fingerprint: str


@dataclass(frozen=True)
class ShardedCorpus:
    """Documents in files, of which one at a time is read."""

    folder: Path
    words: Words
    shards: tuple[Shard, ...]

    @classmethod
    def open(cls, folder: Path) -> ShardedCorpus:
        """Read the manifest of a folder."""
        path = folder / MANIFEST
        try:
            content = json.loads(path.read_bytes())
            if content["kind"] != KIND or content["version"] != VERSION:
                raise _refusal(path, f"it is not version {VERSION} of a sharded corpus")
            n_words, words = whole_number("n_words", content["n_words"], 0), content["vocabulary"]
            settings = content["text_settings"]
            found = cls(
                folder,
                Words(
                    n_words,
                    None if words is None else checked_vocabulary(words, n_words),
                    None if settings is None else TextSettings.from_file(settings),
                ),
                tuple(_checked(Shard(**one)) for one in content["shards"]),
            )
        except OSError as error:
            raise FileFormatError(f"cannot read {path}: {error.strerror or error}.") from error
        except FileFormatError:
            raise
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise _refusal(path, said_by(error).clause()) from error
        if not found.shards:
            raise _refusal(path, "it has no shards")
        return found

    @property
    def n_docs(self) -> int:
        """Number of documents in all shards."""
        return sum(shard.n_docs for shard in self.shards)

    @property
    def n_words(self) -> int:
        """Size of the vocabulary."""
        return self.words.n_words

    @property
    def vocabulary(self) -> tuple[str, ...] | None:
        """The words, None if they have no names."""
        return self.words.vocabulary

    @property
    def text_settings(self) -> TextSettings | None:
        """How texts were counted, None if there were none."""
        return self.words.text_settings

    @property
    def n_entries(self) -> int:
        """Number of words of documents in all shards, each counted once a document."""
        return sum(shard.n_entries for shard in self.shards)

    @property
    def n_tokens(self) -> int:
        """Number of tokens in all shards."""
        return sum(shard.n_tokens for shard in self.shards)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of those of the shards: equal for equal counts in equal shards."""
        return hashlib.sha256("".join(one.fingerprint for one in self.shards).encode()).hexdigest()

    def first_document(self, number: int) -> int:
        """Return the number that the first document of a shard has in the whole corpus."""
        return sum(one.n_docs for one in self.shards[:number])

    def read(self, number: int) -> Corpus:
        """Return the documents of a shard, numbered from 0, and make sure that they are its own."""
        shard = self.shards[number]
        path = self.folder / shard.file
        corpus = read_corpus_file(path)
        if corpus.n_words != self.words.n_words or corpus.fingerprint != shard.fingerprint:
            raise _refusal(path, f"it is not the shard that {MANIFEST} describes")
        return corpus

    def whole(self) -> Corpus:
        """Return all documents as one corpus."""
        return joined([self.read(number) for number in range(len(self.shards))], self.words)


def joined(parts: list[Corpus], words: Words) -> Corpus:
    """Return shards one below the other; documents have names if all have."""
    names = [part.doc_names for part in parts]
    all_names = [name for of_part in names for name in of_part or ()]
    matrix = sparse.vstack([part.to_matrix() for part in parts], format="csr")
    return Corpus.from_matrix(
        cast("sparse.csr_matrix[np.int64]", matrix),
        words.vocabulary,
        doc_names=None if None in names else all_names,
        text_settings=words.text_settings,
    )


def write_shard(folder: Path, number: int, corpus: Corpus) -> Shard:
    """Write one shard without its words; the manifest has to follow when all are there."""
    if corpus.n_tokens == 0:
        raise InputError(
            f"shard {number} is empty ({corpus.n_docs} documents without words): leave it out, or "
            "move its documents to another shard."
        )
    shard = Shard(
        f"shard-{number + 1:06d}.npz",
        corpus.n_docs,
        corpus.n_entries,
        corpus.n_tokens,
        corpus.fingerprint,
    )
    nameless = Corpus.from_matrix(corpus.to_matrix(), doc_names=corpus.doc_names)
    write_corpus_file(folder / shard.file, nameless)
    return shard


def write_manifest(folder: Path, words: Words, shards: Iterable[Shard]) -> ShardedCorpus:
    """Write the manifest of shards that are there, and remove those of an earlier corpus."""
    written = ShardedCorpus(folder, words, tuple(shards))
    settings = words.text_settings
    content = {
        "kind": KIND,
        "version": VERSION,
        "n_words": words.n_words,
        "n_docs": written.n_docs,
        "n_tokens": written.n_tokens,
        "vocabulary": words.vocabulary,
        "text_settings": None if settings is None else settings.to_dict(),
        "shards": [asdict(shard) for shard in written.shards],
    }
    with replace_file(folder / MANIFEST) as file:
        file.write(json.dumps(content, ensure_ascii=False).encode())
    names = {shard.file for shard in written.shards}
    with suppress(OSError):
        for path in folder.iterdir():
            if _SHARD_NAME.fullmatch(path.name) and path.name not in names:
                path.unlink()
    return written


def _checked(shard: Shard) -> Shard:
    if not _SHARD_NAME.fullmatch(shard.file):
        raise InputError(f"{shard.file!r:.80} is not the name of a shard")
    for name in ("n_docs", "n_entries", "n_tokens"):
        whole_number(name, getattr(shard, name), 1)
    return shard


def _refusal(path: Path, reason: str) -> FileFormatError:
    return FileFormatError.of(
        "{path} is not part of a sharded corpus that can be read: {reason}. [Write it again with "
        "blocklda convert --shards]."
    ).where(path=path, reason=reason)
