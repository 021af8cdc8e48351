"""The smallest and the largest numbers of topics."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from tests.models.lda.samplers.subjects import SUBJECTS, find_subject

TINY = np.array([[3, 1, 0], [0, 2, 1]])


@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize("sampler", SUBJECTS)
def test_one_topic_takes_everything(sampler, backend):
    chain = blocklda.Chain(TINY, 1, sampler=find_subject(sampler), backend=backend)
    chain.sweep(3)
    assert chain.assignments().tolist() == [0] * 7


@pytest.mark.parametrize("sampler", SUBJECTS)
def test_more_topics_than_sixteen_bits_can_number(sampler):
    n_topics = 70_000
    top = np.full(7, n_topics - 1)
    chain = blocklda.Chain(TINY, n_topics, sampler=find_subject(sampler), init=top, seed=5)
    chain.sweep(2)
    topics = chain.assignments()
    assert topics.min() >= 0
    assert topics.max() < n_topics
    assert chain.block_counts().sum(axis=1).A1.tolist() == [3, 1, 2, 1]


@pytest.mark.parametrize("sampler", ["single-site", "backward", "nested"])
def test_twins_agree_with_many_topics(sampler):
    chains = [
        blocklda.Chain(TINY, 70_000, sampler=sampler, backend=backend, seed=6)
        for backend in ("native", "python")
    ]
    for chain in chains:
        chain.sweep()
    assert chains[0].assignments().tolist() == chains[1].assignments().tolist()
