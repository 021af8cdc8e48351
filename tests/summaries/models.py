"""Small fitted models, and the same models with the topics of a chain numbered in another way."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

import blocklda
from blocklda.models.lda.topic_means import TopicMeans
from blocklda.results.result import FitResult
from blocklda.results.stability import Alignment
from tests.results.traces import changed

N_TOPICS = 6


def small_lda(**settings: object) -> blocklda.LDA:
    """Fit bars of a 3 by 3 grid: 30 documents, one of them empty, and two chains."""
    matrix = blocklda.simulate.bars(n_docs=30, side=3, seed=2).corpus.to_matrix().toarray()
    matrix[7] = 0
    # Some are shorter, so that nothing works by all being of one length.
    matrix[3:12] //= 3
    usual = {"n_topics": N_TOPICS, "alpha": 0.1, "beta": 0.01, "n_chains": 2, "n_sweeps": 40}
    settings = {**usual, "random_state": 1, **settings}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="1 of 30 documents are empty")
        return blocklda.LDA(progress=False, **settings).fit(matrix)


def renumbered(model: FitResult, chain: int = 1) -> FitResult:
    """Return the model as if a chain had numbered its topics in another way."""
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
        alignment=Alignment(order, model.alignment.distances),
        trace=changed(model.trace, topic_size=sizes),
        chain_means=tuple(others),
    )


def aligned_counts(model: FitResult) -> list[np.ndarray]:
    """Return n_dvk of every draw, documents × words × topics, token by token."""
    corpus = model.corpus
    tables = []
    for draw in model.draws:
        table = np.zeros((corpus.n_docs, corpus.n_words, model.n_topics))
        position = {int(t): k for k, t in enumerate(model.alignment.order[draw.chain])}
        for d, v, topic in zip(draw.token_docs(), draw.token_words(), draw.topics, strict=True):
            table[d, v, position[int(topic)]] += 1
        tables.append(table)
    return tables


def without_draws(model: FitResult) -> FitResult:
    return replace(model, draws=())
