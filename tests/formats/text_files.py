"""What the tests of text formats share: small files, what is read of them, how they are refused."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from blocklda.data.corpus import Corpus
from blocklda.formats import read_corpus
from blocklda.support.errors import BlockldaError, FileFormatError

PLAIN: dict[str, Any] = {"stop_words": "none", "token_pattern": r"\S+", "lowercase": False}
"""Settings by which a word is whatever stands between spaces."""


def written(folder: Path, content: str | bytes, name: str) -> Path:
    """Write a file, packed if its name says so."""
    data = content.encode() if isinstance(content, str) else content
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def as_parquet(folder: Path, columns: dict[str, Any], name: str = "a.parquet") -> Path:
    path = folder / name
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def bags(corpus: Corpus) -> list[dict[str, int]]:
    """The words of each document and how often each occurs."""
    assert corpus.vocabulary is not None
    rows = corpus.to_matrix().toarray().tolist()
    return [{word: n for word, n in zip(corpus.vocabulary, row, strict=True) if n} for row in rows]


def refused(path: Path, error: type[BlockldaError] = FileFormatError, **options: Any) -> str:
    """The message with which a file is refused: one sentence that names it."""
    with pytest.raises(error) as caught:
        read_corpus(path, **options)
    assert type(caught.value) is error, repr(caught.value)
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 600 + len(str(path))
    assert str(path) in message
    return message
