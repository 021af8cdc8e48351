"""``blocklda topics``: what the topics of a model are about."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from blocklda.cli.options.folders import ModelArgument, holds_a_run_on_shards, load
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.fit_report import WORDS_SHOWN
from blocklda.cli.terminal.output import print_json, result_console
from blocklda.cli.terminal.tables import topics_table, words_without_names
from blocklda.summaries.relevance import check_weight
from blocklda.summaries.topic_rows import topic_rows
from blocklda.support import defaults
from blocklda.support.checks import whole_number

__all__ = ["EXAMPLES", "topics_command"]

EXAMPLES = examples(
    "blocklda topics model/",
    "blocklda topics model/ --words 12 --lambda 0.3 --sort number",
    "blocklda topics model/ --json > topics.json",
)


class Order(StrEnum):
    """Orders of the topics."""

    SIZE = "size"
    NUMBER = "number"


def topics_command(
    model: ModelArgument,
    *,
    n_words: Annotated[
        int, typer.Option("--words", "-w", metavar="N", help="Words in each list.")
    ] = WORDS_SHOWN,
    weight: Annotated[
        float,
        typer.Option(
            "--lambda",
            metavar="X",
            help="Weight of a word's probability in its relevance; the rest is for how much more "
            "frequent the word is in the topic than in the corpus.",
        ),
    ] = defaults.RELEVANCE_WEIGHT,
    interval: Annotated[
        float, typer.Option(metavar="X", help="Probability of the credible intervals.")
    ] = defaults.INTERVAL,
    sort: Annotated[Order, typer.Option(help="Order of the topics.")] = Order.SIZE,
    as_json: JsonFlag = False,
) -> None:
    """Show the topics of a model: shares, words, and how many chains found them.

    Topics are numbered as in the model. With several chains the table shows how many of them found
    each topic. MODEL may also be the checkpoint folder of a fit on several machines.
    """
    whole_number("n_words", n_words, 1)
    check_weight(weight)
    if holds_a_run_on_shards(model):
        from blocklda import parallel  # noqa: PLC0415  # it takes a while to import

        result = parallel.load(model).result
    else:
        result = load(model).result_
    rows = topic_rows(result, n_words, weight, interval, sort.value)
    if as_json:
        print_json({"model": model, "lambda": weight, "interval": interval, "topics": rows})
        return
    console = result_console()
    console.print(topics_table(console, rows, weight, interval))
    nameless = words_without_names(result.corpus, "blocklda fit takes one with")
    if nameless is not None:
        console.print(nameless)
