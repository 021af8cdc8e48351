"""The Dirichlet priors of a model, checked once and laid out for the samplers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda import _native
from blocklda.models.base import Arrays, Stored
from blocklda.support.arrays import Floats, sealed
from blocklda.support.checks import real_numbers, whole_number
from blocklda.support.errors import InputError
from blocklda.support.memory import require_memory
from blocklda.support.messages import Given

__all__ = [
    "LANES",
    "MAX_TOPICS",
    "Priors",
    "check_n_topics",
    "pad_to_lanes",
    "padded_length",
    "positive_numbers",
]


LANES = 8
"""Rows of topics are padded to a multiple of this for the kernels, and sums run lane by lane."""

MAX_TOPICS = 2**31 - LANES


def padded_length(n_topics: int) -> int:
    """Return the smallest multiple of LANES that holds ``n_topics``."""
    return -(-n_topics // LANES) * LANES


def check_n_topics(n_topics: Any) -> int:
    """Return ``n_topics`` as an int, or say what is wrong with it."""
    return whole_number("n_topics", n_topics, 1, MAX_TOPICS)


@dataclass(frozen=True)
class Priors:
    """Priors in the paper's symbols, one entry per topic.

    ``alpha`` has shape (K,). ``beta`` has shape (1, K) when all words share their prior and (V, K)
    when each word of each topic has its own; ``beta_sum`` (K,) is its sum over the vocabulary, the
    V·beta of the symmetric case.
    """

    alpha: Floats
    beta: Floats
    beta_sum: Floats

    @classmethod
    def create(cls, n_topics: int, n_words: int, alpha: ArrayLike, beta: ArrayLike) -> Priors:
        """Check what a user gave: alpha a number or K numbers, beta a number or a (K, V) matrix."""
        # One number asks for long arrays, which are there before a chain or a fit is estimated.
        require_memory(24 * n_topics, f"the priors of {n_topics:,} topics", "use fewer topics")
        alpha_values = positive_numbers(
            "alpha", alpha, ((), (n_topics,)), "a number or one per topic"
        )
        beta_values = positive_numbers(
            "beta", beta, ((), (n_topics, n_words)), "a number or a matrix (topics, words)"
        )
        if beta_values.ndim == 0:
            beta_rows = np.full((1, n_topics), beta_values)
            beta_sum = np.full(n_topics, n_words * float(beta_values))
        else:
            beta_rows = np.array(beta_values.T, order="C")
            beta_sum = beta_values.sum(axis=1)
        return cls(np.array(np.broadcast_to(alpha_values, n_topics)), beta_rows, beta_sum)

    def __post_init__(self) -> None:
        """Freeze the arrays: kernels read a padded copy, which must stay the same."""
        for values in (self.alpha, self.beta, self.beta_sum):
            values.setflags(write=False)

    @property
    def n_topics(self) -> int:
        """K."""
        return len(self.alpha)

    @property
    def beta_is_symmetric(self) -> bool:
        """Return True if all words share one prior row."""
        return len(self.beta) == 1

    def word_prior(self, word: int) -> Floats:
        """Return beta_kv of one word for all topics."""
        row: Floats = self.beta[0 if self.beta_is_symmetric else word]
        return row

    def beta_of(self, words: tuple[int, int]) -> Floats:
        """Return beta_kv of neighbouring words, the first and the one after the last of them."""
        rows: Floats = self.beta if self.beta_is_symmetric else self.beta[slice(*words)]
        return rows

    def given_beta(self) -> float | Floats:
        """Return β as users give it: a number where all are equal, else (topics, words)."""
        if self.beta_is_symmetric and np.ptp(self.beta) == 0:
            return float(self.beta[0, 0])
        return self.beta.T

    def to_arrays(self) -> Arrays:
        """Return the arrays that hold the priors in a file."""
        return {"alpha": self.alpha, "beta": self.beta, "beta_sum": self.beta_sum}

    @classmethod
    def restore(cls, stored: Stored, n_words: int) -> Priors:
        """Return priors from a file that fit the number of words and each other."""
        alpha = stored.array("alpha", np.float64, 1)
        beta = stored.array("beta", np.float64, 2)
        beta_sum = stored.array("beta_sum", np.float64, 1)
        n_topics = len(alpha)
        shapes_fit = (
            n_topics >= 1
            and beta_sum.shape == (n_topics,)
            and beta.shape in ((1, n_topics), (n_words, n_topics))
        )
        if not shapes_fit:
            raise stored.damaged("its priors do not fit each other")
        for values in (alpha, beta, beta_sum):
            if not (np.isfinite(values) & (values > 0)).all():
                raise stored.damaged("its priors are not positive numbers")
        expected = beta.sum(axis=0) * (1 if len(beta) == n_words else n_words)
        shared_row = len(beta) < n_words
        if not np.allclose(beta_sum, expected, rtol=1e-9, atol=0) or (shared_row and np.ptp(beta)):
            raise stored.damaged("its priors do not fit each other")
        return cls(alpha, beta, beta_sum)

    @cached_property
    def padded(self) -> tuple[Floats, Floats, Floats]:
        """Alpha, beta and beta_sum with zeros up to whole lanes, as the kernels read them."""
        return (
            sealed(pad_to_lanes(self.alpha[None]))[0],
            sealed(pad_to_lanes(self.beta)),
            sealed(pad_to_lanes(self.beta_sum[None]))[0],
        )

    @cached_property
    def native(self) -> _native.Priors:
        """The priors as the kernels take them, checked once."""
        return _native.Priors(*self.padded, self.n_topics)

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what follows from the rest, which another process makes for itself."""
        return {"alpha": self.alpha, "beta": self.beta, "beta_sum": self.beta_sum}


def pad_to_lanes(rows: Floats) -> Floats:
    """Return the rows with zeros appended up to whole lanes."""
    n_rows, n_topics = rows.shape
    result = np.zeros((n_rows, padded_length(n_topics)))
    result[:, :n_topics] = rows
    return result


def positive_numbers(
    name: str, value: ArrayLike, shapes: tuple[tuple[int, ...], ...], allowed: str
) -> Floats:
    """Return finite positive numbers of one of the shapes; ``allowed`` says which those are."""
    values = real_numbers(value)
    if values is None:
        raise InputError.of("{given} is not a number: [give <{allowed}, above 0>].").where(
            given=Given(name, value), allowed=allowed
        )
    if values.shape not in shapes:
        wanted = " or ".join(str(shape) for shape in shapes if shape)
        raise InputError.of(
            "{name} has the shape {values.shape}: [give <{allowed}, that is of shape {wanted}>]."
        ).where(
            name=name, values=values, allowed=allowed, wanted=wanted, parameter=name, value=value
        )
    good = np.isfinite(values) & (values > 0)
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        number = float(values[where])
        given = f"{name}{list(where)}={number}" if where else Given(name, number)
        raise InputError.of("{given} is not allowed: {name} must be <finite and >> 0>.").where(
            given=given, name=name, parameter=name, value=value
        )
    return values
