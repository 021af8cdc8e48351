"""Whether draws follow an exactly known law over finitely many states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import stats

from tests.exact.problem import Problem

ACCEPT = 1e-4
"""A correct sampler passes a test with a p-value above this. Seeds are fixed, so a pass stays a
pass; at a few hundred tests a change of the random stream fails one of them by chance with a
probability of a few per cent, and a second seed then tells chance from error."""

REJECT = 1e-8
"""A wrong sampler counts as caught only below this, so that no mutant is caught by luck."""

LEAST_EXPECTED = 8.0
"""States expected less often are pooled before the chi-square test, whose law needs this many."""


@dataclass(frozen=True)
class Verdict:
    """The smallest p-value of several tests, times their number, and what was seen."""

    p_value: float
    report: str


def judge(problem: Problem, states: np.ndarray) -> Verdict:
    """Compare independent draws (N, entries, topics) with the exact law.

    Labelled states always; when the priors do not tell topics apart, states up to relabelling too:
    there slow label switching does no harm, so a deviation is a biased scan.
    """
    observed = np.bincount(_indices(problem, states), minlength=len(problem.states))
    parts = {"labelled": compare_states(problem.states, problem.probabilities, observed)}
    if problem.is_symmetric:
        representatives, classes = _relabelled(problem)
        parts["up to relabelling"] = compare_states(
            representatives,
            np.bincount(classes, weights=problem.probabilities),
            np.bincount(classes, weights=observed).astype(int),
        )
    worst = min(parts.values(), key=lambda part: part.p_value)
    report = "\n".join(f"{name}: {part.report}" for name, part in parts.items())
    return Verdict(min(1.0, worst.p_value * len(parts)), report)


def _indices(problem: Problem, states: np.ndarray) -> np.ndarray:
    """Return the position of each state in ``problem.states``."""
    positions = _positions(problem)
    found = [positions.get(code, -1) for code in _codes(states)]
    if -1 in found:
        raise AssertionError("a draw is no state of the problem: its tokens do not add up")
    return np.array(found)


@lru_cache
def _positions(problem: Problem) -> dict[bytes, int]:
    return {code: i for i, code in enumerate(_codes(problem.states))}


def _codes(states: np.ndarray) -> list[bytes]:
    return [state.tobytes() for state in states.astype(np.uint8)]


@lru_cache
def _relabelled(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Return one state per class of states that differ by the names of the topics, and classes."""
    radix = (problem.entry_counts.max() + 1) ** np.arange(len(problem.entry_counts))
    columns = np.sort(np.einsum("nek,e->nk", problem.states, radix), axis=1)
    _, first, classes = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    return problem.states[first], classes


def compare_states(states: np.ndarray, probabilities: np.ndarray, observed: np.ndarray) -> Verdict:
    """Test all states together by chi-square, and each by itself by its binomial tails."""
    n_draws = int(observed.sum())
    together = _chi_square(n_draws * probabilities, observed)
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
    return tails[of_state]


def _chi_square(expected: np.ndarray, observed: np.ndarray) -> float:
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
    z = (observed - expected) / np.sqrt(expected * (1 - probabilities) + 1e-300)
    lines = [
        f"  {states[i].tolist()}: expected {expected[i]:.1f}, observed {observed[i]}, z {z[i]:+.1f}"
        for i in np.argsort(tails)[:5]
    ]
    return "\n".join(lines)


def lag_one_correlations(problem: Problem, states: np.ndarray) -> np.ndarray:
    """Return lag-1 autocorrelations of what mixes slowest: log p, labels, sizes, agreement.

    Constant series have none and are left out.
    """
    n_k = states.sum(axis=1)
    docs, words = problem.entry_docs, problem.entry_words
    n_dk = np.stack([states[:, docs == d].sum(axis=1) for d in np.unique(docs)])
    n_vk = np.stack([states[:, words == v].sum(axis=1) for v in np.unique(words)])
    series = [
        problem.log_weights(states),
        *n_k.T,
        (n_k**2).sum(axis=1),
        (n_dk**2).sum(axis=(0, 2)),
        (n_vk**2).sum(axis=(0, 2)),
        (states**2).sum(axis=(1, 2)),
        *states.reshape(len(states), -1).T,
    ]
    return np.array([_lag_one(x) for x in series if np.ptp(x) > 0])


def _lag_one(series: np.ndarray) -> float:
    centred = series - series.mean()
    return float((centred[1:] @ centred[:-1]) / (centred @ centred))
