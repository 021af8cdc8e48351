"""The grid of cells: every block once, and no cell in the way of another."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blocklda
from blocklda.models.lda.reference.sparse import SparseSweep
from blocklda.models.lda.samplers.grid.plan import (
    LARGEST_GRID,
    TOKENS_PER_CELL,
    cut_grid,
    grid_size,
)
from blocklda.models.lda.state import State
from tests.native.invented import REPEATABLE, Setting, invented

SIZES = st.integers(1, 9)


@settings(REPEATABLE, max_examples=60)
@given(invented(large_work=1_000), SIZES)
def test_a_sweep_visits_every_block_once(setting, size):
    state = setting.start()
    assert visited(state, size) == Counter(range(state.corpus.n_entries))


def visited(state: State, size: int) -> Counter[int]:
    """Return how often a sweep comes to each entry, by where the tokens of its visits lie."""
    sweeps = SparseSweep(state, 8)
    starts = np.cumsum(state.corpus.counts) - state.corpus.counts
    found: Counter[int] = Counter()
    for cells in cut_grid(state.corpus, sweeps.by_word, size).steps():
        for cell in cells:
            for _, tokens, visits in sweeps.visited_rows(cell.rows, cell.minors):
                assert len(tokens) >= sum(len(visit.tokens) for visit in visits)
                for visit in visits:
                    first = visit.tokens.ctypes.data - state.topics.ctypes.data
                    found[int(np.searchsorted(starts, first // 4))] += 1
    return found


@settings(REPEATABLE, max_examples=100)
@given(invented(large_work=1_000), SIZES, st.booleans())
def test_cells_of_a_step_share_no_document_and_no_word(setting: Setting, size, by_word):
    corpus = blocklda.Corpus.from_matrix(setting.matrix)
    steps = list(cut_grid(corpus, by_word, size).steps())
    assert sorted(cell.number for cells in steps for cell in cells) == list(range(size * size))
    for cells in steps:
        for one, other in combinations(cells, 2):
            assert not set(range(*one.rows)) & set(range(*other.rows))
            assert not set(range(*one.minors)) & set(range(*other.minors))


@pytest.mark.parametrize("by_word", [False, True])
def test_groups_have_about_as_many_tokens_each(by_word):
    rng = np.random.default_rng(1)
    corpus = blocklda.Corpus.from_matrix(rng.poisson(rng.gamma(0.5, 2.0, size=200), (300, 200)))
    grid = cut_grid(corpus, by_word, 8)
    lengths = {True: corpus.word_counts(), False: corpus.doc_lengths()}
    for groups, axis in ((grid.row_groups, by_word), (grid.minor_groups, not by_word)):
        n_tokens = np.add.reduceat(lengths[axis], groups[:-1])
        assert groups[0] == 0
        assert groups[-1] == len(lengths[axis])
        assert n_tokens.sum() == corpus.n_tokens
        assert np.abs(n_tokens - corpus.n_tokens / 8).max() <= lengths[axis].max()


@pytest.mark.parametrize(
    ("n_docs", "n_words", "count", "size"),
    [
        (3, 3, 1, 1),
        (50, 50, 1, 1),
        (100, 100, 1, 2),
        (100, 100, 100, LARGEST_GRID),
        (3, 100, 10_000, 3),
        (100, 2, 10_000, 2),
        (5, 5, 0, 1),
    ],
)
def test_the_corpus_alone_tells_the_size(n_docs, n_words, count, size):
    corpus = blocklda.Corpus.from_matrix(np.full((n_docs, n_words), count))
    assert grid_size(corpus) == size
    assert size == 1 or corpus.n_tokens >= size**2 * TOKENS_PER_CELL
    assert cut_grid(corpus, by_word=False).size == size
