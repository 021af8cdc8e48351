"""Groups of words, and the part of each topic that lies in them: what makes a grid exact.

Let topic k give the mass μ_kg to the words of group g. As φ_k ~ Dirichlet(β), the masses are
Dirichlet too, and what happens within one group does not depend on them or on the other groups. So
given the masses, with φ integrated out within each group, the assignments z have the distribution

    p(z | μ) ∝ ∏_d ∏_k Γ(n_dk + α_k) · ∏_g ∏_k μ_kg^n_kg ∏_{v in g} Γ(n_kv + β_kv) / Γ(n_kg + β_kg)

where n_kg and β_kg are sums over the words of the group. No factor ties two groups together but by
the documents: cells with other documents and other words do not depend on each other. The masses
are drawn given z, used for a step or for all steps of a sweep, and forgotten:

    μ_k· | z ~ Dirichlet(n_k1 + β_k1, …, n_kG + β_kG).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import numpy as np

from blocklda.models.lda.priors import Priors, padded_length
from blocklda.models.lda.samplers.partially_collapsed.phi import SMALLEST_TOTAL
from blocklda.support.arrays import Floats, Ints

__all__ = ["WordGroups", "draw_masses"]


class WordGroups:
    """Neighbouring words in groups, each with a row of topics, padded to whole lanes."""

    def __init__(self, starts: Ints, priors: Priors, *, once: bool = False) -> None:
        """Take where each group begins, and behind them where the last one ends.

        ``once``: masses are drawn for a whole sweep, not for each of its steps.
        """
        shape = len(starts) - 1, padded_length(priors.n_topics)
        self.n_topics = priors.n_topics
        self._once = once
        self.totals = np.zeros(shape, dtype=np.int32)
        self.masses = np.zeros(shape)
        self.beta_sum = np.zeros(shape)
        for row, first, end in zip(self.beta_sum, starts[:-1], starts[1:], strict=True):
            of_group = priors.beta[first:end].sum(axis=0)
            if priors.beta_is_symmetric:
                of_group = (end - first) * priors.beta[0]
            row[: priors.n_topics] = of_group

    def for_sweep(self, rng: np.random.Generator) -> Callable[[], None]:
        """Return what draws the masses before each step of a sweep, or before the first alone."""
        steps = count()

        def before_step() -> None:
            if next(steps) == 0 or not self._once:
                self.draw(rng)

        return before_step

    def draw(self, rng: np.random.Generator) -> None:
        """Draw the masses given the totals."""
        k = self.n_topics
        self.masses[:, :k] = draw_masses(self.totals[:, :k] + self.beta_sum[:, :k], rng)


def draw_masses(concentrations: Floats, rng: np.random.Generator) -> Floats:
    """Return a draw from a Dirichlet distribution for every column, of groups by topics."""
    gammas = rng.standard_gamma(concentrations)
    total = gammas.sum(axis=0)
    # An empty topic with a tiny β: its gamma draws may have left the range of doubles. Shares do
    # not depend on their total, so it may decide which are drawn again.
    for k in np.flatnonzero(total < SMALLEST_TOTAL):
        has_words = concentrations[:, k] > 0.0
        gammas[has_words, k] = rng.dirichlet(concentrations[has_words, k])
        total[k] = 1.0
    return np.asarray(gammas / total)
