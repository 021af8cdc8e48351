"""A corpus as one archive: its arrays as they are, its words as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.corpus import Corpus
from blocklda.files.archive import open_archive, write_archive

__all__ = ["read_corpus_file", "write_corpus_file"]

KIND, VERSION = "blocklda corpus", 1


def write_corpus_file(path: Path, corpus: Corpus) -> None:
    """Write a corpus aside, sync it, and give it its name."""
    words = json.dumps(corpus.vocabulary).encode()
    arrays: dict[str, NDArray[Any]] = {
        "doc_offsets": corpus.doc_offsets,
        "word_ids": corpus.word_ids,
        "counts": corpus.counts,
        "vocabulary": np.frombuffer(words, dtype=np.uint8),
    }
    header = {"kind": KIND, "version": VERSION, "n_words": corpus.n_words}
    write_archive(path, header, arrays)


def read_corpus_file(path: Path) -> Corpus:
    """Read what :func:`write_corpus_file` wrote, through the same door as any other matrix."""
    with open_archive(path, KIND, VERSION, "a blocklda corpus") as archive, archive.reading():
        offsets = archive.array("doc_offsets", np.int64, 1)
        shape = (len(offsets) - 1, int(archive.header["n_words"]))
        entries = (
            archive.array("counts", np.int32, 1),
            archive.array("word_ids", np.int32, 1),
            offsets,
        )
        vocabulary = json.loads(archive.array("vocabulary", np.uint8, 1).tobytes())
        return Corpus.from_matrix(sparse.csr_matrix(entries, shape=shape), vocabulary)
