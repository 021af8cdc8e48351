"""`grid` on a corpus that is in shards: its groups, its law, and that of mistakes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.reference import grid as twin
from blocklda.models.lda.samplers.grid.sampler import run
from blocklda.models.lda.samplers.grid.shards import MOST_GROUPS, cut_shards, group_shards
from blocklda.models.lda.samplers.grid.word_masses import WordGroups
from tests.exact.fit import ACCEPT, REJECT, judge
from tests.exact.problem import Problem
from tests.exact.runs import advanced_draws, advanced_topics, smallest_p_value

PROBLEMS = {
    "two shards": (Problem(((2, 1), (1, 2)), 2, 0.5, 0.5), (0, 1)),
    "a shard of two documents": (Problem(((2, 0, 1), (0, 1, 1), (1, 1, 0)), 2, 0.4, 0.3), (0, 2)),
    "three shards": (Problem(((2, 0, 1), (0, 1, 1), (1, 1, 0)), 2, 0.4, 0.3), (0, 1, 2)),
    "more shards than words": (Problem(((2, 1), (1, 0), (1, 1)), 2, 0.3, 0.9), (0, 1, 2)),
    "restricted blocks": (Problem(((2, 1), (1, 0)), 17, 0.1, 1.0), (0, 1)),
    "totals alone": (Problem(((2, 0), (0, 2)), 2, 0.5, 0.1), (0, 1)),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_exact_draws_stay_exact(name):
    problem, shards = PROBLEMS[name]
    states = advanced_draws(problem, run, 1_000, n_sweeps=1, seed=31, shards=shards)
    verdict = judge(problem, states)
    assert verdict.p_value > ACCEPT, verdict.report


def masses_of_the_prior(self: WordGroups, rng: np.random.Generator) -> None:
    """Draw masses as if no token were known."""
    self.totals, known = np.zeros_like(self.totals), self.totals
    _draw(self, rng)
    self.totals = known


def masses_without_the_prior(self: WordGroups, rng: np.random.Generator) -> None:
    """Use shares of tokens as if they were masses."""
    k = self.n_topics
    shares = self.totals[:, :k] + 1e-9
    self.masses[:, :k] = shares / shares.sum(axis=0)


_draw = WordGroups.draw


@pytest.mark.parametrize("mistake", [masses_of_the_prior, masses_without_the_prior])
def test_wrong_masses_are_rejected(monkeypatch, mistake):
    problem, shards = PROBLEMS["totals alone"]
    monkeypatch.setattr(WordGroups, "draw", mistake)
    topics = advanced_topics(problem, run, 5, 32, shards=shards)
    assert smallest_p_value(problem, topics) < REJECT


def test_twin_and_threads_agree():
    corpus = blocklda.simulate.bars(n_docs=12, seed=1).corpus
    chains = [
        blocklda.Chain(corpus, 20, sampler="grid", shards=[5, 3, 4], seed=2, **how)
        for how in ({}, {"n_threads": 2}, {"backend": "python"})
    ]
    for chain in chains:
        chain.sweep(2)
    first, *others = (chain.assignments().tolist() for chain in chains)
    assert others == [first, first]


@pytest.mark.parametrize(
    ("n_tokens", "ends"),
    [
        ([5], [0, 1]),
        ([5, 5, 5], [0, 1, 2, 3]),
        ([100, 1, 1], [0, 1, 2, 3]),
        ([1, 1, 100], [0, 1, 2, 3]),
    ],
)
def test_groups_of_few_shards_are_shards(n_tokens, ends):
    assert group_shards(n_tokens, 50) == ends


@pytest.mark.parametrize("largest", [1, 10, 10_000])
def test_groups_of_many_shards_have_neighbours_and_none_is_empty(largest):
    n_tokens = np.random.default_rng(1).integers(1, largest + 1, size=50).tolist()
    ends = group_shards(n_tokens, 1_000)
    assert len(ends) == MOST_GROUPS + 1
    assert (ends[0], ends[-1]) == (0, 50)
    assert (np.diff(ends) > 0).all()
    assert len(group_shards(n_tokens, 3)) == 4


def test_the_grid_of_shards_has_their_documents():
    corpus = blocklda.simulate.bars(n_docs=12, seed=1).corpus
    grid = cut_shards(corpus, (0, 5, 8))
    assert grid.row_groups.tolist() == [0, 5, 8, 12]
    assert not grid.by_word
    assert grid.minor_groups[[0, -1]].tolist() == [0, corpus.n_words]


@pytest.mark.parametrize("sweep", [run, twin.sweep], ids=["native", "python"])
def test_a_prior_by_word_is_refused(sweep):
    corpus = blocklda.simulate.bars(n_docs=12, seed=1).corpus
    beta = np.full((3, corpus.n_words), 0.1)
    beta[0, 0] = 0.2
    chain = blocklda.Chain(corpus, 3, beta=beta, sampler="grid", shards=[6, 6])
    with pytest.raises(blocklda.InputError, match="needs one number as beta"):
        partial(sweep, chain.state, chain.options, 1)()
