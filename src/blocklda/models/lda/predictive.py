"""Probabilities of held-out tokens given one assignment of topics, and their perplexity."""

from __future__ import annotations

from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.estimates import theta_rows
from blocklda.models.lda.topic_counts import TopicCounts
from blocklda.support.arrays import Floats
from blocklda.support.errors import InputError
from blocklda.support.fixed_order import dot, row_totals

__all__ = ["check_heldout", "perplexity", "predictive"]


def predictive(assigned: TopicCounts, test: Corpus) -> Floats:
    """Return Σ_k θ_dk φ_kv for every entry of ``test``.

    Document by document, since no document needs more of φ than the rows of its held-out words;
    documents without any are not looked at.
    """
    priors = assigned.priors
    docs = np.flatnonzero(np.diff(test.doc_offsets))
    # φ_kv = b_vk / c_k: dividing the few θ_d by c spares dividing all of b.
    b = assigned.word_topic_counts() + priors.beta
    c = assigned.topic_counts() + priors.beta_sum
    rates = theta_rows(assigned.doc_topic_counts_of(docs), priors) / c
    result = np.empty(test.n_entries)
    for d, rate in zip(docs, rates, strict=True):
        entries = slice(test.doc_offsets[d], test.doc_offsets[d + 1])
        result[entries] = row_totals(b.take(test.word_ids[entries], axis=0), rate)
    return result


def perplexity(probabilities: Floats, test: Corpus) -> float:
    """Return exp(−mean log probability) over the tokens of ``test``."""
    return float(np.exp(-dot(test.counts, np.log(probabilities)) / test.n_tokens))


def check_heldout(corpus: Corpus, heldout: Any) -> Corpus:
    """Return held-out tokens of the same documents and words, or say why they are not."""
    test = Corpus.from_matrix(heldout)
    if (test.n_docs, test.n_words) != (corpus.n_docs, corpus.n_words):
        raise InputError(
            f"heldout has {test.n_docs} documents and {test.n_words} words, the training corpus "
            f"{corpus.n_docs} and {corpus.n_words}: both must come from the same call of "
            "blocklda.split_tokens."
        )
    if test.n_tokens == 0:
        raise InputError("heldout has no tokens: hold some out with blocklda.split_tokens.")
    return test
