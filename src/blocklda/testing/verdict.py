"""Compare draws with an exactly known distribution over finitely many states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

__all__ = ["ACCEPT", "REJECT", "Verdict", "chi_square", "compare_states"]

ACCEPT = 1e-4
"""A correct sampler passes a test with a p-value above this. Seeds are fixed, so a pass stays a
pass; at a few hundred tests a change of the random stream fails one of them by chance with a
probability of a few per cent, and a second seed then tells chance from error."""

REJECT = 1e-8
"""A wrong sampler counts as caught only below this, so that no mutant is caught by luck."""

LEAST_EXPECTED = 8.0
"""States expected less often are pooled before the chi-square test, which needs this many."""


@dataclass(frozen=True)
class Verdict:
    """The smallest p-value of several tests, times their number, and what was seen."""

    p_value: float
    report: str


def compare_states(states: np.ndarray, probabilities: np.ndarray, observed: np.ndarray) -> Verdict:
    """Test all states together by chi-square, and each by itself by its binomial tails."""
    n_draws = int(observed.sum())
    together = chi_square(n_draws * probabilities, observed)
    tails = _tails(observed, n_draws, probabilities)
    alone = min(1.0, 2 * len(states) * float(tails.min()))
    report = (
        f"{n_draws} draws, {len(states)} states, chi-square p = {together:.3g}, "
        f"worst state p = {alone:.3g}\n{_offenders(states, probabilities, observed, tails)}"
    )
    return Verdict(min(1.0, 2 * min(together, alone)), report)


def _tails(observed: np.ndarray, n_draws: int, probabilities: np.ndarray) -> np.ndarray:
    """Return the smaller tail of every state; many states of a large problem share theirs."""
    (seen, p), of_state = np.unique([observed, probabilities], axis=1, return_inverse=True)
    tails = np.minimum(stats.binom.cdf(seen, n_draws, p), stats.binom.sf(seen - 1, n_draws, p))
    return np.asarray(tails[of_state])


def chi_square(expected: np.ndarray, observed: np.ndarray) -> float:
    """Return the p-value of Pearson's test; states that are expected rarely are pooled."""
    rare = expected < LEAST_EXPECTED
    if rare.any() and expected[rare].sum() < LEAST_EXPECTED:
        # The pool itself is too small: the least common of the other states joins it.
        rare[np.argmin(np.where(rare, np.inf, expected))] = True
    pooled_expected = np.append(expected[~rare], expected[rare].sum())
    pooled_observed = np.append(observed[~rare], observed[rare].sum())
    filled = pooled_expected > 0
    deviations = (pooled_observed - pooled_expected)[filled] ** 2 / pooled_expected[filled]
    return float(stats.chi2.sf(deviations.sum(), max(1, filled.sum() - 1)))


def _offenders(
    states: np.ndarray, probabilities: np.ndarray, observed: np.ndarray, tails: np.ndarray
) -> str:
    """List the states that deviate most: n_dvk, expected, observed, z."""
    n_draws = observed.sum()
    expected = n_draws * probabilities
    z = (observed - expected) / np.sqrt(expected * np.maximum(1 - probabilities, 0) + 1e-300)
    lines = [
        f"  {states[i].tolist()}: expected {expected[i]:.1f}, observed {observed[i]}, z {z[i]:+.1f}"
        for i in np.argsort(tails)[:5]
    ]
    return "\n".join(lines)
