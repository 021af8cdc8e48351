"""The row of the corpus that a sparse sweep is in: dense counts of one document, or of one word."""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.reference.draw import sum_in_lanes
from blocklda.support.arrays import Floats, Ints

__all__ = ["MajorRow"]


class MajorRow:
    """Counts m_k of the row and what follows from them: b_k = m_k + s_k, g_k = b_k / c_k.

    s_k is the row's own prior, r_k that of the other axis, and c_k = n_k + Σ_v β_kv. In a group of
    words, of which topic k has the mass μ_k, n_k and Σ_v β_kv are of the group's words alone, and
    g_k = μ_k b_k / c_k. For the lists of the other axis r_k may have a factor, ``scale``, which the
    sums over all topics leave out.
    """

    MARGIN = 1e-9

    def __init__(
        self,
        m: Ints,
        n: Ints,
        own: Floats,
        other: Floats,
        beta_sum: Floats,
        masses: Floats | None = None,
    ) -> None:
        self.m, self.n, self.scale = m, n, 1.0
        self.own, self.other, self.beta_sum = own, other, beta_sum
        self.masses = np.ones(len(own)) if masses is None else masses
        self.largest_mass = float(self.masses.max())
        self.b = m + own
        self.c = n + beta_sum
        self.g = (self.b / self.c) * self.masses
        # The sums of r_k g_k and r_k g_k² are kept as running sums, added up again for every row;
        # what rounding takes from them until then is far below the margin.
        self.sum = self.top = sum_in_lanes(other * self.g)
        self.squares = self.squares_top = sum_in_lanes((other * self.g) * self.g)
        self.largest_g = float(self.g.max())
        self.largest_b = float(self.b.max())
        self.smallest_c = float(self.c.min())

    @property
    def prior(self) -> Floats:
        """r_k of the list in use."""
        return self.other * self.scale

    def bound(self) -> float:
        """Return at least the sum of r_k g_k."""
        return (self.sum + self.slack()) * self.scale

    def bound_without(self, k: int) -> float:
        """Return at least that sum without topic k."""
        return float((self.sum - self.other[k] * self.g[k]) + self.slack()) * self.scale

    def slack(self) -> float:
        """Return what the true sum of r_k g_k may be away from the running one, both unscaled."""
        return self.MARGIN * self.top

    def bound_of_squares(self) -> float:
        """Return at least the sum of r_k g_k²."""
        return (self.squares + self.MARGIN * self.squares_top) * self.scale

    def g_with(self, k: int, more: int) -> float:
        """Return g_k with some more tokens of topic k, or fewer."""
        b = float(self.m[k] + more) + self.own[k]
        return self.weight_of(k, b, float(self.n[k] + more) + self.beta_sum[k])

    def weight_of(self, k: int, b: float, c: float) -> float:
        """Return g_k, were b_k and c_k these."""
        return float((b / c) * self.masses[k])

    def change(self, k: int, by: int) -> None:
        """Take tokens out of topic k or put them in, with all that follows from it."""
        self.m[k] += by
        self.n[k] += by
        g_before = self.g[k]
        self.lift(k, 0)
        self.g[k] = self.weight_of(k, self.b[k], self.c[k])
        before, after = self.other[k] * g_before, self.other[k] * self.g[k]
        self.sum = float((self.sum - before) + after)
        self.top = max(self.top, self.sum)
        self.squares = float((self.squares - before * g_before) + after * self.g[k])
        self.squares_top = max(self.squares_top, self.squares)
        self.largest_g = max(self.largest_g, float(self.g[k]))
        self.largest_b = max(self.largest_b, float(self.b[k]))
        self.smallest_c = min(self.smallest_c, float(self.c[k]))

    def lift(self, k: int, count: int) -> None:
        """Take tokens out of b_k and c_k alone, for as long as their block is being drawn."""
        self.b[k] = float(self.m[k] - count) + self.own[k]
        self.c[k] = float(self.n[k] - count) + self.beta_sum[k]
