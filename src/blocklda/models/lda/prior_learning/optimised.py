"""Parameters of a Dirichlet prior at the mode of their posterior given the topics.

Minka's fixed point ("Estimating a Dirichlet distribution", 2000), which Wallach, Mimno & McCallum
(2009) use between Gibbs sweeps, with the Gamma prior added. The mode is that of the density of
log x. The density of x itself would have its mode at 0 for a topic without tokens when the shape is
1 or less; on the log scale every mode is positive, whatever the shape.
"""

from __future__ import annotations

from scipy.special import digamma

from blocklda.models.lda.prior_learning.row_counts import RowCounts
from blocklda.support.arrays import Floats

__all__ = ["optimised"]


TOLERANCE = 1e-4
"""The largest relative change of a parameter at which an update ends. The sweeps to come move the
mode by more than that."""

MAX_ITERATIONS = 50
"""The next update continues from where this one stopped."""


def optimised(
    counts: RowCounts,
    x: Floats,
    prior: tuple[float, float],
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> Floats:
    """Return the mode of the density of log x given the counts, searched from ``x``.

    Each iteration raises the density: it maximises a lower bound that touches it at the last x.
    """
    for _ in range(max_iterations):
        last, x = x, _iterated(counts, x, prior)
        if (abs(x - last) <= tolerance * last).all():
            break
    return x


def _iterated(counts: RowCounts, x: Floats, prior: tuple[float, float]) -> Floats:
    """Return (shape + x Σ (ψ(n + x) − ψ(x))) / (rate + width Σ_r (ψ(N_r + A) − ψ(A))).

    ψ(n + x) − ψ(x) = Σ_{i<n} 1 / (x + i). These sums are the expected tables and minus the expected
    Σ log η of the sampler, which draws x from Gamma(shape + tables, rate − width Σ log η).
    """
    shape, rate = prior
    x_of = x[counts.parameter]
    tables = counts.by_parameter(counts.above * (x_of / (x_of + counts.level)))
    A = counts.row_sum(x)
    exposure = float((digamma(counts.totals + A) - digamma(A)).sum())
    new: Floats = (shape + tables) / (rate + counts.width * exposure)
    return new
