"""p-values that are exactly uniform under the hypothesis, however few states and draws there are.

A statistic of the moved draws is ranked among the same statistic of populations drawn from the
exact probabilities. Ties are broken at random.
"""

from __future__ import annotations

import numpy as np

from torture.exactness.cases import Case

__all__ = ["N_BINS", "rank_p_value"]

N_BINS = 100
"""Ranks among 99 populations; p-values are kept as the number of their bin."""


def rank_p_value(case: Case, n_draws: int, seed: int) -> float:
    """Return the p-value of a statistic that is chosen at random."""
    rng = np.random.default_rng([seed, 1])
    probabilities = np.asarray(case.problem.probabilities, dtype=float)
    seen = case.moved(n_draws, seed)
    if case.beside is not None and rng.random() < 0.3:
        own, others = case.beside(case.problem, seen, (N_BINS - 1, n_draws), rng)
        sums = np.concatenate([own[None], others]).sum(axis=1)
        return 1 - abs(2 * _upper_tail(sums, rng) - 1)
    found = case.problem.positions(seen)
    drawn = _drawn(probabilities, (N_BINS - 1, n_draws), rng)
    places = np.concatenate([found[None], drawn])
    if rng.random() < 0.4:
        return _upper_tail(_chi_squares(places, probabilities), rng)
    values = _values(case, probabilities, rng)
    p = _upper_tail(np.round(values[places].sum(axis=1), 9), rng)
    return 1 - abs(2 * p - 1)


def _drawn(
    probabilities: np.ndarray, shape: tuple[int, ...], rng: np.random.Generator
) -> np.ndarray:
    ends = np.cumsum(probabilities)
    found = np.searchsorted(ends, rng.random(shape) * ends[-1], "right")
    return np.asarray(np.minimum(found, len(ends) - 1))


def _chi_squares(places: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return Σ O² / p of each population, Pearson's statistic but for constants."""
    n_states = len(probabilities)
    rows = np.arange(len(places))[:, None] * n_states
    observed = np.bincount((rows + places).ravel(), minlength=len(places) * n_states)
    # Of a state that floating point gives no chance at all, one draw is too many.
    weights = 1 / np.maximum(probabilities, 1e-300)
    sums = (observed.reshape(len(places), n_states) ** 2) @ weights
    return np.asarray(np.round(np.log(sums), 9))  # equal populations are ties to the last bit


def _values(case: Case, probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a number for each state: a function by name, or one at random."""
    named = case.functions(case.problem)
    name = str(rng.choice(["log p", "any", *named]))
    if name == "log p":
        return np.log(np.maximum(probabilities, 1e-300))
    if name == "any":
        return rng.normal(size=len(probabilities))
    return np.asarray(named[name], dtype=float)


def _upper_tail(statistics: np.ndarray, rng: np.random.Generator) -> float:
    """Return the p-value of the first among all, uniform if it is one of them."""
    own, others = statistics[0], statistics[1:]
    above, equal = int((others > own).sum()), int((others == own).sum())
    return float((above + rng.integers(equal + 1) + rng.random()) / len(statistics))
