"""Tokens whose draw is hard to decide, and their decision in exact rational arithmetic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from blocklda import _native
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference.draw import COLUMNS, draw_token

UNIT = 2.0**-24
"""The largest relative error of an operation in single precision."""

CLOSE_IN_DOUBLES = Fraction(1, 2**40)
"""Of a point this near to the end of an interval doubles, too, may think otherwise."""


@dataclass(frozen=True, kw_only=True)
class Case(ABC):
    """A token of topic ``old`` in a document with counts ``n_d``, of which it is one."""

    alpha: np.ndarray
    n_d: np.ndarray
    old: int

    @abstractmethod
    def drawn(self, u: float, bound_share: float) -> tuple[int, int]:
        """Return what single precision certifies, or -1, and what doubles say."""

    @abstractmethod
    def drawn_by_twin(self, u: float) -> int:
        """Return what the twin says."""

    @abstractmethod
    def weight(self, k: int) -> Fraction:
        """Return the weight of a topic without the token."""

    @property
    def n_topics(self) -> int:
        return len(self.alpha)

    @cached_property
    def order(self) -> list[int]:
        """The order of intervals: the old topic, then column by column."""
        columns = (range(column, self.n_topics, COLUMNS) for column in range(COLUMNS))
        return [self.old, *(k for column in columns for k in column if k != self.old)]

    @cached_property
    def ends(self) -> list[int]:
        """The ends of the intervals, times a common denominator: whole numbers, none rounded."""
        tops, bottoms = [], []
        for k in self.order:
            weight = self.weight(k)
            tops.append(weight.numerator)
            bottoms.append(weight.denominator)
        odd = {bottom // (bottom & -bottom) for bottom in bottoms}
        common = prod(odd) * max(bottom & -bottom for bottom in bottoms)
        weights = (top * (common // bottom) for top, bottom in zip(tops, bottoms, strict=True))
        return np.add.accumulate(np.array(list(weights), dtype=object)).tolist()

    def exact(self, u: float) -> tuple[int, Fraction]:
        """Return the topic at u, and how far u is from an end of its interval."""
        point = Fraction(u) * self.ends[-1]
        at = bisect_right(self.ends, point)
        below = self.ends[at - 1] if at else -self.ends[-1]
        return self.order[at], min(point - below, self.ends[at] - point) / self.ends[-1]

    def widest(self, n: int) -> list[int]:
        """Return the numbers of the widest intervals."""
        widths = np.diff(np.array([0, *self.ends], dtype=object))
        return sorted(range(len(widths)), key=lambda at: widths[at], reverse=True)[:n]

    def hard_points(self, rng: np.random.Generator, n: int) -> Iterator[float]:
        """Yield uniforms at, beside and near ends of intervals, and some that are anywhere.

        The widest intervals are among them: in a narrow one nothing is ever certain.
        """
        chosen = rng.choice(len(self.ends), size=min(n, len(self.ends)), replace=False)
        for at in (*self.widest(4), *chosen):
            end = float(Fraction(self.ends[int(at)], self.ends[-1]))
            beside = [np.nextafter(end, 0.0), end, np.nextafter(end, 1.0)]
            steps = rng.choice([0.25, 1.0, 4.0, 10.0, 30.0, 100.0, 1e4], size=6)
            near = end + UNIT * steps * rng.uniform(-1.5, 1.5, size=6)
            yield from (float(u) for u in (*beside, *near) if 0 <= u < 1)
        yield from rng.random(n).tolist()


def _without(counts: np.ndarray, old: int) -> np.ndarray:
    return counts.astype(np.int64) - (np.arange(len(counts)) == old)


def _sum_of(counts: np.ndarray, prior: np.ndarray, k: int, old: int) -> Fraction:
    return int(counts[k]) - (k == old) + Fraction(float(prior[k]))


@dataclass(frozen=True, kw_only=True)
class TokenCase(Case):
    """A token whose φ is integrated out.

    With masses it is a token in one group of words, of which ``n_k`` and ``beta_sum`` are.
    """

    beta: np.ndarray
    beta_sum: np.ndarray
    n_v: np.ndarray
    n_k: np.ndarray
    masses: np.ndarray | None = None

    @cached_property
    def priors(self) -> Priors:
        return Priors(self.alpha, self.beta[None], self.beta_sum)

    def drawn(self, u: float, bound_share: float) -> tuple[int, int]:
        counts = (np.ascontiguousarray(n, dtype=np.int32) for n in (self.n_d, self.n_v, self.n_k))
        if self.masses is None:
            return _native.draw_token(self.priors.native, *counts, self.old, u, bound_share)
        token = (*counts, self.masses, self.old)
        return _native.draw_token_of_group(self.priors.native, *token, u, bound_share)

    def drawn_by_twin(self, u: float) -> int:
        n_d, n_v, n_k = (_without(n, self.old) for n in (self.n_d, self.n_v, self.n_k))
        rates = (n_d + self.alpha) / (1 * (n_k + self.beta_sum))
        if self.masses is not None:
            rates = rates * self.masses
        return draw_token(rates * (n_v + self.beta), self.old, u)

    def weight(self, k: int) -> Fraction:
        a, b, c = (
            _sum_of(counts, prior, k, self.old)
            for counts, prior in (
                (self.n_d, self.alpha),
                (self.n_v, self.beta),
                (self.n_k, self.beta_sum),
            )
        )
        return a * b / c * (1 if self.masses is None else Fraction(float(self.masses[k])))


@dataclass(frozen=True, kw_only=True)
class CaseGivenPhi(Case):
    """A token given φ of its word."""

    phi: np.ndarray

    @cached_property
    def priors(self) -> Priors:
        ones = np.ones(self.n_topics)
        return Priors(self.alpha, ones[None], ones)

    def drawn(self, u: float, bound_share: float) -> tuple[int, int]:
        token = (np.ascontiguousarray(self.n_d, dtype=np.int32), self.phi, self.old)
        return _native.draw_token_given_phi(self.priors.native, *token, u, bound_share)

    def drawn_by_twin(self, u: float) -> int:
        weights = (_without(self.n_d, self.old) + self.alpha) * self.phi
        return draw_token(weights, self.old, u)

    def weight(self, k: int) -> Fraction:
        return _sum_of(self.n_d, self.alpha, k, self.old) * Fraction(float(self.phi[k]))


def wrong_decisions(case: Case, bound_share: float, seed: int, n: int = 40) -> Iterator[str]:
    """Yield the decisions that rational arithmetic does not agree with."""
    for u in case.hard_points(np.random.default_rng(seed), n):
        certified, defined = case.drawn(u, bound_share)
        topic, distance = case.exact(u)
        if certified not in (-1, topic):
            yield f"u = {u!r}: certified {certified}, not {topic}, K = {case.n_topics}"
        if defined != topic and distance > CLOSE_IN_DOUBLES:
            yield f"u = {u!r}: defined as {defined}, not {topic}, K = {case.n_topics}"


def invented_case(
    n_topics: int,
    seed: int,
    spread: float = 3.0,
    *,
    beta_varies: bool = False,
    smallest_mass: float | None = None,
) -> TokenCase:
    """Return counts and priors that differ by up to ``spread`` decimal digits either way.

    ``smallest_mass``: of a group of words, with masses from there to 1.
    """
    rng = np.random.default_rng(seed)

    def prior(n: int) -> np.ndarray:
        return 10.0 ** rng.uniform(-spread, spread, size=n)

    # Few different totals: the common denominator is a product of all of them.
    totals = rng.integers(1, 2 ** rng.integers(2, 31), size=3)
    sums = prior(2)
    which = rng.integers(3, size=n_topics)
    n_k = totals[which]
    n_d = np.minimum(n_k, rng.integers(0, 2 ** rng.integers(1, 12), size=n_topics))
    n_v = np.minimum(n_k, rng.integers(0, 2 ** rng.integers(1, 29), size=n_topics))
    n_d, n_v = (n * rng.integers(0, 2, size=n_topics) for n in (n_d, n_v))
    old = int(rng.integers(n_topics))
    for n in (n_d, n_v, n_k):
        n[old] = max(n[old], 1)
    beta = prior(n_topics) if beta_varies else np.repeat(prior(1), n_topics)
    alpha, masses = prior(n_topics), None
    if smallest_mass is not None:
        masses = smallest_mass ** rng.random(n_topics)
    return TokenCase(
        alpha=alpha,
        beta=beta,
        beta_sum=sums[which % 2],
        n_d=n_d,
        n_v=n_v,
        n_k=n_k,
        old=old,
        masses=masses,
    )


def invented_case_given_phi(n_topics: int, seed: int, spread: float) -> CaseGivenPhi:
    """Return counts, priors that differ like that, and φ, of which some numbers are tiny or 0.

    ``spread`` is also that of most of φ below 1.
    """
    rng = np.random.default_rng(seed)
    alpha = 10.0 ** rng.uniform(-2 * spread, min(spread, 6.0), size=n_topics)
    n_d = rng.integers(0, 2 ** rng.integers(1, 31), size=n_topics)
    n_d *= rng.integers(0, 2, size=n_topics)
    phi = 10.0 ** rng.uniform(-spread, 0, size=n_topics)
    phi[rng.random(n_topics) < 0.2] **= 30.0
    phi[rng.random(n_topics) < 0.1] = 0.0
    old = int(rng.integers(n_topics))
    n_d[old], phi[old] = max(n_d[old], 1), 10.0 ** -rng.uniform(0, spread)
    return CaseGivenPhi(alpha=alpha, n_d=n_d, old=old, phi=phi)


def always_rounded_one_way(n_rows: int, *, of_group: bool = False) -> TokenCase:
    """Return a case in which all roundings of a column's sums go the same way.

    The first topic of column 0 weighs 1 and the next ones little more than half of the distance
    from one float to the next, so each adds a whole one; then two wide intervals follow. In column
    1 they weigh little less and add nothing, which leaves the total nearly right.
    """
    n_topics = COLUMNS * n_rows
    alpha = np.full(n_topics, 2.0**-29 if of_group else 2.0**-39)
    alpha[0::COLUMNS], alpha[1::COLUMNS] = 1.0001 * UNIT, 0.9999 * UNIT
    alpha[:2] = 1.0
    alpha[0::COLUMNS][-2:] = 0.01
    old = n_topics - 1
    n_d = np.zeros(n_topics, dtype=np.int64)
    n_k = np.zeros(n_topics, dtype=np.int64)
    n_d[old], n_k[old] = 1, 2**30
    beta = np.full(n_topics, 1024.0)
    masses = np.ones(n_topics) if of_group else None
    return TokenCase(
        alpha=alpha,
        beta=beta,
        beta_sum=np.full(n_topics, 2048.0),
        n_d=n_d,
        n_v=n_d.copy(),
        n_k=n_k,
        old=old,
        masses=masses,
    )


def always_rounded_one_way_given_phi(n_rows: int) -> CaseGivenPhi:
    """Return a case in which φ has the part of α in the case above."""
    case = always_rounded_one_way(n_rows)
    ones = np.ones(case.n_topics)
    return CaseGivenPhi(alpha=ones, n_d=case.n_d, old=case.old, phi=case.alpha)
