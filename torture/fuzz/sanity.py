"""The second look at what was read: the promises that everything after the door relies on."""

from __future__ import annotations

from typing import Any

import numpy as np

import blocklda
from blocklda.data.corpus import MAX_TOKENS

__all__ = [
    "InsaneError",
    "require_probabilities",
    "require_sane_chain",
    "require_sane_corpus",
    "require_sane_model",
]


class InsaneError(Exception):
    """A file was read as something that cannot be."""


def _require(holds: object, promise: str) -> None:
    if not holds:
        raise InsaneError(promise)


def require_sane_corpus(corpus: blocklda.Corpus) -> None:
    """Raise InsaneError if a corpus breaks a promise of its class."""
    offsets, words, counts = corpus.doc_offsets, corpus.word_ids, corpus.counts
    _require(corpus.n_docs >= 1 and corpus.n_words >= 1, "it has documents and words")
    _require(len(offsets) == corpus.n_docs + 1, "each document has an offset")
    _require(offsets[0] == 0 and offsets[-1] == len(counts), "offsets span the entries")
    _require((np.diff(offsets) >= 0).all(), "offsets ascend")
    _require(len(words) == len(counts) == corpus.n_entries, "each entry has a word and a count")
    _require((counts >= 1).all(), "counts are at least 1")
    _require(int(counts.sum(dtype=np.int64)) == corpus.n_tokens <= MAX_TOKENS, "tokens add up")
    _require(((words >= 0) & (words < corpus.n_words)).all(), "words are within bounds")
    docs = np.repeat(np.arange(corpus.n_docs), np.diff(offsets))
    keys = docs * corpus.n_words + words
    _require((np.diff(keys) > 0).all(), "words ascend within documents")
    for names, length in ((corpus.vocabulary, corpus.n_words), (corpus.doc_names, corpus.n_docs)):
        if names is not None:
            _require(len(names) == length, "there is a name for each")
            _require(all(isinstance(name, str) for name in names), "names are strings")
    _require(corpus.vocabulary is None or len(set(corpus.vocabulary)) == corpus.n_words, "unique")


def require_sane_chain(chain: blocklda.Chain) -> None:
    """Raise InsaneError if the tables of a chain do not agree with its corpus."""
    topics, corpus = chain.assignments(), chain.corpus
    _require(len(topics) == corpus.n_tokens, "each token has a topic")
    _require(((topics >= 0) & (topics < chain.n_topics)).all(), "topics are within bounds")
    _require(chain.topic_word_counts().sum() == corpus.n_tokens, "tokens add up")
    _require(chain.n_sweeps >= 0, "sweeps are counted from 0")
    priors = chain.priors
    if all(((one > 1e-300) & (one < 1e300)).all() for one in (priors.alpha, priors.beta)):
        # Beyond that, sums of logarithms of gamma functions leave the range of floating point.
        _require(np.isfinite(chain.log_posterior()), "the log posterior is a number")


def require_sane_model(lda: blocklda.LDA) -> None:
    """Raise InsaneError if an estimator's results are no probabilities, or a chain is wrong."""
    require_probabilities(lda)
    for chain in lda.chains_:
        require_sane_chain(chain)


def require_probabilities(model: Any) -> None:
    """Raise InsaneError if the tables of an estimator are no probabilities."""
    for table in (model.components_, model.doc_topic_):
        _require((table >= 0).all(), "probabilities are not negative")
        _require(np.allclose(table.sum(axis=1), 1, rtol=1e-6), "probabilities add up to 1")
