"""The command line ``blocklda``: one file per command, one line of registration each."""

from __future__ import annotations

from typing import Annotated

import typer

from blocklda import __version__
from blocklda.cli.commands import (
    compare,
    compare_models,
    convert,
    demo,
    evaluate,
    fit,
    groups,
    misfit,
    report,
    reproduce,
    search,
    topics,
    transform,
)
from blocklda.cli.terminal.one_line_errors import OneLineErrors
from blocklda.cli.terminal.plain_help import PlainCommand

__all__ = ["app", "main"]

app = typer.Typer(
    cls=OneLineErrors,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("fit", cls=PlainCommand, epilog=fit.EXAMPLES)(fit.fit_command)
app.command("topics", cls=PlainCommand, epilog=topics.EXAMPLES)(topics.topics_command)
app.command("report", cls=PlainCommand, epilog=report.EXAMPLES)(report.report_command)
app.command("transform", cls=PlainCommand, epilog=transform.EXAMPLES)(transform.transform_command)
app.command("evaluate", cls=PlainCommand, epilog=evaluate.EXAMPLES)(evaluate.evaluate_command)
app.command("search", cls=PlainCommand, epilog=search.EXAMPLES)(search.search_command)
app.command("compare", cls=PlainCommand, epilog=compare.EXAMPLES)(compare.compare_command)
app.command("compare-models", cls=PlainCommand, epilog=compare_models.EXAMPLES)(
    compare_models.compare_models_command
)
app.command("groups", cls=PlainCommand, epilog=groups.EXAMPLES)(groups.groups_command)
app.command("misfit", cls=PlainCommand, epilog=misfit.EXAMPLES)(misfit.misfit_command)
app.command("convert", cls=PlainCommand, epilog=convert.EXAMPLES)(convert.convert_command)
app.command("reproduce", cls=PlainCommand, epilog=reproduce.EXAMPLES)(reproduce.reproduce_command)
app.command("demo", cls=PlainCommand, epilog=demo.EXAMPLES)(demo.demo_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"blocklda {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _blocklda(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Topic models by blocked collapsed Gibbs sampling."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line on the arguments of the process, and exit."""
    app(prog_name="blocklda")
