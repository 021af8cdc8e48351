"""LDA: scikit-learn's contract on top of chains, draws and posterior means."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from blocklda.chain import Chain
from blocklda.checks import seed_sequence, whole_number
from blocklda.corpus import Corpus
from blocklda.errors import InputError
from blocklda.posterior import log_predictive
from blocklda.priors import check_n_topics
from blocklda.run import DrawCallback, Run, require_memory_for_run
from blocklda.schedule import Schedule

__all__ = ["LDA"]

MAY_CHANGE = ("n_sweeps", "n_jobs", "callback", "warm_start")
"""Parameters that a warm start may change: the chains and their draws stay what they are."""


class LDA(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Latent Dirichlet allocation: posterior means over draws of exact Markov chains.

    Parameters
    ----------
    n_topics
        K.
    alpha
        Dirichlet prior of the topics of a document: a number, or one number per topic.
    beta
        Dirichlet prior of the words of a topic: a number, or a matrix (topics, words).
    sampler
        A name in ``blocklda.SAMPLERS``, or "auto" for the one that is fastest to quality.
    init
        Where chains start: "variational", "random", or one topic per token.
    n_sweeps
        Sweeps of each chain, the burn-in included.
    burn_in
        Sweeps at the start that are not kept; docs/estimator.md says what the default is for.
    thin
        Every how many sweeps after the burn-in a draw is kept.
    n_chains
        Independent chains; the averages are over the draws of all of them.
    n_jobs
        How many chains may run at once: None or a whole number other than 0. At present chains
        take turns on one core, whatever it says; the results do not depend on it.
    random_state
        A whole number gives the same fit every time. None takes fresh entropy. A NumPy
        SeedSequence, Generator or RandomState moves on with each fit.
    warm_start
        If True, ``fit`` goes on with the chains of the fit before, keeps their draws, and stops
        when each has ``n_sweeps`` sweeps in all. The counts and all parameters but n_sweeps,
        n_jobs and callback must be the same. Going on is the same, to the bit, as one long fit.
    callback
        A function that is given each kept :class:`~blocklda.store.Draw`. If it returns True the
        fit stops there with the draws it has. If it raises, the error comes out of ``fit`` and
        the estimator stays as it was before.

    Attributes
    ----------
    components_, topic_word_
        Posterior mean of the words of each topic, shape (topics, words); rows sum to 1.
    doc_topic_
        Posterior mean of the topics of each training document, shape (documents, topics). An
        empty document has the prior's mean.
    log_posterior_
        The log posterior of the assignments after every sweep, shape (chains, sweeps), up to a
        constant; NaN where a stopped fit left a chain behind.
    draws_
        The kept draws, a :class:`~blocklda.store.Store`.
    chains_
        The chains, each at its last sweep.
    n_sweeps_
        Sweeps that every chain has done.
    n_features_in_
        Words in the vocabulary.
    feature_names_in_
        Their names, if the data have names.
    """

    def __init__(
        self,
        n_topics: int = 10,
        *,
        alpha: ArrayLike = 0.1,
        beta: ArrayLike = 0.01,
        sampler: str = "auto",
        init: str | ArrayLike = "variational",
        n_sweeps: int = 200,
        burn_in: int = 4,
        thin: int = 4,
        n_chains: int = 1,
        n_jobs: int | None = 1,
        random_state: Any = None,
        warm_start: bool = False,
        callback: DrawCallback | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.beta = beta
        self.sampler = sampler
        self.init = init
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.thin = thin
        self.n_chains = n_chains
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.callback = callback

    def fit(self, X: Any, y: object = None) -> Self:  # scikit-learn's signature
        """Sample the posterior of the topics of a matrix of counts (documents × words).

        X is a :class:`~blocklda.Corpus` or anything :meth:`Corpus.from_matrix` takes. ``y`` is not
        used; scikit-learn passes it.
        """
        corpus = _with_tokens(Corpus.from_matrix(X))
        schedule = Schedule.create(self.n_sweeps, self.burn_in, self.thin)
        self._check_switches()
        run = self._continued(corpus, schedule) or self._started(corpus, schedule)
        run.advance(schedule, self.callback)
        self._take(run, corpus)
        return self

    def fit_transform(self, X: Any, y: object = None) -> NDArray[np.float64]:
        """Fit and return ``doc_topic_``, the topics of the documents."""
        return self.fit(X, y).doc_topic_

    def log_predictive(self, heldout: Any) -> NDArray[np.float64]:
        """Return the log predictive probability of every stored entry of ``heldout``.

        ``heldout`` holds other tokens of the training documents, as :func:`blocklda.split_tokens`
        returns them; the numbers follow the entries of its canonical CSR form. Each is the log of
        the mean over draws of Σ_k θ_dk φ_kv, for one token of the entry.
        """
        check_is_fitted(self)
        return log_predictive(self.draws_, heldout)

    @property
    def topic_word_(self) -> NDArray[np.float64]:
        """Another name of ``components_``."""
        check_is_fitted(self)
        topics: NDArray[np.float64] = self.components_
        return topics

    def _check_switches(self) -> None:
        whole_number("n_chains", self.n_chains, 1)
        if self.n_jobs is not None and self.n_jobs != -1:
            whole_number("n_jobs", self.n_jobs, 1)
        if not isinstance(self.warm_start, bool | np.bool_):
            raise InputError(f"warm_start={self.warm_start!r} is not allowed: give True or False.")
        if self.callback is not None and not callable(self.callback):
            raise InputError(
                f"callback={self.callback!r:.80} cannot be called: give a function of one draw, or "
                "None."
            )

    def _started(self, corpus: Corpus, schedule: Schedule) -> Run:
        """Return new chains, each with a stream of its own."""
        n_topics = check_n_topics(self.n_topics)
        n_draws = self.n_chains * schedule.n_draws
        require_memory_for_run(corpus, n_topics, self.n_chains, n_draws, is_fork=False)
        seeds = seed_sequence("random_state", self.random_state).spawn(self.n_chains)
        return Run(
            [
                Chain(
                    corpus,
                    n_topics,
                    alpha=self.alpha,
                    beta=self.beta,
                    sampler=self.sampler,
                    init=self.init,
                    seed=seed,
                )
                for seed in seeds
            ]
        )

    def _continued(self, corpus: Corpus, schedule: Schedule) -> Run | None:
        """Return the run of the fit before, to be gone on with; None if there is none to."""
        earlier: Run | None = getattr(self, "_run", None)
        if not self.warm_start or earlier is None:
            return None
        self._check_same_fit(earlier, corpus)
        if schedule.n_sweeps < earlier.n_sweeps:
            raise InputError(
                f"n_sweeps={schedule.n_sweeps} is less than the {earlier.n_sweeps} sweeps already "
                "done, and warm_start=True goes on from there: give a larger n_sweeps, or set "
                "warm_start=False to start anew."
            )
        if schedule.n_sweeps == earlier.n_sweeps:
            warnings.warn(
                f"all n_sweeps={schedule.n_sweeps} sweeps were already done, so nothing was added; "
                "n_sweeps counts the sweeps of all fits together: raise it to go on.",
                stacklevel=3,
            )
        n_draws = self.n_chains * schedule.n_draws
        require_memory_for_run(corpus, self.n_topics, self.n_chains, n_draws, is_fork=True)
        return earlier.fork()

    def _check_same_fit(self, earlier: Run, corpus: Corpus) -> None:
        if earlier.corpus.fingerprint != corpus.fingerprint:
            raise InputError(
                f"X ({corpus.n_docs} documents, {corpus.n_words} words, {corpus.n_tokens} tokens) "
                f"is not what the fit before had ({earlier.corpus.n_docs}, "
                f"{earlier.corpus.n_words}, {earlier.corpus.n_tokens}, or the same numbers with "
                "other counts), and warm_start=True goes on with its chains: pass the same X, or "
                "set warm_start=False to start anew."
            )
        for name, before in self._fitted_with.items():
            now = getattr(self, name)
            if now is not before and not _equal(now, before):
                raise InputError(
                    f"{name}={now!r:.80} was {before!r:.80} in the fit before, and warm_start=True "
                    "goes on with its chains: set it back, or set warm_start=False to start anew."
                )

    def _take(self, run: Run, corpus: Corpus) -> None:
        """Set the fitted attributes, all at once after everything that can fail."""
        doc_topic, topic_word = run.posterior.means()
        log_posterior = run.log_posterior()
        names = corpus.vocabulary
        self._run = run
        self._fitted_with = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in MAY_CHANGE
        }
        self.doc_topic_ = doc_topic
        self.components_ = topic_word
        self.log_posterior_ = log_posterior
        self.draws_ = run.store
        self.chains_ = run.chains
        self.n_sweeps_ = run.n_sweeps
        self.n_features_in_ = corpus.n_words
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def _with_tokens(corpus: Corpus) -> Corpus:
    if corpus.n_tokens == 0:
        raise InputError(
            f"all {corpus.n_docs} documents of X are empty: there is nothing to learn topics from; "
            "check how the counts were made."
        )
    return corpus


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(np.array_equal(one, other))
    except (TypeError, ValueError):
        return False
