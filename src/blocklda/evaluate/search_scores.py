"""Scores of several chains on the same documents, and how sure they are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from blocklda.support.arrays import Floats, Ints

__all__ = ["Difference", "HeldoutScores", "OverChains"]


@dataclass(frozen=True)
class OverChains:
    """A measure of each of several independent chains, and its spread over them."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over chains."""
        return float(np.mean(self.values))

    @property
    def sd(self) -> float:
        """The standard deviation over chains; NaN for one chain, which cannot show it."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else math.nan

    @property
    def se(self) -> float:
        """The standard error of the mean; NaN for one chain."""
        return self.sd / math.sqrt(len(self.values))

    def to_dict(self) -> dict[str, object]:
        """Return all four for JSON."""
        return {"mean": self.mean, "sd": self.sd, "se": self.se, "chains": list(self.values)}


@dataclass(frozen=True)
class Difference:
    """Held-out log probability per token of one model less that of another, in nats.

    Attributes
    ----------
    mean
        Positive if the first model predicts better.
    se_documents
        Its standard error over documents, paired: both models are scored on the same ones.
    se_chains
        Its standard error over chains; NaN with one chain each.
    """

    mean: float
    se_documents: float
    se_chains: float

    @property
    def se(self) -> float:
        """Both errors together; that of documents alone where chains show none.

        The noise of a chain on a single document is in both parts, so this errs upwards.
        """
        return math.hypot(self.se_documents, 0.0 if math.isnan(self.se_chains) else self.se_chains)


@dataclass(frozen=True, eq=False)
class HeldoutScores:
    """The held-out log probability of each document in each chain of a model.

    Attributes
    ----------
    log_p
        Σ log p over the held-out tokens of a document, shape (chains, documents).
    n_tokens
        How many held-out tokens each document has, at least 1.
    """

    log_p: Floats
    n_tokens: Ints

    @property
    def per_token(self) -> OverChains:
        """Nats per held-out token, chain by chain."""
        return OverChains(tuple((self.log_p.sum(axis=1) / self.n_tokens.sum()).tolist()))

    @property
    def se_documents(self) -> float:
        """The standard error of the score per token over documents, chains taken as they are."""
        return _ratio_error(self.log_p.mean(axis=0), self.n_tokens)

    def less(self, other: HeldoutScores) -> Difference:
        """Return this score less that of another model on the same documents."""
        if other is self:
            return Difference(0.0, 0.0, 0.0)
        ours, theirs = self.per_token, other.per_token
        by_document = self.log_p.mean(axis=0) - other.log_p.mean(axis=0)
        return Difference(
            ours.mean - theirs.mean,
            _ratio_error(by_document, self.n_tokens),
            math.hypot(ours.se, theirs.se),
        )


def _ratio_error(totals: Floats, sizes: Ints) -> float:
    """Return the standard error of r = Σ_d L_d / Σ_d N_d over documents drawn independently.

    √( n / (n − 1) · Σ_d (L_d − r N_d)² ) / Σ_d N_d, the usual one of a ratio of two sums.
    """
    n = len(totals)
    residuals = totals - totals.sum() / sizes.sum() * sizes
    return float(np.sqrt(n / (n - 1) * (residuals @ residuals)) / sizes.sum())
