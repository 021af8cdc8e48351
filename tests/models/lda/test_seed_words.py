"""Seed words: the matrix they make, what is refused, and topics that take them up."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda import InputError, simulate
from blocklda.models.lda.seed_words import seeded_beta

WORDS = ("alpha", "beta", "gamma", "delta")


def matrix(seed_words: object, **changes: object) -> np.ndarray:
    settings = {"beta": 0.01, "vocabulary": WORDS, "n_topics": 3, "n_words": 4, **changes}
    return seeded_beta(seed_words=seed_words, **settings)


def test_the_words_of_a_topic_are_raised_in_it_alone():
    made = matrix({0: ["beta", "delta"], 2: np.array([0])}, weight=5.0)
    expected = np.full((3, 4), 0.01)
    expected[0, [1, 3]] = expected[2, 0] = 5.01
    np.testing.assert_array_equal(made, expected)


def test_a_word_may_lead_to_two_topics():
    assert (matrix({0: ["beta"], 1: ("beta",)})[:2, 1] > 1).all()


def test_no_seed_words_no_change():
    np.testing.assert_array_equal(matrix({}), np.full((3, 4), 0.01))


def test_numbers_need_no_vocabulary():
    assert matrix({1: [2]}, vocabulary=None)[1, 2] > 1


@pytest.mark.parametrize(
    ("seed_words", "changes", "said"),
    [
        ({3: ["beta"]}, {}, r"a topic of seed_words=3 .* from 0 to 2"),
        ({"0": ["beta"]}, {}, r"a topic of seed_words='0'"),
        ({-1: ["beta"]}, {}, r"a topic of seed_words=-1"),
        ({0: ["gama"]}, {}, r"seed_words\[0\] has the word 'gama', .*did you mean 'gamma'"),
        ({0: ["zzz"]}, {}, r"'zzz', which is not in the data; check its spelling"),
        ({0: ["beta"]}, {"vocabulary": None}, r"'beta', but the data have no vocabulary"),
        ({0: [4]}, {}, r"a word of seed_words\[0\]=4 .* from 0 to 3"),
        ({0: [1.0]}, {}, r"a word of seed_words\[0\]=1\.0"),
        ({1: []}, {}, r"seed_words\[1\] is empty"),
        ({1: "beta"}, {}, r"seed_words\[1\]='beta' is not a list"),
        ({1: 7}, {}, r"seed_words\[1\]=7 is not a list"),
        ({1: ["beta", "gamma", "beta"]}, {}, r"seed_words\[1\] has the word 'beta' twice"),
        ({1: ["beta", 1]}, {}, r"seed_words\[1\] has the word 1 twice"),
        (["beta"], {}, r"seed_words=\['beta'\] is not a mapping"),
        ({0: ["beta"]}, {"beta": np.ones((3, 4))}, r"beta has the shape \(3, 4\)"),
        ({0: ["beta"]}, {"beta": -1.0}, r"beta=-1\.0 is not allowed"),
        ({0: ["beta"]}, {"weight": 0}, r"seed_weight=0 is not allowed"),
        ({0: ["beta"]}, {"weight": "much"}, r"seed_weight='much' is not allowed"),
        ({0: ["beta"]}, {"weight": float("inf")}, r"seed_weight=inf is not allowed"),
    ],
)
def test_mistakes_are_told(seed_words, changes, said):
    with pytest.raises(InputError, match=said):
        matrix(seed_words, **changes)


def n_taken_up(corpus: blocklda.Corpus, beta: object) -> int:
    """Count over ten chains the seeds that are among the five largest words of their topic."""
    found = 0
    for seed in range(10):
        chain = blocklda.Chain(corpus, 10, beta=beta, init="variational", seed=seed)
        chain.sweep(10)
        n_kv = chain.topic_word_counts()
        found += sum((n_kv[k] > n_kv[k, v]).sum() < 5 for k, v in ((7, 1), (7, 2), (3, 9), (3, 19)))
    return found


@pytest.mark.parametrize("weight", [1.0, 100.0])
def test_bars_come_where_their_cells_were_put(weight):
    """Two cells of the first row, and two of the last column. Measured: 36 and 37 of 40, and 6."""
    corpus = simulate.bars(n_docs=300, seed=1).corpus
    seeds = {7: ["r0c1", "r0c2"], 3: ["r1c4", "r3c4"]}
    beta = seeded_beta(0.01, seeds, corpus.vocabulary, 10, 25, weight)
    assert n_taken_up(corpus, beta) >= 32
    assert n_taken_up(corpus, 0.01) <= 16


@pytest.mark.realdata
def test_topics_of_kos_take_up_their_words(data_dir):
    """Measured over ten chains: see benchmarks/seed_words.py."""
    corpus = blocklda.read_corpus(data_dir / "docword.kos.txt.gz")
    seeds = {0: ["iraq", "war"], 1: ["poll", "polls"]}
    beta = seeded_beta(0.01, seeds, corpus.vocabulary, 20, corpus.n_words)
    for seed in range(3):
        chain = blocklda.Chain(
            corpus, 20, beta=beta, init="variational", sampler="sparse", seed=seed
        )
        chain.sweep(10)
        n_kv = chain.topic_word_counts()
        for k, v in np.argwhere(beta > 0.01):
            assert (n_kv[k] > n_kv[k, v]).sum() < 20
