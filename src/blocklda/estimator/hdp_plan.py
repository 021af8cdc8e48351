"""From the parameters of an HDP to a run: everything a user gave is checked here, before it."""

from __future__ import annotations

from dataclasses import dataclass
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
from blocklda.files.chain_file import restore_chain
from blocklda.models.hdp.chain import HDPChain
from blocklda.models.hdp.global_step import Learning
from blocklda.models.hdp.memory import require_memory_for_fit
from blocklda.models.hdp.model import HDPModel, check_corpus, check_level
from blocklda.models.hdp.starts import INITS
from blocklda.models.hdp.state import Levels, SweepOptions
from blocklda.models.hdp.word_prior import check_beta
from blocklda.models.lda.priors import MAX_TOPICS
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.models.lda.watched_words import WatchedWords
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule
from blocklda.run.settings import described
from blocklda.support import defaults
from blocklda.support.checks import (
    random_generator,
    real_numbers,
    seed_sequence,
    whole_number,
)
from blocklda.support.errors import InputError, not_allowed, unknown_choice

if TYPE_CHECKING:
    from blocklda.estimator.hdp import HDP

__all__ = ["HDPPlan", "few_topics_start"]

SAMPLED = "sampled"
FEW_TOPICS = 2
"""With how many topics the last of several chains starts, as a check."""


@dataclass(frozen=True, kw_only=True)
class HDPPlan(BasePlan):
    """A fit of an HDP that can be started. A start is a kind and a number of topics."""

    model: HDPModel
    sampler: str

    @classmethod
    def create(cls, hdp: HDP, corpus: Corpus, burn_in: int | None = None) -> HDPPlan:
        """Check the parameters of an estimator; ``burn_in`` is that of a fit it continues."""
        check_corpus(corpus)
        _require_draws(hdp.keep_draws)
        n_chains = checked_chains(hdp)
        thin = whole_number("thin", hdp.thin, 1)
        levels, learning = _levels_and_learning(hdp, corpus.n_words)
        if burn_in is None:
            burn_in = resolved_burn_in(hdp.burn_in, hdp.n_sweeps, is_long=True)
        n_sweeps, is_auto = resolved_sweeps(hdp.n_sweeps, burn_in, thin)
        initial = whole_number("initial_topics", hdp.initial_topics, 1, MAX_TOPICS)
        initial = min(initial, corpus.n_tokens)
        model = HDPModel(
            corpus,
            levels,
            learning,
            initial_topics=initial,
            pairs=TokenPairs.choose(corpus),
            watched=WatchedWords.choose(corpus),
        )
        model.find_sampler(hdp.sampler)
        parameters = hdp.get_params(deep=False)
        kept = {name: value for name, value in parameters.items() if name not in MAY_CHANGE}
        return cls(
            model=model,
            sampler=hdp.sampler,
            options=SweepOptions(table_every=_table_every(hdp.table_moves)),
            starts=_starts(hdp.init, n_chains, initial),
            schedule=Schedule.create(n_sweeps, burn_in, thin),
            stops_when_settled=is_auto,
            settings=described(kept),
            **shared_settings(hdp, n_chains),
        )

    def new_chain(self, init: Any, seed: np.random.SeedSequence) -> HDPChain:
        """Return a chain at its start."""
        kind, n_topics = init
        state = self.model.start_from(kind, n_topics, random_generator(seed), defaults.BACKEND)
        return HDPChain.of(self.model, state, self.sampler, options=self.options)

    def check_starts(self) -> None:
        """Refuse starts of chains that :meth:`start` would refuse."""
        seed_sequence("random_state", self.random_state)
        for kind, _ in self.starts:
            self.model.check_start(kind)

    def restored_chain(self, model: Any, stored: Any) -> HDPChain:
        """Return the chain in a part of a file."""
        return restore_chain(HDPChain.of, model, stored)

    def require_memory(self, earlier: Run | None = None) -> None:
        """Refuse a fit that takes more memory than there is."""
        n_kept = len(self.starts) * self.n_kept()
        require_memory_for_fit(self.corpus, self.model.initial_topics, len(self.starts), n_kept)


def _require_draws(keep_draws: Any) -> None:
    if isinstance(keep_draws, bool | np.bool_) and not keep_draws:
        raise InputError.of(
            "{keep_draws=} is not possible for an HDP, whose topics differ between draws: [give "
            "True, or the number of draws to keep of each chain]."
        ).where(keep_draws=False)


def few_topics_start() -> tuple[str, int]:
    """Return where a chain starts that is to show whether the number of topics has settled."""
    return "random", FEW_TOPICS


def _starts(init: Any, n_chains: int, initial: int) -> tuple[Any, ...]:
    """Return where each chain starts; by default the last of several starts from few topics.

    Chains that all start with many topics may agree on what the start found.
    """
    if not isinstance(init, str) or init in INITS:
        return ((init, initial),) * n_chains
    if init != "auto":
        raise unknown_choice("init", init, ("auto", *INITS))
    many = ("variational", initial)
    return (many,) if n_chains == 1 else (*((many,) * (n_chains - 1)), few_topics_start())


def _levels_and_learning(hdp: HDP, n_words: int) -> tuple[Levels, Learning]:
    if hdp.learn_beta not in ("none", SAMPLED):
        raise unknown_choice("learn_beta", hdp.learn_beta, ("none", SAMPLED))
    is_sampled = {
        name: isinstance(getattr(hdp, name), str) and getattr(hdp, name) == SAMPLED
        for name in ("alpha0", "gamma")
    }
    start = {
        name: defaults.CONCENTRATION if sampled else _concentration(name, getattr(hdp, name))
        for name, sampled in is_sampled.items()
    }
    learning = Learning(
        alpha0=is_sampled["alpha0"],
        gamma=is_sampled["gamma"],
        beta=hdp.learn_beta == SAMPLED,
        alpha0_prior=_gamma_prior("alpha0_prior", hdp.alpha0_prior),
        gamma_prior=_gamma_prior("gamma_prior", hdp.gamma_prior),
    )
    beta = check_beta(hdp.beta, n_words)
    if learning.beta and not isinstance(beta, float):
        raise InputError.of(
            "{learn_beta=} is for a beta that all words share: [give one number for beta, or leave "
            "learn_beta at <'none'>]."
        ).where(learn_beta=hdp.learn_beta)
    return Levels(start["alpha0"], start["gamma"], beta), learning


def _concentration(name: str, value: Any) -> float:
    if isinstance(value, str):
        raise not_allowed(name, value, 'a number above 0, or "sampled"')
    return check_level(name, value)


def _gamma_prior(name: str, value: Any) -> tuple[float, float]:
    numbers = real_numbers(value)
    if numbers is None or numbers.shape != (2,) or not (np.isfinite(numbers) & (numbers > 0)).all():
        raise not_allowed(name, value, "shape and rate of a Gamma distribution, both above 0")
    return float(numbers[0]), float(numbers[1])


def _table_every(share: Any) -> int:
    """Return one of how many documents has its tables moved in a sweep; 0 for none."""
    number = real_numbers(share)
    if number is None or number.ndim or not 0 <= number <= 1:
        raise not_allowed("table_moves", share, "a share of the documents, from 0 to 1")
    return 0 if number == 0 else round(1 / float(number))
