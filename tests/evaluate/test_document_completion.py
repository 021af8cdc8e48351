"""Held-out perplexity, against the paper's formulas written out slowly."""

from __future__ import annotations

import math

import numpy as np
import pytest

import blocklda
from blocklda import InputError
from blocklda.evaluate import document_completion

COUNTS = np.random.default_rng(2).poisson(1.0, size=(6, 7))
TRAIN, HELDOUT = blocklda.split_tokens(COUNTS, [4, 5], seed=0)
ALPHA = np.array([0.2, 0.4, 0.6])
BETA = np.random.default_rng(5).uniform(0.1, 0.9, size=(3, 7))


def slow_perplexity(n_sweeps: int) -> float:
    """exp(−Σ C* log mean_l Σ_k θ_dk φ_kv / N*), with every estimate from its definition."""
    chain = blocklda.Chain(TRAIN, 3, ALPHA, BETA, seed=4)
    heldout = HELDOUT.toarray()
    means = np.zeros(heldout.shape)
    for _ in range(n_sweeps):
        chain.sweep()
        n_dk, n_kv = chain.doc_topic_counts(), chain.topic_word_counts()
        for d, v in np.argwhere(heldout):
            for k in range(3):
                theta = (n_dk[d, k] + ALPHA[k]) / (n_dk[d].sum() + ALPHA.sum())
                phi = (n_kv[k, v] + BETA[k, v]) / (n_kv[k].sum() + BETA[k].sum())
                means[d, v] += theta * phi / n_sweeps
    total = sum(heldout[d, v] * math.log(means[d, v]) for d, v in np.argwhere(heldout))
    return math.exp(-total / heldout.sum())


@pytest.mark.parametrize("heldout", [HELDOUT, blocklda.Corpus.from_matrix(HELDOUT)])
def test_it_is_the_papers_formula(heldout):
    chain = blocklda.Chain(TRAIN, 3, ALPHA, BETA, seed=4)
    assert document_completion(chain, heldout, 10)[0] == pytest.approx(slow_perplexity(10), 1e-12)


def test_windows_do_not_overlap_and_the_last_may_be_shorter():
    chain = blocklda.Chain(TRAIN, 3, seed=4)
    assert document_completion(chain, HELDOUT, n_sweeps=25).shape == (3,)
    assert chain.n_sweeps == 25
    again = blocklda.Chain(TRAIN, 3, seed=4)
    pieces = [document_completion(again, HELDOUT, n)[0] for n in (10, 10, 5)]
    other = blocklda.Chain(TRAIN, 3, seed=4)
    assert np.array_equal(document_completion(other, HELDOUT, 25), pieces)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((HELDOUT, 0), "n_sweeps=0"),
        ((HELDOUT, 2.5), "n_sweeps="),
        ((HELDOUT, 5, 0), "window=0"),
        ((HELDOUT[:3], 5), "3 documents"),
        ((HELDOUT[:, :3], 5), "3 words"),
        ((np.zeros((6, 7), dtype=int), 5), "no tokens"),
    ],
)
def test_wrong_arguments_are_named(arguments, said):
    with pytest.raises(InputError, match=said):
        document_completion(blocklda.Chain(TRAIN, 3), *arguments)


@pytest.mark.realdata
def test_kos_perplexity_falls_to_where_others_found_it(data_dir):
    """One state of 100 sweeps at K = 40 gives 1,900 to 1,970; a mean over ten is lower."""
    corpus = blocklda.read_corpus(data_dir / "docword.kos.txt.gz")
    train, heldout = blocklda.split_tokens(corpus, range(3000, 3430), seed=0)
    chain = blocklda.Chain(train, 40, seed=1)
    first = document_completion(chain, heldout, 10)[0]
    chain.sweep(80)
    last = document_completion(chain, heldout, 10)[0]
    assert last < first
    assert 1_550 < last < 1_950
