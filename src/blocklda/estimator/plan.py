"""From an estimator's parameters to a run: everything a user gave is checked here, before it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.files.run_file import read_run
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.memory import FitSize
from blocklda.models.lda.model import LDAModel
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.priors import Priors, check_n_topics
from blocklda.models.lda.seed_words import seeded_beta
from blocklda.models.lda.state import SweepOptions
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.run.chain_run import ChainRun
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule
from blocklda.run.settings import described
from blocklda.support import defaults
from blocklda.support.checks import (
    n_workers,
    random_generator,
    seed_sequence,
    true_or_false,
    whole_number,
)
from blocklda.support.defaults import LONG_BURN_IN, SHORT_BURN_IN
from blocklda.support.errors import InputError, not_allowed

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["MAY_CHANGE", "FitPlan", "chain_starts", "resolved_burn_in"]

MAY_CHANGE = (
    "n_sweeps",
    "n_jobs",
    "callback",
    "warm_start",
    "progress",
    "allow_memory_overcommit",
)
"""Parameters that may change when a fit goes on: the chains and their draws stay what they are."""

MAX_CHAINS = 2**16
"""More than any machine holds, and few enough to be counted before memory is asked for."""


@dataclass(frozen=True)
class FitPlan:
    """A fit that can be started: checked parameters, nothing sampled yet."""

    model: LDAModel
    sampler: str
    starts: tuple[Any, ...]
    schedule: Schedule
    n_workers: int
    """Chains that run at once."""
    n_threads: int
    """Of each, for samplers that can use several: what is left of the jobs is shared out."""
    keep_draws: bool | int
    random_state: Any
    settings: dict[str, Any] = field(repr=False)
    """What a fit that goes on with this one must have the same."""

    @classmethod
    def create(cls, lda: LDA, corpus: Corpus, burn_in: int | None = None) -> FitPlan:
        """Check the parameters of an estimator; ``burn_in`` is that of a fit it goes on with."""
        n_topics = _checked_n_topics(lda.n_topics, corpus)
        n_chains = whole_number("n_chains", lda.n_chains, 1, MAX_CHAINS)
        for name in ("warm_start", "progress", "allow_memory_overcommit"):
            true_or_false(name, getattr(lda, name))
        _check_callback(lda.callback)
        learning = PriorLearning.create(
            lda.learn_alpha, lda.learn_beta, lda.learn_how, lda.alpha_prior, lda.beta_prior
        )
        beta: Any = lda.beta
        if lda.seed_words is not None:
            beta = seeded_beta(
                beta,
                lda.seed_words,
                corpus.vocabulary,
                n_topics,
                corpus.n_words,
                lda.seed_weight,
            )
        priors = Priors.create(n_topics, corpus.n_words, lda.alpha, beta)
        learning.check(priors)
        thin = whole_number("thin", lda.thin, 1)
        if burn_in is None:
            is_long = n_chains > 1 or learning.is_active
            burn_in = resolved_burn_in(lda.burn_in, lda.n_sweeps, is_long=is_long)
        learning.check_burn_in(burn_in)
        parameters = lda.get_params(deep=False)
        kept = {name: value for name, value in parameters.items() if name not in MAY_CHANGE}
        return cls(
            model=LDAModel(corpus, priors, learning, TokenPairs.choose(corpus)),
            sampler=lda.sampler,
            starts=chain_starts(lda.init, n_chains),
            schedule=Schedule.create(lda.n_sweeps, burn_in, thin),
            n_workers=min(n_chains, n_workers(lda.n_jobs)),
            n_threads=max(1, n_workers(lda.n_jobs) // n_chains),
            keep_draws=_checked_keep_draws(lda.keep_draws),
            random_state=lda.random_state,
            settings=described(kept),
        )

    @property
    def seed(self) -> int | None:
        """The seed, if it is a number."""
        return self.random_state if isinstance(self.random_state, int) else None

    @property
    def corpus(self) -> Corpus:
        """The corpus that is fitted."""
        return self.model.corpus

    def start(self) -> Run:
        """Return chains at their starts, each with a stream of its own."""
        seeds = seed_sequence("random_state", self.random_state).spawn(len(self.starts))
        return Run(
            [
                ChainRun(number, self._chain(init, seed), keep_draws=self.keep_draws)
                for number, (init, seed) in enumerate(zip(self.starts, seeds, strict=True))
            ]
        )

    def _chain(self, init: Any, seed: np.random.SeedSequence) -> Chain:
        sampler = self.model.find_sampler(self.sampler)
        state = self.model.start(init, random_generator(seed), "native")
        return Chain.of(self.model, state, sampler)

    def read_run(self, path: Path) -> Run:
        """Return the run of this plan that is in a file, without its draws."""
        return read_run(path, self.model, keep_draws=self.keep_draws, restore=Chain.restored)

    def with_burn_in(self, burn_in: int) -> FitPlan:
        """Return the same plan for a run that has this burn-in already."""
        schedule = Schedule.create(self.schedule.n_sweeps, burn_in, self.schedule.thin)
        return replace(self, schedule=schedule)

    def size(self, earlier: Run | None = None) -> FitSize:
        """Return what decides how much memory the fit takes beyond that of an ``earlier`` one."""
        n_chains = len(self.starts)
        return FitSize(
            corpus=self.corpus,
            priors=self.model.priors,
            sampler=self.model.find_sampler(self.sampler),
            options=SweepOptions(n_threads=self.n_threads),
            n_chains=n_chains,
            n_workers=self.n_workers,
            n_kept=n_chains * self._n_kept(),
            n_kept_before=0 if earlier is None else len(earlier.draws),
            has_sums=self._n_kept() < self.schedule.n_draws,
        )

    def _n_kept(self) -> int:
        """Return the most draws of a chain that are there at a time; the last one always is."""
        at_most = defaults.MAX_DRAWS if self.keep_draws is True else int(self.keep_draws)
        return max(1, min(self.schedule.n_draws, at_most))


def _checked_keep_draws(keep_draws: Any) -> bool | int:
    """Return True, False or the number of draws of a chain that are kept at the most."""
    if isinstance(keep_draws, bool | np.bool_):
        return bool(keep_draws)
    if not isinstance(keep_draws, int | np.integer):
        true_or_false("keep_draws", keep_draws)
    return whole_number("keep_draws", keep_draws, 1)


def chain_starts(init: Any, n_chains: int) -> tuple[Any, ...]:
    """Return where each chain starts.

    By default every chain has a variational start of its own, and the last of several a random
    one: chains that all start alike may agree on what the start found, and R-hat would not tell.
    """
    if not isinstance(init, str) or init != "auto":
        return (init,) * n_chains
    if n_chains == 1:
        return ("variational",)
    return (*("variational",) * (n_chains - 1), "random")


def resolved_burn_in(burn_in: Any, n_sweeps: Any, *, is_long: bool) -> int:
    """Return the number of sweeps that "auto" stands for, or what was given."""
    if isinstance(burn_in, str):
        if burn_in != "auto":
            raise not_allowed("burn_in", burn_in, 'a whole number from 0 up, or "auto"')
        half = whole_number("n_sweeps", n_sweeps, 1) // 2
        return min(half, LONG_BURN_IN if is_long else SHORT_BURN_IN)
    return whole_number("burn_in", burn_in, 0)


def _checked_n_topics(n_topics: Any, corpus: Corpus) -> int:
    checked = check_n_topics(n_topics)
    if checked > corpus.n_tokens:
        raise InputError.of(
            "{n_topics=} is more than the {corpus.n_tokens} tokens of X "
            "(n_samples={corpus.n_docs}, n_features={corpus.n_words}): [give fewer topics or more "
            "documents]."
        ).where(n_topics=checked, corpus=corpus)
    return checked


def _check_callback(callback: Any) -> None:
    if callback is not None and not callable(callback):
        raise InputError.of(
            "{callback=} cannot be called: [give <a function of one draw, or None>]."
        ).where(callback=callback)
