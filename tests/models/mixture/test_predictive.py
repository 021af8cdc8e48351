"""Predictions, pairs and representative clusterings of draws of a mixture."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import logsumexp

import blocklda
from blocklda.models.mixture.clusterings import representative, variation_of_information
from blocklda.models.mixture.predictive import (
    WatchedDocuments,
    document_log_probability,
    log_weights,
)
from tests.models.mixture.problem import Problem

X = ((2, 1, 0), (0, 3, 1), (1, 1, 0), (0, 0, 2))
BETA = (0.5, 0.4, 0.6)


def chain_at(labels: list[int], n_components: int | None, matrix=X) -> blocklda.DPMixtureChain:
    return blocklda.DPMixtureChain(
        np.array(matrix), 1.3, BETA, n_components, learn=False, init=np.array(labels)
    )


@pytest.mark.parametrize("n_components", [None, 3])
def test_weights_are_ratios_of_joint_probabilities(n_components):
    """p(component, document | draw) = p(all with the document there) / p(all without it)."""
    labels, new = [0, 1, 0, 1], (1, 2, 2)
    draw = chain_at(labels, n_components).draw()
    documents = blocklda.Corpus.from_matrix(np.array([new])).to_matrix()
    (found,) = log_weights(draw, documents)
    n_open = n_components or 2
    extended = Problem((*X, new), 1.3, BETA, n_components)
    alone = Problem(X, 1.3, BETA, n_components)

    def log_joint(problem: Problem, state: tuple[int, ...]) -> float:
        i = problem.places[state]
        return (problem.log_prior(1.3) + problem.log_words)[i]

    without = log_joint(alone, tuple(labels))
    columns = range(n_open if n_components else n_open + 1)
    expected = [log_joint(extended, (*labels, c)) - without for c in columns]
    assert found[: len(expected)] == pytest.approx(expected)
    assert (found[len(expected) :] == -np.inf).all()


@pytest.mark.parametrize("n_components", [None, 3])
def test_predictive_probabilities_sum_to_one(n_components):
    """Over all sequences of three words."""
    draw = chain_at([0, 1, 0, 1], n_components).draw()
    rows = np.array([np.bincount(s, minlength=3) for s in itertools.product(range(3), repeat=3)])
    documents = blocklda.Corpus.from_matrix(rows).to_matrix()
    assert np.exp(document_log_probability(draw, documents)).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("n_components", [None, 3])
@pytest.mark.parametrize("labels", [[0, 1, 0, 1], [0, 0, 0, 1]])
def test_watched_documents_are_predicted_by_the_others(labels, n_components):
    chain = chain_at(labels, n_components)
    expected = 0.0
    for d in range(4):
        rest = [row for i, row in enumerate(X) if i != d]
        others = np.delete(labels, d)
        kept = others if n_components else np.unique(others, return_inverse=True)[1]
        draw = chain_at(kept.tolist(), n_components, rest).draw()
        document = blocklda.Corpus.from_matrix(np.array([X[d]])).to_matrix()
        expected += float(logsumexp(log_weights(draw, document)))
    found = WatchedDocuments.choose(chain.corpus).log_predictive(chain.draw())
    assert found == pytest.approx(expected / np.sum(X))


def test_variation_of_information():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert variation_of_information(a, a) == variation_of_information(a, 1 - a) == 0.0
    assert variation_of_information(a, b) == pytest.approx(2 * np.log(2))
    assert variation_of_information(a, np.zeros(4, dtype=int)) == pytest.approx(np.log(2))
    many = np.arange(3_000)
    assert variation_of_information(many, many) == pytest.approx(0.0, abs=1e-9)


def test_the_representative_clustering_is_the_one_in_the_middle():
    a, b = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 0, 1, 1])
    c = np.array([0, 0, 1, 1, 2, 2])
    assert representative([b, a, a, c]) in (1, 2)
    assert representative([a]) == 0
