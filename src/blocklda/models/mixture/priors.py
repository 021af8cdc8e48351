"""The priors of a mixture, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda.models.base import Arrays, Stored
from blocklda.models.lda.priors import MAX_TOPICS, positive_numbers
from blocklda.support.arrays import Floats
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError, OtherModelError
from blocklda.support.messages import Given, Setting

__all__ = ["MixturePriors"]

SMALLEST, LARGEST = 1e-30, 1e15
"""Between them products of eight factors, which the kernel takes before it looks at the exponent,
neither overflow nor underflow."""


@dataclass(frozen=True)
class MixturePriors:
    """The priors of the components.

    Attributes
    ----------
    alpha
        Where chains start: the concentration of the Dirichlet process, or of a finite mixture the
        parameter of the symmetric Dirichlet prior of its K shares.
    is_learned
        True if a chain draws alpha after every sweep.
    alpha_prior
        Shape and rate of the Gamma prior that alpha then has.
    beta
        The Dirichlet prior of the words of a component, one number per word.
    n_components
        K of a finite mixture, None for a Dirichlet process.
    """

    alpha: float
    is_learned: bool
    alpha_prior: tuple[float, float]
    beta: Floats
    n_components: int | None

    @classmethod
    def create(
        cls,
        n_words: int,
        alpha: Any,
        beta: ArrayLike,
        n_components: int | None,
        *,
        is_learned: bool,
        alpha_prior: Any,
    ) -> MixturePriors:
        """Check what a user gave: beta is a number or one number per word."""
        values = positive_numbers("beta", beta, ((), (n_words,)), "a number or one per word")
        prior = positive_numbers("alpha_prior", alpha_prior, ((2,),), "a shape and a rate")
        concentration = positive_numbers("alpha", alpha, ((),), "a number")
        for name, numbers in (("alpha", concentration), ("beta", values)):
            _require_range(name, numbers)
        if n_components is not None:
            n_components = whole_number("n_components", n_components, 1, MAX_TOPICS)
        shape, rate = (float(number) for number in prior)
        return cls(
            float(concentration),
            is_learned,
            (shape, rate),
            np.array(np.broadcast_to(values, n_words)),
            n_components,
        )

    def __post_init__(self) -> None:
        """Freeze beta: several chains share it."""
        self.beta.setflags(write=False)

    @cached_property
    def beta_sum(self) -> float:
        """B, the sum of beta over the vocabulary."""
        return math.fsum(self.beta)

    def given_beta(self) -> float | Floats:
        """Return beta as users give it: a number where all words share one."""
        return self.beta if np.ptp(self.beta) else float(self.beta[0])

    def to_arrays(self) -> Arrays:
        """Return the arrays that hold the priors in a file."""
        return {"beta": self.beta, "alpha_prior": np.array(self.alpha_prior)}

    def to_header(self) -> dict[str, Any]:
        """Return the part of a header that holds the rest."""
        return {"learn": self.is_learned, "n_components": self.n_components}

    @classmethod
    def restore(cls, stored: Stored, n_words: int) -> MixturePriors:
        """Return priors from a file, checked as those of a user; alpha is that of its state."""
        beta = stored.shaped("beta", np.float64, (n_words,))
        prior = stored.shaped("alpha_prior", np.float64, (2,))
        with stored.reading():
            header = stored.header
            return cls.create(
                n_words,
                header["alpha"],
                beta,
                header["n_components"],
                is_learned=header["learn"] is True,
                alpha_prior=prior,
            )

    def require_same(self, stored: Stored) -> None:
        """Refuse a state of another kind of mixture."""
        found = stored.header.get("n_components")
        if found != self.n_components:
            raise OtherModelError.of("its run has {found} components, but {wanted}").where(
                found=found or "any number of", wanted=Setting("n_components", self.n_components)
            )


def _require_range(name: str, numbers: Floats) -> None:
    outside = (numbers < SMALLEST) | (numbers > LARGEST)
    if outside.any():
        worst = float(numbers[outside].flat[0])
        raise InputError.of(
            "{given} is out of range: [give <numbers between {smallest} and {largest}>]."
        ).where(given=Given(name, worst), smallest=SMALLEST, largest=LARGEST)
