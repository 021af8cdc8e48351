"""The counts n_vk that a variational start begins with: noise, and documents as topics' seeds."""

from __future__ import annotations

import numpy as np

from blocklda.data.corpus import ByWord, Corpus
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference.variational import FLOAT_LANES
from blocklda.support.arrays import Float32s, Floats, Ints

__all__ = ["PRIOR_RANGE", "first_counts", "padded_topics", "shuffled"]


SEED_SHARE = 0.2
"""Share of a topic's first counts that is one document's. With 0, topics take longer to part from
each other: NIPS, K = 200, 1354 → 1394 instead of 1326 → 1367 after 8 passes; with 0.5 KOS, whose
documents are short, has 1832 → 1774 at K = 200 instead of 1774 → 1747."""

FAVOURED_DOCUMENTS = 30
"""So many documents share that part where the prior of a topic favours words. After 50 sweeps 95 %
of the seed words in benchmarks/seed_words.py were among the 20 largest words of their topic (KOS,
K = 20, weight 10, eight chains), with one document 76 %, with five 83 %."""

PRIOR_RANGE = (1e-6, 1e6)
"""With priors in this range no share of a topic leaves the normal numbers of single precision:
φ is at least 1e-6 / (2³¹ + 1e6 V), and a_k φ_kv at least 1e-6 of that."""

CELLS_AT_ONCE = 2**20
"""Random numbers drawn at a time: 8 MiB of doubles."""


def padded_topics(n_topics: int) -> int:
    """Return the length of a row of single-precision numbers."""
    return -(-n_topics // FLOAT_LANES) * FLOAT_LANES


def first_counts(corpus: Corpus, docs: Ints, priors: Priors, rng: np.random.Generator) -> Float32s:
    """Return n_vk to begin with, shape (words, padded topics), from the documents ``docs``.

    Topics that all begin near the corpus's own word frequencies need most of the first passes to
    part from each other; so each begins with a document of its own. Where topics differ in their
    word priors, a word begins in the topics that its prior favours, and a topic with documents of
    such words: else the topics that form first would take no notice of a prior that is worth fewer
    tokens than the corpus has.
    """
    n_words, n_topics = corpus.n_words, priors.n_topics
    n_vk = np.zeros((n_words, padded_topics(n_topics)), dtype=np.float32)
    frequencies = corpus.word_counts().astype(np.float64)
    even = (1 - SEED_SHARE) / n_topics * frequencies
    mean_beta = np.ones(n_words)
    step = max(1, CELLS_AT_ONCE // n_topics)
    for first in range(0, n_words, step):
        words = slice(first, first + step)
        noise = 0.5 + rng.random((len(even[words]), n_topics))
        n_vk[words, :n_topics] = even[words, None] * noise
        if not priors.beta_is_symmetric:
            beta = np.clip(priors.beta[words], *PRIOR_RANGE)
            mean_beta[words] = beta.mean(axis=1)
            n_vk[words, :n_topics] *= beta / mean_beta[words, None]
    seeds = docs[np.resize(shuffled(len(docs), rng), n_topics)]
    favoured = (
        {} if priors.beta_is_symmetric else _favoured_documents(corpus, priors, mean_beta, rng)
    )
    for k, d in enumerate(seeds):
        _add_documents(corpus, favoured.get(k, [int(d)]), n_vk[:, k], n_topics)
    return n_vk


def _add_documents(corpus: Corpus, documents: list[int], n_k: Float32s, n_topics: int) -> None:
    """Add documents to the counts of one topic, each with the same share."""
    for d in documents:
        entries = slice(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
        counts = corpus.counts[entries]
        share = SEED_SHARE / n_topics * corpus.n_tokens / counts.sum(dtype=np.int64)
        n_k[corpus.word_ids[entries]] += (share / len(documents) * counts).astype(np.float32)


def _favoured_documents(
    corpus: Corpus, priors: Priors, mean_beta: Floats, rng: np.random.Generator
) -> dict[int, list[int]]:
    """Return for each topic the documents of random tokens of the words that it favours.

    A word counts by how far its β_kv exceeds the mean over topics. Topics that favour no word of
    the corpus are left out.
    """
    by_word, frequencies = corpus.by_word(), corpus.word_counts()
    chosen: dict[int, list[int]] = {}
    for k in range(priors.n_topics):
        favour = np.clip(priors.beta[:, k], *PRIOR_RANGE) / mean_beta - 1
        # A mean of equal numbers may be off by its rounding.
        ends = np.add.accumulate(np.where(favour > 1e-9, frequencies * favour, 0))
        if ends[-1] == 0:
            continue
        uniforms = rng.random((FAVOURED_DOCUMENTS, 2))
        words = np.searchsorted(ends, uniforms[:, 0] * ends[-1], side="right")
        chosen[k] = [
            _document_of_token(by_word, v, u) for v, u in zip(words, uniforms[:, 1], strict=True)
        ]
    return chosen


def _document_of_token(by_word: ByWord, v: int, u: float) -> int:
    """Return the document of the token of word v that stands at the share ``u`` of them."""
    entries = slice(by_word.word_offsets[v], by_word.word_offsets[v + 1])
    ends = np.add.accumulate(by_word.counts[entries], dtype=np.int64)
    return int(by_word.doc_ids[entries][np.searchsorted(ends, u * ends[-1], side="right")])


def shuffled(n: int, rng: np.random.Generator) -> Ints:
    """Return 0 … n−1 in random order, from uniforms: how NumPy shuffles may change."""
    return np.argsort(rng.random(n), kind="stable")
