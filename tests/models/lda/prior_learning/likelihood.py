"""The likelihood of the parameters of a Dirichlet prior, written out from its definition."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln


def log_likelihood(counts: np.ndarray, x: np.ndarray) -> float:
    """Return log ∏_r Γ(A) / Γ(A + N_r) ∏_j Γ(n_rj + x_j) / Γ(x_j) of rows of counts."""
    of_cells = gammaln(counts + x) - gammaln(x)
    of_rows = gammaln(x.sum()) - gammaln(x.sum() + counts.sum(axis=1))
    return float(of_cells.sum() + of_rows.sum())


def log_posterior_of_log(counts: np.ndarray, x: np.ndarray, prior: tuple[float, float]) -> float:
    """Return the log density of log x, for one x per column, up to a constant.

    A Gamma(shape, rate) density of x is x^shape exp(−rate x) in terms of log x.
    """
    shape, rate = prior
    return log_likelihood(counts, x) + float((shape * np.log(x) - rate * x).sum())
