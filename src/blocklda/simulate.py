"""Corpora drawn from a known model, to see whether a sampler finds it again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from blocklda.data.corpus import MAX_TOKENS, Corpus
from blocklda.models.lda.priors import Priors
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Int32s, Ints
from blocklda.support.checks import random_generator, whole_number
from blocklda.support.distributions import check_distributions
from blocklda.support.errors import CapacityError, InputError
from blocklda.support.memory import require_memory

__all__ = ["SimulatedCorpus", "bars", "draw_assignments", "draw_corpus"]

CELLS_PER_DRAW = 2**20
"""Rows are drawn together until their table has about this many cells: 8 MB of doubles."""


@dataclass(frozen=True, eq=False)
class SimulatedCorpus:
    """A corpus and the parameters it was drawn from.

    ``topics`` is the true φ, shape (topics, words); ``doc_topic`` the true θ, shape
    (documents, topics).
    """

    corpus: Corpus
    topics: Floats
    doc_topic: Floats


def bars(
    n_docs: int = 2000,
    doc_length: int = 100,
    alpha: ArrayLike = 0.1,
    side: int = 5,
    seed: int | np.random.SeedSequence | None = defaults.SEED,
) -> SimulatedCorpus:
    """Draw the bars of Griffiths and Steyvers (2004).

    The words are the cells of a square grid, named "r0c0", "r0c1", … row by row. A topic is uniform
    over the cells of one row (the first ``side`` topics, top to bottom) or of one column (the
    others, left to right). The topics of a document are Dirichlet with the prior ``alpha``, and
    every document has ``doc_length`` tokens. The defaults are those of the paper's section 4.2.

    Examples
    --------
    >>> import blocklda
    >>> bars = blocklda.simulate.bars(n_docs=10, seed=1)
    >>> bars.topics.shape, bars.doc_topic.shape
    ((10, 25), (10, 10))
    """
    n_docs = whole_number("n_docs", n_docs, 1)
    doc_length = whole_number("doc_length", doc_length, 0)
    side = whole_number("side", side, 2)
    _check_size(n_docs, doc_length, side)
    phi = _bar_topics(side)
    prior = Priors.create(2 * side, side**2, alpha, 1.0).alpha
    rng = random_generator(seed)
    theta = rng.dirichlet(prior, size=n_docs)
    words = [f"r{row}c{column}" for row in range(side) for column in range(side)]
    corpus = draw_corpus(theta, phi, doc_length, rng, vocabulary=words)
    for array in (phi, theta):
        array.setflags(write=False)
    return SimulatedCorpus(corpus, phi, theta)


def draw_corpus(
    theta: ArrayLike,
    phi: ArrayLike,
    doc_lengths: ArrayLike,
    rng: np.random.Generator,
    vocabulary: Iterable[str] | None = None,
) -> Corpus:
    """Draw the words of every document from the mixture Σ_k θ_dk φ_k.

    ``theta`` has shape (documents, topics), ``phi`` (topics, words); ``doc_lengths`` is a number of
    tokens for all documents, or one for each. The counts of a document are one multinomial draw,
    which is equivalent to drawing a topic and then a word for every token.

    Examples
    --------
    >>> import numpy as np
    >>> from blocklda.simulate import draw_corpus
    >>> theta, phi = [[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    >>> draw_corpus(theta, phi, 10, np.random.default_rng(0)).n_tokens
    20
    """
    theta, phi = _check_model(theta, phi)
    lengths = _check_lengths(doc_lengths, len(theta))
    parts = [
        scipy.sparse.csr_matrix(_multinomials(rng, lengths[rows], theta[rows] @ phi))
        for rows in _portions(len(theta), phi.shape[1])
    ]
    return Corpus.from_matrix(scipy.sparse.vstack(parts, format="csr"), vocabulary)


def draw_assignments(
    corpus: Corpus, theta: ArrayLike, phi: ArrayLike, rng: np.random.Generator
) -> Int32s:
    """Draw the topic of every token given its word: P(z = k) ∝ θ_dk φ_kv.

    For a corpus drawn from ``theta`` and ``phi``, these topics have the same distribution as the
    true ones. They are grouped by entry of ``corpus.to_matrix()``, as ``Chain(init=…)`` takes them.

    Examples
    --------
    >>> import numpy as np
    >>> import blocklda
    >>> bars = blocklda.simulate.bars(n_docs=10, seed=1)
    >>> rng = np.random.default_rng(0)
    >>> z = blocklda.simulate.draw_assignments(bars.corpus, bars.doc_topic, bars.topics, rng)
    >>> len(z) == bars.corpus.n_tokens
    True
    """
    theta, phi = _check_model(theta, phi)
    if (corpus.n_docs, corpus.n_words) != (len(theta), phi.shape[1]):
        raise InputError(
            f"theta has {len(theta)} documents and phi {phi.shape[1]} words, but the corpus has "
            f"{corpus.n_docs} and {corpus.n_words}: the numbers must be the same."
        )
    docs = np.repeat(np.arange(corpus.n_docs), np.diff(corpus.doc_offsets))
    parts = [np.empty(0, dtype=np.int32)]
    for entries in _portions(corpus.n_entries, len(phi)):
        weights = theta[docs[entries]] * phi[:, corpus.word_ids[entries]].T
        _check_possible(weights, docs[entries], corpus.word_ids[entries])
        parts.append(_spread(_multinomials(rng, corpus.counts[entries], weights)))
    return np.concatenate(parts)


def _bar_topics(side: int) -> Floats:
    """Return φ of the bars: first the rows of the grid, then its columns."""
    rows = np.repeat(np.eye(side), side, axis=1)
    columns = np.tile(np.eye(side), side)
    return np.vstack([rows, columns]) / side


def _multinomials(rng: np.random.Generator, totals: NDArray[Any], weights: Floats) -> Ints:
    """Draw one multinomial per row; NumPy wants its probabilities to sum to 1 to the last bit."""
    return rng.multinomial(totals, weights / weights.sum(axis=1, keepdims=True))


def _spread(topic_counts: Ints) -> Int32s:
    """Return one topic per token from how often each topic occurs in each entry."""
    n_entries, n_topics = topic_counts.shape
    topics = np.tile(np.arange(n_topics, dtype=np.int32), n_entries)
    return np.repeat(topics, topic_counts.ravel())


def _portions(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, CELLS_PER_DRAW // n_columns)
    for start in range(0, n_rows, step):
        yield slice(start, start + step)


def _check_size(n_docs: int, doc_length: int, side: int) -> None:
    """Refuse what cannot be held before anything is drawn."""
    n_doubles = 2 * side * (n_docs + side**2)
    require_memory(
        8 * n_doubles,
        f"the true model of {n_docs} documents and {side**2} words",
        "simulate fewer documents or a smaller grid",
    )
    _check_total(n_docs * doc_length)


def _check_total(n_tokens: int) -> None:
    if n_tokens > MAX_TOKENS:
        raise CapacityError(
            f"{n_tokens} tokens were requested, but at most {MAX_TOKENS} can be counted; simulate "
            "fewer or shorter documents."
        )


def _check_model(theta: ArrayLike, phi: ArrayLike) -> tuple[Floats, Floats]:
    theta = check_distributions("theta", theta)
    phi = check_distributions("phi", phi)
    if theta.shape[1] != len(phi):
        raise InputError(
            f"theta has {theta.shape[1]} topics (columns) and phi {len(phi)} (rows): give the "
            "same number."
        )
    return theta, phi


def _check_lengths(doc_lengths: ArrayLike, n_docs: int) -> Ints:
    lengths = np.asarray(doc_lengths)
    if lengths.shape not in ((), (n_docs,)) or lengths.dtype.kind not in "iu":
        raise InputError(
            f"doc_lengths has the shape {lengths.shape} and the dtype {lengths.dtype}: give a "
            f"whole number, or one for each of the {n_docs} documents."
        )
    if (lengths < 0).any():
        raise InputError(f"doc_lengths holds {lengths.min()}: give whole numbers from 0 up.")
    _check_total(sum(lengths.tolist()) if lengths.ndim else int(lengths) * n_docs)
    return np.broadcast_to(lengths, n_docs).astype(np.int64)


def _check_possible(weights: Floats, docs: Ints, words: Int32s) -> None:
    impossible = weights.sum(axis=1) == 0
    if impossible.any():
        first = int(np.argmax(impossible))
        raise InputError(
            f"document {docs[first]} has the word {words[first]}, which theta and phi give the "
            "probability 0: pass the parameters the corpus was drawn from."
        )
