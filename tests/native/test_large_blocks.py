"""One block of a thousand tokens: in range, and with the right law.

Raw coefficients leave the range of a double where a, b ≫ C (a long document, a frequent word) and
where a = α, b = β (a word and a document of this block only). The law is computed in log space.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import blocklda
from tests.exact.fit import ACCEPT, REJECT
from tests.exact.problem import Problem
from tests.mutants.samplers import LARGE_BLOCK_MUTANTS
from tests.native.large_block import Conditional, draws, judge, of_prior

SIZE = 1000
RARE = {
    2: Problem(((SIZE, 0, 0),), 2, (0.1, 0.2), 0.01),
    3: Problem(((SIZE, 0, 0),), 3, (0.1, 0.3, 0.2), 0.01),
    10: Problem(((SIZE, 0, 0),), 10, 0.1, 0.01),
}


def frequent(n_topics: int, size: int = SIZE) -> Problem:
    """Priors act as counts from elsewhere: a_k and b_k are tens of thousands of tokens."""
    weights = np.linspace(1.0, 1.5, n_topics)
    alpha = tuple(30_000 * weights / n_topics)
    beta = tuple((20_000.0 * (2.5 - w), 50_000.0) for w in weights)
    return Problem(((size, 0),), n_topics, alpha, beta)


def _both_ranges() -> dict[str, Problem]:
    rare = {f"a = alpha, b = beta, K = {K}": problem for K, problem in RARE.items()}
    return rare | {f"a, b >> C, K = {K}": frequent(K) for K in (2, 3, 10)}


PROBLEMS = _both_ranges()
LAWS = {name: of_prior(problem) for name, problem in PROBLEMS.items()}
BLOCKED = [name for name in ("backward", "nested") if name in blocklda.SAMPLERS]


@pytest.mark.parametrize("sampler", BLOCKED)
@pytest.mark.parametrize("convolution", ["direct", "fft"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_large_block_has_its_law(name, convolution, sampler):
    counts = draws(PROBLEMS[name], sampler, n_draws=300, convolution=convolution)
    verdict = judge(LAWS[name], counts)
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("sampler", BLOCKED)
@pytest.mark.parametrize("convolution", ["direct", "fft"])
def test_a_large_block_in_a_long_document_of_a_frequent_word(convolution, sampler):
    """The same with real counts around it; only the first block of the sweep is looked at.

    All other blocks are single tokens, and come after it, so its law is the one before the sweep.
    """
    n_topics, n_others = 3, 5_000
    entries = np.zeros((2, 2 * n_others), dtype=np.int64)
    entries[1, :n_others] = np.arange(1, n_others + 1)  # other words of the document
    entries[0, n_others:] = np.arange(1, n_others + 1)  # other documents of the word
    corpus = blocklda.Corpus.from_matrix(_with_large_block(entries, n_others + 1))
    around = np.random.default_rng(1).choice(n_topics, p=(0.5, 0.3, 0.2), size=2 * n_others)
    n_dk = np.bincount(around[:n_others], minlength=n_topics)
    n_vk = np.bincount(around[n_others:], minlength=n_topics)
    conditional = Conditional(
        a=n_dk + 0.1, b=n_vk + 0.01, c=n_dk + n_vk + corpus.n_words * 0.01, size=SIZE
    )
    start = np.concatenate([np.zeros(SIZE, dtype=int), around])
    chain = blocklda.Chain(
        corpus, n_topics, sampler=sampler, convolution=convolution, seed=1, init=start
    )
    counts = []
    for _ in range(200):
        chain.state.topics[:] = start
        chain.sweep()
        counts.append(np.bincount(chain.assignments()[:SIZE], minlength=n_topics))
    verdict = judge(conditional, np.array(counts))
    assert verdict.p_value > ACCEPT, verdict.report


def _with_large_block(entries: np.ndarray, n: int) -> object:
    rows, columns = np.append(0, entries[0]), np.append(0, entries[1])
    counts = np.append(SIZE, np.ones(entries.shape[1], dtype=int))
    return sparse.coo_matrix((counts, (rows, columns)), shape=(n, n))


REVEALING = {
    # Coefficients fall by many orders of magnitude, but raw ones are still in range.
    "FFT of leaves that are not tilted": Problem(
        ((60, 0),), 3, (5.0, 7.0, 9.0), ((2.0, 50.0), (3.0, 50.0), (2.5, 60.0))
    ),
    "one leaf tilted by 10 % more": frequent(3, size=150),
}


@pytest.mark.parametrize("mutant", LARGE_BLOCK_MUTANTS)
def test_the_law_of_a_large_block_rejects(mutant):
    problem = REVEALING[mutant]
    counts = draws(problem, LARGE_BLOCK_MUTANTS[mutant], n_draws=300)
    assert judge(of_prior(problem), counts).p_value < REJECT


@pytest.mark.parametrize("problem", REVEALING.values(), ids=REVEALING)
def test_the_law_of_a_large_block_accepts_the_right_sampler(problem):
    """The kernel, that is; the twin that the mutants were made from draws the same."""
    counts = draws(problem, "nested", n_draws=300, convolution="fft")
    verdict = judge(of_prior(problem), counts)
    assert verdict.p_value > ACCEPT, verdict.report
    of_twin = draws(problem, "nested", n_draws=20, backend="python", convolution="fft")
    np.testing.assert_array_equal(of_twin, counts[:20])
