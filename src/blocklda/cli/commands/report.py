"""``blocklda report``: a model as a page to open in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blocklda.cli.options.folders import ModelArgument, is_model, load
from blocklda.cli.options.input_options import (
    Delimiter,
    DocumentEncoding,
    HasHeader,
    IdColumn,
    Quote,
    TextColumn,
    TextFormatName,
    TokensColumn,
)
from blocklda.cli.options.limited_reading import Trusted, read_limited
from blocklda.cli.options.same_documents import require_same_documents
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.output import print_json, waiting
from blocklda.cli.terminal.tables import print_line
from blocklda.files.atomic_write import named_path, require_place
from blocklda.formats.several import name_of
from blocklda.formats.texts import Texts, read_texts
from blocklda.report import report
from blocklda.results.result import FitResult, result_of
from blocklda.summaries.intervals import check_interval
from blocklda.support import defaults
from blocklda.support.errors import InputError
from blocklda.support.messages import Given

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["EXAMPLES", "report_command"]

EXAMPLES = examples(
    "blocklda report model/ -o report.html",
    "blocklda report model/ --input reviews.csv --text-column body -o report.html",
    "blocklda report model/ --input reviews.csv --text-column body --by year -o report.html",
)

PAGE_SUFFIXES = (".html", ".htm")


def report_command(
    model: ModelArgument,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Page to write: .html.")
    ],
    input_files: Annotated[
        list[Path] | None,
        typer.Option(
            "--input",
            metavar="FILE",
            help="The texts that were fitted, to show them; repeat the option for several files.",
        ),
    ] = None,
    group_column: Annotated[
        str | None,
        typer.Option("--by", metavar="COLUMN", help="Column to group by, such as a year."),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")] = None,
    interval: Annotated[
        float, typer.Option(metavar="X", help="Probability of the credible intervals.")
    ] = defaults.INTERVAL,
    as_json: JsonFlag = False,
    format: TextFormatName = "auto",  # noqa: A002  # the word users look for
    text_column: TextColumn = None,
    id_column: IdColumn = None,
    tokens_column: TokensColumn = None,
    encoding: DocumentEncoding = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    has_header: HasHeader = None,
    trusted: Trusted = False,
) -> None:
    """Write an HTML page about a model: topics, words, documents, convergence.

    The page is one file and works offline in any browser. With --input it shows the texts that
    are typical of each topic, with --by the share of each topic by date or group.
    """
    _require_page(output)
    check_interval(interval)
    reading: dict[str, Any] = {
        "text_column": text_column,
        "id_column": id_column,
        "tokens_column": tokens_column,
        "encoding": encoding,
        "delimiter": delimiter,
        "quote": quote,
        "has_header": has_header,
    }
    files = input_files or []
    if not files:
        _refuse_without_input({"group_column": group_column, **reading, "format": format})
    with waiting(f"reading {model}"):
        lda = load(model)
        fit = result_of(lda)
    texts = Texts(None, None, None)
    if files:
        _require_use(model, fit, files, group_column)
        with waiting(f"reading {name_of(files)}"):
            texts = read_limited(
                read_texts, files, format, trusted=trusted, group_column=group_column, **reading
            )
        require_same_documents(model, fit.corpus, name_of(files), texts)
    with waiting(f"writing {output}"):
        _write(lda, files, texts, group_column, title, interval, output)
    _say(model, fit, texts, group_column, output, as_json)


def _require_page(output: Path) -> None:
    """Refuse what cannot be written before anything is read."""
    if output.suffix.lower() not in PAGE_SUFFIXES:
        raise InputError.of(
            "{output=} is not the name of an HTML page: [let it end in .html, so that a browser "
            "opens it]."
        ).where(output=output)
    require_place(named_path(output))


def _refuse_without_input(options: dict[str, str | None]) -> None:
    """Refuse options on a file that was not named."""
    for name, value in options.items():
        if value not in (None, "auto"):
            raise InputError.of(
                "{given} is about the file that was fitted: [name it with --input, or leave this "
                "out]."
            ).where(given=Given(name, value))


def _require_use(model: Path, fit: FitResult, paths: list[Path], group_column: str | None) -> None:
    """Refuse an input that the page could not use, before it is read."""
    for path in filter(is_model, paths):
        raise InputError(
            f"{path} is a model, which has counts but no texts: give the file that was fitted."
        )
    if group_column is not None and not fit.draws:
        raise InputError.of(
            "{group_column=} needs draws, but {model} has none: [leave this out, or fit again, "
            "without --no-draws]."
        ).where(group_column=group_column, model=model)


def _write(
    lda: LDA,
    files: list[Path],
    texts: Texts,
    group_column: str | None,
    title: str | None,
    interval: float,
    output: Path,
) -> None:
    try:
        page = report(
            lda,
            texts=texts.texts,
            groups=texts.groups,
            group_name=group_column,
            title=title,
            interval=interval,
        )
    except InputError as error:
        if error.parameter in ("texts", "groups"):  # the library knows of no file
            raise InputError(f"{name_of(files)}: ", error.message) from error
        raise
    page.save(output)


def _say(
    model: Path,
    fit: FitResult,
    texts: Texts,
    group_column: str | None,
    output: Path,
    as_json: bool,
) -> None:
    n_bytes, n_docs = output.stat().st_size, fit.corpus.n_docs
    if as_json:
        facts = {"model": model, "output": output, "bytes": n_bytes, "n_topics": fit.n_topics}
        shown = {"texts": texts.texts is not None, "by": group_column}
        print_json({**facts, "documents": n_docs, **shown})
    else:
        print_line(
            f"{output}: {fit.n_topics:,} topics, {n_docs:,} documents, {n_bytes / 1e6:.1f} MB. "
            "Open it in a browser; it works offline."
        )
