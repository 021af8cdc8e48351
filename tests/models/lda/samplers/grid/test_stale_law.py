"""The law of `approximate-parallel`: the one that was computed, and not the posterior.

With nothing stale it is the posterior: on a grid of one cell, and with one cell a step.
"""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np
import pytest

from benchmarks.stale_law import TinyCorpus, total_variation
from blocklda.models.lda.reference.approximate_parallel import sweep_grid
from blocklda.models.lda.reference.sparse import SparseSweep
from blocklda.models.lda.samplers.grid.approximate_parallel import run
from blocklda.models.lda.samplers.grid.plan import cut_grid
from blocklda.models.lda.samplers.sparse.plan import largest_part, rows_are_words
from blocklda.models.lda.samplers.sweep_streams import sweep_key
from blocklda.models.lda.state import State, SweepOptions
from tests.exact.fit import ACCEPT, REJECT, judge
from tests.exact.problem import Problem
from tests.exact.runs import advanced_draws

TINY = {
    "documents as rows": TinyCorpus(((2, 1), (1, 2)), 2, 0.5, 0.5),
    "words as rows": TinyCorpus(((2, 1), (1, 0), (1, 1)), 2, 0.3, 0.9),
    "three topics": TinyCorpus(((2, 0, 1), (0, 2, 1)), 3, 0.5, 0.3),
}


class StaleProblem(Problem):
    """A problem whose law is that of the approximate sampler on a grid of two by two."""

    @cached_property
    def probabilities(self) -> np.ndarray:
        return TinyCorpus(self.matrix, self.n_topics, self.alpha, self.beta).stale_law(2)


def of(tiny: TinyCorpus, kind: type[Problem] = Problem) -> Problem:
    return kind(tiny.counts, tiny.n_topics, tiny.alpha, tiny.beta)


def test_rows_are_what_the_names_say():
    by_word = {name: rows_are_words(tiny.corpus, tiny.priors) for name, tiny in TINY.items()}
    assert by_word == {"documents as rows": False, "words as rows": True, "three topics": False}


@pytest.mark.parametrize("name", TINY)
def test_the_computed_laws_are_right_where_they_are_known(name):
    tiny, problem = TINY[name], of(TINY[name])
    assert np.array_equal(tiny.states, problem.states)
    assert tiny.posterior == pytest.approx(problem.probabilities)
    assert tiny.stale_law(1) == pytest.approx(problem.probabilities, abs=1e-12)
    assert tiny.stale_law(2).sum() == pytest.approx(1.0)
    assert total_variation(tiny.stale_law(2), tiny.posterior) > 0.05


@pytest.mark.parametrize("name", TINY)
def test_the_law_that_was_computed_is_stationary(name):
    """Draws from it still follow it after two sweeps, and not the posterior."""
    problem = of(TINY[name], StaleProblem)
    states = advanced_draws(problem, partial(run, size=2), 3_000, n_sweeps=2, seed=20)
    verdict = judge(problem, states)
    assert verdict.p_value > ACCEPT, verdict.report
    assert judge(of(TINY[name]), states).p_value < REJECT


@pytest.mark.parametrize("name", TINY)
def test_on_one_cell_exact_draws_stay_exact(name):
    states = advanced_draws(of(TINY[name]), partial(run, size=1), 1_000, n_sweeps=2, seed=30)
    verdict = judge(of(TINY[name]), states)
    assert verdict.p_value > ACCEPT, verdict.report


def one_cell_a_step(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Sweep the same cells as the twin does, each with totals that know all of those before."""
    sweeps = SparseSweep(state, largest_part(state.priors.n_topics, options.max_block))
    cells = [cell for step in cut_grid(state.corpus, sweeps.by_word, 2).steps() for cell in step]
    for _ in range(n_sweeps):
        sweep_grid(sweeps, ([cell] for cell in cells), sweep_key(state.rng), 0.0)
    return sweeps.steps


@pytest.mark.parametrize("name", TINY)
def test_with_one_cell_a_step_exact_draws_stay_exact(name):
    states = advanced_draws(of(TINY[name]), one_cell_a_step, 500, n_sweeps=1, seed=30)
    verdict = judge(of(TINY[name]), states)
    assert verdict.p_value > ACCEPT, verdict.report


def test_with_stale_totals_exact_draws_do_not_stay_exact():
    problem = of(TINY["documents as rows"])
    states = advanced_draws(problem, partial(run, size=2), 1_500, n_sweeps=2, seed=30)
    assert judge(problem, states).p_value < REJECT
