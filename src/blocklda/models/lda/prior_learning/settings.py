"""Which priors a chain learns, how, and when."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaln

from blocklda.models.lda.prior_learning.optimised import optimised
from blocklda.models.lda.prior_learning.row_counts import (
    RowCounts,
    asymmetric_counts,
    doc_counts,
    word_counts,
)
from blocklda.models.lda.prior_learning.sampled import sampled
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.topic_counts import CellCounts, TopicCounts
from blocklda.support.arrays import Floats
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed, Given, Setting

__all__ = [
    "FIRST_UPDATE",
    "LEARN_ALPHA",
    "LEARN_BETA",
    "NOTHING_LEARNED",
    "PriorLearning",
    "checked_choice",
    "spelled",
]


LEARN_ALPHA = ("none", "symmetric", "asymmetric")
LEARN_BETA = ("none", "symmetric")
LEARN_HOW = ("optimised", "sampled")

SHAPES = (0.1, 1e6)
RATES = (1e-6, 1e6)
"""What a Gamma prior may have. A Gamma variate with a shape below 0.1 may be 0 in doubles; from 0.1
up the probability of that is below 1e-30."""

BOUNDS = (1e-10, 1e6)
"""Where learned numbers stay. The default Gamma priors leave them only where there is nothing to
learn from; the samplers' sums of counts and priors keep their digits in between."""

FIRST_UPDATE = 2
"""The first sweep after which priors are optimised: topics are then no longer those of the start.
From there to the end of the burn-in they are optimised after every sweep, since topics and priors
draw each other along: Σ_k α_k of KOS, K = 40, stood at 3.8 after 20 sweeps, with an update every
five sweeps at 4.1, and ended at 3.5 both ways."""


def spelled(learn_how: Any) -> Any:
    """Return "optimised" for its American spelling, and anything else as it is."""
    return "optimised" if isinstance(learn_how, str) and learn_how == "optimized" else learn_how


@dataclass(frozen=True)
class PriorLearning:
    """What is learned of α and β, and how.

    ``alpha`` is "none", "symmetric" (one α for all topics) or "asymmetric" (one for each); ``beta``
    is "none" or "symmetric". ``how`` is "optimised", the mode given the topics, found again and
    again during the burn-in and fixed after it; or "sampled", a draw given the topics after every
    sweep, so that the chain samples topics and priors together. ``alpha_prior`` and ``beta_prior``
    are shape and rate of the Gamma prior of each learned number.
    """

    alpha: str
    beta: str
    how: str
    alpha_prior: tuple[float, float]
    beta_prior: tuple[float, float]

    @classmethod
    def create(
        cls,
        learn_alpha: Any,
        learn_beta: Any,
        learn_how: Any,
        alpha_prior: Any,
        beta_prior: Any,
    ) -> PriorLearning:
        """Check what a user gave; ``learn_beta`` may also be True or False."""
        if isinstance(learn_beta, bool | np.bool_):
            learn_beta = "symmetric" if learn_beta else "none"
        return cls(
            checked_choice("learn_alpha", learn_alpha, LEARN_ALPHA),
            checked_choice("learn_beta", learn_beta, LEARN_BETA),
            checked_choice("learn_how", spelled(learn_how), LEARN_HOW),
            _gamma_prior("alpha_prior", alpha_prior),
            _gamma_prior("beta_prior", beta_prior),
        )

    @property
    def is_active(self) -> bool:
        """Return True if anything is learned."""
        return self.alpha != "none" or self.beta != "none"

    @property
    def samples_alpha(self) -> bool:
        """Return True if the draws of a chain differ in α."""
        return self.alpha != "none" and self.how == "sampled"

    @property
    def samples_beta(self) -> bool:
        """Return True if the draws of a chain differ in β."""
        return self.beta != "none" and self.how == "sampled"

    @property
    def needs_burn_in(self) -> bool:
        """Return True if priors are learned during the burn-in only."""
        return self.is_active and self.how == "optimised"

    def check(self, priors: Priors) -> None:
        """Refuse priors that cannot be learned from where they are."""
        if self.alpha == "symmetric" and np.ptp(priors.alpha) > 0:
            raise InputError.of(
                "{learn_alpha=} learns one number for all topics, but alpha has different ones, "
                "from {least:.6g} to {largest:.6g}: [start from a single number, or use "
                "{learn_alpha='asymmetric'}]."
            ).where(learn_alpha=self.alpha, least=priors.alpha.min(), largest=priors.alpha.max())
        if self.beta == "symmetric" and not priors.beta_is_symmetric:
            raise InputError.of(
                "{learn_beta=} learns one number for all words, but beta is a matrix (topics, "
                "words), as with seed words: [set {learn_beta='none'}, or give beta as a number "
                "and no seed words]."
            ).where(learn_beta=self.beta)

    def check_burn_in(self, burn_in: int) -> None:
        """Refuse a burn-in in which nothing would be learned."""
        if self.needs_burn_in and burn_in < FIRST_UPDATE:
            raise InputError.of(
                "{burn_in=} leaves no sweep for {how}, which learns priors from sweep "
                "{first_update} to the end of the burn-in: [give a {burn_in} of at least "
                '{first_update} ("auto" is at most half of {n_sweeps}), or '
                "{learn_how='sampled'}]."
            ).where(burn_in=burn_in, how=Setting("learn_how", self.how), first_update=FIRST_UPDATE)

    def is_due(self, sweep: int, burn_in: int) -> bool:
        """Return True if the priors are updated after this sweep; sweeps are numbered from 1."""
        if not self.is_active or self.how == "sampled":
            return self.is_active
        return FIRST_UPDATE <= sweep <= burn_in

    def updated(
        self, counted: TopicCounts, rng: np.random.Generator, cells: CellCounts | None = None
    ) -> Priors:
        """Return the next priors. They follow from the topics, the priors and the generator.

        ``cells`` is ``counted.cells()``, if it is there already.
        """
        priors = counted.priors
        of_alpha, of_beta = self._row_counts(counted, cells or counted.cells())
        if of_alpha is not None:
            start = priors.alpha[: of_alpha.n_parameters]
            alpha = self._next(of_alpha, start, self.alpha_prior, rng)
            priors = replace(priors, alpha=np.array(np.broadcast_to(alpha, priors.n_topics)))
        if of_beta is not None:
            (beta,) = self._next(of_beta, priors.beta[0, :1], self.beta_prior, rng)
            priors = replace(
                priors,
                beta=np.full((1, priors.n_topics), beta),
                beta_sum=np.full(priors.n_topics, counted.corpus.n_words * beta),
            )
        return priors

    def _row_counts(
        self, counted: TopicCounts, cells: CellCounts
    ) -> tuple[RowCounts | None, RowCounts | None]:
        """Return what the topics say about α and β, where they are learned."""
        counts_of_alpha = {"symmetric": doc_counts, "asymmetric": asymmetric_counts}
        return (
            None if self.alpha == "none" else counts_of_alpha[self.alpha](counted, cells),
            None if self.beta == "none" else word_counts(counted, cells),
        )

    def _next(
        self, counts: RowCounts, x: Floats, prior: tuple[float, float], rng: np.random.Generator
    ) -> Floats:
        low, high = BOUNDS
        if self.how == "sampled":
            # A Metropolis step, so that the Gamma prior cut off at the bounds is sampled exactly.
            new = sampled(counts, x, prior, rng)
            return np.where((low <= new) & (new <= high), new, x)
        return optimised(counts, x, prior).clip(low, high)

    def log_density(self, priors: Priors) -> float:
        """Return the log density of the Gamma priors at sampled α and β; 0 when they are not.

        Optimised priors are fixed while a chain is sampled from, so they have no density there.
        """
        if self.how != "sampled":
            return 0.0
        of_alpha = {"none": 0, "symmetric": 1, "asymmetric": priors.n_topics}[self.alpha]
        of_beta = {"none": 0, "symmetric": 1}[self.beta]
        return _log_gamma_density(priors.alpha[:of_alpha], self.alpha_prior) + _log_gamma_density(
            priors.beta[0, :of_beta], self.beta_prior
        )


def _log_gamma_density(x: Floats, prior: tuple[float, float]) -> float:
    shape, rate = prior
    terms = shape * math.log(rate) - gammaln(shape) + (shape - 1) * np.log(x) - rate * x
    return float(terms.sum())


def checked_choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return one of a few names, or say which are allowed."""
    if isinstance(value, str) and value in allowed:
        return value
    choices = ", ".join(map(repr, allowed[:-1])) + f" or {allowed[-1]!r}"
    raise InputError.of("{given} is not allowed: [choose {allowed}].").where(
        given=Given(name, value), allowed=Allowed(choices, choices=allowed)
    )


def _gamma_prior(name: str, value: Any) -> tuple[float, float]:
    try:
        shape, rate = (float(number) for number in value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError.of(
            "{given} is not a pair of numbers: [give <the shape and the rate of a Gamma "
            "distribution, such as (1.0, 1.0)>]."
        ).where(given=Given(name, value)) from error
    for part, number, (low, high) in (("shape", shape, SHAPES), ("rate", rate, RATES)):
        if not low <= number <= high:
            raise InputError.of(
                "{given} has the {part} {number:g}: [give <one from {low:g} to {high:g}>]."
            ).where(given=Given(name, value), part=part, number=number, low=low, high=high)
    return shape, rate


NOTHING_LEARNED = PriorLearning("none", "none", "optimised", (1.0, 1.0), (1.0, 1.0))
"""Priors stay as given."""
