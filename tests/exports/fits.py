"""Small fits that the tests of exports share."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np

import blocklda

WORDS = tuple(f"{chr(97 + i // 5)}{i % 5}" for i in range(25))


@cache
def fit(*, named: bool = True, n_chains: int = 1) -> blocklda.LDA:
    """Return a model of the bars; its last document is empty and its last word unused."""
    counts = blocklda.simulate.bars(n_docs=80, alpha=0.1, seed=2).corpus.to_matrix().toarray()
    counts[-1] = 0
    counts[:, -1] = 0
    corpus = blocklda.Corpus.from_matrix(counts, WORDS if named else None)
    lda = blocklda.LDA(6, n_chains=n_chains, n_sweeps=40, random_state=0, progress=False)
    return fitted_quietly(lda, corpus)


def fitted_quietly(lda: blocklda.LDA, corpus: blocklda.Corpus) -> blocklda.LDA:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "1 of 80 documents is empty")
        return lda.fit(corpus)


def alike_topics(seed: int = 0) -> np.ndarray:
    """Return topics of which three are the same, as unused topics are."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(200, 0.05), size=20) + 1e-5
    topics[-3:] = 1
    return topics / topics.sum(axis=1, keepdims=True)
