"""Rows of CSV into a file of bytes that somebody else opened."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

__all__ = ["csv_rows"]


@contextmanager
def csv_rows(file: IO[bytes], delimiter: str = ",") -> Iterator[Callable[[Iterable[Any]], Any]]:
    """Give a function that writes a row, as UTF-8 with line feeds; the file stays open."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        yield csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow
    finally:
        text.detach()  # whoever opened the file closes it
