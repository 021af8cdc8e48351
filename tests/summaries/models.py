"""Small fitted models, and the same models with the topics of a chain numbered in another way."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

import blocklda
from benchmarks.recorded import Recorded, record
from blocklda.models.lda.topic_means import TopicMeans
from blocklda.results.result import FitResult
from blocklda.results.stability import Alignment
from tests.results.traces import changed

N_TOPICS = 6


def small_lda(**settings: object) -> blocklda.LDA:
    """Fit bars of a 3 by 3 grid: 30 documents, one of them empty, and two chains.

    With this seed the first chain is the reference.
    """
    matrix = blocklda.simulate.bars(n_docs=30, side=3, seed=2).corpus.to_matrix().toarray()
    matrix[7] = 0
    # Some are shorter, so that nothing works by all being of one length.
    matrix[3:12] //= 3
    usual = {"n_topics": N_TOPICS, "alpha": 0.1, "beta": 0.01, "n_chains": 2, "n_sweeps": 40}
    settings = {**usual, "random_state": 1, **settings}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="1 of 30 documents is empty")
        return blocklda.LDA(progress=False, **settings).fit(matrix)


def simulated_run(seed: int) -> tuple[np.ndarray, np.ndarray, Recorded]:
    """Return φ and topics of tokens, both drawn from the model, and a chain on what they led to.

    Everything is drawn from the prior, and the chain starts at the topics that the tokens have: a
    draw from the posterior. So the truth is one more such draw, and an interval that holds 80 % of
    the posterior holds the truth in 80 % of all cases, whichever words it is made for.
    """
    alpha, beta, n_topics, n_words = 0.2, 0.1, 3, 12
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(n_words, beta), size=n_topics)
    theta = rng.dirichlet(np.full(n_topics, alpha), size=40)
    corpus = blocklda.simulate.draw_corpus(theta, phi, 25, rng)
    truth = blocklda.simulate.draw_assignments(corpus, theta, phi, rng)
    chain = blocklda.Chain(corpus, n_topics, alpha, beta, sampler="nested", seed=seed, init=truth)
    return phi, truth, record([chain], 400, thin=4)


def renumbered(model: FitResult) -> FitResult:
    """Return the model as if another chain than the reference had other numbers for its topics."""
    chain = 0 if model.reference > 0 else 1
    new_name = np.random.default_rng(5).permutation(model.n_topics)
    means = model.chain_means[chain]
    doc_topic, topic_word = np.empty_like(means.doc_topic_sum), np.empty_like(means.topic_word_sum)
    doc_topic[:, new_name] = means.doc_topic_sum
    topic_word[new_name] = means.topic_word_sum
    order, sizes = model.alignment.order.copy(), model.trace.topic_sizes.copy()
    order[chain] = new_name[order[chain]]
    sizes[chain][:, new_name] = model.trace.topic_sizes[chain]
    others = list(model.chain_means)
    others[chain] = TopicMeans(means.n_draws, doc_topic, topic_word)
    return replace(
        model,
        draws=tuple(
            replace(draw, topics=new_name[draw.topics].astype(draw.topics.dtype))
            if draw.chain == chain
            else draw
            for draw in model.draws
        ),
        align=lambda: Alignment(order, model.alignment.distances, model.reference),
        trace=changed(model.trace, topic_size=sizes),
        chain_means=tuple(others),
    )


def aligned_counts(model: FitResult) -> list[np.ndarray]:
    """Return n_dvk of the reference chain's draws, documents × words × topics, token by token."""
    corpus = model.corpus
    tables = []
    for draw in model.reference_draws:
        table = np.zeros((corpus.n_docs, corpus.n_words, model.n_topics))
        for d, v, topic in zip(draw.token_docs(), draw.token_words(), draw.topics, strict=True):
            table[d, v, topic] += 1
        tables.append(table)
    return tables


def without_draws(model: FitResult) -> FitResult:
    return replace(model, draws=())
