"""The bars of ``blocklda topics``: solid up to where the interval begins, light up to its end."""

from __future__ import annotations

import io
import math

import pytest
from rich.console import Console

from blocklda.cli.terminal.tables import topics_table
from blocklda.summaries.intervals import Estimate
from blocklda.summaries.topic_rows import TopicRow

SHARES = [(0.6, 0.4, 0.8), (0.3, 0.295, 0.305), (0.05, 0.0, 0.2), (0.001, 0.001, 0.001)]


def bars(shares: list[tuple[float, float, float]], width: int, encoding: str = "utf-8") -> str:
    """Return what the rows of a table have between the share and the words."""
    words = ({"word": "sea"},)
    rows = [
        TopicRow(k, Estimate(*share), None, math.nan, words, words)
        for k, share in enumerate(shares)
    ]
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, width=width, color_system=None)
    console.print(topics_table(console, rows, 0.6, 0.9))
    file.flush()
    text = file.buffer.getvalue().decode(encoding).replace("|", " ")
    lines = [line.split() for line in text.splitlines()]
    # The number of the topic, its share, the bar.
    return " ".join(line[2] for line in lines if len(line) > 3 and line[1].endswith("%"))


def test_the_light_part_is_the_interval():
    assert bars(SHARES, 80) == "████▒▒▒▒ ███ ▒▒ ▏"
    assert bars(SHARES, 100) == "████████▒▒▒▒▒▒▒▒ ██████ ▒▒▒▒ ▏"


def test_a_terminal_that_has_no_blocks():
    assert bars(SHARES, 80, "ascii") == "####---- ### -- #"
    assert bars(SHARES, 80, "latin-1") == "####---- ### -- #"


def test_without_draws_the_mean_is_all_there_is():
    unknown = [(mean, math.nan, math.nan) for mean, _, _ in SHARES]
    assert bars(unknown, 80) == "████████ ████ ▋ ▏"


@pytest.mark.parametrize("width", [60, 80, 99, 100, 200])
def test_no_bar_is_longer_than_its_column(width):
    shares = [(0.5, low, high) for low in (0.0, 0.2, 0.49) for high in (0.51, 0.77, 1.0)]
    assert max(map(len, bars(shares, width).split())) == (16 if width >= 100 else 8)
