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
        "report": "Write a page about a model: topics, words, documents, convergence.",
        "transform": "Infer the topics of documents with the topics' words as they are in a model.",
        "evaluate": "Measure a model on documents: prediction, coherence, diversity.",
        "search": "Fit several numbers of topics and compare what they predict and how stable they "
        "are.",
        "compare": "Run several samplers from the same starts and compare them.",
        "compare-models": "Match the topics of two models: which are the same, and which only one "
        "of them has.",
        "groups": "Write the share of each topic in groups of documents, with credible intervals.",
        "misfit": "Check which topics use other words in some documents than in others.",
        "check": "Test whether a sampler is exact, one of blocklda's or your own.",
        "convert": "Write a corpus in another format.",
        "reproduce": "Repeat the studies of the paper, and ask of each of its claims whether it "
        "holds.",
        "demo": "See it work, without any data.",
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
