"""What is said of a fit, whether its documents are on this machine or on others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blocklda.diagnostics.report import Diagnostics
from blocklda.results.fitted import fitted
from blocklda.summaries.corpus_facts import SizedCorpus
from blocklda.summaries.topic_rows import TopicRow, topic_rows, topic_rows_of_shards
from blocklda.support.defaults import INTERVAL, RELEVANCE_WEIGHT

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA
    from blocklda.parallel import ShardedFit

__all__ = ["WORDS_SHOWN", "FitFacts"]

WORDS_SHOWN = 8
"""Words of a topic that a terminal has room for."""


@dataclass(frozen=True)
class FitFacts:
    """What a fit has led to, wherever its documents are."""

    corpus: SizedCorpus
    n_topics: int
    sampler: str
    seed: int | None
    n_chains: int
    n_sweeps: int
    n_sweeps_wanted: int
    n_swept: int
    """Sweeps of all chains together."""
    burn_in: int
    n_draws: int
    seconds: float
    log_posterior: list[float]
    alpha: Any
    beta: float | None
    diagnostics: Diagnostics | None
    rows: list[TopicRow]
    is_here: bool = True
    """Whether the documents are on this machine."""

    @classmethod
    def of(cls, lda: LDA) -> FitFacts:
        """Return the facts of a fitted estimator."""
        fit = fitted(lda)
        return cls(
            corpus=fit.corpus,
            n_topics=fit.n_topics,
            sampler=lda.chains_[0].sampler,
            seed=lda.random_state,
            n_chains=fit.n_chains,
            n_sweeps=lda.n_sweeps_,
            n_sweeps_wanted=lda.n_sweeps,
            n_swept=sum(chain.n_sweeps for chain in lda.chains_),
            burn_in=fit.burn_in,
            n_draws=fit.n_draws,
            seconds=fit.seconds,
            log_posterior=fit.last_log_posterior(),
            alpha=lda.alpha_,
            beta=lda.beta_ if isinstance(lda.beta_, float) else None,
            diagnostics=lda.diagnostics() if fit.trace.n_draws else None,
            rows=topic_rows(lda, WORDS_SHOWN, RELEVANCE_WEIGHT, INTERVAL, "size"),
        )

    @classmethod
    def of_shards(cls, fit: ShardedFit, seed: int | None) -> FitFacts:
        """Return the facts of a fit on shards whose documents this machine cannot hold."""
        priors = fit.priors
        return cls(
            corpus=fit.corpus,
            n_topics=priors.n_topics,
            sampler=fit.sampler,
            seed=seed,
            n_chains=1,
            n_sweeps=fit.n_sweeps,
            n_sweeps_wanted=fit.n_sweeps_wanted,
            n_swept=fit.n_sweeps,
            burn_in=fit.burn_in,
            n_draws=len(fit.kept_sweeps),
            seconds=fit.seconds,
            log_posterior=[float(fit.log_posterior[-1])],
            alpha=priors.alpha,
            beta=float(priors.beta[0, 0]) if priors.beta_is_symmetric else None,
            diagnostics=fit.diagnostics(),
            rows=topic_rows_of_shards(fit, WORDS_SHOWN, RELEVANCE_WEIGHT, INTERVAL, "size"),
            is_here=False,
        )
