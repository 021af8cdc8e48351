"""HDP: scikit-learn's contract on top of chains whose number of topics varies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from blocklda.data.corpus import Corpus
from blocklda.diagnostics.topic_counts import TopicCountSummary
from blocklda.estimator.base import ChainEstimator, prior_text, run_of
from blocklda.estimator.hdp_as_lda import as_lda
from blocklda.estimator.hdp_plan import HDPPlan
from blocklda.estimator.inputs import warn_of_empty_documents
from blocklda.estimator.questions import Questions
from blocklda.models.hdp.chain import HDPChain
from blocklda.models.hdp.draw import Draw
from blocklda.models.hdp.model import HDPModel
from blocklda.models.hdp.new_documents import N_SWEEPS, FrozenTopics, completed, inferred_topics
from blocklda.models.hdp.sampler import AUTO
from blocklda.models.hdp.state import Levels
from blocklda.models.hdp.summary import Summary
from blocklda.models.lda.new_documents.infer import Completion
from blocklda.results.result import FitResult
from blocklda.run.engine import DrawCallback
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["HDP"]

PRIORS = {
    "alpha0": "concentration of topics in a document, α₀",
    "gamma": "concentration of the topics' weights, γ",
    "beta": "prior of words in a topic, β",
}

N_SCORED = 4
"""Draws over which the probabilities of new documents' words are averaged."""


class HDP(Questions, ChainEstimator):
    """Hierarchical Dirichlet process: LDA without a fixed number of topics.

    The number of topics K is sampled too. It is not a finding: it grows with the corpus
    and with 1/β, and chains from different starts agree on it slowly. See docs/how-to/hdp.md.

    Parameters
    ----------
    beta
        Dirichlet prior of the words of a topic: one number for all words, or one per word. Smaller
        gives more topics.
    learn_beta
        "none", or "sampled" with a Gamma(1, 1) prior, for one number.
    alpha0, gamma
        Concentrations of the topics of a document, and of the weights of all topics: a number, or
        "sampled".
    alpha0_prior, gamma_prior
        Shape and rate of their Gamma priors.
    initial_topics
        Number of topics at the start of a chain. Many topics make the first sweeps slower, but
        predict better.
    init
        "variational", "random", one topic per token, or "auto": variational, and of several chains
        the last one starts with few topics, as a check.
    table_moves
        Share of documents whose tables are moved in a sweep, taken in turn; 0 for none.
    sampler
        "sparse", which is also "auto"; "grid": the same in several threads; or
        "sparse-single-site".
    n_sweeps
        Sweeps of each chain, the burn-in included; "auto" sweeps until predictions have settled.
    max_seconds
        Time limit: the fit ends at the first draw after it; None for no limit.
    burn_in
        Sweeps to discard at the start. "auto" is 100, but at most half of ``n_sweeps``.
    thin
        Number of sweeps between kept draws after the burn-in.
    n_chains
        Independent chains.
    n_jobs
        Number of chains that run at the same time, each in a thread. With ``sampler="grid"``, jobs
        that are not needed for chains become threads. The results do not depend on it.
    keep_draws
        True for at most 32 draws of each chain, or a number of them. Topics are averaged over them.
    random_state
        A whole number gives the same fit every time. None uses fresh entropy.
    warm_start
        If True, ``fit`` continues the chains of the previous fit.
    callback
        A function that is called with each kept draw; if it returns True, the fit stops there.
    progress
        Whether to show a progress bar, if standard error is a terminal or a notebook.
    allow_memory_overcommit
        If True, fit even if the estimated memory exceeds what is free.

    Attributes
    ----------
    n_topics_
        K of every draw, shape (chains, draws).
    components_
        The words of the topics of a representative draw, shape (topics, words), each averaged over
        the draws in which the topic exists; largest first, rows sum to 1.
    topic_weights_
        The mean of τ, shape (topics + 1,); the last is everything else.
    persistence_
        The share of draws in which each topic exists.
    doc_topic_
        The mean of θ of the training documents, shape (documents, topics + 1); the last column is
        everything else: topics that are not in the representative draw.
    topic_ids_
        The numbers of the topics' births in their chain.
    alpha0_, gamma_, beta_
        Concentrations and word prior: as given, or means over the draws of the reference chain.
    log_posterior_
        log p(z, w | τ, α₀, β) after every sweep, shape (chains, sweeps). It does not compare states
        with different numbers of topics.
    stable_topics_
        Which topics have a partner in every chain; None if there is one chain only.
    draws_
        The kept draws by sweep and chain.
    chains_
        The chains, each at its last sweep.
    result_
        All of it in one object.
    n_sweeps_
        Sweeps that every chain has done.
    n_features_in_
        Words in the vocabulary.
    feature_names_in_
        Their names, if the data have names.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> hdp = blocklda.HDP(n_sweeps=60, random_state=0, progress=False).fit(corpus)
    >>> hdp.components_.shape[1]
    9
    """

    model_kind = HDPModel.kind
    transform_options = ("n_sweeps",)

    alpha0_: float
    gamma_: float
    beta_: float | Floats
    n_topics_: Ints
    topic_weights_: Floats
    persistence_: Floats
    topic_ids_: Ints
    draws_: tuple[Draw, ...]
    chains_: tuple[HDPChain, ...]

    def __init__(
        self,
        *,
        beta: ArrayLike = defaults.HDP_BETA,
        learn_beta: str = "none",
        alpha0: float | str = "sampled",
        gamma: float | str = "sampled",
        alpha0_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS,
        gamma_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS,
        initial_topics: int = defaults.INITIAL_TOPICS,
        init: str | ArrayLike = defaults.INIT,
        table_moves: float = defaults.TABLE_MOVES,
        sampler: str = AUTO,
        n_sweeps: int | str = defaults.HDP_SWEEPS,
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
        self.beta = beta
        self.learn_beta = learn_beta
        self.alpha0 = alpha0
        self.gamma = gamma
        self.alpha0_prior = alpha0_prior
        self.gamma_prior = gamma_prior
        self.initial_topics = initial_topics
        self.init = init
        self.table_moves = table_moves
        self.sampler = sampler
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

    def plan(self, corpus: Corpus, burn_in: int | None = None) -> HDPPlan:
        """Check the parameters; ``burn_in`` is that of a fit that is continued."""
        return HDPPlan.create(self, corpus, burn_in)

    def take(self, result: FitResult, *, has_column_names: bool = False) -> None:
        """Set the fitted attributes together, after everything that can fail."""
        super().take(result, has_column_names=has_column_names)
        summary = self._summary()
        self.topic_weights_ = summary.weights
        self.persistence_ = summary.persistence
        self.topic_ids_ = summary.numbers
        self.n_topics_ = self.result_.trace["n_topics"].astype(np.int64)
        self.alpha0_, self.gamma_ = (float(result.priors[name]) for name in ("alpha0", "gamma"))
        self.beta_ = result.priors["beta"]

    def _summary(self) -> Summary:
        summary: Summary = self.result_.chain_means[self.result_.reference]
        return summary

    def topic_count_summary(self) -> TopicCountSummary:
        """Return several measures of the number of topics, with intervals and R-hat."""
        return self.count_summary()

    def prior_facts(self) -> dict[str, str]:
        """Return the priors for display: names and values in words."""
        settings = {**self.result_.settings, "beta": self.result_.settings["learn_beta"]}
        return {
            title: prior_text(
                self.result_.priors[name], "sampled" if settings[name] == "sampled" else ""
            )
            for name, title in PRIORS.items()
        }

    def to_gensim(self) -> Any:
        """Return a gensim ``LdaModel`` with the topics of the representative draw."""
        return self.to_lda().to_gensim()

    def to_lda(self) -> LDA:
        """Return an LDA with these topics and α = α₀τ, for programs that expect LDA.

        It represents one draw, the representative one. Topics keep their numbers; there is no
        topic for everything else.
        """
        check_is_fitted(self)
        return as_lda(self._summary())

    # --- new documents

    def transform(self, X: Any, *, n_sweeps: int = N_SWEEPS) -> Floats:
        """Return the topics of documents, shape (documents, topics + 1), words of topics fixed.

        The last column is everything else: topics that only this document has, and topics of the
        fit that are not in the representative draw. The row of a document depends only on its own
        words. ``n_sweeps`` is the number of sweeps over each document.
        """
        check_is_fitted(self)
        corpus = self._new_corpus(X)
        warn_of_empty_documents(corpus, stacklevel=3)  # one for what scikit-learn puts around it
        levels = Levels(self.alpha0_, self.gamma_, self.beta_)
        topics = FrozenTopics.of(self.components_, self.topic_weights_, levels)
        return inferred_topics(corpus, topics, whole_number("n_sweeps", n_sweeps, 2))

    def score(self, X: Any, y: object = None) -> float:
        """Return the mean log predictive probability of a token of new documents, in nats.

        By document completion: half of each document's tokens are observed, the others predicted by
        the mean over a few draws of all chains.
        """
        check_is_fitted(self)
        return self.completion(self._new_corpus(X)).mean_log_per_token

    def completion(self, corpus: Corpus) -> Completion:
        """Return how well half of each new document predicts the other half."""
        at = np.unique(np.linspace(0, len(self.draws_) - 1, N_SCORED).astype(int))
        return completed(corpus, [_frozen(self.draws_[int(i)]) for i in at])

    # --- files

    def save(self, folder: str | os.PathLike[str], *, draws: bool = True) -> None:
        """Write the model to a folder: JSON and NPZ, no code.

        Draws are always saved, because the topics of an HDP differ between draws.
        """
        super().save(folder, draws=True)

    def fitted_chains(self) -> tuple[HDPChain, ...]:
        """Return the chains of the fit at their last sweep."""
        check_is_fitted(self)
        return tuple(part.chain for part in run_of(self.result_).chains)  # type: ignore[misc]

    @property
    def _n_features_out(self) -> int:
        return len(self.components_) + 1


def _frozen(draw: Draw) -> FrozenTopics:
    return FrozenTopics.of(draw.topic_word()[:-1], draw.tau, draw.levels)
