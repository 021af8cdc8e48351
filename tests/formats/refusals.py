"""What the tests of the formats share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from blocklda.data.corpus import Corpus
from blocklda.formats import read_corpus
from blocklda.support.errors import BlockldaError, FileFormatError


def write(folder: Path, content: bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def refused(path: Any, error: type[BlockldaError] = FileFormatError, **options: Any) -> str:
    """The message with which a file is refused: one line, ended by a full stop."""
    with pytest.raises(error) as caught:
        read_corpus(path, **options)
    return checked_message(caught.value, error)


def checked_message(caught: BaseException, error: type[BlockldaError] = FileFormatError) -> str:
    """A message is one line, ended by a full stop, and of just this kind."""
    assert type(caught) is error
    message = str(caught)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def counts_of(corpus: Corpus) -> list[list[int]]:
    rows: list[list[int]] = corpus.to_matrix().toarray().tolist()
    return rows
