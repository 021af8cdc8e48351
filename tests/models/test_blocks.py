"""The general method of blocks on a model that the library does not have."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from blocklda.support.checks import random_generator
from tests.exact.fit import ACCEPT, REJECT
from tests.models.poisson_mixture import MUTANTS, PoissonMixture, posterior

VALUES, ALPHA = [3, 3, 3, 0, 0, 5], 2.0


def p_value(model: type[PoissonMixture], n_draws: int) -> float:
    """Start at exact draws, sweep once, and compare partitions with their probabilities."""
    exact = posterior(VALUES, ALPHA)
    states, probabilities = list(exact), np.array(list(exact.values()))
    rng = np.random.default_rng(1)
    seen: Counter[tuple[int, ...]] = Counter()
    for start in rng.choice(len(states), size=n_draws, p=probabilities):
        chain = model(VALUES, ALPHA, random_generator(int(rng.integers(2**32))))
        chain.take_out(range(len(VALUES)))
        chain.put_in(range(len(VALUES)), states[start])
        chain.sweep()
        order = {label: i for i, label in enumerate(dict.fromkeys(chain.labels))}
        seen[tuple(order[label] for label in chain.labels)] += 1
    common = probabilities * n_draws >= 5
    observed = np.array([seen[state] for state in states])
    pooled = [*observed[common], observed[~common].sum()]
    expected = np.array([*probabilities[common], probabilities[~common].sum()]) * n_draws
    return float(stats.chisquare(pooled, expected).pvalue)


def test_a_third_model_keeps_its_posterior():
    assert p_value(PoissonMixture, 1_500) > ACCEPT


@pytest.mark.parametrize("mutant", MUTANTS)
def test_mutants_of_a_third_model_are_rejected(mutant):
    assert p_value(MUTANTS[mutant], 1_500) < REJECT
