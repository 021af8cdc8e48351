"""Chains that begin with an opening: what the sweeps after it sample, and what those of it do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

import blocklda
from blocklda import _native
from blocklda.models.lda.opening import Opening
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.samplers.annealed import ANNEALED
from blocklda.models.lda.samplers.kernel_call import run_collapsed
from blocklda.models.lda.samplers.partially_collapsed import sweep as partially_collapsed_sweep
from blocklda.models.lda.samplers.partially_collapsed.phi import finish_phi
from blocklda.models.lda.samplers.partially_collapsed.sweep import run_at_power
from blocklda.models.lda.state import SweepOptions
from blocklda.run.chain_run import ChainRun
from blocklda.run.schedule import Schedule
from tests.exact.cases import REVEALING
from tests.exact.fit import ACCEPT, REJECT, judge
from tests.exact.problem import Problem
from tests.exact.runs import smallest_p_value, start_chain
from tests.mutants.openings import LEARNING_MUTANTS, OPENING_MUTANTS
from tests.mutants.parts import replaced

N_OPENING = 16
N_PLAIN = 48
"""Sweeps after the opening: on a problem of a few tokens a draw is then independent of it."""

SHARP = Problem(((4, 1), (1, 3)), 2, (0.8, 0.4), 0.1)
"""A problem whose likelihood tells topics apart, so that a power of it is another distribution."""

Advance = Callable[[blocklda.Chain], None]


def through_the_opening(chain: blocklda.Chain) -> None:
    assert chain.is_tempered == chain.state.opening.kind.startswith(Opening.ANNEALED)
    chain.sweep(N_OPENING + N_PLAIN)
    assert not chain.is_tempered


def first_draws(
    sampler: str, init: str, advance: Advance = through_the_opening
) -> Iterator[np.ndarray]:
    """Yield the topics of one chain after another, each at its first draw."""
    chain = start_chain(SHARP, sampler, seed=50, init=init, opening_sweeps=N_OPENING)
    opening = chain.state.opening
    rng = np.random.default_rng(51)
    while True:
        # One chain that starts again and again costs a tenth of as many chains.
        chain.state.n_sweeps, chain.state.opening = 0, opening
        chain.state.topics[:] = rng.integers(SHARP.n_topics, size=SHARP.corpus.n_tokens)
        advance(chain)
        yield chain.assignments()


WITH_COMPANION = ("nested", "backward", "sparse")


@pytest.mark.parametrize(
    ("sampler", "init"),
    [
        *((sampler, init) for sampler in WITH_COMPANION for init in ("annealed", "random")),
        ("single-site", "annealed"),
    ],
)
def test_draws_after_an_opening_have_the_exact_distribution(sampler, init):
    topics = np.array(list(islice(first_draws(sampler, init), 3_000)))
    verdict = judge(SHARP, SHARP.block_counts(topics))
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("mutant", OPENING_MUTANTS)
def test_draws_of_annealed_sweeps_are_rejected(mutant):
    topics = first_draws("single-site", "annealed", OPENING_MUTANTS[mutant])
    assert smallest_p_value(SHARP, topics, (1_000, 5_000, 20_000)) < REJECT


# --- the annealed sweeps themselves: p(z) p(w | z)^b


class Tempered(Problem):
    """A problem whose likelihood counts to a power."""

    power = 1.0

    def log_weights(self, states: np.ndarray) -> np.ndarray:
        n_vk = np.stack([states[:, self.entry_words == v].sum(axis=1) for v in range(2)], axis=1)
        beta = self.beta_matrix.T
        likelihood = gammaln(n_vk + beta).sum(axis=(1, 2))
        likelihood -= gammaln(n_vk.sum(axis=1) + beta.sum(axis=0)).sum(axis=1)
        return super().log_weights(states) - (1 - self.power) * likelihood


def tempered(problem: Problem, power: float) -> Tempered:
    made = Tempered(problem.matrix, problem.n_topics, problem.alpha, problem.beta)
    object.__setattr__(made, "power", power)
    return made


def annealed_topics(problem: Tempered, sixteenths: int) -> Iterator[np.ndarray]:
    """Yield what exact draws of a tempered problem have become after three sweeps."""
    rng = np.random.default_rng(53)
    log_weights = problem.log_weights(problem.states)
    exact = np.exp(log_weights - logsumexp(log_weights))
    first = problem.sorted_topics(problem.states[:1])[0]
    state = start_chain(problem, "single-site", 54, init=first).state
    while True:
        chosen = rng.choice(len(problem.states), size=1_000, p=exact)
        for topics in problem.sorted_topics(problem.states[chosen]):
            state.topics[:] = topics
            run_collapsed(_native.annealed, state, 3, sixteenths=sixteenths)
            yield state.topics.copy()


@pytest.mark.parametrize("problem", [SHARP, REVEALING], ids=["sharp", "revealing"])
@pytest.mark.parametrize("sixteenths", [8, 13, 16])
def test_annealed_sweeps_leave_the_tempered_distribution_as_it_is(sixteenths, problem):
    target = tempered(problem, sixteenths / 16)
    topics = np.array(list(islice(annealed_topics(target, sixteenths), 6_000)))
    verdict = judge(target, target.block_counts(topics))
    assert verdict.p_value > ACCEPT, verdict.report


def test_another_power_is_rejected():
    target = tempered(SHARP, 8 / 16)
    topics = annealed_topics(target, 11)
    assert smallest_p_value(target, topics, (2_500, 10_000, 40_000)) < REJECT


# --- those given φ: p(z) p(w | z, φ)^b with φ from its prior


class TemperedGivenPhi(Tempered):
    """The same where φ is drawn too: counts of words weigh b each, and φ is integrated out."""

    def log_weights(self, states: np.ndarray) -> np.ndarray:
        n_vk = np.stack([states[:, self.entry_words == v].sum(axis=1) for v in range(2)], axis=1)
        beta, sums = self.beta_matrix.T, self.beta_matrix.T.sum(axis=0)
        found = Problem.log_weights(self, states)
        for b, sign in ((1.0, -1), (self.power, 1)):
            likelihood = gammaln(b * n_vk + beta).sum(axis=(1, 2))
            likelihood -= gammaln(b * n_vk.sum(axis=1) + sums).sum(axis=1)
            found = found + sign * likelihood
        return found


def topics_given_phi(problem: Problem, sixteenths: int, change: Any = None) -> Iterator[np.ndarray]:
    """Yield what exact draws have become after two annealed sweeps given φ."""
    rng = np.random.default_rng(57)
    log_weights = problem.log_weights(problem.states)
    exact = np.exp(log_weights - logsumexp(log_weights))
    first = problem.sorted_topics(problem.states[:1])[0]
    state = start_chain(problem, "partially-collapsed", 58, init=first).state
    while True:
        chosen = rng.choice(len(problem.states), size=1_000, p=exact)
        for topics in problem.sorted_topics(problem.states[chosen]):
            state.topics[:] = topics
            with replaced(partially_collapsed_sweep, **({} if change is None else change)):
                run_at_power(state, SweepOptions(), 2, sixteenths)
            yield state.topics.copy()


def tempered_given_phi(problem: Problem, power: float) -> TemperedGivenPhi:
    made = TemperedGivenPhi(problem.matrix, problem.n_topics, problem.alpha, problem.beta)
    object.__setattr__(made, "power", power)
    return made


@pytest.mark.parametrize("sixteenths", [11])
def test_annealed_sweeps_given_phi_leave_their_distribution_as_it_is(sixteenths):
    target = tempered_given_phi(SHARP, sixteenths / 16)
    topics = np.array(list(islice(topics_given_phi(target, sixteenths), 3_000)))
    verdict = judge(target, target.block_counts(topics))
    assert verdict.p_value > ACCEPT, verdict.report


def phi_itself(*given: Any, sixteenths: int) -> None:
    """Put φ where its power should be."""
    finish_phi(*given)


def test_phi_without_its_power_is_rejected():
    target = tempered_given_phi(SHARP, 8 / 16)
    topics = topics_given_phi(target, 8, {"finish_phi": phi_itself})
    assert smallest_p_value(target, topics, (1_000, 4_000)) < REJECT


# --- learned priors


LEARNING = PriorLearning.create("asymmetric", "symmetric", "sampled", (2.0, 3.0), (3.0, 5.0))


def priors_after_each_sweep(change_model: type | None = None) -> list[np.ndarray]:
    chain = start_chain(SHARP, "single-site", 55, init="annealed", opening_sweeps=N_OPENING)
    chain.model.learning = LEARNING
    if change_model is not None:
        chain.model.__class__ = change_model
    run = ChainRun(0, chain)
    found = []
    for sweep in range(1, N_OPENING + 3):
        run.advance(sweep, Schedule(100, 50, 1), lambda: False)
        found.append(chain.priors.alpha.copy())
    return found


def stand_still(alphas: list[np.ndarray]) -> bool:
    """Return True if no prior changed in the opening, and all did after each later sweep."""
    given = SHARP.alpha_vector
    in_opening = [np.array_equal(alpha, given) for alpha in alphas[:N_OPENING]]
    after = [np.array_equal(alpha, given) for alpha in alphas[N_OPENING:]]
    return all(in_opening) and not any(after)


def test_priors_are_learned_after_the_annealed_sweeps():
    assert stand_still(priors_after_each_sweep())


@pytest.mark.parametrize("mutant", LEARNING_MUTANTS)
def test_priors_learned_while_annealed_are_noticed(mutant):
    assert not stand_still(priors_after_each_sweep(LEARNING_MUTANTS[mutant]))


def test_an_annealed_opening_is_not_a_sampler():
    """It has no name that a user could give: a chain that stays in it has another target."""
    assert ANNEALED.name not in (*blocklda.SAMPLERS, *blocklda.APPROXIMATE_SAMPLERS)
