"""A corpus shaped like UCI's NYTimes, drawn from an LDA: 102,660 words, 332 tokens a document.

Over all documents the words follow the Zipf–Mandelbrot law p_v ∝ (v + SHIFT)^−EXPONENT. The topics
are φ_k ∝ p_v g_kv with g_kv ~ Gamma(BURST): the smaller BURST, the fewer words make up a topic and
the more often a document repeats a word. Lengths are log-normal. SHIFT, EXPONENT and BURST were set
so that 332 tokens make about 232 entries, as in NYTimes (69.7 M entries, 99.5 M tokens).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

import blocklda

N_WORDS = 102_660
N_TOPICS = 200
ALPHA = 0.1
SHIFT, EXPONENT, BURST = 30.0, 1.3, 0.05
MEAN_LENGTH, LENGTH_SPREAD = 332, 0.6
DOCS_PER_CHUNK = 4_000
"""Documents drawn together: 1.3 M tokens, whose working arrays take about 100 MB."""


@dataclass
class Drawn:
    """A corpus and the topic that every token was drawn from."""

    corpus: blocklda.Corpus
    topics: np.ndarray


def draw(n_docs: int, seed: int = 0, n_words: int = N_WORDS) -> Drawn:
    """Draw a corpus; beside it, memory holds the topics once and small chunks."""
    rng = np.random.default_rng(seed)
    mean = np.log(MEAN_LENGTH) - LENGTH_SPREAD**2 / 2
    lengths = np.maximum(1, rng.lognormal(mean, LENGTH_SPREAD, n_docs)).astype(np.int64)
    # As many entries as tokens at most; pages that are never written take no memory.
    words = np.empty(lengths.sum(), dtype=np.int32)
    counts = np.empty(lengths.sum(), dtype=np.int16)
    topics = np.empty(lengths.sum(), dtype=np.uint8)
    offsets = np.zeros(n_docs + 1, dtype=np.int64)
    n_entries = n_tokens = 0
    for first, chunk in _chunks(lengths, rng, n_words):
        entries = slice(n_entries, n_entries + len(chunk.words))
        words[entries], counts[entries] = chunk.words, chunk.counts
        topics[n_tokens : n_tokens + len(chunk.topics)] = chunk.topics
        offsets[first + 1 : first + 1 + len(chunk.sizes)] = n_entries + np.cumsum(chunk.sizes)
        n_entries, n_tokens = entries.stop, n_tokens + len(chunk.topics)
    matrix = sparse.csr_matrix(
        (counts[:n_entries], words[:n_entries], offsets), shape=(n_docs, n_words)
    )
    matrix.has_canonical_format = True
    return Drawn(blocklda.Corpus.from_matrix(matrix), topics)


def first_documents(drawn: Drawn, n_docs: int) -> Drawn:
    """Return the first documents as a corpus of their own."""
    corpus = drawn.corpus
    n_entries = int(corpus.doc_offsets[n_docs])
    matrix = sparse.csr_matrix(
        (corpus.counts[:n_entries], corpus.word_ids[:n_entries], corpus.doc_offsets[: n_docs + 1]),
        shape=(n_docs, corpus.n_words),
    )
    matrix.has_canonical_format = True
    part = blocklda.Corpus.from_matrix(matrix)
    return Drawn(part, drawn.topics[: part.n_tokens])


@dataclass
class _Chunk:
    words: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray
    topics: np.ndarray


def _chunks(
    lengths: np.ndarray, rng: np.random.Generator, n_words: int
) -> Iterator[tuple[int, _Chunk]]:
    cumulated = _topics(rng, n_words)
    for first in range(0, len(lengths), DOCS_PER_CHUNK):
        yield first, _draw_chunk(lengths[first : first + DOCS_PER_CHUNK], cumulated, rng)


def _topics(rng: np.random.Generator, n_words: int) -> np.ndarray:
    """Return cumulated φ, shape (topics, words)."""
    frequencies = (np.arange(n_words) + SHIFT) ** -EXPONENT
    cumulated = np.empty((N_TOPICS, n_words))
    for row in cumulated:
        np.cumsum(frequencies * rng.gamma(BURST, size=n_words), out=row)
    return cumulated / cumulated[:, -1:]


def _draw_chunk(lengths: np.ndarray, cumulated: np.ndarray, rng: np.random.Generator) -> _Chunk:
    """Draw topics, then words topic by topic, and sort the tokens by document, word and topic."""
    n_docs, (n_topics, n_words) = len(lengths), cumulated.shape
    theta = rng.dirichlet(np.full(n_topics, ALPHA), n_docs)
    per_topic = rng.multinomial(lengths, theta).T
    docs = np.repeat(np.tile(np.arange(n_docs), n_topics), per_topic.ravel())
    totals = per_topic.sum(axis=1)
    words = np.concatenate(
        [
            np.searchsorted(row, rng.random(total), side="right")
            for row, total in zip(cumulated, totals, strict=True)
        ]
    )
    keys = (docs * n_words + words) * n_topics + np.repeat(np.arange(n_topics), totals)
    keys.sort()
    entries, topics = keys // n_topics, keys % n_topics
    starts = np.flatnonzero(np.diff(entries, prepend=-1))
    counts = np.diff(starts, append=len(entries))
    owners, their_words = np.divmod(entries[starts], n_words)
    return _Chunk(their_words, counts, np.bincount(owners, minlength=n_docs), topics)
