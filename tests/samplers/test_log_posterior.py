"""log q against its definition, term by term."""

from __future__ import annotations

from math import lgamma

import numpy as np
import pytest

import blocklda

MATRIX = np.array([[4, 0, 1, 0], [0, 0, 0, 0], [2, 3, 0, 0]])
ALPHA = {"symmetric": 0.1, "asymmetric": (0.3, 2.5, 0.05), "above one": 30.0}
BETA = {
    "scalar": 0.01,
    "matrix": np.random.default_rng(3).uniform(0.01, 4.0, size=(3, 4)),
    "constant matrix": np.full((3, 4), 0.01),
}


def direct_log_posterior(
    matrix: np.ndarray, topics: np.ndarray, alpha: np.ndarray, beta: np.ndarray
) -> float:
    """Return the paper's log q, all D·K + K·V + K terms."""
    n_docs, n_words = matrix.shape
    n_topics = len(alpha)
    n_dk = np.zeros((n_docs, n_topics))
    n_kv = np.zeros((n_topics, n_words))
    tokens = iter(topics)
    for d in range(n_docs):
        for v in range(n_words):
            for _ in range(matrix[d, v]):
                k = next(tokens)
                n_dk[d, k] += 1
                n_kv[k, v] += 1
    total = 0.0
    for k in range(n_topics):
        total += sum(lgamma(n_dk[d, k] + alpha[k]) for d in range(n_docs))
        total += sum(lgamma(n_kv[k, v] + beta[k, v]) for v in range(n_words))
        total -= lgamma(n_kv[k].sum() + beta[k].sum())
    return total


@pytest.mark.parametrize("beta", BETA.values(), ids=BETA)
@pytest.mark.parametrize("alpha", ALPHA.values(), ids=ALPHA)
def test_log_posterior_has_every_term(alpha, beta):
    chain = blocklda.Chain(MATRIX, 3, alpha=alpha, beta=beta, seed=1)
    for _ in range(5):
        expected = direct_log_posterior(
            MATRIX,
            chain.assignments(),
            np.broadcast_to(alpha, 3),
            np.broadcast_to(beta, (3, 4)),
        )
        assert chain.log_posterior() == pytest.approx(expected, rel=1e-12)
        chain.sweep()


def test_a_constant_matrix_is_a_number():
    number = blocklda.Chain(MATRIX, 3, beta=0.01, seed=1)
    matrix = blocklda.Chain(MATRIX, 3, beta=np.full((3, 4), 0.01), seed=1)
    assert number.log_posterior() == pytest.approx(matrix.log_posterior(), rel=1e-13)


def test_order_of_documents_words_and_topics_does_not_matter():
    """Permute rows, columns and labels together with the state and the priors."""
    rng = np.random.default_rng(5)
    alpha, beta = rng.uniform(0.1, 2.0, 3), rng.uniform(0.1, 2.0, (3, 4))
    chain = blocklda.Chain(MATRIX, 3, alpha=alpha, beta=beta, seed=6)
    for _ in range(5):
        chain.sweep()
        docs, words, labels = rng.permutation(3), rng.permutation(4), rng.permutation(3)
        permuted = blocklda.Chain(
            MATRIX[docs][:, words],
            3,
            alpha=alpha[labels],
            beta=beta[labels][:, words],
            init=permuted_topics(chain, docs, words, labels),
        )
        assert permuted.log_posterior() == pytest.approx(chain.log_posterior(), rel=1e-12)


def permuted_topics(
    chain: blocklda.Chain, docs: np.ndarray, words: np.ndarray, labels: np.ndarray
) -> list[int]:
    """Return the assignments in the order of the entries of the permuted matrix."""
    entries = zip(*np.nonzero(MATRIX), strict=True)
    ends = np.cumsum(MATRIX[MATRIX > 0])[:-1]
    topics = dict(zip(entries, np.split(chain.assignments(), ends), strict=True))
    new_label = np.argsort(labels)
    return [
        int(new_label[k]) for d in docs for v in words for k in topics.get((int(d), int(v)), ())
    ]


def test_a_state_that_explains_the_words_is_more_probable():
    """Two words that never meet: one topic each beats both topics mixed."""
    matrix = [[6, 0], [0, 6]]
    apart = blocklda.Chain(matrix, 2, init=[0] * 6 + [1] * 6).log_posterior()
    mixed = blocklda.Chain(matrix, 2, init=[0, 1] * 6).log_posterior()
    assert apart > mixed
