"""Sparse kernels and their twins on corpora whose lists grow, shrink, fill up and empty."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blocklda
from blocklda import _native
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.registry import find_sampler
from blocklda.models.lda.samplers.sparse.plan import rows_are_words
from blocklda.models.lda.state import SweepOptions
from tests.native.invented import REPEATABLE, Setting, run

SPARSE = ("sparse", "sparse-single-site")

MORE_TOPICS = (17, 18, 24, 25, 31, 33, 40, 63, 64, 65, 70)
"""Above what is always listed, and around the widths of vectors and the words of a bit set."""

SIZES = (0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 5, 8, 9, 12, 30)
"""Of blocks: none, one token, up to the largest part, just above it, several parts."""


@pytest.fixture(autouse=True)
def _restored_instruction_set() -> Iterator[None]:
    active = _native.active_instruction_set()
    yield
    _native.use_instruction_set(active)


def numbers(shape: tuple[int, ...], level: float, seed: int | None) -> object:
    """A number, or an array of different ones."""
    if seed is None:
        return level
    return level * np.random.default_rng(seed).uniform(0.2, 3.0, shape)


@st.composite
def with_lists(draw: st.DrawFn, most_entries: int) -> Setting:
    """Invent a corpus of tens of words, from a seed, so that hypothesis need not draw each cell."""
    n_topics = draw(st.sampled_from(MORE_TOPICS))
    n_words = draw(st.integers(10, 30))
    n_docs = draw(st.integers(1, max(1, most_entries // n_words)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = np.array(SIZES[: draw(st.integers(5, len(SIZES)))])
    maybe_seed = st.one_of(st.none(), st.integers(0, 1000))
    return Setting(
        matrix=rng.choice(sizes, size=(n_docs, n_words)),
        n_topics=n_topics,
        alpha=numbers((n_topics,), draw(st.sampled_from((0.01, 0.1, 1.0, 20.0))), draw(maybe_seed)),
        beta=numbers(
            (n_topics, n_words), draw(st.sampled_from((0.01, 0.1, 1.0, 20.0))), draw(maybe_seed)
        ),
        options=SweepOptions(max_block=draw(st.sampled_from((None, *range(1, 10))))),
        seed=draw(st.integers(0, 2**32)),
    )


@pytest.mark.parametrize("sampler", SPARSE)
@settings(REPEATABLE, max_examples=30)
@given(setting=with_lists(most_entries=100))
def test_twins_agree_over_many_sweeps(sampler, setting):
    assert run(setting, sampler, "native", 6) == run(setting, sampler, "python", 6)


@pytest.mark.parametrize("sampler", SPARSE)
@settings(REPEATABLE, max_examples=60)
@given(setting=with_lists(most_entries=400))
def test_instruction_sets_agree_over_many_sweeps(sampler, setting):
    outcomes = []
    for name in _native.instruction_sets():
        _native.use_instruction_set(name)
        outcomes.append(run(setting, sampler, "native", 25))
    assert all(outcome == outcomes[0] for outcome in outcomes)


@pytest.mark.parametrize("sampler", SPARSE)
@pytest.mark.parametrize(("alpha", "beta"), [(20.0, 0.001), (0.001, 20.0)])
def test_lists_fill_and_empty(alpha, beta, sampler):
    """A flat prior scatters the tokens over all topics, a steep one gathers them again."""
    matrix = np.random.default_rng(2).choice([0, 1, 2, 6], size=(10, 12))
    matrix[0, 0] = 0
    matrix[3, 3] = 150
    flat = Setting(matrix, 20, 50.0, 50.0, SweepOptions(), seed=3)
    steep = Setting(matrix, 20, alpha, beta, SweepOptions(), seed=3)
    native, twin = flat.start(), flat.start()
    lengths = []
    for setting in (flat, steep, flat, steep):
        for state, backend in ((native, "native"), (twin, "python")):
            state.priors, state.workspace = setting.start().priors, None
            find_sampler(sampler).sweep(backend)(state, setting.options, 5)
        assert native.topics.tolist() == twin.topics.tolist()
        lengths.append((native.word_topic_counts() > 0).sum(axis=1).max())
    assert max(lengths) == 20  # a list with all topics in it
    assert min(lengths) < 15


EXTREMES = {
    "small": (1e-8, 1e-8),
    "large": (1e4, 1e4),
    "alpha large, beta small": (1e4, 1e-8),
    "alpha small, beta large": (1e-8, 1e4),
    "alpha above V beta": (5.0, 0.01),
    "alpha far above V beta": (300.0, 1e-4),
}


@pytest.mark.parametrize("sampler", SPARSE)
@pytest.mark.parametrize("n_topics", [1, 2, 16, 17, 40])
@pytest.mark.parametrize("name", EXTREMES)
def test_twins_agree_on_extreme_priors(name, n_topics, sampler):
    alpha, beta = EXTREMES[name]
    matrix = np.random.default_rng(n_topics).choice([0, 1, 2, 3, 9], size=(6, 9))
    setting = Setting(matrix, n_topics, alpha, beta, SweepOptions(), seed=n_topics)
    assert run(setting, sampler, "native", 4) == run(setting, sampler, "python", 4)


@pytest.mark.parametrize("max_block", range(1, 10))
def test_twins_agree_for_every_size_of_parts(max_block):
    matrix = np.array([[1, 2, 3, 0, 17], [4, 5, 18, 1, 8], [7, 0, 6, 9, 1]])
    for alpha, beta in ((0.1, 0.05), (0.05, 0.1)):
        setting = Setting(matrix, 19, alpha, beta, SweepOptions(max_block=max_block), seed=1)
        assert run(setting, "sparse", "native", 6) == run(setting, "sparse", "python", 6)


def test_the_corpora_have_rows_of_both_kinds():
    matrix = np.array([[1, 2, 3, 0, 17], [4, 5, 18, 1, 8], [7, 0, 6, 9, 1]])
    corpus = blocklda.Corpus.from_matrix(matrix)
    axes = [
        rows_are_words(corpus, Priors.create(19, corpus.n_words, alpha, beta))
        for alpha, beta in ((0.1, 0.05), (0.05, 0.1))
    ]
    assert axes == [False, True]


@pytest.mark.parametrize("sampler", SPARSE)
def test_one_topic_takes_one_draw_a_part(sampler):
    setting = Setting(np.array([[3, 1, 9], [0, 2, 1]]), 1, 0.1, 0.01, SweepOptions(), 1)
    outcome = run(setting, sampler, "native", 3)
    assert set(outcome.topics) == {0}
    assert outcome == run(setting, sampler, "python", 3)


@pytest.mark.parametrize("sampler", SPARSE)
def test_a_lone_token_is_not_drawn_again_and_again(sampler):
    """The row's sum holds the old topic with the token in it, 1/α times its weight without."""
    chain = blocklda.Chain([[1, 0]], 20, alpha=1e-4, beta=1.0, sampler=sampler, seed=1)
    chain.sweep(50)
    assert chain.n_simulation_steps < 10 * 50


@pytest.mark.parametrize("sampler", SPARSE)
def test_words_that_occur_once_are_not_drawn_again_and_again(sampler):
    """A prior that differs between words forces words as rows, however short those are."""
    rng = np.random.default_rng(0)
    matrix = np.zeros((50, 120), dtype=int)
    matrix[:, :20] = rng.poisson(0.3, size=(50, 20))
    matrix[rng.integers(50, size=100), 20 + np.arange(100)] = 1
    beta = 1e-5 * rng.uniform(0.5, 2.0, size=(20, 120))
    chain = blocklda.Chain(matrix, 20, alpha=0.1, beta=beta, sampler=sampler, seed=1)
    chain.sweep(5)
    assert chain.n_simulation_steps < 10 * 5 * matrix.sum()


@pytest.mark.parametrize("sampler", ["sparse", "sparse-single-site"])
@pytest.mark.parametrize("matrix", [[[1]], [[3]], [[1, 2], [0, 3]]])
@pytest.mark.parametrize("n_topics", [7, 30])
def test_weights_below_the_range_of_doubles_end_in_an_error_or_a_sweep(n_topics, matrix, sampler):
    """The bound of the background is above them; it must not be drawn from for ever."""
    chain = blocklda.Chain(matrix, n_topics, alpha=5e-324, beta=1.0, sampler=sampler)
    with contextlib.suppress(blocklda.KernelError):
        chain.sweep(5)
    assert chain.n_sweeps in (0, 5)
