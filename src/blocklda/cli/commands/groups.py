"""``blocklda groups``: shares of topics over time or in groups of documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from blocklda.cli.options.folders import ModelArgument, load
from blocklda.cli.options.input_options import (
    Delimiter,
    DocumentEncoding,
    HasHeader,
    IdColumn,
    Quote,
    TextColumn,
    TextFormatName,
)
from blocklda.cli.options.limited_reading import Trusted, read_limited
from blocklda.cli.options.same_documents import require_same_documents
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.output import plain, print_json, result_bytes, waiting
from blocklda.cli.terminal.tables import print_line
from blocklda.exports.answers import prevalence_columns
from blocklda.files.atomic_write import named_path, replace_file, require_place
from blocklda.files.csv_output import csv_rows
from blocklda.formats.several import name_of
from blocklda.formats.texts import read_texts
from blocklda.results.fixed_topics import topics_of
from blocklda.summaries.intervals import check_interval
from blocklda.support import defaults
from blocklda.support.errors import InputError

__all__ = ["EXAMPLES", "groups_command"]

EXAMPLES = examples(
    "blocklda groups model/ --input speeches.csv --by year -o shares.csv",
    "blocklda groups model/ --input speeches.csv --by party --json",
)

SUFFIXES = (".csv", ".tsv")


def groups_command(
    model: ModelArgument,
    *,
    input_files: Annotated[
        list[Path],
        typer.Option(
            "--input",
            metavar="FILE",
            help="The file that was fitted; repeat the option for several files.",
        ),
    ],
    group_column: Annotated[
        str, typer.Option("--by", metavar="COLUMN", help="Column with dates, numbers or names.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the table here: .csv or .tsv.",
            show_default="CSV on standard output",
        ),
    ] = None,
    interval: Annotated[
        float, typer.Option(metavar="X", help="Probability of the credible intervals.")
    ] = defaults.INTERVAL,
    as_json: JsonFlag = False,
    format: TextFormatName = "auto",  # noqa: A002  # the word users look for
    text_column: TextColumn = None,
    id_column: IdColumn = None,
    encoding: DocumentEncoding = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    has_header: HasHeader = None,
    trusted: Trusted = False,
) -> None:
    """Write the share of each topic in groups of documents, with credible intervals.

    Writes one row for each group and topic. Dates are grouped into periods, numbers are ordered,
    names are categories.
    """
    check_interval(interval)
    if output is not None:
        if output.suffix.lower() not in SUFFIXES:
            raise InputError.of(
                "{output=!r} does not show the format of the table: [let the name end in .csv or "
                ".tsv]."
            ).where(output=str(output))
        require_place(named_path(output))
    with waiting(f"reading {model} and {name_of(input_files)}"):
        lda = load(model)
        texts = read_limited(
            read_texts,
            input_files,
            format,
            trusted=trusted,
            text_column=text_column,
            id_column=id_column,
            group_column=group_column,
            encoding=encoding,
            delimiter=delimiter,
            quote=quote,
            has_header=has_header,
        )
    fit = lda.result_
    require_same_documents(model, fit.corpus, name_of(input_files), texts)
    columns = prevalence_columns(topics_of(lda), texts.groups or (), interval)
    rows = list(zip(*(plain(list(column)) for column in columns.values()), strict=True))
    if output is not None:
        with replace_file(named_path(output)) as file:
            _write(file, columns, rows, "\t" if output.suffix.lower() == ".tsv" else ",")
    if as_json:
        given = input_files[0] if len(input_files) == 1 else input_files
        facts = {"model": model, "input": given, "by": group_column, "interval": interval}
        shares = [dict(zip(columns, row, strict=True)) for row in rows]
        print_json({**facts, "output": output, "shares": shares})
    elif output is not None:
        print_line(f"{output}: {len(rows):,} rows, one for each group and topic")
    else:
        with result_bytes() as file:
            _write(file, columns, rows, ",")


def _write(
    file: IO[bytes], columns: Mapping[str, Any], rows: list[tuple[Any, ...]], delimiter: str
) -> None:
    with csv_rows(file, delimiter) as write_row:
        write_row(columns)
        for row in rows:
            write_row(
                f"{value:.6g}" if isinstance(value, float) else "" if value is None else value
                for value in row
            )
