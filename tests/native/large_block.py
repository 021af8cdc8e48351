"""The exact law of one large block, in log space, and draws of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats
from scipy.special import gammaln, logsumexp

from blocklda.models.lda.samplers.base import Sweep
from tests.exact.fit import Verdict
from tests.exact.problem import Problem
from tests.exact.runs import start_chain

N_BINS = 8
"""A law over 0..C is compared in this many intervals of about the same probability."""


@dataclass(frozen=True)
class Conditional:
    """a_k, b_k, c_k of a block, and its size C."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    size: int

    def log_leaves(self) -> np.ndarray:
        """Return log q_k(n) = log of a^(n) b^(n) / (n! c^(n)), shape (K, C + 1)."""
        n = np.arange(self.size + 1)

        def rising(x: np.ndarray) -> np.ndarray:
            return gammaln(x[:, None] + n) - gammaln(x)[:, None]

        return rising(self.a) + rising(self.b) - rising(self.c) - gammaln(n + 1)

    @cached_property
    def marginals(self) -> tuple[np.ndarray, np.ndarray]:
        """P(n_k = n) for n = 0..C, of the first and of the last topic."""
        first, *inner, last = self.log_leaves()
        between = np.where(np.arange(self.size + 1) == 0, 0.0, -np.inf)
        for leaf in inner:
            between = _log_convolve(between, leaf)
        return (
            _normalised(first + _log_convolve(between, last)[::-1]),
            _normalised(last + _log_convolve(between, first)[::-1]),
        )

    @cached_property
    def probability_of_one_topic(self) -> float:
        """The probability that one topic takes all tokens."""
        leaves = self.log_leaves()
        total = leaves[0]
        for leaf in leaves[1:]:
            total = _log_convolve(total, leaf)
        return float(np.exp(logsumexp(leaves[:, -1]) - total[-1]))


def _normalised(log_weights: np.ndarray) -> np.ndarray:
    return np.exp(log_weights - logsumexp(log_weights))


def _log_convolve(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.array([_log_sum(left[: c + 1] + right[c::-1]) for c in range(len(left))])


def _log_sum(logs: np.ndarray) -> float:
    """Return what `logsumexp` does, which takes ten times as long for a few numbers."""
    largest = logs.max()
    return largest if np.isinf(largest) else largest + np.log(np.exp(logs - largest).sum())


def of_prior(problem: Problem) -> Conditional:
    """Return the conditional of the only block of a corpus: a = α, b = β, c = Σ_v β."""
    (word,) = problem.entry_words
    beta = problem.beta_matrix
    return Conditional(
        problem.alpha_vector, beta[:, word], beta.sum(axis=1), int(problem.entry_counts[0])
    )


def draws(problem: Problem, sampler: str | Sweep, n_draws: int, **options: object) -> np.ndarray:
    """Return (n_1, …, n_K) of the only block: every sweep is an independent draw."""
    chain = start_chain(problem, sampler, seed=50, **options)
    counts = np.empty((n_draws, problem.n_topics), dtype=np.int64)
    for i in range(n_draws):
        chain.sweep()
        counts[i] = np.bincount(chain.assignments(), minlength=problem.n_topics)
    return counts


def judge(conditional: Conditional, counts: np.ndarray) -> Verdict:
    """Compare draws with the marginals of the first and last topic and with P(one topic)."""
    n_draws, n_topics = counts.shape
    p_one = conditional.probability_of_one_topic
    first, last = conditional.marginals
    n_one = int((counts.max(axis=1) == conditional.size).sum())
    p_values = {
        "topic 0": _binned_p_value(first, counts[:, 0]),
        f"topic {n_topics - 1}": _binned_p_value(last, counts[:, -1]),
        f"one topic, {n_draws * p_one:.1f} expected, {n_one} observed": float(
            stats.binomtest(n_one, n_draws, min(p_one, 1.0)).pvalue
        ),
    }
    return Verdict(min(1.0, len(p_values) * min(p_values.values())), str(p_values))


def _binned_p_value(law: np.ndarray, observed: np.ndarray) -> float:
    """Chi-square over intervals of about the same probability."""
    bins = np.minimum((np.cumsum(law) - law) * N_BINS, N_BINS - 1).astype(int)
    expected = np.bincount(bins, weights=law, minlength=N_BINS) * len(observed)
    seen = np.bincount(bins[observed], minlength=N_BINS)
    # What hardly ever happens must hardly ever be seen, and is no part of the chi-square.
    rare = expected < 1
    if rare.any():
        tail = float(stats.poisson.sf(seen[rare].sum() - 1, expected[rare].sum()))
        if tail < 1e-6:
            return tail
    deviations = (seen - expected)[~rare] ** 2 / expected[~rare]
    return float(stats.chi2.sf(deviations.sum(), max(1, (~rare).sum() - 1)))
