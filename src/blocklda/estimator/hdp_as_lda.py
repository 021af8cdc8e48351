"""From an HDP to an LDA, for programs that know nothing else."""

from __future__ import annotations

import numpy as np

from blocklda.estimator.lda import LDA
from blocklda.models.hdp.summary import Summary
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.state import State
from blocklda.results.result import result_of_run
from blocklda.run.chain_run import ChainRun
from blocklda.run.run import Run
from blocklda.support.checks import random_generator

__all__ = ["as_lda"]


def as_lda(summary: Summary) -> LDA:
    """Return a fitted LDA whose only draw is the representative one, with α = α₀τ."""
    draw = summary.representative
    _, order = summary.places(draw)
    place = np.empty(draw.n_topics, dtype=np.int32)
    place[order] = np.arange(draw.n_topics)
    topics = place[draw.topics]
    lda = LDA(
        draw.n_topics,
        alpha=draw.priors.alpha[:-1][order],
        beta=draw.levels.word_prior(draw.corpus.n_words).by_topic(draw.n_topics),
        init=topics,
        sampler="sparse",
        n_sweeps=1,
        burn_in=0,
        thin=1,
        random_state=0,
    )
    plan = lda.plan(draw.corpus)
    state = State(
        corpus=draw.corpus,
        priors=plan.model.priors,
        topics=topics,
        rng=random_generator(0),
        n_sweeps=1,
    )
    part = ChainRun(0, Chain.of(plan.model, state, "sparse"))
    part.log_levels = [plan.model.log_level(state)]
    part.keep(plan.model.draw(state, 0))
    lda.take(result_of_run(Run([part]), plan.schedule, plan.settings, plan.seed))
    return lda
