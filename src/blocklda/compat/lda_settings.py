"""What may be asked of the class with `lda`'s interface, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state as global_or_given

from blocklda.models.lda.priors import check_n_topics
from blocklda.support.checks import real_numbers, seed_sequence, whole_number
from blocklda.support.errors import InputError, InputTypeError
from blocklda.support.messages import Given

if TYPE_CHECKING:
    from blocklda.compat.lda import LDA

__all__ = ["Settings", "chain_seed", "check_random_state"]


@dataclass(frozen=True)
class Settings:
    """The numbers of a model, of the right kind and in their ranges."""

    n_topics: int
    n_iter: int
    alpha: float
    eta: float
    refresh: int

    @classmethod
    def of(cls, model: LDA) -> Settings:
        """Check the attributes of a model; they may have been set since it was made."""
        return cls(
            n_topics=check_n_topics(model.n_topics),
            n_iter=whole_number("n_iter", model.n_iter, 0),
            alpha=_prior("alpha", model.alpha),
            eta=_prior("eta", model.eta),
            refresh=whole_number("refresh", model.refresh, 1),
        )


def _prior(name: str, value: Any) -> float:
    number = real_numbers(value)
    if number is None:
        raise InputTypeError.of(
            "{given} is not a number: [give <a number greater than zero>]."
        ).where(given=Given(name, value))
    if number.ndim > 0:
        raise InputError(
            f"{name} has the shape {number.shape}, but it must be one number, as in lda; "
            "blocklda.LDA takes one alpha per topic and a matrix beta.",
            parameter=name,
            value=value,
        )
    if not 0 < number < math.inf:
        raise InputError.of("{given} is not allowed: it must be <greater than zero>.").where(
            given=Given(name, value)
        )
    return float(number)


def check_random_state(random_state: Any) -> None:
    """Refuse what is no seed, without drawing a number from a generator."""
    if not isinstance(random_state, (np.random.RandomState, np.random.Generator)):
        seed_sequence("random_state", random_state)


def chain_seed(random_state: Any) -> np.random.SeedSequence:
    """Return a seed for one fit.

    None stands for NumPy's global generator, of which ``lda`` takes its numbers too: it moves on
    with each fit, and ``numpy.random.seed`` sets it.
    """
    if random_state is None:
        random_state = global_or_given(None)
    return seed_sequence("random_state", random_state)
