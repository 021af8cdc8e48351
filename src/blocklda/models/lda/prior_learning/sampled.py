"""Parameters of a Dirichlet prior drawn from their posterior given the topics: a Gibbs step.

Two kinds of variables are added to the likelihood (Antoniak 1974; Escobar & West 1995), after which
a Gamma prior is conjugate:

    Γ(A) / Γ(A + N) ∝ ∫ η^(A−1) (1 − η)^(N−1) dη                η ~ Beta(A, N) for each row
    Γ(n + x) / Γ(x) = Σ_m s(n, m) x^m, s Stirling's numbers     m = Σ_{i<n} Bernoulli(x / (x + i))

Given them the likelihood of x is x^m exp(x · width · Σ_r log η_r). All are drawn exactly; there is
nothing to tune.
"""

from __future__ import annotations

import math

import numpy as np

from blocklda.models.lda.prior_learning.row_counts import RowCounts
from blocklda.support.arrays import Floats, Ints

__all__ = ["sampled"]


FIRST_FACTORS = 1000
"""How many factors of each η are drawn together for all rows; the rest of a longer row is drawn by
itself. So the cost is that of 1000 draws and one for each 1000 tokens at most."""


def sampled(
    counts: RowCounts, x: Floats, prior: tuple[float, float], rng: np.random.Generator
) -> Floats:
    """Return the next x of a chain that leaves its posterior given the counts as it is."""
    m = tables(counts, x, rng)
    exposure = minus_log_eta(counts.totals, counts.row_sum(x), rng)
    return conjugate_draw(prior, m, counts.width * exposure, rng)


def tables(counts: RowCounts, x: Floats, rng: np.random.Generator) -> Floats:
    """Draw m for each parameter, summed over its cells."""
    x_of = x[counts.parameter]
    return counts.by_parameter(rng.binomial(counts.above, x_of / (x_of + counts.level)))


def minus_log_eta(totals: Ints, A: float, rng: np.random.Generator) -> float:
    """Draw −Σ_r log η_r, η_r ~ Beta(A, N_r).

    Beta(A, N) is a product of independent Beta(A + i, 1), i < N, and −log Beta(A + i, 1) is
    exponential with the rate A + i. So no η is formed, which for small A would be 0 in doubles. The
    sum over the rows of more than i tokens is a Gamma variate. Of long rows a factor
    Beta(A + 1000, N − 1000) is left, which is never that small.
    """
    lengths = np.bincount(np.minimum(totals, FIRST_FACTORS), minlength=1)
    rows_above = np.cumsum(lengths[:0:-1])[::-1]
    head = rng.standard_gamma(rows_above) / (A + np.arange(len(rows_above)))
    rest = totals[totals > FIRST_FACTORS] - FIRST_FACTORS
    tail = rng.beta(A + FIRST_FACTORS, rest)
    return float(head.sum()) - math.fsum(map(math.log, tail))


def conjugate_draw(
    prior: tuple[float, float], m: Floats, exposure: float, rng: np.random.Generator
) -> Floats:
    """Draw x ~ Gamma(shape + m, rate + exposure)."""
    shape, rate = prior
    x: Floats = rng.standard_gamma(shape + m) / (rate + exposure)
    return x
