"""A corpus as one archive: its arrays as they are, its words and names as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.data.doc_index import DocIndex
from blocklda.data.text_settings import TextSettings
from blocklda.files.archive import Archive, open_archive, write_archive

__all__ = ["read_corpus_file", "write_corpus_file"]

KIND, VERSION = "blocklda corpus", 1


def write_corpus_file(path: Path, corpus: Corpus) -> None:
    """Write a corpus aside, sync it, and give it its name."""
    settings = corpus.text_settings
    arrays: dict[str, NDArray[Any]] = {
        "doc_offsets": corpus.doc_offsets,
        "word_ids": corpus.word_ids,
        "counts": corpus.counts,
        "vocabulary": _as_json(corpus.vocabulary),
    }
    if corpus.doc_names is not None:
        arrays["doc_names"] = _as_json(corpus.doc_names)
    if corpus.doc_index is not None:
        arrays["doc_index"] = _as_json(corpus.doc_index.content)
    header = {
        "kind": KIND,
        "version": VERSION,
        "n_words": corpus.n_words,
        "text_settings": None if settings is None else settings.to_dict(),
    }
    write_archive(path, header, arrays)


def read_corpus_file(path: Path) -> Corpus:
    """Read what :func:`write_corpus_file` wrote, with the same checks as any other matrix."""
    with open_archive(path, KIND, VERSION, "a blocklda corpus") as archive, archive.reading():
        offsets = archive.array("doc_offsets", np.int64, 1)
        shape = (len(offsets) - 1, int(archive.header["n_words"]))
        entries = (
            archive.array("counts", np.int32, 1),
            archive.array("word_ids", np.int32, 1),
            offsets,
        )
        settings = archive.header.get("text_settings")
        names = _from_json(archive, "doc_names") if archive.has("doc_names") else None
        return Corpus.from_matrix(
            sparse.csr_matrix(entries, shape=shape),
            _from_json(archive, "vocabulary"),
            doc_names=names,
            text_settings=None if settings is None else TextSettings.from_file(settings),
            doc_index=_doc_index(archive, names),
        )


def _doc_index(archive: Archive, names: list[str] | None) -> DocIndex | None:
    if names is None or not archive.has("doc_index"):
        return None
    return DocIndex.from_content(_from_json(archive, "doc_index"), tuple(names))


def _as_json(names: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(names).encode(), dtype=np.uint8)


def _from_json(archive: Archive, name: str) -> Any:
    return json.loads(archive.array(name, np.uint8, 1).tobytes())
