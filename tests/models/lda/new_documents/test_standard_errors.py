"""Left to right: one error in twenty is above two standard errors, over many kinds of documents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import pytest

from blocklda.evaluate import LeftToRight, left_to_right
from tests.models.lda.new_documents.problems import KnownTopics

N_WORDS = 5


def documents() -> Iterator[KnownTopics]:
    """Yield documents of 3 to 8 tokens, and φ and α from sharp to flat."""
    rng = np.random.default_rng(5)
    for i in range(600):
        phi = rng.dirichlet(np.full(N_WORDS, (0.2, 0.5, 1.0)[i % 3]), 2 + i % 2)
        phi = (phi + 1e-3) / (1 + N_WORDS * 1e-3)
        alpha = (0.01, 0.05, 0.1, 0.3, 1.0)[i % 5]
        counts = np.bincount(rng.integers(N_WORDS, size=3 + i % 6), minlength=N_WORDS)
        yield KnownTopics(tuple(counts), tuple(map(tuple, phi)), (alpha,) * len(phi))


@lru_cache
def estimates() -> list[tuple[LeftToRight, float]]:
    """Return what is estimated for each document, and what is true."""
    return [
        (left_to_right(p.phi, p.alpha, p.matrix, seed=i), float(np.log(p.exact()[1])))
        for i, p in enumerate(documents())
    ]


def share_above_two(n_batches: int | None, *, widened: bool = True) -> float:
    """Return the share of errors above two standard errors, with the first of the batches."""
    above = []
    for result, exact in estimates():
        part = LeftToRight(result.batches[:, :n_batches], result.n_tokens)
        s2 = part.batches.var(ddof=1)
        B = part.batches.shape[1]
        plain = np.sqrt(s2 / B + s2**2 / (2 * (B - 1)))
        error = part.standard_errors[0] if widened else plain
        above.append(abs(part.log_probabilities[0] - exact) > 2 * error)
    return float(np.mean(above))


def test_one_error_in_twenty_is_above_two_standard_errors():
    """Of 600 with a probability of 0.0455 the share is within 0.008 of it as often as not."""
    assert 0.03 < share_above_two(None) < 0.08


def test_four_batches_and_no_widening_are_rejected():
    assert share_above_two(4, widened=False) > 0.12


def test_no_widening_is_rejected():
    assert share_above_two(None, widened=False) > 0.08


def test_one_token_leaves_rounding_alone():
    phi = ((0.9, 0.1), (0.2, 0.8))
    problem = KnownTopics((0, 1), phi, (2.0, 1.0))
    result = left_to_right(phi, problem.alpha, problem.matrix)
    error = abs(result.log_probability - np.log(problem.exact()[1]))
    assert error <= 2 * result.standard_error == pytest.approx(0, abs=1e-14)
