"""DPMixture: scikit-learn's contract for mixtures of multinomials, one component per document."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from blocklda.data.corpus import Corpus
from blocklda.diagnostics.topic_counts import TopicCountSummary
from blocklda.estimator.base import ChainEstimator, prior_text
from blocklda.estimator.mixture_plan import MixturePlan
from blocklda.estimator.questions import Questions
from blocklda.models.lda.new_documents.infer import Completion
from blocklda.models.mixture.chain import DPMixtureChain
from blocklda.models.mixture.draw import Draw
from blocklda.models.mixture.model import MixtureModel
from blocklda.models.mixture.posterior import (
    completed,
    component_probabilities,
    log_predictive,
    persistence,
    similarity,
)
from blocklda.models.mixture.summary import Summary
from blocklda.results.result import FitResult, require_draws
from blocklda.run.engine import DrawCallback
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["DPMixture"]


class DPMixture(Questions, ChainEstimator):
    """Mixture of multinomials for short texts: every document has one component.

    Without ``n_components`` it is a Dirichlet process mixture, in which components are born and
    die; with it, the finite mixture known as GSDMM or movie group process. See
    docs/how-to/mixtures.md.

    Parameters
    ----------
    n_components
        None for a Dirichlet process, or the number of components K. Components of a finite mixture
        may stay empty.
    alpha
        "sampled", or a number. Of a Dirichlet process it is the concentration: large values favour
        many components. Of a finite mixture it is the Dirichlet prior of each share.
    beta
        Dirichlet prior of the words of a component: a number, or one number per word. Small values
        favour many components.
    alpha_prior
        Shape and rate of the Gamma prior of a sampled ``alpha``.
    blocks
        If True, documents with the same words move together. If False, they move one by one, which
        is exact too, but mixes more slowly.
    init
        Where chains start: "sequential", documents join one after the other; "one", all in one
        component; one label per document; or "auto": sequential, and "one" for the last of several
        chains, as a check.
    n_sweeps, max_seconds, burn_in, thin, n_chains, n_jobs, keep_draws, random_state, warm_start, \
    callback, progress, allow_memory_overcommit
        As for :class:`~blocklda.LDA`.

    Attributes
    ----------
    labels_
        The component of each document in a representative clustering: the draw of the reference
        chain with the smallest expected variation of information to the others. 0 is the largest.
    components_
        Words of its components, shape (components, words); rows sum to 1.
    component_sizes_
        The number of documents of each.
    persistence_
        The share of draws in which each component exists, shape (components,).
    n_components_
        How many components of the representative clustering have documents.
    alpha_, beta_
        The priors: as given, or the mean over the draws of the reference chain.
    log_posterior_
        log p(labels, words, alpha) after every sweep, shape (chains, sweeps). Not comparable
        between different numbers of components.
    draws_
        The kept draws by sweep and chain.
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
    >>> texts = ["soup bread soup", "bed room sleep", "bread soup salad"] * 20
    >>> mixture = blocklda.DPMixture(n_sweeps=60, random_state=0, progress=False).fit(texts)
    >>> len(mixture.labels_)
    60
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float | str = "sampled",
        beta: ArrayLike = defaults.COMPONENT_BETA,
        alpha_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS,
        blocks: bool = True,
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
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.alpha_prior = alpha_prior
        self.blocks = blocks
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

    model_kind = MixtureModel.kind

    labels_: Ints
    component_sizes_: Ints
    persistence_: Floats
    n_components_: int
    alpha_: float
    beta_: float | Floats
    draws_: tuple[Draw, ...]
    chains_: tuple[DPMixtureChain, ...]

    # --- fitting

    def plan(self, corpus: Corpus, burn_in: int | None = None) -> MixturePlan:
        """Check the parameters; ``burn_in`` is that of a fit that is continued."""
        return MixturePlan.create(self, corpus, burn_in)

    def take(self, result: FitResult, *, has_column_names: bool = False) -> None:
        """Set the fitted attributes together, after everything that can fail."""
        super().take(result, has_column_names=has_column_names)
        self.labels_ = self._shown.labels.astype(np.int64)
        self.component_sizes_ = self._shown.sizes
        self.n_components_ = self._shown.n_components
        self.persistence_ = persistence(self._shown, result.reference_draws)
        self.alpha_ = result.priors["alpha"]
        self.beta_ = result.priors["beta"]

    @property
    def _shown(self) -> Draw:
        """The representative clustering."""
        summary: Summary = self.result_.chain_means[self.result_.reference]
        return summary.representative

    def fit_predict(self, X: Any, y: object = None, **fit_params: Any) -> Ints:
        """Fit and return ``labels_``."""
        return self.fit(X, y, **fit_params).labels_

    # --- results

    def prior_facts(self) -> dict[str, str]:
        """Return the priors for display: names and values in words."""
        learned = "sampled" if self.result_.settings["alpha"] == "sampled" else ""
        return {
            "concentration of components, α": prior_text(self.alpha_, learned),
            "prior of words in a component, β": prior_text(self.beta_),
        }

    def component_count_summary(self) -> TopicCountSummary:
        """Return several measures of the number of components, with quantiles and R-hat.

        The number of components is not a finding by itself: it grows with the corpus and with
        1/beta. See docs/how-to/mixtures.md.
        """
        return self.count_summary()

    def similarity(self, pairs: ArrayLike) -> Floats:
        """Return the probability that two documents share a component, one number per pair.

        ``pairs`` has shape (pairs, 2). The probability is a share of the kept draws of all chains.
        """
        check_is_fitted(self)
        require_draws(self.draws_, "similarity")
        return similarity(self.draws_, pairs)

    similarity_ = similarity
    """Another name of :meth:`similarity`, spelled as what needs a fit."""

    # --- new documents

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each component for documents, shape (documents, columns).

        The columns are the components of ``labels_``; a Dirichlet process has one more column for
        all other components, new ones included. Rows sum to 1. The result is a mean over the kept
        draws of the reference chain.
        """
        check_is_fitted(self)
        corpus = self._new_corpus(X)
        draws = self.result_.reference_draws or (self._shown,)
        return component_probabilities(draws, self._shown, corpus)

    def transform(self, X: Any) -> Floats:
        """Return :meth:`predict_proba`, under the name that pipelines use."""
        return self.predict_proba(X)

    def predict(self, X: Any) -> Ints:
        """Return the most probable component of documents; −1 where it is none of ``labels_``."""
        found = self.predict_proba(X)
        best: Ints = found.argmax(axis=1).astype(np.int64)
        best[best == len(self.components_)] = -1
        return best

    def score(self, X: Any, y: object = None) -> float:
        """Return the mean log predictive probability of a word of new documents, in nats.

        The probability of a whole document, averaged over the kept draws of all chains.
        """
        check_is_fitted(self)
        corpus = self._new_corpus(X)
        if corpus.n_tokens == 0:
            raise InputError("all documents of X are empty: there is nothing to score.")
        draws = self.draws_ or (self._shown,)
        return float(log_predictive(draws, corpus).sum() / corpus.n_tokens)

    def completion(self, corpus: Corpus) -> Completion:
        """Return how well half of each new document predicts the other half."""
        return completed(corpus, self.draws_ or (self._shown,))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_) + (self.n_components is None)
