"""The files of a folder of 10x Genomics: a matrix of genes × cells, and the names of both."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from blocklda.formats.words.vocabulary import plain_and_gzip, read_lines

__all__ = ["CELLS", "GENES", "MATRIX", "file_in", "read_table"]

MATRIX = ("matrix.mtx",)
GENES = ("features.tsv", "genes.tsv")
CELLS = ("barcodes.tsv",)


def file_in(folder: Path, names: Iterable[str]) -> Path | None:
    """Return the first of these files that a folder has, plain or gzip."""
    places = (place for name in names for place in plain_and_gzip(folder / name))
    try:
        return next((place for place in places if place.is_file()), None)
    except (OSError, ValueError):  # a name that no file can have
        return None


def read_table(path: Path) -> list[list[str]]:
    """Return the fields of each line that has any."""
    return [line.split("\t") for line in read_lines(path) if line.strip()]
