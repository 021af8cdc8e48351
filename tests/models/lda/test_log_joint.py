"""log p(z, w | α, β) is the log of a probability, whatever the priors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

import blocklda
from blocklda.models.lda.log_posterior import log_joint

LENGTHS = (2, 0, 2)
DOCS = np.repeat(np.arange(len(LENGTHS)), LENGTHS)
N_WORDS, N_TOPICS = 3, 2
ALPHAS = {"number": 0.3, "vector": (0.2, 1.7)}
BETAS = {"number": 0.6, "matrix": ((0.1, 2.0, 0.5), (1.3, 0.4, 0.2))}


def chain_at(words: np.ndarray, topics: np.ndarray, alpha: object, beta: object) -> blocklda.Chain:
    counts = np.zeros((len(LENGTHS), N_WORDS), dtype=int)
    np.add.at(counts, (DOCS, words), 1)
    order = np.lexsort((topics, words, DOCS))
    return blocklda.Chain(counts, N_TOPICS, alpha, beta, init=topics[order])


@pytest.mark.parametrize("alpha", ALPHAS.values(), ids=ALPHAS)
@pytest.mark.parametrize("beta", BETAS.values(), ids=BETAS)
def test_all_topics_and_words_have_the_probability_1(alpha, beta):
    n_tokens = len(DOCS)
    values = [
        log_joint(chain_at(np.array(w), np.array(z), alpha, beta).state)
        for w in itertools.product(range(N_WORDS), repeat=n_tokens)
        for z in itertools.product(range(N_TOPICS), repeat=n_tokens)
    ]
    assert logsumexp(values) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.1, "vector"])
@pytest.mark.parametrize("beta", [0.01, "matrix"])
def test_it_has_every_term(alpha, beta):
    rng = np.random.default_rng(3)
    alpha = rng.uniform(0.01, 2, 5) if alpha == "vector" else alpha
    beta = rng.uniform(0.01, 2, (5, 9)) if beta == "matrix" else beta
    chain = blocklda.Chain(rng.poisson(2.0, (12, 9)), 5, alpha, beta)
    n_dk, n_kv = chain.doc_topic_counts(), chain.topic_word_counts()
    expected = dirichlet_multinomial(n_dk, alpha) + dirichlet_multinomial(n_kv, beta)
    assert log_joint(chain.state) == pytest.approx(expected, rel=1e-12)
    assert log_joint(chain.draw()) == log_joint(chain.state)


def dirichlet_multinomial(counts: np.ndarray, prior: object) -> float:
    prior = np.broadcast_to(prior, counts.shape)
    rows = (
        gammaln(prior.sum(axis=1))
        - gammaln((counts + prior).sum(axis=1))
        + (gammaln(counts + prior) - gammaln(prior)).sum(axis=1)
    )
    return float(rows.sum())
