"""``blocklda evaluate``: how good a model is, by documents that it has not seen."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from blocklda.cli.options.fit_options import Jobs
from blocklda.cli.options.folders import ModelArgument, load
from blocklda.cli.options.input_options import Source, reads_input
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.output import print_json, result_console, waiting
from blocklda.cli.terminal.tables import new_table
from blocklda.evaluate.diversity import COHERENCE_WORDS
from blocklda.evaluate.measures import measures
from blocklda.summaries.corpus_facts import corpus_facts, corpus_line
from blocklda.support import defaults
from blocklda.support.checks import whole_number
from blocklda.support.errors import DataWarning

__all__ = ["EXAMPLES", "evaluate_command"]

EXAMPLES = examples(
    "blocklda evaluate model/ heldout.csv --text-column body",
    "blocklda evaluate model/ docword.new.txt --left-to-right --json",
)


@reads_input
def evaluate_command(
    model: ModelArgument,
    source: Source,
    *,
    n_words: Annotated[
        int,
        typer.Option("--words", "-w", metavar="N", help="Number of top words of each topic."),
    ] = COHERENCE_WORDS,
    with_left_to_right: Annotated[
        bool,
        typer.Option(
            "--left-to-right",
            help="Also estimate the probability of whole documents; slow for long documents.",
        ),
    ] = False,
    n_jobs: Jobs = defaults.N_JOBS,
    as_json: JsonFlag = False,
) -> None:
    """Evaluate a model on documents: prediction, coherence, diversity.

    Use documents that were not in the fit: a model predicts its training documents too well.
    """
    whole_number("n_words", n_words, 2)
    with waiting(f"reading {model} and {source.name}"):
        lda = load(model, n_jobs)
        fitted = lda.chains_[0].corpus
        corpus = source.read(like=fitted)
    if corpus.fingerprint == fitted.fingerprint:
        warnings.warn(
            DataWarning(
                "these are the documents of the fit, which the model predicts better than new ones."
            ),
            stacklevel=1,
        )
    with waiting(f"measuring on {corpus.n_docs:,} documents"):
        found = measures(lda, corpus, n_words, with_left_to_right=with_left_to_right)
    if as_json:
        facts = {"model": model, "input": source.given, **corpus_facts(corpus)}
        print_json({**facts, "measures": {measure.key: measure.numbers for measure in found}})
        return
    table = new_table()
    table.add_column("measure", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("what it says")
    for measure in found:
        table.add_row(measure.name, measure.value, measure.meaning)
    console = result_console()
    console.print(corpus_line(corpus), style="bold", markup=False)
    console.print()
    console.print(table)
