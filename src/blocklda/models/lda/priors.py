"""The Dirichlet priors of a model, checked once and laid out for the samplers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda import _native
from blocklda.support.arrays import Floats, sealed
from blocklda.support.checks import real_numbers, whole_number
from blocklda.support.errors import InputError

__all__ = ["LANES", "Priors", "check_n_topics", "padded_length"]


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
        alpha_values = _positive("alpha", alpha, ((), (n_topics,)), "a number or one per topic")
        beta_values = _positive(
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
        """Whether all words share one prior row."""
        return len(self.beta) == 1

    def word_prior(self, word: int) -> Floats:
        """Return beta_kv of one word for all topics."""
        row: Floats = self.beta[0 if self.beta_is_symmetric else word]
        return row

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


def _positive(
    name: str, value: ArrayLike, shapes: tuple[tuple[int, ...], ...], allowed: str
) -> Floats:
    values = real_numbers(value)
    if values is None:
        raise InputError(f"{name}={value!r:.80} is not a number: give {allowed}, above 0.")
    if values.shape not in shapes:
        wanted = " or ".join(str(shape) for shape in shapes if shape)
        raise InputError(
            f"{name} has the shape {values.shape}: give {allowed}, that is of shape {wanted}."
        )
    good = np.isfinite(values) & (values > 0)
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        place = f"{name}{list(where)}" if where else name
        raise InputError(f"{place}={values[where]} is not allowed: {name} must be finite and > 0.")
    return values
