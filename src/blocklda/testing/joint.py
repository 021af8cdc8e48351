"""Two tests against the joint distribution: Geweke's, in pairs, and simulation-based calibration.

The joint distribution of parameters and data is easy to draw from: parameters first, then data. A
sweep, which moves parameters given data, must leave it as it is. So every function has the same
mean before a sweep and after it (Geweke 2004: "Getting it right"). Geweke runs one chain and
redraws the data; a new draw for each sweep has the same power per sweep, and the differences are
independent.

And the rank of a truth among draws that a chain makes from its data is uniform (Talts et al. 2018).
Chains start at the truth, so they need no burn-in; several sweeps between draws make these nearly
independent. Ties are broken at random.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from blocklda.support.arrays import Floats, Ints
from blocklda.testing.base import Joint, Sweep
from blocklda.testing.verdict import Verdict

__all__ = ["Ranks", "compare_means", "geweke", "ranks_of_truths"]

N_DRAWS = 7
"""Posterior draws beside each truth: ranks from 0 to 7."""


def geweke(joint: Joint, sweep: Sweep, n_draws: int, seed: Any, n_sweeps: int = 1) -> Verdict:
    """Test that functions of joint draws have the same means before sweeps and after them.

    Examples
    --------
    >>> from blocklda import testing
    >>> nested = testing.find_subjects("nested")[0]
    >>> joint = testing.LDAJoint((5, 3), n_words=2, n_topics=2, alpha=0.5, beta=0.3)
    >>> testing.geweke(joint, nested.sweep, n_draws=500, seed=1).p_value > testing.ACCEPT
    True
    """
    first, second = np.random.default_rng(seed).spawn(2)
    before = joint.population(n_draws, first)
    functions = joint.functions(before)
    after = joint.advanced(before, sweep, n_sweeps, second)
    return compare_means(functions, joint.functions(after))


def compare_means(before: Mapping[str, Floats], after: Mapping[str, Floats]) -> Verdict:
    """Compare means of independent pairs in units of their standard error.

    The p-value is the smallest one of all functions, times their number.
    """
    p_values, lines = [], []
    for name, values in before.items():
        differences = after[name] - values
        z = differences.mean() / (stats.sem(differences) or 1.0)
        p_values.append(float(2 * stats.norm.sf(abs(z))))
        lines.append(
            f"{name}: {values.mean():.4f} before, {after[name].mean():.4f} after, z {z:+.1f}"
        )
    return Verdict(min(1.0, len(p_values) * min(p_values)), "\n".join(lines))


@dataclass(frozen=True)
class Ranks:
    """Ranks of truths among posterior draws, by function.

    Attributes
    ----------
    ranks
        For each function one rank per truth, from 0 to ``n_draws``.
    n_draws
        Posterior draws beside each truth.
    """

    ranks: Mapping[str, Ints]
    n_draws: int

    def counts(self) -> dict[str, Ints]:
        """Return how often each rank occurs, by function."""
        return {
            name: np.bincount(ranks, minlength=self.n_draws + 1)
            for name, ranks in self.ranks.items()
        }

    def verdict(self) -> Verdict:
        """Test that the ranks of every function are uniform: the smallest p-value, times tests."""
        if not self.ranks:
            return Verdict(1.0, "no sweep changed anything, so that there are no ranks")
        p_values = {
            name: float(stats.chisquare(counts).pvalue) for name, counts in self.counts().items()
        }
        lines = [
            f"{name}: ranks {self.counts()[name].tolist()}, p = {p:.3g}"
            for name, p in p_values.items()
        ]
        return Verdict(min(1.0, len(p_values) * min(p_values.values())), "\n".join(lines))


def ranks_of_truths(
    joint: Joint,
    sweep: Sweep,
    n_truths: int,
    seed: Any,
    n_draws: int = N_DRAWS,
    thin: int = 8,
) -> Ranks:
    """Return the ranks of truths among posterior draws: simulation-based calibration.

    ``thin`` is the number of sweeps between draws.

    Examples
    --------
    >>> from blocklda import testing
    >>> mixture = testing.find_subjects("mixture")[0]
    >>> joint = mixture.joints["learned alpha"]
    >>> found = testing.ranks_of_truths(joint, mixture.sweep, n_truths=80, seed=1)
    >>> found.verdict().p_value > testing.ACCEPT
    True
    """
    first, second, ties = np.random.default_rng(seed).spawn(3)
    population = joint.population(n_truths, first)
    truth = joint.functions(population)
    below = {name: np.zeros(n_truths, dtype=np.int64) for name in truth}
    equal = {name: np.zeros(n_truths, dtype=np.int64) for name in truth}
    for _ in range(n_draws):
        population = joint.advanced(population, sweep, thin, second)
        for name, values in joint.functions(population).items():
            below[name] += values < truth[name] - _tolerance(truth[name])
            equal[name] += np.abs(values - truth[name]) <= _tolerance(truth[name])
    ranks = {name: below[name] + ties.integers(equal[name] + 1) for name in truth}
    # A function that nothing ever changes says nothing.
    moving = {name: rank for name, rank in ranks.items() if (equal[name] < n_draws).any()}
    return Ranks(moving, n_draws)


def _tolerance(values: Floats) -> Floats:
    """Return the rounding errors of sums within which numbers are equal."""
    return 1e-9 * np.maximum(1.0, np.abs(values))
