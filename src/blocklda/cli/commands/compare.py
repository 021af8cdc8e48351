"""``blocklda compare``: samplers side by side on one corpus."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from blocklda.cli.options import fit_options as option
from blocklda.cli.options.input_options import Source, reads_input
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.comparison_curves import comparison_curves
from blocklda.cli.terminal.output import (
    print_json,
    progress_console,
    result_console,
    waiting,
)
from blocklda.cli.terminal.tables import new_table
from blocklda.data.corpus import Corpus
from blocklda.evaluate.compare import checked_samplers, compare_samplers
from blocklda.evaluate.compare_result import Comparison
from blocklda.evaluate.compare_start import Turn
from blocklda.models.lda.priors import check_n_topics
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS, AUTO
from blocklda.run.progress import sweep_bar
from blocklda.summaries.corpus_facts import corpus_facts
from blocklda.support import defaults
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["EXAMPLES", "compare_command"]

WIDE = 100
"""Columns from which the progress has room for words beside its numbers."""


def _of_library(parameter: str) -> Any:
    return inspect.signature(compare_samplers).parameters[parameter].default


DEFAULT_SAMPLERS = ",".join(_of_library("samplers"))

EXAMPLES = examples(
    "blocklda compare docword.kos.txt.gz -k 32",
    "blocklda compare reviews.csv --text-column body --samplers nested,sparse --plot out.svg",
    "blocklda compare counts.npz -k 100 --sweeps 500 --starts 30 --json > comparison.json",
)


@reads_input
def compare_command(
    source: Source,
    *,
    n_topics: option.Topics = defaults.N_TOPICS,
    samplers: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help=f"Samplers, separated by commas: {', '.join((AUTO, *ALL_SAMPLERS))}.",
        ),
    ] = DEFAULT_SAMPLERS,
    n_sweeps: Annotated[
        int, typer.Option("--sweeps", metavar="N", help="Sweeps from each start.")
    ] = _of_library("n_sweeps"),
    n_starts: Annotated[
        int,
        typer.Option(
            "--starts", metavar="N", help="Number of random starts, the same for all samplers."
        ),
    ] = _of_library("n_starts"),
    seed: option.Seed = defaults.SEED,
    alpha: option.Alpha = defaults.GIVEN_ALPHA,
    beta: option.Beta = defaults.GIVEN_BETA,
    heldout_docs: Annotated[
        float,
        typer.Option(
            "--heldout",
            metavar="X",
            help="Share of documents, at the end, of which half of the tokens are held out.",
        ),
    ] = _of_library("heldout_docs"),
    window: Annotated[
        int, typer.Option(metavar="N", help="Sweeps to average for each perplexity.")
    ] = _of_library("window"),
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a figure of all curves: .png, .svg or .pdf."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Run several samplers from the same starts and compare them.

    Shows log posterior and held-out perplexity, against sweeps and against seconds.
    Samplers take turns sweep by sweep; only the time within sweeps counts.
    """
    if plot is not None:
        # Before the run, so that an error does not come after an hour.
        from blocklda.plots.saving import check_figure_path  # noqa: PLC0415

        check_figure_path(plot)
    check_n_topics(n_topics)
    for name, value in {"n_sweeps": n_sweeps, "n_starts": n_starts, "window": window}.items():
        whole_number(name, value, 1)
    whole_number("seed", seed, 0)
    names = checked_samplers(_names(samplers), n_topics)
    with waiting(f"reading {source.name}"):
        corpus = source.read()
    with _progress(progress_console(), n_sweeps, n_starts) as show:
        result = compare_samplers(
            corpus,
            names,
            n_topics,
            alpha=alpha,
            beta=beta,
            n_sweeps=n_sweeps,
            n_starts=n_starts,
            heldout_docs=heldout_docs,
            window=window,
            seed=seed,
            on_turn=show,
        )
    if plot is not None:
        from blocklda.plots import comparison_figure, save_figure  # noqa: PLC0415

        save_figure(comparison_figure(result), plot)
    if as_json:
        given = {"alpha": alpha, "beta": beta, "seed": seed}
        facts = {"input": source.given, **corpus_facts(corpus), **given}
        print_json({**facts, **result.to_dict()})
    else:
        _show(corpus, result, result_console(), plot)


def _names(samplers: str) -> list[str]:
    names = [name.strip() for name in samplers.split(",")]
    if not all(names):
        raise InputError(
            f"--samplers {samplers!r:.80} has an empty name: separate names with single commas, "
            f"such as {DEFAULT_SAMPLERS}."
        )
    for name in names:
        if name != AUTO and name not in ALL_SAMPLERS:
            raise InputError(
                f"--samplers {samplers!r:.80} names {name!r:.40}, which is unknown: choose from "
                f"{', '.join((AUTO, *ALL_SAMPLERS))}."
            )
    return names


@contextmanager
def _progress(
    console: Console, n_sweeps: int, n_starts: int
) -> Iterator[Callable[[Turn], None] | None]:
    """Return a function that moves a progress bar, or None if nothing is displayed."""
    if not console.is_interactive:
        yield None
        return
    with sweep_bar(console) as bar:
        leads = " leads," if console.width >= WIDE else ""
        task = bar.add_task("", total=n_sweeps * n_starts, speed="", level="")

        def show(turn: Turn) -> None:
            levels = turn.log_posterior
            leader = max(levels, key=lambda name: levels[name])
            bar.update(
                task,
                description=f"sweep {turn.sweep:,} of {n_sweeps:,}",
                completed=turn.start * n_sweeps + turn.sweep,
                speed=f"start {turn.start + 1} of {n_starts}",
                level=f"{leader}{leads} {levels[leader]:,.0f}",
            )

        yield show


def _show(corpus: Corpus, result: Comparison, console: Console, plot: Path | None) -> None:
    console.print(_headline(corpus, result))
    console.print()
    console.print(_table(result))
    console.print(comparison_curves(result, console))
    console.print()
    console.print(result.reading())
    if plot is not None:
        console.print(Text(f"The figure is in {plot}.", "dim"))


def _headline(corpus: Corpus, result: Comparison) -> Text:
    starts = "1 start" if result.n_starts == 1 else f"{result.n_starts} starts"
    return Text.assemble(
        (
            f"{corpus.n_docs:,} documents, {corpus.n_tokens:,} tokens, {corpus.n_words:,} words, "
            f"K = {result.n_topics}\n",
            "bold",
        ),
        (
            f"{result.n_sweeps:,} sweeps of each sampler from {starts}, the same for all; numbers "
            f"are medians over starts.\n{result.n_heldout_tokens:,} tokens are held out, half of "
            f"those of {result.n_heldout_docs:,} documents.",
            "dim",
        ),
    )


def _table(result: Comparison) -> Table:
    table = new_table()
    table.add_column("sampler", no_wrap=True)
    for heading in ("log posterior", "perplexity", "ms a sweep", "sweeps*", "seconds*"):
        table.add_column(heading, justify="right")
    sweeps = np.median(result.sweeps_to_common_level(), axis=1)
    seconds = np.median(result.seconds_to_common_level(), axis=1)
    for row, n, s in zip(result.rows(), sweeps, seconds, strict=True):
        table.add_row(
            row.sampler,
            f"{row.log_posterior:,.0f}",
            f"{row.perplexity:,.1f}",
            row.milliseconds,
            f"{n:,.0f}",
            f"{s:,.3g}",
        )
    table.caption = "* until the log posterior that all samplers reached"
    table.caption_justify = "left"
    return table
