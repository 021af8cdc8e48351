"""Groups of words: what they hold, how their masses are drawn, and the law of sweeps given them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import stats

import blocklda
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import grid as twin
from blocklda.models.lda.samplers.grid import approximate_parallel
from blocklda.models.lda.samplers.grid.sampler import run
from blocklda.models.lda.samplers.grid.word_masses import WordGroups, draw_masses
from blocklda.models.lda.samplers.sparse.plan import rows_are_words
from blocklda.models.lda.state import State, SweepOptions
from tests.exact.fit import ACCEPT, judge
from tests.exact.problem import Problem
from tests.exact.runs import advanced_draws

STARTS = np.array([0, 2, 2, 5])

GRIDS = {
    "documents as rows": Problem(((2, 1), (1, 2)), 2, 0.5, 0.5),
    "words as rows": Problem(((2, 1), (1, 0), (1, 1)), 2, 0.3, 0.9),
    "beta matrix": Problem(((2, 1), (1, 2)), 2, (0.3, 1.1), ((0.2, 0.9), (0.7, 0.3))),
    "three groups": Problem(((2, 0, 1), (0, 1, 1), (1, 1, 0)), 2, 0.4, 0.3),
    "restricted blocks": Problem(((2, 1), (1, 0)), 17, 1.0, 0.1),
    "restricted blocks by word": Problem(((2, 1), (1, 0)), 17, 0.1, 1.0),
    "nothing but the totals ties the documents": Problem(((2, 0), (0, 2)), 2, 0.5, 0.1),
}


def test_problems_have_rows_of_both_kinds():
    rows = {
        rows_are_words(problem.corpus, Priors.create(k, len(problem.matrix[0]), a, b))
        for problem in GRIDS.values()
        for k, a, b in [(problem.n_topics, problem.alpha, problem.beta)]
    }
    assert rows == {False, True}


@pytest.mark.parametrize(
    ("name", "size"),
    # Grids of three have empty groups here, whatever the priors are.
    [*((name, 2) for name in GRIDS), ("words as rows", 3), ("beta matrix", 3), ("three groups", 3)],
)
def test_exact_draws_stay_exact_on_a_grid(name, size):
    states = advanced_draws(GRIDS[name], partial(run, size=size), 1_000, n_sweeps=1, seed=30)
    verdict = judge(GRIDS[name], states)
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("beta", [0.25, np.arange(10.0).reshape(2, 5) + 0.5], ids=["one", "many"])
def test_groups_have_the_prior_of_their_words(beta):
    groups = WordGroups(STARTS, Priors.create(2, 5, 0.1, beta))
    by_word = np.broadcast_to(beta, (2, 5)).T
    expected = [by_word[:2].sum(axis=0), [0.0, 0.0], by_word[2:].sum(axis=0)]
    assert groups.beta_sum[:, :2] == pytest.approx(np.array(expected))
    assert not groups.beta_sum[:, 2:].any()


@pytest.fixture
def state() -> State:
    corpus = blocklda.simulate.bars(n_docs=30, seed=1).corpus
    priors = Priors.create(20, corpus.n_words, 0.1, 0.1)
    rng = np.random.default_rng(1)
    return State(
        corpus=corpus,
        priors=priors,
        topics=rng.integers(20, size=corpus.n_tokens, dtype=np.int32),
        rng=rng,
    )


@pytest.mark.parametrize("other", [run, approximate_parallel.run], ids=["grid", "stale totals"])
def test_what_a_sweep_leaves_behind_is_right_for_the_next(state, other):
    """Tables that were kept say the same as tables made anew, for either sampler on a grid."""
    run(state, SweepOptions(), 2, size=3)
    fresh = state.copy()
    other(state, SweepOptions(), 1, size=3)
    other(fresh, SweepOptions(n_threads=2), 1, size=3)
    assert state.topics.tolist() == fresh.topics.tolist()


@pytest.mark.parametrize("sweep", [run, twin.sweep], ids=["native", "python"])
@pytest.mark.parametrize("beta", [1e-10, 1e-60, 1e-100])
def test_a_topic_without_tokens_in_a_group_is_no_trouble_for_a_tiny_prior(sweep, beta):
    """Then c_k of the group is next to nothing and g_k huge, and only bounds are made of them."""
    counts = np.random.default_rng(4).poisson(0.7, size=(12, 8))
    corpus = blocklda.Corpus.from_matrix(counts)
    priors = Priors.create(18, 8, 0.5, beta)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        topics = rng.integers(18, size=corpus.n_tokens, dtype=np.int32)
        moved = State(corpus=corpus, priors=priors, topics=topics, rng=rng)
        sweep(moved, SweepOptions(), 4, 2)
        assert np.array_equal(moved.word_topic_counts().sum(axis=1), counts.sum(axis=0))


def test_masses_have_their_dirichlet_law():
    concentrations = np.array([[0.7, 30.0], [1.5, 0.2], [0.05, 4.0]])
    rng = np.random.default_rng(2)
    drawn = np.array([draw_masses(concentrations, rng) for _ in range(4_000)])
    assert drawn.sum(axis=1) == pytest.approx(np.ones((4_000, 2)))
    total = concentrations.sum(axis=0)
    for group, topic in np.ndindex(concentrations.shape):
        a = concentrations[group, topic]
        law = stats.beta(a, total[topic] - a)
        assert stats.kstest(drawn[:, group, topic], law.cdf).pvalue > ACCEPT


def test_masses_of_tiny_priors_are_numbers():
    """Gamma draws of such shapes are all zero as doubles, and the shares still are shares."""
    concentrations = np.array([[1e-9, 3.0], [0.0, 0.0], [1e-9, 5.0]])
    rng = np.random.default_rng(3)
    drawn = np.array([draw_masses(concentrations, rng) for _ in range(2_000)])
    assert drawn.sum(axis=1) == pytest.approx(np.ones((2_000, 2)))
    assert not drawn[:, 1].any()
    first = (drawn[:, 0, 0] > 0.5).sum()
    assert stats.binomtest(int(first), 2_000).pvalue > ACCEPT
