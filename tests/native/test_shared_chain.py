"""Two threads with one chain: sweeps come one after another, and the state stays whole."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import blocklda

COUNTS = np.random.default_rng(5).poisson(0.8, size=(30, 40))


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_two_threads_may_sweep_one_chain(sampler):
    chain = blocklda.Chain(COUNTS, n_topics=20, sampler=sampler, seed=1)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(chain.sweep, 1) for _ in range(60)]
        for run in runs:
            run.result()
    topics = chain.assignments()
    assert topics.min() >= 0
    assert topics.max() < 20
    assert np.array_equal(chain.topic_word_counts().sum(axis=0), COUNTS.sum(axis=0))
    assert np.isfinite(chain.log_posterior())
