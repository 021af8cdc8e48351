"""From a fit on shards to an estimator, as if it had been fitted on this machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from blocklda.estimator.lda import LDA
from blocklda.estimator.plan import FitPlan
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.draw import Draw
from blocklda.parallel.plan import ShardedPlan
from blocklda.parallel.sweep_files import SweepRecord
from blocklda.results.result import result_of_run
from blocklda.run.chain_run import ChainRun
from blocklda.run.run import Run

__all__ = ["estimator_of"]


def estimator_of(
    chain: Chain,
    draws: Iterable[Draw],
    record: SweepRecord,
    plan: ShardedPlan,
    init: Any,
    seed: Any,
    *,
    keep_draws: bool,
) -> LDA:
    """Return a fitted estimator with a chain and its draws."""
    schedule, priors = plan.schedule, plan.priors
    lda = LDA(
        plan.n_topics,
        alpha=float(priors.alpha[0]) if np.ptp(priors.alpha) == 0 else priors.alpha.copy(),
        beta=float(priors.beta[0, 0]) if priors.beta_is_symmetric else priors.beta.T.copy(),
        sampler=chain.sampler,
        init=init,
        n_sweeps=schedule.n_sweeps,
        burn_in=schedule.burn_in,
        thin=schedule.thin,
        keep_draws=keep_draws,
        random_state=_random_state(seed),
    )
    fit_plan = FitPlan.create(lda, chain.corpus, schedule.burn_in)
    part = ChainRun(
        0,
        Chain.of(
            fit_plan.model,
            chain.state,
            chain.sampler,
            chain.backend,
            chain.options,
            chain.n_simulation_steps,
        ),
        keep_draws=keep_draws,
    )
    part.log_levels = list(record.log_posterior)
    for draw in draws:
        part.keep(draw)
    run = Run([part], record.seconds)
    lda.take(result_of_run(run, fit_plan.schedule, fit_plan.settings, fit_plan.seed))
    return lda


def _random_state(seed: Any) -> int | None:
    """Return the number with which an estimator would have started the same chain, if any does.

    An estimator spawns the streams of its chains from its seed.
    """
    is_first_child = isinstance(seed, np.random.SeedSequence) and seed.spawn_key == (0,)
    return seed.entropy if is_first_child and isinstance(seed.entropy, int) else None
