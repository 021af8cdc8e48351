"""``blocklda check``: tests of exactness for any sampler."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.output import print_json, result_console, waiting
from blocklda.cli.terminal.tables import new_table
from blocklda.support import defaults
from blocklda.support.checks import whole_number
from blocklda.support.errors import BlockldaError, InputError
from blocklda.testing.base import Subject
from blocklda.testing.check import Report, check
from blocklda.testing.subjects import find_subjects
from blocklda.testing.verdict import ACCEPT

__all__ = ["EXAMPLES", "check_command"]

EXAMPLES = examples(
    "blocklda check nested --quick",
    "blocklda check hdp/sparse --plot ranks.svg",
    "blocklda check my_package.my_module:MY_SAMPLER --json > check.json",
)

REJECTED = 1
"""The exit status if a sampler is rejected."""


def check_command(
    sampler: Annotated[
        str,
        typer.Argument(
            metavar="MODEL_OR_SAMPLER",
            help="A model (lda, hdp or mixture) for all its exact samplers; a sampler of LDA; a "
            "model and a sampler, such as hdp/sparse; or your own, such as "
            "package.module:NAME.",
            show_default=False,
        ),
    ],
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use a tenth of the draws: seconds per sampler.")
    ] = False,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of the random numbers.")
    ] = defaults.SEED,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write histograms of the ranks of one sampler: .png, .svg or .pdf.",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Test whether a sampler is exact: one of blocklda's, or your own.

    The tests are one-step invariance from exact draws, enumeration, Geweke's joint test and
    simulation-based calibration; see docs/explanation/exactness.md. The exit status is 1 if a
    sampler is rejected.
    """
    whole_number("seed", seed, 0)
    if plot is not None:
        from blocklda.plots.saving import check_figure_path  # noqa: PLC0415

        check_figure_path(plot)
    if "" not in sys.path:
        sys.path.insert(0, "")  # users' modules are usually in the current folder
    subjects = find_subjects(sampler)
    if plot is not None and len(subjects) > 1:
        names = ", ".join(subject.name for subject in subjects)
        raise InputError(f"--plot draws the ranks of one sampler: give one of {names}.")
    reports = []
    for subject in subjects:
        with waiting(f"testing {subject.name}"):
            reports.append(_checked(subject, is_own=":" in sampler, quick=quick, seed=seed))
        if not as_json:
            _show(reports[-1])
    if as_json:
        print_json({"quick": quick, "seed": seed, "samplers": [r.to_dict() for r in reports]})
    if plot is not None:
        from blocklda.plots import rank_histograms, save_figure  # noqa: PLC0415

        save_figure(rank_histograms(reports[0]), plot)
    if not all(report.is_exact for report in reports):
        raise typer.Exit(REJECTED)


def _checked(subject: Subject, *, is_own: bool, quick: bool, seed: int) -> Report:
    """Run the tests; errors raised by a user's code become one sentence."""
    try:
        return check(subject, quick=quick, seed=seed)
    except BlockldaError:
        raise
    except Exception as error:
        if not is_own:
            raise
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise InputError(
            f"{subject.name} raised {type(error).__name__} in {place.filename}, line "
            f"{place.lineno}: {error}. A sampler takes a state, options and a number of sweeps; "
            "blocklda.testing.check shows the whole traceback."
        ) from error


def _show(report: Report) -> None:
    table = new_table()
    table.add_column("test", no_wrap=True)
    table.add_column("on", no_wrap=True)
    table.add_column("draws", justify="right", no_wrap=True)
    table.add_column("p-value", justify="right", no_wrap=True)
    for row in report.rows:
        style = "" if row.p_value > ACCEPT else "bold red"
        table.add_row(row.test, row.case, f"{row.n_draws:,}", f"{row.p_value:.3g}", style=style)
    console = result_console()
    console.print(Text(report.subject, "bold"))
    console.print(table)
    console.print()
    worst = min(report.rows, key=lambda row: row.p_value)
    if report.is_exact:
        console.print(
            Text(
                f"Not rejected: the smallest of {len(report.rows)} p-values, times their number, "
                f"is {report.p_value:.2g}."
            )
        )
    else:
        console.print(
            Text(
                f"Rejected: the smallest of {len(report.rows)} p-values, times their number, is "
                f"{report.p_value:.2g}, below {ACCEPT:g}. Worst: {worst.test} on {worst.case}:",
                "red",
            )
        )
        console.print(Text(worst.details, "dim"))
    console.print()
