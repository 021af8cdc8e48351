"""Compare draws of topics with the exact posterior of a small LDA problem."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from blocklda.testing.verdict import Verdict, compare_states

if TYPE_CHECKING:
    from blocklda.testing.lda_problem import LDAProblem

__all__ = ["indices", "judge", "lag_one_correlations"]


def judge(problem: LDAProblem, states: np.ndarray) -> Verdict:
    """Compare independent draws (N, entries, topics) with the exact posterior.

    Labelled states always; when the priors do not tell topics apart, states up to relabelling too:
    there slow label switching does no harm, so a deviation is a biased scan.
    """
    observed = np.bincount(indices(problem, states), minlength=len(problem.states))
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


def indices(problem: LDAProblem, states: np.ndarray) -> np.ndarray:
    """Return the position of each state in ``problem.states``."""
    positions = _positions(problem)
    found = [positions.get(code, -1) for code in _codes(states)]
    if -1 in found:
        raise AssertionError("a draw is not a state of the problem: its tokens do not add up")
    return np.array(found)


@lru_cache
def _positions(problem: LDAProblem) -> dict[bytes, int]:
    return {code: i for i, code in enumerate(_codes(problem.states))}


def _codes(states: np.ndarray) -> list[bytes]:
    return [state.tobytes() for state in states.astype(np.int32)]


@lru_cache
def _relabelled(problem: LDAProblem) -> tuple[np.ndarray, np.ndarray]:
    """Return one state per class of states that differ by the names of the topics, and classes."""
    radix = (problem.entry_counts.max() + 1) ** np.arange(len(problem.entry_counts))
    columns = np.sort(np.einsum("nek,e->nk", problem.states, radix), axis=1)
    _, first, classes = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    return problem.states[first], classes


def lag_one_correlations(problem: LDAProblem, states: np.ndarray) -> np.ndarray:
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
