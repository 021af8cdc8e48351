"""Large blocks between topics that take few tokens each and empty ones that take all or none.

The total of the tilted leaves then has two modes, and the wanted one may lie in the valley between
them, where an FFT has only noise and in the end a double has nothing.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

import blocklda

N_DRAWS = 60


class Case:
    """One block of ``size`` tokens; the last topic is settled, the others are empty."""

    def __init__(self, size: int, empty: list[tuple[float, ...]], settled: tuple[float, ...]):
        self.size = size
        self.a, self.b, self.c = np.array([*empty, settled]).T

    def chain(self, **settings: object) -> blocklda.Chain:
        beta = np.column_stack([self.b, self.c - self.b])
        return blocklda.Chain([[self.size, 0]], len(self.a), alpha=self.a, beta=beta, **settings)

    def exact_draws(self, n_draws: int, seed: int) -> tuple[np.ndarray, float, float]:
        """Return exact draws (N, topics), and mean and standard deviation of the last topic.

        From the last topic to the first, as backward simulation does, but in log space.
        """
        n = np.arange(self.size + 1)
        logs = [
            gammaln(a + n) - gammaln(a) + gammaln(b + n) - gammaln(b)
            - gammaln(c + n) + gammaln(c) - gammaln(n + 1)
            for a, b, c in zip(self.a, self.b, self.c, strict=True)
        ]  # fmt: skip
        sums = [logs[0]]
        for more in logs[1:-1]:
            sums.append(np.array([logsumexp(sums[-1][: m + 1] + more[m::-1]) for m in n]))
        rng = np.random.default_rng(seed)
        draws = np.zeros((n_draws, len(logs)), dtype=int)
        for draw in draws:
            left = self.size
            for k in range(len(logs) - 1, 0, -1):
                draw[k] = rng.choice(left + 1, p=_shares(logs[k], sums[k - 1], left))
                left -= draw[k]
            draw[0] = left
        p = _shares(logs[-1], sums[-1], self.size)
        mean = float(p @ n)
        return draws, mean, float(np.sqrt(p @ (n - mean) ** 2))


def _shares(log_q: np.ndarray, log_h: np.ndarray, left: int) -> np.ndarray:
    weights = log_q[: left + 1] + log_h[left::-1]
    shares = np.exp(weights - logsumexp(weights))
    return shares / shares.sum()


EMPTY = (0.1, 0.01, 70.0)
VALLEY = (0.1, 0.01, 1e5)


def beside_rare_topics(size: int, share: float) -> Case:
    rate = share * (size / np.e) ** 2 / 1e5
    return Case(size, [VALLEY, VALLEY], (1e6, 1e6, 1e12 / rate))


CASES = {
    "an FFT that auto chooses": Case(2000, [EMPTY] * 3, (4000, 2e4, 2e5)),
    "a small FFT": Case(500, [EMPTY] * 3, (1000, 5e3, 5e4)),
    "below the range of a double": beside_rare_topics(2700, 1.1),
}


@cache
def exact_draws(name: str) -> tuple[np.ndarray, float, float]:
    return CASES[name].exact_draws(N_DRAWS, seed=1)


@pytest.mark.parametrize("sampler", ["backward", "nested"])
@pytest.mark.parametrize("convolution", ["direct", "fft"])
@pytest.mark.parametrize("name", CASES)
def test_the_law_of_the_settled_topic(name, convolution, sampler):
    """Exact draws, moved on by one sweep, still have the exact law."""
    case = CASES[name]
    draws, mean, spread = exact_draws(name)
    moved = []
    for seed, draw in enumerate(draws):
        start = np.repeat(np.arange(len(draw)), draw)
        chain = case.chain(sampler=sampler, convolution=convolution, seed=seed, init=start)
        chain.sweep()
        moved.append(chain.topic_word_counts()[-1, 0])
    # Five standard errors of the mean; drawn from noise it is off by ten and more.
    assert abs(np.mean(moved) - mean) < 5 * spread / np.sqrt(N_DRAWS)
    assert 0.6 * spread < np.std(moved) < 1.5 * spread


@pytest.mark.parametrize(
    ("name", "convolution", "sampler"),
    [
        ("a small FFT", "direct", "backward"),
        ("a small FFT", "direct", "nested"),
        ("a small FFT", "fft", "backward"),
        ("a small FFT", "fft", "nested"),
        ("below the range of a double", "direct", "nested"),
    ],
)
def test_the_twins_take_the_same_way(name, convolution, sampler):
    chains = [
        CASES[name].chain(sampler=sampler, convolution=convolution, seed=3, backend=backend)
        for backend in ("native", "python")
    ]
    for chain in chains:
        chain.sweep()
    native, twin = chains
    assert np.array_equal(native.assignments(), twin.assignments())
    assert native.n_simulation_steps == twin.n_simulation_steps
