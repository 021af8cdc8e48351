"""Wrong sweeps of a mixture, and wrong draws of its concentration, each by a single mistake."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from blocklda.models.blocks import Series
from blocklda.models.lda.prior_learning.sampled import conjugate_draw, minus_log_eta
from blocklda.models.mixture.concentration import draw_concentration
from blocklda.models.mixture.reference.sweep import Sweep
from blocklda.models.mixture.state import State, SweepOptions
from blocklda.models.scaled import ONE, Scaled, divided, product, rising, scaled
from tests.models.mixture.problem import DocumentSweep


class OneNewComponent(Sweep):
    """All new documents are in one component, which weighs α^(j)/j! F(j)."""

    def any_new(self, F: Series | None, m: int) -> Series:
        if F is None:
            return super().any_new(F, m)
        U = [ONE]
        for j in range(1, m + 1):
            weight = divided(rising(self.alpha, j), rising(1.0, j))
            U.append(product(weight, F[j]))
        return U

    def draw_new(self, F: Series, U: Series, left: int) -> list[int]:
        return [left] if left else []


class WithoutOneOverJ(Sweep):
    """A new component of j documents weighs α F(j)."""

    def any_new(self, F: Series | None, m: int) -> Series:
        if F is None:
            return super().any_new(F, m)
        by_size = [product(scaled(float(j)), F[j]) if j else F[0] for j in range(m + 1)]
        return super().any_new(by_size, m)

    def draw_new(self, F: Series, U: Series, left: int) -> list[int]:
        by_size = [product(scaled(float(j)), F[j]) if j else F[0] for j in range(len(F))]
        return super().draw_new(by_size, U, left)


class PowerOfOne(Sweep):
    """j documents have the likelihood of one to the power j."""

    def leaf(self, d: int, slot: int, parts: Series) -> Series:
        size = self.size_weight(slot)
        like = divided(product(self.next_weight(d, slot, size, 0), parts[0]), scaled(size or 1.0))
        series = [ONE]
        for copies in range(len(parts)):
            lead = scaled((size + copies) / (copies + 1.0))
            series.append(product(series[-1], product(lead, like)))
        return series


class PowerOfSize(Sweep):
    """n_c^j / j! in place of the rising factorial."""

    def next_weight(self, d: int, slot: int, size: float, copies: int) -> Scaled:
        right = super().next_weight(d, slot, size, copies)
        return product(right, divided(scaled(size), scaled(size + copies))) if size else right


class FirstDealt(Sweep):
    """The first documents of a block are in the first components that were drawn."""

    def dealt(self, slots: list[int]) -> list[int]:
        return sorted(slots)


class LeftInTheCounts(Sweep):
    """A document is weighed while its component still has it."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.births, self.sizes = [*self.births, -1], [*self.sizes, 0]  # one more is needed
        self.totals, self.counts = [*self.totals, 0], [*self.counts, {}]

    def move_one(self, d: int) -> None:
        own = self.labels[d]
        new = self.free_slot()
        sizes = [self.size_weight(slot) for slot in range(len(self.sizes))]
        sizes[new] = self.alpha
        weights = [self.next_weight(d, c, size, 0) for c, size in enumerate(sizes)]
        slot = self.draw(weights)
        self.take_out([d])
        if slot == new:
            self.name_new(slot)
        self.labels[d] = own
        self.put_in([d], [slot])


class TwoNewComponents(Sweep):
    """Beside the new component the one that a document left empty weighs α, too."""

    def move_one(self, d: int) -> None:
        own = self.labels[d]
        self.take_out([d])
        sizes = [self.size_weight(slot) for slot in range(len(self.sizes))]
        new = [own] if self.sizes[own] == 0 else []
        new += [c for c, n in enumerate(self.sizes) if n == 0 and c != own][:1]
        for slot in new:
            sizes[slot] = self.alpha
        slot = self.draw([self.next_weight(d, c, size, 0) for c, size in enumerate(sizes)])
        if slot in new:
            self.name_new(slot)
        self.put_in([d], [slot])


class StaticCounts(Sweep):
    """A word that a document has x times weighs (n_cv + β)^x: counts that stand still."""

    def next_weight(self, d: int, slot: int, size: float, copies: int) -> Scaled:
        weight = super().next_weight(d, slot, size, copies)
        for v, x in self.words[d]:
            n = self.counts[slot].get(v, 0)
            if n > 0:
                b = float(n + copies * x) + self.beta[v]
                for _ in range(x):
                    weight = product(weight, scaled(b))
                weight = divided(weight, rising(b, x))
        return weight


class SumOverSeenWords(Sweep):
    """B is the prior of the words that a document has."""

    def next_weight(self, d: int, slot: int, size: float, copies: int) -> Scaled:
        own, self.B = self.B, sum(self.beta[v] for v, _ in self.words[d]) or self.B
        try:
            return super().next_weight(d, slot, size, copies)
        finally:
            self.B = own


class SizesWithoutAlpha(Sweep):
    """A finite mixture whose components weigh n_c, and a little where they are empty."""

    def size_weight(self, slot: int) -> float:
        return float(self.sizes[slot]) or self.alpha


def by(sweep: type[Sweep]) -> DocumentSweep:
    """Return the function that a sampler has."""

    def documents(state: State, options: SweepOptions) -> int:
        return sweep(state).run(options.max_block)

    return documents


MIXTURE_MUTANTS: dict[str, DocumentSweep] = {
    "new components taken for one": by(OneNewComponent),
    "new components without 1/j": by(WithoutOneOverJ),
    "likelihood of one document to the power j": by(PowerOfOne),
    "size to the power j": by(PowerOfSize),
    "first documents in first components": by(FirstDealt),
    "document left in the counts": by(LeftInTheCounts),
    "two new components for one document": by(TwoNewComponents),
    "static counts of a word": by(StaticCounts),
    "prior of a document's own words": by(SumOverSeenWords),
}

FINITE_MUTANTS: dict[str, DocumentSweep] = {
    "sizes without alpha": by(SizesWithoutAlpha),
    "finite: likelihood of one document to the power j": by(PowerOfOne),
    "finite: size to the power j": by(PowerOfSize),
}

CONTROLS: dict[str, DocumentSweep] = {"the twin": by(Sweep)}
"""What the mutants were made from."""


Concentration = Callable[[State], float]


def _dp(n_added: int, shape: int = 0, share: float = 1.0) -> Concentration:
    """Return the draw of a Dirichlet process with one thing wrong."""

    def draw(state: State) -> float:
        n_docs = np.array([state.corpus.n_docs])
        exposure = share * minus_log_eta(n_docs, state.alpha + n_added, state.rng)
        m = np.array(state.n_components + shape)
        return float(conjugate_draw(state.priors.alpha_prior, m, exposure, state.rng))

    return draw


CONCENTRATION_MUTANTS: dict[str, Concentration] = {
    "eta of alpha + 1": _dp(1),
    "one component too few": _dp(0, shape=-1),
    "half of the exposure": _dp(0, share=0.5),
}

CONCENTRATION_CONTROLS: dict[str, Concentration] = {"concentration": draw_concentration}
