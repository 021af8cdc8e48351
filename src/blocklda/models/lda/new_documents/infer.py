"""Topics of documents that were not in the fit, with φ frozen: each document by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda.data.corpus import Corpus
from blocklda.data.split import split_by_content
from blocklda.models.lda.new_documents.fold_in import Folding
from blocklda.models.lda.new_documents.frozen_topics import topic_sets
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError
from blocklda.support.fixed_order import row_totals
from blocklda.support.memory import require_memory

__all__ = [
    "BURN_IN",
    "N_SWEEPS",
    "ChainTopics",
    "Completion",
    "completion_log_probability",
    "infer_doc_topics",
]


N_SWEEPS = 32
"""In all: one for each of two chains and sixteen φ. `python -m benchmarks.infer` measures what
becomes of perplexity, time and the distance to the fit's own θ with fewer and with more."""

BURN_IN = 0
"""The first chains begin where expectation maximisation leads, and one that continues with another
draw's φ has little to forget."""


def infer_doc_topics(
    corpus: Corpus,
    topic_word: Any,
    alpha: ArrayLike,
    *,
    n_sweeps: int = N_SWEEPS,
    burn_in: int = BURN_IN,
    seed: Any = defaults.SEED,
    backend: str = defaults.BACKEND,
    n_jobs: int | None = defaults.N_JOBS,
) -> Floats:
    """Return the posterior mean of θ of every document given φ.

    Short documents are summed exactly: up to eight tokens, or more if words repeat. For each of the
    others a Gibbs sampler draws the topics of its tokens from (n_dk + α_k) φ_kv, the token taken
    out of n_dk, and θ_dk is the mean over sweeps of (n_dk + α_k) / (N_d + Σα), with each token's
    probabilities in place of the topic that it drew; it has a Monte Carlo error. An empty document
    has the prior's mean.

    Each document's random numbers come from ``seed`` and from its own words and counts. So a row
    does not depend, to the bit, on other rows, their order or ``n_jobs``, and equal documents have
    equal rows.

    Parameters
    ----------
    corpus
        The documents, with the words of ``topic_word``.
    topic_word
        φ, a matrix (topics, words) whose rows sum to 1; or several of them, draws from the
        posterior that number their topics alike, as a list or an array of three dimensions. Then
        the result is the mean over them, which is closer to the posterior mean of θ than what
        the mean of φ alone leads to.
    alpha
        Dirichlet prior of θ: a number, or one number per topic.
    n_sweeps
        Sweeps in all. Two chains that know nothing of each other, and several φ, share them evenly,
        in whole sweeps rounded down, but each has at least one more than ``burn_in``. Documents of
        fewer than 25 tokens have a multiple of it, and those that are summed exactly have none.
    burn_in
        Sweeps that are not averaged, for every chain and φ. With the first φ a chain begins with a
        draw of every token given those before it, with each of the others it continues from
        where it is.
    seed
        A whole number, or None for fresh entropy.
    backend
        "native" or "python": the compiled kernel, or its twin. Both give the same bits.
    n_jobs
        How many threads; None is one and -1 as many as there are cores.

    Returns
    -------
    θ, shape (documents, topics); rows sum to 1.
    """
    sets = topic_sets(topic_word)
    fold_in = Folding.create(corpus, sets, alpha, n_sweeps, burn_in, seed, backend, n_jobs)
    n_topics = fold_in.topics.n_topics
    require_memory(
        8 * corpus.n_docs * n_topics,
        f"θ of {corpus.n_docs:,} documents and {n_topics:,} topics",
        "pass fewer documents at a time",
    )
    return fold_in.mean_theta()


@dataclass(frozen=True)
class Completion:
    """Log probabilities of the second halves of documents given the first, in nats.

    Attributes
    ----------
    log_probabilities
        One per document, summed over its held-out tokens; 0 where there are none.
    n_tokens
        Held-out tokens of each document.
    """

    log_probabilities: Floats
    n_tokens: Ints

    @classmethod
    def of(cls, heldout: Corpus, probabilities: Floats) -> Completion:
        """Add up the held-out entries of each document, each with its probability."""
        with np.errstate(divide="ignore"):  # a word that no topic has is impossible
            logs = heldout.counts * np.log(probabilities)
        docs = np.repeat(np.arange(heldout.n_docs), np.diff(heldout.doc_offsets))
        totals = np.bincount(docs, logs, minlength=heldout.n_docs)
        return cls(totals.astype(np.float64), heldout.doc_lengths())

    @property
    def mean_log_per_token(self) -> float:
        """Over all held-out tokens."""
        return float(self.log_probabilities.sum() / self.n_tokens.sum())

    @property
    def perplexity(self) -> float:
        """The exponential of minus the mean log probability per token."""
        return float(np.exp(-self.mean_log_per_token))


class ChainTopics(list[tuple[Any, Floats]]):
    """φ and α of each of several chains, whose topics need not be numbered alike."""


def completion_log_probability(
    corpus: Corpus,
    topic_word: Any,
    alpha: ArrayLike,
    *,
    n_sweeps: int = N_SWEEPS,
    burn_in: int = BURN_IN,
    seed: Any = defaults.SEED,
    backend: str = defaults.BACKEND,
    n_jobs: int | None = defaults.N_JOBS,
) -> Completion:
    """Return how well half of each new document predicts the other half.

    The tokens of each document are divided at random; of an odd number the larger half is held
    out. θ is inferred from the observed half as :func:`infer_doc_topics` does it, and every
    held-out token has the probability Σ_k θ_dk φ_kv; with several φ it is the mean of these over
    them. The division of a document depends on ``seed`` and on its own words and counts, so its
    figure does not depend on the other documents. The parameters are those of
    :func:`infer_doc_topics`, but that ``topic_word`` may also be :class:`ChainTopics`, which have
    their own α.
    """
    observed, heldout = split_by_content(corpus, seed)
    if heldout.n_tokens == 0:
        raise InputError(
            f"all {corpus.n_docs} documents are empty: there is nothing to hold out; check how the "
            "counts were created."
        )
    several = topic_word if isinstance(topic_word, ChainTopics) else [(topic_word, alpha)]
    probabilities, n_sets = np.zeros(heldout.n_entries), 0
    for of_chain, own_alpha in several:
        sets = topic_sets(of_chain)
        fold_in = Folding.create(
            observed, sets, own_alpha, n_sweeps, burn_in, seed, backend, n_jobs
        )
        words_first = [np.asarray(matrix).T for matrix in sets]

        def predict(d: int, theta: Floats, words_first: Any = words_first) -> None:
            entries = slice(heldout.doc_offsets[d], heldout.doc_offsets[d + 1])
            words = heldout.word_ids[entries]
            probabilities[entries] += sum(
                row_totals(phi.take(words, axis=0), theta_r)
                for phi, theta_r in zip(words_first, theta, strict=True)
            )

        fold_in.run(predict)
        n_sets += len(sets)
    return Completion.of(heldout, probabilities / n_sets)
