"""Small fitted models with words that a figure must not stumble over."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from tests.summaries.models import small_lda

HOSTILE = ("$x$", "a_b^c", "\\frac{1}", "$", "é…", "<b>&", "word" * 20, "two\nlines\t.", "_hidden")
"""One for each of the nine words."""


@pytest.fixture(scope="session")
def lda() -> blocklda.LDA:
    """Two chains, six topics, nine words without names, 30 documents of which number 7 is empty."""
    return small_lda()


@pytest.fixture(scope="session")
def hostile() -> blocklda.LDA:
    """The same corpus with names of words and documents that look like something else."""
    counts = blocklda.simulate.bars(n_docs=30, side=3, seed=2).corpus.to_matrix()
    names = [f"${d}$_{d}" for d in range(30)]
    names[4] = names[5]
    corpus = blocklda.Corpus.from_matrix(counts, HOSTILE, doc_names=names)
    return blocklda.LDA(4, n_chains=2, n_sweeps=30, random_state=0, progress=False).fit(corpus)


@pytest.fixture(scope="session")
def one_topic() -> blocklda.LDA:
    counts = np.array([[3, 0], [1, 2], [0, 4]])
    return blocklda.LDA(1, alpha=0.1, beta=0.01, n_sweeps=10, random_state=0, progress=False).fit(
        counts
    )
