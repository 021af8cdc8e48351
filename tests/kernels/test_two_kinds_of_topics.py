"""Large blocks between topics that take few tokens each and empty ones that take all or none.

The total of the tilted leaves then has two modes, and the wanted one may lie in the valley between
them, where an FFT has only noise and in the end a double has nothing.
"""

from __future__ import annotations

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

    def settled_law(self) -> tuple[float, float]:
        """Return mean and standard deviation of the tokens in the last topic, in log space."""
        n = np.arange(self.size + 1)
        logs = [
            gammaln(a + n) - gammaln(a) + gammaln(b + n) - gammaln(b)
            - gammaln(c + n) + gammaln(c) - gammaln(n + 1)
            for a, b, c in zip(self.a, self.b, self.c, strict=True)
        ]  # fmt: skip
        others = logs[0]
        for more in logs[1:-1]:
            others = np.array([logsumexp(others[: m + 1] + more[m::-1]) for m in n])
        weights = logs[-1] + others[::-1]
        p = np.exp(weights - logsumexp(weights))
        mean = float(p @ n)
        return mean, float(np.sqrt(p @ (n - mean) ** 2))


EMPTY = (0.1, 0.01, 70.0)
VALLEY = (0.1, 0.01, 1e5)


def beside_rare_topics(size: int, share: float) -> Case:
    rate = share * (size / np.e) ** 2 / 1e5
    return Case(size, [VALLEY, VALLEY], (1e6, 1e6, 1e12 / rate))


CASES = {
    "an FFT that auto chooses": Case(2000, [EMPTY] * 3, (4000, 2e4, 2e5)),
    "a small FFT": Case(500, [EMPTY] * 3, (1000, 5e3, 5e4)),
    "below the range of a double": beside_rare_topics(3000, 1.1),
}


@pytest.mark.parametrize("sampler", ["backward", "nested"])
@pytest.mark.parametrize("convolution", ["direct", "fft"])
@pytest.mark.parametrize("name", CASES)
def test_the_law_of_the_settled_topic(name, convolution, sampler):
    case = CASES[name]
    mean, spread = case.settled_law()
    drawn = []
    for seed in range(N_DRAWS):
        chain = case.chain(sampler=sampler, convolution=convolution, seed=seed)
        # The whole block is one draw from its conditional; in parts it takes a few sweeps.
        chain.sweep(10 if name == "below the range of a double" else 1)
        drawn.append(chain.topic_word_counts()[-1, 0])
    # Five standard errors of the mean; the wrong laws are off by thirty and more.
    assert abs(np.mean(drawn) - mean) < 5 * spread / np.sqrt(N_DRAWS)
    assert 0.6 * spread < np.std(drawn) < 1.5 * spread


@pytest.mark.parametrize("sampler", ["backward", "nested"])
@pytest.mark.parametrize("convolution", ["direct", "fft"])
@pytest.mark.parametrize("name", ["a small FFT", "below the range of a double"])
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
