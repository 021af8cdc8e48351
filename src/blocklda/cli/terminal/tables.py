"""Tables and lines for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from blocklda.cli.terminal.output import result_console
from blocklda.summaries.corpus_facts import SizedCorpus
from blocklda.summaries.intervals import Estimate
from blocklda.summaries.topic_rows import TopicRow

__all__ = ["new_table", "print_line", "short_topics", "topics_table", "words_without_names"]

_EIGHTHS = " ▏▎▍▌▋▊▉█"

_BAR_WIDTH, _LONG_BAR, _WIDE = 8, 16, 100
"""Columns of a bar, of one where there is room, and of a terminal that has room."""


def print_line(text: str) -> None:
    """Print a line that is not folded, since it may hold the name of a file."""
    result_console().print(Text(text), soft_wrap=True)


def new_table() -> Table:
    """Return a table without a frame, a line below its headings."""
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)


def words_without_names(corpus: SizedCorpus, how: str) -> Text | None:
    """Return why numbers stand where words are expected, and how names are given; or None."""
    if corpus.vocabulary is not None:
        return None
    return Text(
        f"Words are shown as numbers, because there is no vocabulary: {how} --vocabulary FILE.",
        "dim",
    )


def short_topics(rows: Sequence[TopicRow], limit: int) -> Table:
    """Return one line for each of the first topics: number, share, words."""
    table = new_table()
    table.expand = True  # so that it is the words that are cut where there is no room
    table.add_column("topic", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("most probable words", ratio=1, no_wrap=True, overflow="ellipsis")
    for row in rows[:limit]:
        style = "dim" if row.stable is False else ""
        share = f"{row.prevalence.mean:.1%}"
        label = "" if row.label is None else f"{row.label}: "
        words = Text.assemble((label, "bold"), _words(row.words))
        table.add_row(str(row.topic), share, words, style=style)
    return table


def topics_table(
    console: Console, rows: Sequence[TopicRow], weight: float, interval: float
) -> Group:
    """Return the topics with their shares, intervals, stability and two lists of words."""
    table = new_table()
    table.add_column("topic", justify="right")
    table.add_column("share", justify="right", no_wrap=True)
    bar_width = _LONG_BAR if console.width >= _WIDE else _BAR_WIDTH
    table.add_column("", width=bar_width, no_wrap=True)
    table.add_column("words", ratio=1)
    largest = max(_ends(row.prevalence)[1] for row in rows)
    ascii_only = console.options.ascii_only
    marks = ("p", "r" if ascii_only else "λ")
    for row in rows:
        bar = _bar(row.prevalence, bar_width / largest, ascii_only)
        table.add_row(
            str(row.topic),
            _share(row.prevalence, "-" if ascii_only else "–"),
            Text.assemble(bar, "\n", _stability(row)),
            _both_lists(row, marks),
        )
    return Group(table, "", Text(_legend(rows, marks, weight, interval), "dim"))


def _share(share: Estimate, dash: str) -> Text:
    if math.isnan(share.low):
        return Text(f"{share.mean:.1%}")
    ends = f"{share.low * 100:.1f}{dash}{share.high * 100:.1f}%"
    return Text.assemble(f"{share.mean:.1%}", "\n", (ends, "dim"))


def _ends(share: Estimate) -> tuple[float, float]:
    """Return the ends of the interval; the mean where none is known."""
    return (share.mean, share.mean) if math.isnan(share.low) else (share.low, share.high)


def _bar(share: Estimate, scale: float, ascii_only: bool) -> Text:
    """Return a bar that is solid up to the low end of the interval and light up to the high one.

    An interval of less than a column cannot be seen, and the bar then ends at the mean.
    """
    n_solid, n_all = (round(end * scale) for end in _ends(share))
    if n_all > n_solid:
        solid, light = ("#", "-") if ascii_only else ("█", "▒")
        return Text.assemble((solid * n_solid, "cyan"), (light * (n_all - n_solid), "dim cyan"))
    if ascii_only:
        return Text("#" * max(1, round(share.mean * scale)), "cyan")
    eighths = max(1, round(share.mean * scale * 8))
    return Text("█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip(), "cyan")


def _stability(row: TopicRow) -> tuple[str, str]:
    if row.stable is None:
        return "", ""
    if row.stable:
        return "in all", "green"
    return f"in {row.found_in}", "yellow"


def _both_lists(row: TopicRow, marks: tuple[str, str]) -> Table:
    lists = Table.grid(padding=(0, 1, 0, 0))
    lists.add_column(style="dim", min_width=len(" ".join(marks)))  # words in line for all topics
    lists.add_column()
    probable, relevant = _words(row.words), _words(row.relevant)
    if row.label is not None:
        lists.add_row("", Text(row.label, "bold"))
    if probable == relevant:
        lists.add_row(" ".join(marks), Text(probable))
        return lists
    lists.add_row(marks[0], Text(probable))
    lists.add_row(marks[1], Text(relevant, "italic"))
    return lists


def _words(words: Sequence[dict[str, object]]) -> str:
    return " ".join(str(word["word"]).replace(" ", "_") for word in words)


def _legend(
    rows: Sequence[TopicRow], marks: tuple[str, str], weight: float, interval: float
) -> str:
    of_words = f"{marks[0]}: most probable words. {marks[1]}: most relevant words, λ = {weight:g}."
    if marks[1] != "λ":
        of_words = of_words.replace("λ =", "lambda =")
    with_interval = (
        ""
        if math.isnan(rows[0].prevalence.low)
        else f", with its {interval:.0%} interval, the light part of a bar"
    )
    if rows[0].stable is not None:
        of_words += " in all, in 2: how many chains found the topic."
    return f"share: share of all tokens{with_interval}. {of_words}"
