"""Write rows of CSV into a binary file that the caller opened.

Texts that a spreadsheet would run as a formula begin with an apostrophe there.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from blocklda.support.harmless import harmless_cell

__all__ = ["csv_rows"]


@contextmanager
def csv_rows(file: IO[bytes], delimiter: str = ",") -> Iterator[Callable[[Iterable[Any]], Any]]:
    """Give a function that writes a row, as UTF-8 with line feeds; the file stays open."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        usual = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        # The csv module puts no quotes around a carriage return, and reads a row's end in it.
        quoted = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)

        def write_row(row: Iterable[Any]) -> Any:
            cells = [harmless_cell(cell) for cell in row]
            has_return = any(isinstance(cell, str) and "\r" in cell for cell in cells)
            return (quoted if has_return else usual).writerow(cells)

        yield write_row
    finally:
        text.detach()  # the caller closes the file
