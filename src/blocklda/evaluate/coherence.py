"""Coherence: whether the top words of a topic occur in the same documents of a reference corpus."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.evaluate.diversity import COHERENCE_WORDS, check_topics, top_words
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["npmi", "umass"]


def npmi(topic_word: Any, documents: Any, n_words: int = COHERENCE_WORDS) -> Floats:
    """Return the normalised pointwise mutual information of each topic's top words.

    The mean over all pairs of the ``n_words`` most probable words of

        log( p_ij / (p_i p_j) ) / −log p_ij,

    where p_i is the share of the documents that have word i, and p_ij of those that have both, any
    number of times. It lies between −1 and 1. A pair that never occurs together counts −1 and one
    that is in every document 1, which are the limits of the formula. Pairs in which one word is in
    no document are left out; a topic with no other pairs gets NaN.

    Parameters
    ----------
    topic_word
        φ, shape (topics, words), such as ``LDA.components_``. In case of ties, the first columns
        are used.
    documents
        The reference corpus, over the same words: a Corpus or anything `Corpus.from_matrix` takes.
    n_words
        Number of top words, at least 2.

    Examples
    --------
    >>> import blocklda
    >>> bars = blocklda.simulate.bars(n_docs=100, seed=1)
    >>> blocklda.evaluate.npmi(bars.topics, bars.corpus, n_words=5).shape
    (10,)
    """
    topics, corpus, n_words = _checked(topic_word, documents, n_words)
    return np.array(
        [_npmi(both, corpus.n_docs) for both in _document_counts(topics, corpus, n_words)]
    )


def umass(topic_word: Any, documents: Any, n_words: int = COHERENCE_WORDS) -> Floats:
    """Return the coherence of Mimno et al. (2011) of each topic's top words, as a mean over pairs.

    With the top words v_1, v_2, … in order of probability, the mean over all pairs l < m of

        log( (D(v_m, v_l) + 1) / D(v_l) ),

    where D counts the documents that have the word, or both words. The paper has the sum:
    multiply by n_words (n_words − 1) / 2. Pairs whose v_l is in no document are left out;
    a topic with no other pairs gets NaN. The parameters are those of :func:`npmi`.

    Examples
    --------
    >>> import blocklda
    >>> bars = blocklda.simulate.bars(n_docs=100, seed=1)
    >>> blocklda.evaluate.umass(bars.topics, bars.corpus, n_words=5).shape
    (10,)
    """
    topics, corpus, n_words = _checked(topic_word, documents, n_words)
    return np.array([_umass(both) for both in _document_counts(topics, corpus, n_words)])


def _npmi(both: Ints, n_docs: int) -> float:
    """Return the mean over pairs; ``both[i, j]`` counts documents with both, [i, i] with word i."""
    i, j = np.triu_indices(len(both), 1)
    alone = np.diag(both)
    seen = (alone[i] > 0) & (alone[j] > 0)
    i, j = i[seen], j[seen]
    p, p_ij = alone / n_docs, both[i, j] / n_docs
    values = np.where(p_ij > 0, 1.0, -1.0)
    inside = (p_ij > 0) & (p_ij < 1)
    i, j, p_ij = i[inside], j[inside], p_ij[inside]
    values[inside] = np.log(p_ij / (p[i] * p[j])) / -np.log(p_ij)
    return _mean(values)


def _umass(both: Ints) -> float:
    earlier, later = np.triu_indices(len(both), 1)
    alone = np.diag(both)[earlier]
    seen = alone > 0
    return _mean(np.log((both[earlier, later][seen] + 1) / alone[seen]))


def _mean(values: Floats) -> float:
    return float(values.mean()) if values.size else np.nan


def _document_counts(topics: Floats, corpus: Corpus, n_words: int) -> list[Ints]:
    """Return, for each topic, how many documents have both of two top words."""
    by_word = corpus.by_word()
    occurs = sparse.csc_array(
        (np.ones(corpus.n_entries, dtype=np.int64), by_word.doc_ids, by_word.word_offsets),
        shape=(corpus.n_docs, corpus.n_words),
    )
    counts = []
    for words in top_words(topics, n_words):
        columns = occurs[:, words]
        counts.append((columns.T @ columns).toarray())
    return counts


def _checked(topic_word: Any, documents: Any, n_words: Any) -> tuple[Floats, Corpus, int]:
    topics, n_words = check_topics(topic_word, n_words, least=2)
    corpus = Corpus.from_matrix(documents)
    if corpus.n_words != topics.shape[1]:
        raise InputError(
            f"topic_word has {topics.shape[1]} words (columns) and the documents have "
            f"{corpus.n_words}: both must have the same vocabulary."
        )
    return topics, corpus, n_words
