"""The command line ``blocklda``: one file per command in ``commands``, one line here for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import typer

from blocklda import __version__
from blocklda.cli.terminal.one_line_errors import OneLineErrors

__all__ = ["app", "main"]


class _Commands(OneLineErrors):
    summaries: ClassVar[Mapping[str, str]] = {
        "fit": "Fit a topic model to texts or counts, show its topics, and save it.",
        "topics": "Show the topics of a model: shares, words, and how many chains found them.",
        "report": "Write an HTML page about a model: topics, words, documents, convergence.",
        "transform": "Infer the topics of new documents with a fitted model.",
        "evaluate": "Evaluate a model on documents: prediction, coherence, diversity.",
        "search": "Fit several numbers of topics and compare their predictions and stability.",
        "compare": "Run several samplers from the same starts and compare them.",
        "compare-models": "Match the topics of two models, and list those that only one has.",
        "groups": "Write the share of each topic in groups of documents, with credible intervals.",
        "misfit": "Check for topics whose words differ between documents.",
        "check": "Test whether a sampler is exact: one of blocklda's, or your own.",
        "convert": "Write a corpus in another format.",
        "reproduce": "Repeat the studies of the paper, and check each of its claims.",
        "demo": "Run an example; no data needed.",
    }


app = typer.Typer(
    cls=_Commands,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
