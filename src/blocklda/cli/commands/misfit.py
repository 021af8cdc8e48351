"""``blocklda misfit``: does the model fit? Posterior predictive checks of its topics."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from blocklda.cli.options.folders import ModelArgument, load
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.output import print_json, result_console, waiting
from blocklda.cli.terminal.tables import new_table
from blocklda.results.fixed_topics import topics_of
from blocklda.summaries.topic_rows import topic_rows
from blocklda.summaries.word_checks import N_REPLICATES, check_topics
from blocklda.support import defaults
from blocklda.support.checks import whole_number

__all__ = ["EXAMPLES", "misfit_command"]

EXAMPLES = examples("blocklda misfit model/", "blocklda misfit model/ --json > misfit.json")

WORDS_SHOWN = 6


def misfit_command(
    model: ModelArgument,
    *,
    n_replicates: Annotated[
        int, typer.Option("--replicates", metavar="N", help="Shuffles of each draw.")
    ] = N_REPLICATES,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of the random numbers.")
    ] = defaults.SEED,
    as_json: JsonFlag = False,
) -> None:
    """Check for topics whose words differ between documents.

    The model assumes that the words of a topic do not depend on the document; see
    docs/how-to/posterior-checks.md. The largest deviation comes first.
    """
    whole_number("n_replicates", n_replicates, 2)
    whole_number("seed", seed, 0)
    result = topics_of(load(model))
    with waiting("shuffling the words of topics"):
        found = check_topics(result, n_replicates, seed)
    numbers = found.rows()
    if as_json:
        rows = [{"topic": k, "label": result.labels.get(k), **numbers[k]} for k in found.order()]
        print_json({"model": model, "replicates": n_replicates, "topics": rows})
        return
    rows_of_topics = topic_rows(result, WORDS_SHOWN, defaults.RELEVANCE_WEIGHT, defaults.INTERVAL)
    table = new_table()
    for heading in ("topic", "observed", "expected", "deviation", "p"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("words", ratio=1)
    for k in found.order():
        shown = [f"{number:.3f}" for number in numbers[k].values()]
        words = " ".join(str(word["word"]) for word in rows_of_topics[k].words)
        table.add_row(str(k), *shown, Text(words))
    console = result_console()
    console.print(table)
    console.print(
        Text(
            "Mutual information of word and document within a topic, in nats: observed, and "
            "expected by the model. A large deviation means that the topic's words depend on the "
            "document: it may combine two themes, or words may come in bursts.",
            "dim",
        )
    )
