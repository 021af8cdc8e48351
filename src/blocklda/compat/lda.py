"""The class of the package `lda` 3, with blocklda's chain inside: one import line moves code in.

Arguments, attributes and their meaning are those of `lda`: one chain, its last state, and the point
estimates of that state. `blocklda.LDA` averages over many states and predicts better; see
docs/how-to/coming-from-lda.md.
"""

from __future__ import annotations

import logging
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from blocklda.compat.lda_formulas import log_likelihood, pseudo_count_topics
from blocklda.compat.lda_settings import Settings, chain_seed, check_random_state
from blocklda.data.corpus import Corpus
from blocklda.estimator.inputs import training_corpus
from blocklda.models.lda.chain import Chain
from blocklda.support.arrays import Floats
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["LDA"]

logger = logging.getLogger(__name__)
"""Told what `lda` tells its own: sizes, and the log likelihood every ``refresh`` sweeps."""


class LDA:
    """Latent Dirichlet allocation with the interface of ``lda.LDA``.

    Parameters
    ----------
    n_topics
        K.
    n_iter
        Sweeps.
    alpha
        Dirichlet prior of the topics of a document, a number.
    eta
        Dirichlet prior of the words of a topic, a number; ``beta`` elsewhere in blocklda.
    random_state
        A whole number gives the same fit every time. A RandomState advances with each fit; None
        uses NumPy's global generator, so that ``numpy.random.seed`` works as with ``lda``.
    refresh
        Number of sweeps between records of the log likelihood.

    Attributes
    ----------
    nzw_, ndz_, nz_
        Tokens per topic and word, per document and topic, and per topic, in the last state.
    components_, topic_word_
        (nzw_ + eta), rows divided by their sums; shape (topics, words).
    doc_topic_
        (ndz_ + alpha), rows divided by their sums; shape (documents, topics).
    loglikelihoods_
        log p(w, z) before sweep 0, refresh, 2 refresh, …; the last state's is
        :meth:`loglikelihood`.

    Examples
    --------
    >>> from blocklda.compat.lda import LDA
    >>> X = [[3, 2, 0, 0], [4, 1, 0, 1], [0, 0, 5, 2], [0, 1, 3, 3]]
    >>> model = LDA(n_topics=2, n_iter=50, random_state=1).fit(X)
    >>> model.topic_word_.shape
    (2, 4)
    """

    components_: Floats
    topic_word_: Floats
    doc_topic_: Floats
    nzw_: NDArray[np.intc]
    ndz_: NDArray[np.intc]
    nz_: NDArray[np.intc]
    loglikelihoods_: list[float]

    def __init__(
        self,
        n_topics: int,
        n_iter: int = 2000,
        alpha: float = 0.1,
        eta: float = 0.01,
        random_state: Any = None,
        refresh: int = 10,
    ) -> None:
        self.n_topics = n_topics
        self.n_iter = n_iter
        self.alpha = alpha
        self.eta = eta
        self.random_state = random_state
        self.refresh = refresh
        Settings.of(self)
        check_random_state(random_state)

    def fit(self, X: Any, y: object = None) -> Self:
        """Sample the topics of a matrix of counts (documents × words); ``y`` is not used."""
        settings = Settings.of(self)
        corpus = training_corpus(_rows(X))
        _log_sizes(corpus, settings)
        chain = Chain(
            corpus,
            settings.n_topics,
            settings.alpha,
            settings.eta,
            sampler="auto",
            seed=chain_seed(self.random_state),
            init="random",
        )
        log_likelihoods = _run(chain, settings)
        self._take(chain, settings, log_likelihoods)
        return self

    def _take(self, chain: Chain, settings: Settings, log_likelihoods: list[float]) -> None:
        self.loglikelihoods_ = log_likelihoods
        # The types and the memory orders are those that code around `lda` may rely on.
        self.nzw_ = np.asfortranarray(chain.topic_word_counts(), dtype=np.intc)
        self.ndz_ = chain.doc_topic_counts().astype(np.intc)
        self.nz_ = self.nzw_.sum(axis=1, dtype=np.intc)
        self.components_ = _shares(self.nzw_, settings.eta)
        self.topic_word_ = self.components_
        self.doc_topic_ = _shares(self.ndz_, settings.alpha)

    def fit_transform(self, X: Any, y: object = None) -> Floats:
        """Fit and return ``doc_topic_``."""
        return self.fit(X, y).doc_topic_

    def transform(self, X: Any, max_iter: int = 20, tol: float = 1e-16) -> Floats:
        """Return approximate topics of new documents, shape (documents, topics).

        Uses iterated pseudo-counts, as ``lda`` does: at most ``max_iter`` rounds, until the
        change of a document is below ``tol``. An empty document has the prior mean.
        """
        self._require_fit()
        corpus = Corpus.from_matrix(_rows(X))
        if corpus.n_words != self.components_.shape[1]:
            raise InputError(
                f"X has {corpus.n_words} words (columns), but in fit it had "
                f"{self.components_.shape[1]}: count the same words, in the same order."
            )
        max_iter = whole_number("max_iter", max_iter, 0)
        return pseudo_count_topics(corpus, self.components_, Settings.of(self).alpha, max_iter, tol)

    def loglikelihood(self) -> float:
        """Return log p(w, z) of the last state: all tokens' words and topics, θ and φ apart."""
        self._require_fit()
        settings = Settings.of(self)
        return log_likelihood(self.nzw_, self.ndz_, self.nz_, settings.alpha, settings.eta)

    def _require_fit(self) -> None:
        if not hasattr(self, "components_"):
            raise NotFittedError("this LDA has not been fitted: call fit(X) first.")


def _rows(X: Any) -> Any:
    """Return one document that is given as a flat array as a matrix of one row."""
    return np.atleast_2d(X) if isinstance(X, np.ndarray) else X


def _shares(counts: NDArray[np.intc], prior: float) -> Floats:
    weights: Floats = counts.astype(np.float64) + prior
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def _run(chain: Chain, settings: Settings) -> list[float]:
    """Sweep, and return the log likelihoods on the way: the first is that of the start."""
    found = []
    for sweep in range(0, settings.n_iter, settings.refresh):
        found.append(chain.log_joint())
        logger.info("<%d> log likelihood: %.0f", sweep, found[-1])
        chain.sweep(min(settings.refresh, settings.n_iter - sweep))
    if settings.n_iter > 0:
        logger.info("<%d> log likelihood: %.0f", settings.n_iter - 1, chain.log_joint())
    return found


def _log_sizes(corpus: Corpus, settings: Settings) -> None:
    logger.info("n_documents: %d", corpus.n_docs)
    logger.info("vocab_size: %d", corpus.n_words)
    logger.info("n_words: %d", corpus.n_tokens)
    logger.info("n_topics: %d", settings.n_topics)
    logger.info("n_iter: %d", settings.n_iter)
    n_empty = int((np.diff(corpus.doc_offsets) == 0).sum())
    if n_empty:
        logger.warning(
            "%d documents (rows) are empty; their topics are those of the prior", n_empty
        )
    n_unused = int((corpus.word_counts() == 0).sum())
    if n_unused:
        logger.warning("%d words (columns) occur in no document", n_unused)
