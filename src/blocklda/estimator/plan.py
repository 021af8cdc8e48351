"""From an estimator's parameters to a run: everything a user gave is checked here, before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.estimator.base_plan import (
    MAY_CHANGE,
    BasePlan,
    checked_chains,
    resolved_burn_in,
    resolved_sweeps,
    shared_settings,
)
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.memory import FitSize, require_memory_for_fit
from blocklda.models.lda.model import LDAModel
from blocklda.models.lda.moves.registry import AUTO_MOVE, are_auto, check_moves, splits_in_burn_in
from blocklda.models.lda.prior_learning import PriorChoice, PriorLearning
from blocklda.models.lda.priors import Priors, check_n_topics
from blocklda.models.lda.samplers.openings import AUTO_OPENING, choose_opening, is_annealed
from blocklda.models.lda.samplers.powers import N_LEVELS
from blocklda.models.lda.seed_words import seeded_beta
from blocklda.models.lda.state import SweepOptions
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.models.lda.watched_words import WatchedWords
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule
from blocklda.run.settings import described
from blocklda.support.checks import (
    random_generator,
    whole_number,
)
from blocklda.support.errors import InputError

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = [
    "FitPlan",
    "annealed_sweeps",
    "chain_starts",
    "check_annealed_burn_in",
]


@dataclass(frozen=True, kw_only=True)
class FitPlan(BasePlan):
    """A fit of LDA."""

    model: LDAModel
    sampler: str
    splits_in_burn_in: bool
    """Whether merge-split is tried after every sweep of the burn-in."""

    @classmethod
    def create(cls, lda: LDA, corpus: Corpus, burn_in: int | None = None) -> FitPlan:
        """Check the parameters of an estimator; ``burn_in`` is that of a fit it continues."""
        n_topics = _checked_n_topics(lda.n_topics, corpus)
        n_chains = checked_chains(lda)
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
        model = LDAModel(
            corpus, priors, learning, TokenPairs.choose(corpus), WatchedWords.choose(corpus)
        )
        model.find_sampler(lda.sampler)
        given = kept.pop("moves")
        moves = () if are_auto(given) else check_moves(given)
        if moves:  # a run without any has the settings of runs from before there were moves
            kept["moves"] = moves
        return cls(
            model=model,
            sampler=lda.sampler,
            splits_in_burn_in=splits_in_burn_in(given, corpus),
            options=SweepOptions(moves=moves),
            starts=starts,
            schedule=Schedule.create(n_sweeps, burn_in, thin),
            stops_when_settled=is_auto,
            settings=described(kept),
            **shared_settings(lda, n_chains),
        )

    def new_chain(self, init: Any, seed: np.random.SeedSequence) -> Chain:
        """Return a chain at its start."""
        sampler = self.model.find_sampler(self.sampler)
        state = self.model.start(init, random_generator(seed), "native")
        sweeps = annealed_sweeps(self.schedule.burn_in) if is_annealed(init) else AUTO_OPENING
        opening = choose_opening(init, sampler, sweeps)
        n_splits = self.schedule.burn_in if self.splits_in_burn_in else 0
        state.opening = replace(opening, n_merge_splits=n_splits)
        state.expect_questions()
        return Chain.of(self.model, state, sampler, options=self.options)

    def restored_chain(self, model: Any, stored: Any) -> Chain:
        """Return the chain in a part of a file."""
        return Chain.restored(model, stored)

    def require_memory(self, earlier: Run | None) -> None:
        """Refuse a fit that takes more memory than is free, beyond that of an earlier one."""
        require_memory_for_fit(self.size(earlier))

    def size(self, earlier: Run | None = None) -> FitSize:
        """Return what decides how much memory the fit takes beyond that of an ``earlier`` one."""
        n_chains = len(self.starts)
        return FitSize(
            corpus=self.corpus,
            priors=self.model.priors,
            sampler=self.model.find_sampler(self.sampler),
            options=replace(
                self.options,
                n_threads=self.n_threads,
                moves=(AUTO_MOVE.name,) if self.splits_in_burn_in else self.options.moves,
            ),
            n_chains=n_chains,
            n_workers=self.n_workers,
            n_kept=n_chains * self.n_kept(),
            anneals=any(is_annealed(init) for init in self.starts),
            n_kept_before=0 if earlier is None else len(earlier.draws),
            has_sums=self.n_kept() < self.schedule.n_draws,
        )


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


def annealed_sweeps(burn_in: int) -> int:
    """Return how many sweeps of a burn-in are annealed; the others are plain, and so all draws."""
    return 4 * burn_in // 5


def check_annealed_burn_in(burn_in: int) -> None:
    """Refuse a burn-in in which the power of annealed sweeps cannot rise step by step."""
    shortest = -(-5 * N_LEVELS // 4)
    if burn_in < shortest:
        raise InputError.of(
            "{burn_in=} is too short for {init='annealed'}, which anneals four fifths of it in "
            '{n_levels} steps: [give a {burn_in} of at least {shortest} ("auto" is at most half '
            "of {n_sweeps}), better several hundred, or {init='variational'}]."
        ).where(burn_in=burn_in, n_levels=N_LEVELS, shortest=shortest)


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
