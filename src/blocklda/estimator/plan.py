"""From an estimator's parameters to a run: everything a user gave is checked here, before it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.diagnostics.stopping import StoppingRule
from blocklda.files.run_file import read_run
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.memory import FitSize
from blocklda.models.lda.model import LDAModel
from blocklda.models.lda.moves.registry import check_moves
from blocklda.models.lda.prior_learning import PriorChoice, PriorLearning
from blocklda.models.lda.priors import Priors, check_n_topics
from blocklda.models.lda.samplers.annealed import N_LEVELS
from blocklda.models.lda.samplers.openings import AUTO_OPENING, choose_opening, is_annealed
from blocklda.models.lda.seed_words import seeded_beta
from blocklda.models.lda.state import SweepOptions
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.models.lda.watched_words import WatchedWords
from blocklda.run.chain_run import ChainRun
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule
from blocklda.run.settings import described
from blocklda.support import defaults
from blocklda.support.checks import (
    n_workers,
    random_generator,
    real_numbers,
    seed_sequence,
    true_or_false,
    whole_number,
)
from blocklda.support.defaults import LONG_BURN_IN, MAX_SWEEPS_KEPT, SHORT_BURN_IN
from blocklda.support.errors import InputError, not_allowed

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = [
    "MAY_CHANGE",
    "FitPlan",
    "annealed_sweeps",
    "chain_starts",
    "resolved_burn_in",
    "resolved_sweeps",
]

MAY_CHANGE = (
    "n_sweeps",
    "n_jobs",
    "callback",
    "warm_start",
    "progress",
    "allow_memory_overcommit",
    "max_seconds",
)
"""Parameters that may change when a fit goes on: the chains and their draws stay what they are."""

MIN_KEPT = 60
"""Draws of each chain before "auto" ends in any case, however few sweeps are kept."""

MAX_CHAINS = 2**16
"""More than any machine holds, and few enough to be counted before memory is asked for."""


@dataclass(frozen=True)
class FitPlan:
    """A fit that can be started: checked parameters, nothing sampled yet."""

    model: LDAModel
    sampler: str
    moves: tuple[str, ...]
    starts: tuple[Any, ...]
    schedule: Schedule
    n_workers: int
    """Chains that run at once."""
    n_threads: int
    """Of each, for samplers that can use several: what is left of the jobs is shared out."""
    keep_draws: int
    """Draws of a chain that are kept at the most."""
    random_state: Any
    stops_when_settled: bool
    """Whether a run may end before its last sweep, once the answer no longer changes."""
    max_seconds: float
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
        thin = whole_number("thin", lda.thin, 1)
        choice, burn_in = _choice_and_burn_in(lda, n_chains, burn_in)
        learning = _learning(lda, choice)
        beta: Any = choice.beta
        if lda.seed_words is not None:
            beta = seeded_beta(
                beta,
                lda.seed_words,
                corpus.vocabulary,
                n_topics,
                corpus.n_words,
                lda.seed_weight,
            )
        priors = Priors.create(n_topics, corpus.n_words, choice.alpha, beta)
        learning.check(priors)
        starts = chain_starts(lda.init, n_chains)
        if any(is_annealed(init) for init in starts):
            check_annealed_burn_in(burn_in)
        n_sweeps, is_auto = resolved_sweeps(lda.n_sweeps, burn_in, thin)
        learning.check_burn_in(burn_in)
        # With what "auto" stood for: a run may be resumed by naming its priors.
        parameters = {**lda.get_params(deep=False), **choice.settings()}
        parameters["learn_how"] = learning.how
        kept = {name: value for name, value in parameters.items() if name not in MAY_CHANGE}
        moves = check_moves(kept.pop("moves"))
        if moves:  # a run without any has the settings of runs from before there were moves
            kept["moves"] = moves
        return cls(
            model=LDAModel(
                corpus, priors, learning, TokenPairs.choose(corpus), WatchedWords.choose(corpus)
            ),
            sampler=lda.sampler,
            moves=moves,
            starts=starts,
            schedule=Schedule.create(n_sweeps, burn_in, thin),
            n_workers=min(n_chains, n_workers(lda.n_jobs)),
            n_threads=max(1, n_workers(lda.n_jobs) // n_chains),
            keep_draws=_checked_keep_draws(lda.keep_draws, n_chains),
            random_state=lda.random_state,
            stops_when_settled=is_auto,
            max_seconds=_checked_seconds(lda.max_seconds),
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
        sweeps = annealed_sweeps(self.schedule.burn_in) if is_annealed(init) else AUTO_OPENING
        state.opening = choose_opening(init, sampler, sweeps)
        return Chain.of(self.model, state, sampler, options=SweepOptions(moves=self.moves))

    def read_run(self, path: Path) -> Run:
        """Return the run of this plan that is in a file, without its draws."""
        return read_run(path, self.model, keep_draws=self.keep_draws, restore=Chain.restored)

    def stopping_rule(self) -> StoppingRule | None:
        """Return what ends the run when its answer has settled, None for a fixed number."""
        return StoppingRule(self.schedule) if self.stops_when_settled else None

    def with_burn_in(self, burn_in: int) -> FitPlan:
        """Return the same plan for a run that has this burn-in already."""
        n_sweeps = self.schedule.n_sweeps
        if self.stops_when_settled:
            n_sweeps += burn_in - self.schedule.burn_in
        schedule = Schedule.create(n_sweeps, burn_in, self.schedule.thin)
        return replace(self, schedule=schedule)

    def continued(self, n_sweeps: int) -> FitPlan:
        """Return the plan for a run that has done ``n_sweeps`` already, with room for more."""
        if not self.stops_when_settled:
            return self
        last = max(self.schedule.n_sweeps, n_sweeps + MAX_SWEEPS_KEPT)
        return replace(self, schedule=replace(self.schedule, n_sweeps=last))

    def size(self, earlier: Run | None = None) -> FitSize:
        """Return what decides how much memory the fit takes beyond that of an ``earlier`` one."""
        n_chains = len(self.starts)
        return FitSize(
            corpus=self.corpus,
            priors=self.model.priors,
            sampler=self.model.find_sampler(self.sampler),
            options=SweepOptions(n_threads=self.n_threads, moves=self.moves),
            n_chains=n_chains,
            n_workers=self.n_workers,
            n_kept=n_chains * self._n_kept(),
            anneals=any(is_annealed(init) for init in self.starts),
            n_kept_before=0 if earlier is None else len(earlier.draws),
            has_sums=self._n_kept() < self.schedule.n_draws,
        )

    def _n_kept(self) -> int:
        """Return the most draws of a chain that are there at a time; the last one always is."""
        return max(1, min(self.schedule.n_draws, self.keep_draws))


def _checked_keep_draws(keep_draws: Any, n_chains: int) -> int:
    """Return the number of draws of a chain that are kept at the most."""
    if isinstance(keep_draws, bool | np.bool_):
        at_most = defaults.MAX_DRAWS if n_chains == 1 else defaults.MAX_DRAWS_OF_SEVERAL
        return at_most if keep_draws else 0
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


def resolved_sweeps(n_sweeps: Any, burn_in: int, thin: int) -> tuple[int, bool]:
    """Return the number of sweeps, and whether a run may end before: "auto" is a limit."""
    if isinstance(n_sweeps, str):
        if n_sweeps != "auto":
            raise not_allowed("n_sweeps", n_sweeps, 'a whole number from 1 up, or "auto"')
        return burn_in + max(MAX_SWEEPS_KEPT, MIN_KEPT * thin), True
    return whole_number("n_sweeps", n_sweeps, 1), False


def annealed_sweeps(burn_in: int) -> int:
    """Return how many sweeps of a burn-in are annealed; the others are plain, and so all draws."""
    return 4 * burn_in // 5


def check_annealed_burn_in(burn_in: int) -> None:
    """Refuse a burn-in in which the power of annealed sweeps cannot rise step by step."""
    shortest = -(-5 * N_LEVELS // 4)
    if burn_in < shortest:
        raise InputError.of(
            "{burn_in=} is too short for {init='annealed'}, which anneals four fifths of it in "
            '{n_levels} steps: [give a {burn_in} of at least {shortest} ("auto" is half of '
            "{n_sweeps} at the most), several hundred if you can, or {init='variational'}]."
        ).where(burn_in=burn_in, n_levels=N_LEVELS, shortest=shortest)


def resolved_burn_in(burn_in: Any, n_sweeps: Any, *, is_long: bool) -> int:
    """Return the number of sweeps that "auto" stands for, or what was given."""
    if isinstance(burn_in, str):
        if burn_in != "auto":
            raise not_allowed("burn_in", burn_in, 'a whole number from 0 up, or "auto"')
        wanted = LONG_BURN_IN if is_long else SHORT_BURN_IN
        if isinstance(n_sweeps, str):
            return wanted
        return min(whole_number("n_sweeps", n_sweeps, 1) // 2, wanted)
    return whole_number("burn_in", burn_in, 0)


def _choice_and_burn_in(lda: LDA, n_chains: int, burn_in: int | None) -> tuple[PriorChoice, int]:
    """Return what the priors are and whether they are learned, and the burn-in that it takes."""
    choice = PriorChoice.resolve(
        lda.alpha,
        lda.beta,
        lda.learn_alpha,
        lda.learn_beta,
        has_seed_words=lda.seed_words is not None,
    )
    if burn_in is None:
        anneals = any(is_annealed(init) for init in chain_starts(lda.init, n_chains))
        is_long = n_chains > 1 or anneals or _learning(lda, choice).is_active
        burn_in = resolved_burn_in(lda.burn_in, lda.n_sweeps, is_long=is_long)
    return choice.within(burn_in, lda.learn_how), burn_in


def _learning(lda: LDA, choice: PriorChoice) -> PriorLearning:
    return PriorLearning.create(
        choice.learn_alpha, choice.learn_beta, lda.learn_how, lda.alpha_prior, lda.beta_prior
    )


def _checked_n_topics(n_topics: Any, corpus: Corpus) -> int:
    checked = check_n_topics(n_topics)
    if checked > corpus.n_tokens:
        raise InputError.of(
            "{n_topics=} is more than the {corpus.n_tokens} tokens of X "
            "(n_samples={corpus.n_docs}, n_features={corpus.n_words}): [give fewer topics or more "
            "documents]."
        ).where(n_topics=checked, corpus=corpus)
    return checked


def _checked_seconds(max_seconds: Any) -> float:
    if max_seconds is None:
        return math.inf
    seconds = real_numbers(max_seconds)
    if seconds is None or seconds.ndim or not seconds > 0:
        raise not_allowed("max_seconds", max_seconds, "a positive number, or None for no limit")
    return float(seconds)


def _check_callback(callback: Any) -> None:
    if callback is not None and not callable(callback):
        raise InputError.of(
            "{callback=} cannot be called: [give <a function of one draw, or None>]."
        ).where(callback=callback)
