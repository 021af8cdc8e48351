"""From a fit on shards to an estimator, as if it had been fitted on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from blocklda.estimator.lda import LDA
from blocklda.estimator.plan import FitPlan
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.topic_means import TopicMeans
from blocklda.parallel.run import ShardedChain
from blocklda.results.result import result_of_run
from blocklda.run.chain_run import ChainRun
from blocklda.run.engine import Ending
from blocklda.run.run import Run

__all__ = ["estimator_of"]


class ChainHere(Protocol):
    """A chain of a fit on shards that was brought to this machine."""

    @property
    def part(self) -> ShardedChain:
        """The chain on shards."""

    @property
    def chain(self) -> Chain:
        """The same at its last sweep."""

    def draws(self) -> Iterator[Draw]:
        """Yield the kept draws."""


def estimator_of(
    parts: Sequence[ChainHere], init: Any, seed: Any, ending: Ending, *, keep_draws: bool
) -> LDA:
    """Return a fitted estimator with chains and their draws."""
    plan = parts[0].part.plan
    schedule, priors, learning = plan.schedule, plan.priors, plan.learning
    lda = LDA(
        plan.n_topics,
        alpha=float(priors.alpha[0]) if np.ptp(priors.alpha) == 0 else priors.alpha.copy(),
        beta=float(priors.beta[0, 0]) if priors.beta_is_symmetric else priors.beta.T.copy(),
        sampler=plan.sampler,
        moves=(),
        init=init,
        n_chains=len(parts),
        n_sweeps=schedule.n_sweeps,
        burn_in=schedule.burn_in,
        thin=schedule.thin,
        keep_draws=keep_draws,
        random_state=_random_state(seed, len(parts)),
    )
    if learning.is_active:
        lda.set_params(
            learn_alpha=learning.alpha,
            learn_beta=learning.beta,
            learn_how=learning.how,
            alpha_prior=learning.alpha_prior,
            beta_prior=learning.beta_prior,
        )
    fit_plan = FitPlan.create(lda, parts[0].chain.corpus, schedule.burn_in)
    chains = [_chain_run(one, fit_plan) for one in parts]
    run = Run(chains, parts[0].part.record.seconds)
    run.looks = list(parts[0].part.record.looks)
    lda.take(result_of_run(run, fit_plan.schedule, fit_plan.settings, fit_plan.seed, ending))
    return lda


def _chain_run(one: ChainHere, plan: FitPlan) -> ChainRun:
    """Return a chain with its draws, as if it had made them here."""
    chain = one.chain
    part = ChainRun(
        one.part.number,
        Chain.of(
            plan.model,
            chain.state,
            chain.sampler,
            chain.backend,
            chain.options,
            chain.n_simulation_steps,
        ),
        keep_draws=plan.keep_draws,
    )
    part.log_levels = list(one.part.log_levels)
    if len(one.part.stored_draws) == one.part.n_draws:
        for draw in one.draws():
            part.keep(draw)
        return part
    draws = list(one.draws())
    part.kept_sweeps = list(one.part.kept_sweeps)
    part.values = {name: list(values) for name, values in one.part.values.items()}
    part.means = means = _means(one.part, draws)
    part.take_back(draws)
    if not plan.keep_draws:
        means.settle(draws)
        part.draws = []
    return part


def _means(part: ShardedChain, draws: list[Draw]) -> TopicMeans:
    """Return means over all draws: of φ as they are known, of θ as over those that are in files."""
    of_stored = TopicMeans.of(draws)
    n_others = part.n_draws - len(draws)
    sums = part.topic_word * part.n_draws - of_stored.topic_word_sum
    return TopicMeans(n_others, n_others * of_stored.doc_topic, np.maximum(sums, 0.0))


def _random_state(seed: Any, n_chains: int) -> int | None:
    """Return the number with which an estimator would have started the same chains, if any does.

    An estimator spawns the streams of its chains from its seed.
    """
    if n_chains > 1:
        return seed if isinstance(seed, int) else None
    is_first_child = isinstance(seed, np.random.SeedSequence) and seed.spawn_key == (0,)
    return seed.entropy if is_first_child and isinstance(seed.entropy, int) else None
