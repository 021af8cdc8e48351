"""``blocklda reproduce``: the studies of the paper's section 4, and whether its claims hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.echo import echo
from blocklda.cli.terminal.output import (
    print_json,
    progress_console,
    result_console,
    waiting,
)
from blocklda.cli.terminal.tables import new_table
from blocklda.experiments.claims import Claim
from blocklda.experiments.estimate import estimated_seconds
from blocklda.experiments.reproduce import Study, chosen_studies, reproduce
from blocklda.experiments.studies import STUDIES
from blocklda.files.atomic_write import named_path
from blocklda.plots.style import require_matplotlib
from blocklda.support.checks import n_workers
from blocklda.support.durations import duration
from blocklda.support.errors import InputError

__all__ = ["EXAMPLES", "reproduce_command"]

ALL = "all"

EXAMPLES = examples(
    "blocklda reproduce --quick --out results/",
    "blocklda reproduce simulated --out results/",
    "blocklda reproduce all --data uci/ --out results/ --jobs -1",
)


def reproduce_command(
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help=f"{', '.join(STUDIES)} or {ALL}.")
    ] = ALL,
    *,
    out: Annotated[
        Path,
        typer.Option(help="Folder for figures, curves and results.md; a run in it is resumed."),
    ] = Path("results"),
    data: Annotated[
        Path | None,
        typer.Option(
            help="Folder with UCI's docword and vocab files of KOS and NIPS; by default that of "
            "BLOCKLDA_DATA, or they are downloaded once."
        ),
    ] = None,
    is_quick: Annotated[
        bool, typer.Option("--quick", help="Fewer runs, sweeps and documents: a few minutes.")
    ] = False,
    n_jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", metavar="N", help="Number of parallel runs; -1 for all cores."
        ),
    ] = -1,
    as_json: JsonFlag = False,
) -> None:
    """Repeat the studies of the paper, and check each of its claims.

    Finished runs are kept in the folder; the same command continues where it stopped.
    """
    require_matplotlib()
    if study not in (*STUDIES, ALL):
        raise InputError(
            f"there is no study {study!r:.40}; use one of: {', '.join(STUDIES)}, {ALL}."
        )
    names = STUDIES if study == ALL else (study,)
    studies = chosen_studies(names, is_quick=is_quick)
    jobs, folder = n_workers(n_jobs), named_path(out)
    with waiting("Running a few sweeps to estimate the time"):
        seconds = {chosen.name: estimated_seconds(chosen, folder, data, jobs) for chosen in studies}
    _say_how_long(seconds)
    try:
        with _display(progress_console(), studies) as display:
            claims = reproduce(studies, folder, data, jobs, display, is_quick=is_quick)
    except KeyboardInterrupt:
        said = f"blocklda: interrupted; finished runs are in {folder}; the same command continues."
        echo(said, err=True)
        raise
    if as_json:
        print_json({"results": folder / "results.md", "claims": claims})
    else:
        _show(claims, folder, result_console())


def _say_how_long(seconds: dict[str, float]) -> None:
    each = ", ".join(f"{name} {duration(part)}" for name, part in seconds.items())
    echo(f"About {duration(sum(seconds.values()))} in total ({each}).", err=True)


class _Bars:
    """A bar for every study."""

    def __init__(self, bars: Progress, studies: list[Study]) -> None:
        self._bars = bars
        self._tasks = {study.name: bars.add_task(study.name, total=None) for study in studies}

    def begin(self, study: str, total: int, left: int) -> None:
        """Show a study that begins."""
        self._bars.update(self._tasks[study], total=total, completed=total - left)

    def advance(self, study: str, steps: int) -> None:
        """Move its bar."""
        self._bars.advance(self._tasks[study], steps)


@contextmanager
def _display(console: Console, studies: list[Study]) -> Iterator[_Bars]:
    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    hidden = not console.is_interactive
    with Progress(*columns, console=console, transient=True, expand=True, disable=hidden) as bars:
        yield _Bars(bars, studies)


def _show(claims: list[Claim], folder: Path, console: Console) -> None:
    table: Table = new_table()
    table.add_column("study", no_wrap=True)
    table.add_column("the paper says", ratio=1)
    table.add_column("we measured", ratio=1)
    table.add_column("holds?", no_wrap=True)
    styles = {"yes": "green", "no": "bold red"}
    for claim in claims:
        table.add_row(
            claim.study, claim.says, claim.measured, Text(claim.holds, styles.get(claim.holds, ""))
        )
        table.add_row()
    console.print(table)
    console.print(Text(f"Figures, curves and the table are in {folder}.", "bold"), soft_wrap=True)
