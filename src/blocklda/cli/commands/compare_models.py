"""``blocklda compare-models``: which topics two models share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from blocklda.cli.options.folders import load
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.fit_report import WORDS_SHOWN
from blocklda.cli.terminal.output import print_json, result_console
from blocklda.cli.terminal.tables import new_table
from blocklda.evaluate.model_comparison import ModelComparison, compare_models
from blocklda.support.checks import whole_number

__all__ = ["EXAMPLES", "compare_models_command"]

EXAMPLES = examples(
    "blocklda compare-models model-20/ model-40/",
    "blocklda compare-models old/ new/ --json > matched.json",
)


def compare_models_command(
    first: Annotated[Path, typer.Argument(metavar="MODEL_A", help="A folder of a model.")],
    second: Annotated[Path, typer.Argument(metavar="MODEL_B", help="Another one.")],
    *,
    n_words: Annotated[
        int, typer.Option("--words", "-w", metavar="N", help="Words in each list.")
    ] = WORDS_SHOWN,
    as_json: JsonFlag = False,
) -> None:
    """Match the topics of two models, and list those that only one has.

    The models may have different numbers of topics and different words.
    """
    whole_number("n_words", n_words, 1)
    found = compare_models(load(first), load(second), n_words)
    if as_json:
        print_json(
            {
                "first": first,
                "second": second,
                "shared_words": found.n_shared_words,
                "same": found.n_same,
                "pairs": found.pairs,
            }
        )
    else:
        _show(found)


def _show(found: ModelComparison) -> None:
    table = new_table()
    table.expand = True
    for heading in ("A", "B", "distance"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("words in A, words in B", ratio=1)
    for pair in found.pairs:
        has_both = pair.first is not None and pair.second is not None
        lines = [" ".join(words) for words in (pair.first_words, pair.second_words) if words]
        table.add_row(
            "–" if pair.first is None else str(pair.first),
            "–" if pair.second is None else str(pair.second),
            f"{pair.distance:.2f}" if has_both else "–",
            Text("\n".join(lines)),
            style="" if pair.is_same else "dim",
        )
    console = result_console()
    console.print(table)
    console.print(
        Text(
            f"{found.n_same} topics are the same (distance below 0.35), compared over "
            f"{found.n_shared_words:,} shared words. Distance is total variation: 0 for the same "
            "words, 1 for no word in common."
        )
    )
