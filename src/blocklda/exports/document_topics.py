"""Documents × topics in files: CSV, TSV, JSON lines, NPY, Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from blocklda.files.atomic_write import named_path, replace_file, require_place
from blocklda.files.csv_output import csv_rows
from blocklda.support.arrays import Floats
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra
from blocklda.support.messages import Allowed

__all__ = ["check_table_name", "write_csv", "write_table"]

Names = Sequence[str] | Sequence[int]
Writer = Callable[[IO[bytes], Names, Floats], None]

PARQUET = ("parquet", "writing Parquet files")
"""The extra, and what it is for."""

XLSX = ("xlsx", "writing workbooks")

DIGITS = 6
"""Significant digits in CSV and TSV: far more than the Monte Carlo error leaves meaningful."""


def check_table_name(path: Path) -> None:
    """Refuse what cannot be written, where possible before the table is computed."""
    if _writer(path) is _write_parquet:
        import_extra("pyarrow", *PARQUET)
    if _writer(path) is _write_xlsx:
        import_extra("openpyxl", *XLSX)
    require_place(named_path(path))


def write_table(path: Path, documents: Names, doc_topic: Floats) -> None:
    """Write a table aside, in the format that the file's ending names, and give it its name."""
    write = _writer(path)
    with replace_file(named_path(path)) as file:
        write(file, documents, doc_topic)


def write_csv(file: IO[bytes], documents: Names, doc_topic: Floats, delimiter: str = ",") -> None:
    """Write one line per document, its name or number first; the first line names the columns."""
    with csv_rows(file, delimiter) as write_row:
        write_row(["document", *_columns(doc_topic)])
        for name, row in zip(documents, doc_topic.tolist(), strict=True):
            write_row([name, *(f"{share:.{DIGITS}g}" for share in row)])


def _write_tsv(file: IO[bytes], documents: Names, doc_topic: Floats) -> None:
    write_csv(file, documents, doc_topic, "\t")


def _write_json_lines(file: IO[bytes], documents: Names, doc_topic: Floats) -> None:
    for name, row in zip(documents, doc_topic.tolist(), strict=True):
        line = json.dumps({"document": name, "topics": row}, ensure_ascii=False)
        file.write(line.encode() + b"\n")


def _write_npy(file: IO[bytes], documents: Names, doc_topic: Floats) -> None:
    np.save(file, doc_topic, allow_pickle=False)


def _write_parquet(file: IO[bytes], documents: Names, doc_topic: Floats) -> None:
    pyarrow, parquet = (import_extra(name, *PARQUET) for name in ("pyarrow", "pyarrow.parquet"))
    topics = dict(zip(_columns(doc_topic), doc_topic.T, strict=True))
    parquet.write_table(pyarrow.table({"document": list(documents), **topics}), file)


def _write_xlsx(file: IO[bytes], documents: Names, doc_topic: Floats) -> None:
    book = import_extra("openpyxl", *XLSX).Workbook(write_only=True)
    sheet = book.create_sheet("topics")
    sheet.append(["document", *_columns(doc_topic)])
    for name, row in zip(documents, doc_topic.tolist(), strict=True):
        sheet.append([name, *row])
    book.save(file)


WRITERS: dict[str, Writer] = {
    ".csv": write_csv,
    ".tsv": _write_tsv,
    ".jsonl": _write_json_lines,
    ".npy": _write_npy,
    ".parquet": _write_parquet,
    ".xlsx": _write_xlsx,
}


def _writer(path: Path) -> Writer:
    try:
        return WRITERS[path.suffix.lower()]
    except KeyError:
        raise InputError.of(
            "{output=!r} does not show the format of the table: [let the name end in {allowed}]."
        ).where(output=str(path), allowed=Allowed(", ".join(WRITERS), choices=WRITERS)) from None


def _columns(doc_topic: Floats) -> list[str]:
    return [f"topic_{k}" for k in range(doc_topic.shape[1])]
