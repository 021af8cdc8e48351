"""Credible intervals of mixtures of Beta distributions, however close to 0 or 1 they lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaincinv, betaln, expit, logit

from blocklda.support.arrays import Bools, Floats, Ints

__all__ = ["beta_mixture_interval"]

TINY = float(np.finfo(np.float64).tiny)
EPSILON = float(np.finfo(np.float64).eps)

LIMIT = -float(np.log(TINY))
"""The search runs over log(x / (1 − x)) from −LIMIT to LIMIT, where x or 1 − x is TINY."""

SMALLEST_SHAPE = 1e-100
"""Beta(a, b) depends on a / b alone, to all digits of doubles, if both are smaller than this. SciPy
before 1.17 multiplies them, and where the product underflows its cdf is 0 or 1."""

PRECISION = 1e-4
"""How far the probability in a tail may be off, as a share of it."""

HALLEY_STEPS = 20
"""After this many steps only bisection is used. One or two are enough unless a mixture has several
peaks."""

STEPS = HALLEY_STEPS + 60
"""Maximum number of evaluations: 60 bisections lead from 2 LIMIT to the spacing of doubles."""


def beta_mixture_interval(
    alphas: Floats, betas: Floats, share: float, weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return the ends of the interval that contains ``share`` of each mixture, with equal tails.

    Column j is the mixture of Beta(alphas[i, j], betas[i, j]) over i, with equal weights or with
    those given, of the same shape, which sum to 1 over i.

    An end that is closer to 0 or 1 than any double is 0 or 1. No probability is then left out on
    this side, and the other end leaves out twice as much, so that the interval contains ``share``
    all the same. It contains more only where most of a mixture lies that close to 0 or 1.
    """
    n_parts, *shape = alphas.shape
    given = (alphas, betas, np.array(1 / n_parts) if weights is None else weights)
    a, b, w = (np.broadcast_to(values, alphas.shape).reshape(n_parts, -1) for values in given)
    low, high = np.empty(a.shape[1]), np.empty(a.shape[1])
    for columns, mixtures in _without_repetitions(a, b, w):
        low[columns], high[columns] = _interval(mixtures, share)
    return low.reshape(shape), high.reshape(shape)


class _Mixtures(NamedTuple):
    """Mixtures of Betas, one per column: shapes (parts, mixtures)."""

    alphas: Floats
    betas: Floats
    weights: Floats
    log_norms: Floats

    @classmethod
    def create(cls, alphas: Floats, betas: Floats, weights: Floats) -> _Mixtures:
        scale = np.maximum(SMALLEST_SHAPE / np.maximum(alphas, betas), 1)
        a, b = alphas * scale, betas * scale
        return cls(a, b, weights, betaln(a, b))

    def at(self, columns: Ints | Bools) -> _Mixtures:
        return _Mixtures(*(part[:, columns] for part in self))

    def tails(self, t: Floats) -> tuple[Floats, Floats]:
        """Return the probabilities of less and of more than expit(t), the smaller one exactly."""
        is_upper = t > 0
        a = np.where(is_upper, self.betas, self.alphas)
        b = np.where(is_upper, self.alphas, self.betas)
        one = (self.weights * betainc(a, b, expit(-np.abs(t)))).sum(axis=0)
        other = np.maximum(1 - one, 0)
        return np.where(is_upper, other, one), np.where(is_upper, one, other)

    def density(self, t: Floats) -> tuple[Floats, Floats]:
        """Return the density of log(x / (1 − x)) at t, and its derivative."""
        # log x and log y are those of x = expit(t) and y = 1 − x, without the difference.
        log_x, log_y = -np.logaddexp(0, -t), -np.logaddexp(0, t)
        parts = self.weights * np.exp(self.alphas * log_x + self.betas * log_y - self.log_norms)
        slopes = self.alphas * np.exp(log_y) - self.betas * np.exp(log_x)
        return parts.sum(axis=0), (parts * slopes).sum(axis=0)

    def guess(self, level: Floats) -> Floats:
        """Return log(x / (1 − x)) of the quantile of the Beta with the mixture's mean and variance.

        It is the quantile itself if all parts are alike.
        """
        totals = self.alphas + self.betas
        means, rests = self.alphas / totals, self.betas / totals
        mean, rest = (self.weights * means).sum(axis=0), (self.weights * rests).sum(axis=0)
        within = means * rests / (totals + 1)
        variance = (self.weights * (within + (means - mean) ** 2)).sum(axis=0)
        with np.errstate(all="ignore"):
            total = mean * rest / variance - 1
        total = np.where(np.isfinite(total) & (total > 0), total, totals.mean(axis=0))
        a, b = np.maximum(mean * total, TINY), np.maximum(rest * total, TINY)
        is_upper = mean > rest
        x = betaincinv(
            np.where(is_upper, b, a),
            np.where(is_upper, a, b),
            np.where(is_upper, 1 - level, level),
        )
        t = np.clip(logit(x), -LIMIT, LIMIT)
        return np.nan_to_num(np.where(is_upper, -t, t))


def _without_repetitions(
    alphas: Floats, betas: Floats, weights: Floats
) -> Iterator[tuple[Ints, _Mixtures]]:
    """Yield some columns and their mixtures, in which parts that are alike have become one.

    A topic has few different counts in a document over all draws, often none at all. Columns with
    about as many different parts are dealt with together; what is missing has the weight 0.
    """
    order = np.argsort(alphas, axis=0, kind="stable")
    a, b, w = (np.take_along_axis(part, order, axis=0) for part in (alphas, betas, weights))
    is_new = np.ones(a.shape, dtype=bool)
    is_new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    ranks = np.cumsum(is_new, axis=0) - 1
    least = 0
    while least < len(a):
        most = min(2 * least + 1, len(a))
        columns = np.flatnonzero((ranks[-1] >= least) & (ranks[-1] < most))
        if len(columns):
            at = ranks[:, columns], np.arange(len(columns))
            shares = np.zeros((most, len(columns)))
            np.add.at(shares, at, w[:, columns])
            firsts, seconds = (_placed(part[:, columns], at, most) for part in (a, b))
            yield columns, _Mixtures.create(firsts, seconds, shares)
        least = most


def _placed(values: Floats, at: tuple[Ints, Ints], n_rows: int) -> Floats:
    """Return the values at their places; where there are none, those of the first row."""
    rows = np.repeat(values[:1], n_rows, axis=0)
    rows[at] = values
    return rows


def _interval(mixtures: _Mixtures, share: float) -> tuple[Floats, Floats]:
    """Return both ends; where one is not a double, the other one makes up for it."""
    tail = (1 - share) / 2
    n_mixtures = mixtures.alphas.shape[1]
    low = _lower_end(_quantile(mixtures, np.full(n_mixtures, tail)))
    levels = np.where(low > 0, 1 - tail, share)
    high = _upper_end(_quantile(mixtures, levels))
    rough = np.flatnonzero((low > 0) & (1 - high < EPSILON / PRECISION))
    if len(rough):
        few = mixtures.at(rough)
        with np.errstate(divide="ignore"):
            _, left_out = few.tails(np.minimum(-np.log(1 - high[rough]), LIMIT))
        left_out = np.where(high[rough] < 1, left_out, 0)
        low[rough] = _lower_end(_quantile(few, 1 - share - left_out))
    return np.minimum(low, high), high


# Near 1, where much of a mixture may lie between two doubles, ends are rounded outwards.


def _lower_end(t: Floats) -> Floats:
    x = expit(t)
    is_inside = (t > 0) & (1 - x < expit(-t))
    return np.where(t > -LIMIT, np.where(is_inside, np.nextafter(x, 0), x), 0.0)


def _upper_end(t: Floats) -> Floats:
    x = expit(t)
    is_inside = (t > 0) & (1 - x > expit(-t))
    return np.where(is_inside, np.nextafter(x, 1), x)


def _quantile(mixtures: _Mixtures, levels: Floats) -> Floats:
    """Return log(x / (1 − x)) for the x below which the share ``levels`` of each mixture lies.

    ±LIMIT stands for all that lies beyond. The search solves logit(cdf) = logit(level), which is
    nearly linear wherever tails are powers of x or of 1 − x, by Halley's steps within a bracket.
    """
    t = mixtures.guess(levels)
    below, above = np.full(t.shape, -np.inf), np.full(t.shape, np.inf)
    active = np.arange(len(t))
    for number in range(STEPS):
        few, at, level = mixtures.at(active), t[active], levels[active]
        lower, upper = few.tails(at)
        is_below = lower < level
        error = np.where(is_below, level - lower, (1 - level) - upper)
        below[active] = np.where(is_below, at, below[active])
        above[active] = np.where(is_below, above[active], at)
        is_done = np.abs(error) <= PRECISION * np.minimum(level, 1 - level)
        is_done |= np.where(is_below, at >= LIMIT, at <= -LIMIT)
        active, remaining = active[~is_done], ~is_done
        if not active.size:
            break
        step: Floats | float = np.nan
        if number < HALLEY_STEPS:
            arguments = (part[remaining] for part in (at, lower, upper, level))
            step = _halley(few.at(remaining), *arguments)
        t[active] = _inside(at[remaining] + step, below[active], above[active])
    return t


def _halley(mixtures: _Mixtures, t: Floats, lower: Floats, upper: Floats, level: Floats) -> Floats:
    """Return Halley's step to the root of logit(lower) − logit(level), NaN or infinite at worst."""
    with np.errstate(all="ignore"):
        density, slope = mixtures.density(t)
        both = lower * upper
        value = np.log(lower / upper) - logit(level)
        first = density / both
        second = slope / both - first**2 * (upper - lower)
        newton = value / first
        # Far from the root the correction of Newton's step may be of any size.
        return -newton / np.clip(1 - newton * second / (2 * first), 0.5, 2)


def _inside(t: Floats, below: Floats, above: Floats) -> Floats:
    """Return t if it is inside the bracket, else the middle of the bracket."""
    wanted = np.clip(t, -LIMIT, LIMIT)
    middle = (np.maximum(below, -LIMIT) + np.minimum(above, LIMIT)) / 2
    return np.where((wanted > below) & (wanted < above), wanted, middle)
