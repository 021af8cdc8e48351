"""``blocklda demo stdlib``: what the standard library's documentation is about."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from blocklda.cli.terminal.option_names import in_options
from blocklda.cli.terminal.tables import new_table
from blocklda.demo.stdlib import N_CHAINS, StdlibRun, StdlibTopic
from blocklda.support.defaults import INTERVAL
from blocklda.support.messages import Pointer

__all__ = ["show_stdlib", "stdlib_as_dict"]


def stdlib_as_dict(run: StdlibRun) -> dict[str, Any]:
    """Return the result for JSON."""
    return {
        "example": "stdlib",
        "python": platform.python_version(),
        "documents": run.corpus.n_docs,
        "words": run.corpus.n_words,
        "tokens": run.corpus.n_tokens,
        "sampler": run.sampler,
        "seed": run.seed,
        "sweeps": run.n_sweeps,
        "chains": N_CHAINS,
        "gather_seconds": run.gather_seconds,
        "fit_seconds": run.fit_seconds,
        "topics": [
            {
                **asdict(topic.summary),
                "documents": [{"name": name, "share": share} for name, share in topic.documents],
            }
            for topic in run.topics
        ],
        "verdict": _verdict(run),
    }


def show_stdlib(run: StdlibRun, console: Console) -> None:
    """Print the topics, those that came back first, and what to do next."""
    stable = [topic for topic in run.topics if topic.summary.is_stable]
    others = [topic for topic in run.topics if not topic.summary.is_stable]
    console.print(_headline(run))
    if stable:
        console.print()
        console.print(_table(f"{len(stable)} topics that both chains found", stable))
    if others:
        console.print()
        console.print(_table(f"{len(others)} topics that they do not agree on", others))
    console.print()
    console.print(_explanation(run))
    console.print()
    console.print(Text.assemble(("Verdict  ", "bold"), _verdict(run)))
    console.print()
    console.print(_what_next())


def _headline(run: StdlibRun) -> Text:
    corpus = run.corpus
    return Text.assemble(
        (
            f"What is the standard library of Python {platform.python_version()} about?\n",
            "bold",
        ),
        (
            f"{corpus.n_docs:,} documents: docstrings of its modules and larger classes, and the "
            f"chapters of help(). {corpus.n_tokens:,} tokens of {corpus.n_words:,} words, without "
            "English stop words and words of every docstring (return, argument, and so on).",
            "dim",
        ),
    )


def _table(title: str, topics: Sequence[StdlibTopic]) -> Table:
    table = new_table()
    table.title, table.title_justify = Text(title, "bold"), "left"
    table.add_column("topic", justify="right")
    table.add_column("share, interval", no_wrap=True)
    table.add_column("most probable words, and most typical documents")
    for topic in topics:
        share = topic.summary.prevalence
        table.add_row(
            str(topic.summary.topic),
            Text.assemble(
                (f"{share.mean:6.1%}", "bold"),
                (f" {100 * share.low:.1f} to {100 * share.high:.1f}", "dim"),
            ),
            Text.assemble(
                " ".join(word.word for word in topic.summary.words),
                "\n",
                (", ".join(name for name, _ in topic.documents), "cyan"),
            ),
        )
    return table


def _explanation(run: StdlibRun) -> Text:
    return Text(
        f"{run.n_sweeps:,} sweeps of {N_CHAINS} chains by the {run.sampler} sampler took "
        f"{run.fit_seconds:.1f} s, reading the documentation {run.gather_seconds:.1f} s. Shares "
        f"are posterior means with {100 * INTERVAL:.0f} % intervals. Topics that the chains do not "
        "agree on were found by one chain only.",
        "dim",
    )


def _verdict(run: StdlibRun) -> str:
    """Return the verdict in options; which topics are not stable is shown beside it."""
    return in_options(run.verdict.without(Pointer))


def _what_next() -> Text:
    return Text.assemble(
        ("Next  ", "bold"),
        "your own texts: ",
        ("blocklda fit reviews.csv --text-column body -k 20 -o model/", "bold"),
        ", then ",
        ("blocklda topics model/", "bold"),
        ".",
    )
