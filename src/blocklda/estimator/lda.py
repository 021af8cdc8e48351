"""LDA: scikit-learn's contract on top of chains, draws and posterior means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from blocklda.data.corpus import Corpus
from blocklda.estimator.base import ChainEstimator, prior_text, run_of
from blocklda.estimator.inputs import question_many_topics, warn_of_empty_documents
from blocklda.estimator.plan import FitPlan
from blocklda.estimator.questions import Questions
from blocklda.exports.gensim_model import to_gensim
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.model import LDAModel
from blocklda.models.lda.new_documents.frozen_topics import TopicTables
from blocklda.models.lda.new_documents.infer import (
    N_SWEEPS,
    ChainTopics,
    Completion,
    completion_log_probability,
    infer_doc_topics,
)
from blocklda.models.lda.new_documents.topic_draws import N_TOPIC_DRAWS, TopicDraws
from blocklda.models.lda.samplers.registry import AUTO
from blocklda.models.lda.seed_words import SEED_WEIGHT, numbered_topics
from blocklda.results.result import FitResult
from blocklda.run.engine import DrawCallback
from blocklda.support import defaults
from blocklda.support.arrays import Floats
from blocklda.support.checks import whole_number

__all__ = ["LDA"]


class LDA(Questions, ChainEstimator):
    """Latent Dirichlet allocation, fitted by exact Markov chains and averaged over draws.

    Parameters
    ----------
    n_topics
        The number of topics, K.
    alpha
        Dirichlet prior of the topics of a document: a number, or one number per topic. "auto" is
        learned from the data, one number per topic. See docs/how-to/priors.md.
    beta
        Dirichlet prior of the words of a topic: a number, or a matrix (topics, words). "auto" is
        one number learned from the data; with seed words it is 0.01.
    learn_alpha
        "none"; "symmetric", one number for all topics; or "asymmetric", one per topic. True is
        "asymmetric", False is "none". Learning starts from ``alpha``, or from 0.1. "auto" is
        "asymmetric" if ``alpha`` is "auto", and otherwise "none".
    learn_beta
        "none" or "symmetric". Learning starts from ``beta``, or from 0.01. "auto" is "symmetric" if
        ``beta`` is "auto" and there are no seed words, and otherwise "none".
    learn_how
        "sampled": after every sweep, with a Gamma prior, so that draws are from the joint posterior
        of topics and priors; or "optimised" ("optimized"): during the burn-in only. With a burn-in
        of less than two sweeps, priors at "auto" stay at their start.
    alpha_prior, beta_prior
        Shape and rate of the Gamma priors.
    seed_words
        Words that steer a topic: ``{topic: [words]}``. Their entries of ``beta`` are raised. A
        topic is given by its number, or by a name, which becomes its label:
        ``{"crime": ["police"]}``.
    seed_weight
        How much ``beta`` is raised: the number of tokens of the word that the prior adds to the
        topic.
    sampler
        A name in ``blocklda.SAMPLERS``, or "auto" for the one that is usually fastest. Those in
        ``blocklda.APPROXIMATE_SAMPLERS`` have another stationary distribution, close to the
        posterior.
    moves
        Names in ``blocklda.MOVES`` of moves to try after each sweep: ``("merge-split",)`` helps
        chains out of local modes in which one theme has two topics; ``()`` tries none. "auto" tries
        it after the sweeps of the burn-in if there are at most 4,000 words. See
        docs/explanation/moves.md.
    init
        How chains start: "variational", "random", "annealed", one topic per token, or "auto": every
        chain has its own variational start, but the last of several starts at random, as a check.
        "annealed" chains start at random and spend four fifths of their burn-in, which must be at
        least 10 sweeps, on annealed sweeps. With a few hundred of these, chains often reach a
        higher log posterior; whether they agree more depends on the corpus. See
        docs/explanation/starts.md.
    n_sweeps
        Sweeps of each chain, including the burn-in. "auto" stops when predictions and, with
        several chains, the set of reproducible topics no longer change; see
        docs/explanation/stopping.md.
    max_seconds
        Time limit: the fit ends at the first draw after it; None for no limit. A fit that ends this
        way is not repeatable, and ``result_.ending`` says so.
    burn_in
        Sweeps to discard at the start. "auto" is 4 for one chain with given priors, and 100 for
        several chains, learned priors or an annealed start; never more than half of n_sweeps.
    thin
        Number of sweeps between kept draws after the burn-in.
    n_chains
        Number of independent chains. Reported topics are those of one chain, with the number of
        chains that found them.
    n_jobs
        Number of chains that run at the same time, each in a thread: a whole number, −1 for all
        processors, None for one. If there are more jobs than chains, samplers that can use several
        threads divide them among the chains. The results do not depend on it.
    keep_draws
        How many draws of each chain to keep for word intervals and ``log_predictive``: True for at
        most 32 of a single chain or 16 of each of several, a number for at most that many, False
        for none. If there are more draws, every second, fourth, … one is kept; means and
        diagnostics use all draws.
    random_state
        A whole number gives the same fit every time. None uses fresh entropy. A NumPy
        SeedSequence, Generator or RandomState advances with each fit.
    warm_start
        If True, ``fit`` continues the chains of the previous fit, keeps their draws, and stops
        when each has ``n_sweeps`` sweeps in total. The counts and all parameters except n_sweeps,
        n_jobs, callback and progress must be the same. The result is the same, to the bit, as that
        of one long fit with the same burn-in.
    callback
        A function that is called with each kept :class:`~blocklda.models.lda.draw.Draw`. If it
        returns True, the fit stops there with the draws so far. If it raises an error, ``fit``
        raises it too, and the estimator is unchanged.
    progress
        Whether to show a progress bar, if standard error is a terminal or a notebook.
    allow_memory_overcommit
        If True, fit even if the estimated memory exceeds what is free. The system may then kill the
        process.

    Attributes
    ----------
    components_, topic_word_
        Posterior mean of the words of each topic, shape (topics, words); rows sum to 1. With
        several chains the topics are those of the reference chain, which has the highest mean log
        posterior: different topics are never averaged.
    doc_topic_
        Posterior mean of the topics of each training document, shape (documents, topics). An
        empty document has the prior mean.
    alpha_, beta_
        The priors, shape (topics,) and a number or (topics, words): as given, or the mean over the
        draws of the reference chain.
    stable_topics_
        Which topics were found in every chain, shape (topics,); None with a single chain, or if
        Ctrl-C left a chain without a draw.
    log_posterior_
        The log posterior after every sweep, shape (chains, sweeps), up to a constant; NaN where
        Ctrl-C left a chain behind.
    draws_
        The kept draws by sweep and chain, each a :class:`~blocklda.models.lda.draw.Draw`.
    chains_
        The chains, each at its last sweep.
    result_
        All of it in one object, a :class:`~blocklda.results.result.FitResult`.
    n_sweeps_
        Sweeps that every chain has done.
    n_features_in_
        Words in the vocabulary.
    feature_names_in_
        Their names, if the data have names.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=100, side=4, seed=1).corpus
    >>> lda = blocklda.LDA(n_topics=8, n_sweeps=60, random_state=0, progress=False).fit(corpus)
    >>> lda.components_.shape, lda.doc_topic_.shape
    ((8, 16), (100, 8))
    """

    def __init__(
        self,
        n_topics: int = defaults.N_TOPICS,
        *,
        alpha: str | ArrayLike = defaults.ALPHA,
        beta: str | ArrayLike = defaults.BETA,
        learn_alpha: str | bool = defaults.LEARN_ALPHA,
        learn_beta: str | bool = defaults.LEARN_BETA,
        learn_how: str = defaults.LEARN_HOW,
        alpha_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS,
        beta_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS,
        seed_words: Mapping[int, Sequence[str]] | Mapping[str, Sequence[str]] | None = None,
        seed_weight: float = SEED_WEIGHT,
        sampler: str = AUTO,
        moves: str | Sequence[str] = defaults.MOVES_OF_FIT,
        init: str | ArrayLike = defaults.INIT,
        n_sweeps: int | str = defaults.N_SWEEPS,
        max_seconds: float | None = None,
        burn_in: int | str = defaults.BURN_IN,
        thin: int = defaults.THIN,
        n_chains: int = defaults.N_CHAINS,
        n_jobs: int | None = defaults.N_JOBS,
        keep_draws: bool | int = True,
        random_state: Any = None,
        warm_start: bool = False,
        callback: DrawCallback | None = None,
        progress: bool = True,
        allow_memory_overcommit: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.beta = beta
        self.learn_alpha = learn_alpha
        self.learn_beta = learn_beta
        self.learn_how = learn_how
        self.alpha_prior = alpha_prior
        self.beta_prior = beta_prior
        self.seed_words = seed_words
        self.seed_weight = seed_weight
        self.sampler = sampler
        self.moves = moves
        self.init = init
        self.n_sweeps = n_sweeps
        self.max_seconds = max_seconds
        self.burn_in = burn_in
        self.thin = thin
        self.n_chains = n_chains
        self.n_jobs = n_jobs
        self.keep_draws = keep_draws
        self.random_state = random_state
        self.warm_start = warm_start
        self.callback = callback
        self.progress = progress
        self.allow_memory_overcommit = allow_memory_overcommit

    # --- what a fit leaves

    model_kind = LDAModel.kind
    transform_options = ("n_sweeps", "n_draws")
    topics_are_given = True

    alpha_: Floats
    beta_: float | Floats
    draws_: tuple[Draw, ...]
    chains_: tuple[Chain, ...]

    def plan(self, corpus: Corpus, burn_in: int | None = None) -> FitPlan:
        """Check the parameters; ``burn_in`` is that of a fit that is continued."""
        return FitPlan.create(self, corpus, burn_in)

    def question(self, corpus: Corpus, stacklevel: int) -> None:
        """Warn of what looks like a mistake before a fit begins."""
        super().question(corpus, stacklevel + 1)
        question_many_topics(int(self.n_topics), corpus, stacklevel + 1)

    def labels_to_keep(self, earlier: FitResult | None) -> dict[int, str]:
        """Return the labels of the fit that was continued, or the names of seed words."""
        if earlier is not None and earlier.labels:
            return dict(earlier.labels)
        return {} if self.seed_words is None else numbered_topics(self.seed_words, self.n_topics)[1]

    def take(self, result: FitResult, *, has_column_names: bool = False) -> None:
        """Set the fitted attributes together, after everything that can fail."""
        super().take(result, has_column_names=has_column_names)
        self.alpha_ = result.priors["alpha"]
        self.beta_ = result.priors["beta"]
        self._topic_draws = TopicDraws(
            result.reference_draws, partial(getattr, result, "topic_word")
        )

    # --- results

    @property
    def topic_word_(self) -> Floats:
        """Another name of ``components_``."""
        check_is_fitted(self)
        return self.components_

    def prior_facts(self) -> dict[str, str]:
        """Return the priors for display: names and values in words."""
        return {
            "prior of topics in a document, α": self._prior(self.alpha_, "learn_alpha"),
            "prior of words in a topic, β": self._prior(self.beta_, "learn_beta"),
            "seed words": "; ".join(
                f"topic {k}: {', '.join(map(str, words))}"
                for k, words in (self.seed_words or {}).items()
            ),
        }

    def _prior(self, value: Any, learn: str) -> str:
        learned = self.result_.settings[learn]
        kind = "symmetric" if learned is True else learned  # learn_beta may be a switch
        how = "" if kind in (False, "none") else f"{kind}, {self.result_.settings['learn_how']}"
        return prior_text(value, how)

    def to_gensim(self) -> Any:
        """Return a gensim ``LdaModel`` with these topics, priors and words."""
        return to_gensim(self)

    # --- new documents

    def frozen_topics(self, n_draws: int = N_TOPIC_DRAWS) -> TopicTables:
        """Return φ of some draws, as new documents are folded into it."""
        check_is_fitted(self)
        return self._topic_draws.tables(whole_number("n_draws", n_draws, 1))

    def _topics_of_chains(self) -> ChainTopics:
        """Return φ of some draws of every chain, with the chain's own α."""
        result, model = self.result_, run_of(self.result_).model
        parts = [part for part in run_of(result).chains if part.means is not None]
        n_draws = -(-N_TOPIC_DRAWS // len(parts))
        return ChainTopics(
            (
                self.frozen_topics(n_draws)
                if part.number == result.reference
                else TopicDraws(part.draws, partial(getattr, part.means, "topic_word")).tables(
                    n_draws
                ),
                model.mean_priors(part.chain.state, part.values)["alpha"],
            )
            for part in parts
        )

    def transform(
        self, X: Any, *, n_sweeps: int = N_SWEEPS, n_draws: int = N_TOPIC_DRAWS
    ) -> Floats:
        """Return the topics of documents, shape (documents, topics), with the topics' words fixed.

        The row of a document depends only on its own words: not on other rows or their order. An
        empty document has the prior mean. See docs/how-to/new-documents.md.

        ``n_draws`` is the number of draws whose topics are used, and ``n_sweeps`` the total number
        of sweeps over a document. With ``n_draws=1``, the topics are ``components_``, the mean over
        all draws: less accurate, but faster. Texts are counted as in the fit.
        """
        check_is_fitted(self)
        corpus = self._new_corpus(X)
        warn_of_empty_documents(corpus, stacklevel=3)  # one for what scikit-learn puts around it
        return self._inferred(corpus, n_sweeps, n_draws)

    def _inferred(
        self, corpus: Corpus, n_sweeps: int = N_SWEEPS, n_draws: int = N_TOPIC_DRAWS
    ) -> Floats:
        topics = self.frozen_topics(n_draws)
        return infer_doc_topics(corpus, topics, self.alpha_, n_sweeps=n_sweeps, n_jobs=self.n_jobs)

    def fit_transform(self, X: Any, y: object = None, **fit_params: Any) -> Floats:
        """Fit and return ``transform(X)``.

        ``doc_topic_`` is the posterior mean of the same documents, sampled together with the
        topics. The two agree up to Monte Carlo error and the influence of a document on the words
        of the topics.
        """
        # The corpus of the fit, so that what is said of its documents is said once.
        return self.fit(X, y, **fit_params)._inferred(self.result_.corpus)

    def score(self, X: Any, y: object = None) -> float:
        """Return the mean log predictive probability of a token of new documents, in nats.

        By document completion: half of each document's tokens are observed, the others predicted by
        the mean over draws of all chains. Training documents are predicted slightly better than new
        ones.
        """
        check_is_fitted(self)
        completed = completion_log_probability(
            self._new_corpus(X), self._topics_of_chains(), self.alpha_, n_jobs=self.n_jobs
        )
        return completed.mean_log_per_token

    def completion(self, corpus: Corpus) -> Completion:
        """Return how well half of each new document predicts the other half."""
        return completion_log_probability(
            corpus, self.frozen_topics(), self.alpha_, n_jobs=self.n_jobs
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the topics, which the columns of frames have too."""
        check_is_fitted(self)
        return np.array(self.result_.topic_names, dtype=object)
