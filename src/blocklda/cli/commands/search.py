"""``blocklda search``: several numbers of topics side by side."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from blocklda.cli.options import fit_options as option
from blocklda.cli.options.input_options import Source, reads_input
from blocklda.cli.options.shared import JsonFlag, examples, number_or_text
from blocklda.cli.terminal.output import print_json, result_console, waiting
from blocklda.evaluate.diversity import COHERENCE_WORDS
from blocklda.evaluate.search import search_n_topics
from blocklda.evaluate.search_result import KSearch
from blocklda.models.lda.priors import check_n_topics
from blocklda.summaries.corpus_facts import corpus_facts, corpus_line
from blocklda.support import defaults
from blocklda.support.checks import whole_number
from blocklda.support.errors import ConvergenceWarning, InputError

__all__ = ["EXAMPLES", "search_command"]

EXAMPLES = examples(
    "blocklda search reviews.csv --text-column body -k 5,10,20,40",
    "blocklda search reviews.csv -k 10,20,40 --chains 4 --plot search.svg",
    "blocklda search docword.kos.txt.gz -k 20,40,80 --json > search.json",
)


@reads_input
def search_command(
    source: Source,
    *,
    grid: Annotated[
        str,
        typer.Option(
            "--topics", "-k", metavar="K,K,…", help="Numbers of topics, separated by commas."
        ),
    ],
    n_chains: Annotated[
        int, typer.Option("--chains", metavar="N", help="Chains for each number of topics.")
    ] = 2,
    n_sweeps: option.Sweeps = None,
    burn_in: option.BurnInSweeps = defaults.BURN_IN,
    docs: Annotated[
        float,
        typer.Option(
            "--heldout",
            metavar="X",
            help="Share of documents of which half of the tokens are held out.",
        ),
    ] = 0.25,
    n_words: Annotated[
        int, typer.Option("--words", "-w", metavar="N", help="Number of top words for coherence.")
    ] = COHERENCE_WORDS,
    alpha: option.AlphaOrAuto = defaults.ALPHA,
    beta: option.BetaOrAuto = defaults.BETA,
    n_jobs: option.FitJobs = None,
    random_state: option.Seed = defaults.SEED,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a figure of the measures: .png, .svg or .pdf."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Fit several numbers of topics and compare their predictions and stability.

    The command does not choose a number; docs/how-to/choosing-k.md explains the measures.
    """
    numbers = _numbers(grid)
    whole_number("n_chains", n_chains, 1)
    if plot is not None:
        from blocklda.plots.saving import check_figure_path  # noqa: PLC0415

        check_figure_path(plot)
    with waiting(f"reading {source.name}"):
        corpus = source.read()
    settings: dict[str, Any] = {
        "n_sweeps": defaults.N_SWEEPS if n_sweeps is None else _number_or_word(n_sweeps),
        "burn_in": _number_or_word(burn_in),
        "alpha": number_or_text(alpha),
        "beta": number_or_text(beta),
        "n_jobs": defaults.N_JOBS_OF_COMMAND if n_jobs is None else n_jobs,
        "progress": not as_json,
    }
    with warnings.catch_warnings():
        # The spread over chains is in the table.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = search_n_topics(
            corpus,
            numbers,
            n_chains=n_chains,
            docs=docs,
            n_words=min(n_words, corpus.n_words),
            random_state=random_state,
            **settings,
        )
    if plot is not None:
        from blocklda.plots import save_figure, search_figure  # noqa: PLC0415

        save_figure(search_figure(found), plot)
    if as_json:
        print_json({"input": source.given, **corpus_facts(corpus), "plot": plot, **found.to_dict()})
        return
    _show(corpus_line(corpus), found, plot)


def _numbers(grid: str) -> list[int]:
    parts = [part.strip() for part in grid.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError(
            f"--topics {grid!r:.80} is not a list of numbers: separate them with single commas, "
            "such as 5,10,20."
        )
    numbers = [check_n_topics(int(part)) for part in parts]
    for number in numbers:
        if numbers.count(number) > 1:
            raise InputError(f"--topics has {number} more than once: give each number once.")
    return numbers


def _number_or_word(given: str) -> int | str:
    return int(given) if given.isdecimal() else given


def _show(line: str, found: KSearch, plot: Path | None) -> None:
    console = result_console()
    console.print(Text(line, "bold"), soft_wrap=True)
    console.print()
    console.print(Text(str(found)), soft_wrap=True)
    if plot is not None:
        console.print(Text(f"The figure is in {plot}.", "dim"), soft_wrap=True)
