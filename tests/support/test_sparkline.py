"""Sparklines of series that rise and come to rest."""

from __future__ import annotations

import numpy as np
import pytest

from blocklda.support.sparkline import ASCII_BLOCKS, BLOCKS, sparkline


def heights(line: str) -> list[int]:
    return [BLOCKS.index(block) for block in line]


def test_a_steady_climb_takes_the_whole_height():
    assert sparkline(range(8)) == BLOCKS
    found = heights(sparkline(range(1000), 24))
    assert (found[0], found[-1], len(found)) == (0, 7, 24)
    assert found == sorted(found)


def test_a_steep_start_does_not_flatten_the_climb_after_it():
    climb = [-1e9, *np.linspace(0, 1, 23)]
    found = heights(sparkline(climb, 24))
    assert len(set(found)) == 8


def test_a_series_at_rest_looks_flat():
    noise = np.random.default_rng(0).normal(-1e6, 500, size=400)
    rising = np.concatenate([-2e6 + 4e4 * np.arange(25), noise])
    at_rest = heights(sparkline(rising, 24))[3:]
    assert min(at_rest) >= 5
    assert np.ptp(heights(sparkline(noise, 24))) <= 3


@pytest.mark.parametrize("values", [[], [np.nan], [np.inf, -np.inf]])
def test_nothing_to_draw(values):
    assert sparkline(values) == ""


def test_few_values():
    assert sparkline([5.0]) == BLOCKS[0]
    assert sparkline([5.0, 5.0]) == BLOCKS[0] * 2
    assert sparkline([1.0, np.nan, 2.0]) == BLOCKS[0] + BLOCKS[-1]
    assert sparkline([0.0, 1.0, 1.0, 1.0]) == BLOCKS[0] + BLOCKS[-1] * 3


def test_ascii():
    assert sparkline(range(8), ascii_only=True) == ASCII_BLOCKS
    assert ASCII_BLOCKS.isascii()
    assert len(ASCII_BLOCKS) == len(BLOCKS)
