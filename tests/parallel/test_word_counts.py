"""Counts that travel between workers, against tables made by NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.topic_counts import FilledCells
from blocklda.parallel.word_counts import SMALL_COUNT, WordCounts, add_up


def table(seed: int, largest: int, n_words: int = 40, n_topics: int = 7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(0, largest, (n_words, n_topics)) * (rng.random((n_words, n_topics)) < 0.4)


@pytest.mark.parametrize("largest", [1, 3, 300, SMALL_COUNT + 1, 2**33])
def test_cells_come_back_and_add_up(largest):
    tables = [table(seed, largest) for seed in range(3)]
    parts = [WordCounts.of(one) for one in tables]
    for part, one in zip(parts, tables, strict=True):
        np.testing.assert_array_equal(part.table(7), one)
    together = add_up(parts, 7)
    np.testing.assert_array_equal(together.table(7), sum(tables))
    assert together.n_sent == sum(part.nbytes for part in parts)


@pytest.mark.parametrize("largest", [1, 3, 300, SMALL_COUNT + 1, 2**33])
def test_cells_by_what_they_hold(largest):
    """Counts as large as a corpus of many machines has take no table of that length."""
    cells = table(5, largest)
    values, n_cells = np.unique(cells[cells > 0], return_counts=True)
    filled = WordCounts.of(cells).filled()
    np.testing.assert_array_equal(filled.n_tokens, values)
    np.testing.assert_array_equal(filled.n_cells, n_cells)


def test_filled_cells_of_several_tables():
    one, other = (WordCounts.of(table(seed, 9)).filled() for seed in (1, 2))
    both = WordCounts.of(np.vstack([table(1, 9), table(2, 9)])).filled()
    added = FilledCells.added([one, other])
    np.testing.assert_array_equal(added.n_tokens, both.n_tokens)
    np.testing.assert_array_equal(added.n_cells, both.n_cells)


@pytest.mark.parametrize("n_topics", [1, 5, 60])
def test_histograms_by_topic_have_the_same_cells(n_topics):
    counts = np.random.default_rng(3).poisson(1.2, size=(30, 9))
    counts[4] *= 20
    cells = blocklda.Chain(counts, n_topics, seed=1).state.cells()
    found, expected = cells.topic_histograms.filled(), cells.filled[0]
    np.testing.assert_array_equal(found.n_tokens, expected.n_tokens)
    np.testing.assert_array_equal(found.n_cells, expected.n_cells)
