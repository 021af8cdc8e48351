"""Wrong merge-split moves, each by a single mistake."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from blocklda.models.lda.reference import elementary
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.state import State, SweepOptions
from tests.models.lda.moves.reference import Choice, MergeSplit, Token, Triple


class ChoiceOfTheOldState(MergeSplit):
    """s(z'; k, j, i) is taken from the weights of z."""

    def log_choice_ratio(self, before: Choice, proposed: np.ndarray, triple: Triple) -> float:
        i, j, k = triple
        return before.log_probability(k, j, i) - before.log_probability(i, j, k)


class NoChoiceRatio(MergeSplit):
    """s is left out, as if all triples were equally likely."""

    def log_choice_ratio(self, before: Choice, proposed: np.ndarray, triple: Triple) -> float:
        return 0.0


class OrderOfLabels(MergeSplit):
    """The tokens of the topic to be emptied are visited before those that they join."""

    def order(self, pool: list[Token]) -> list[Token]:
        _, j, _ = self.triple
        return sorted(super().order(pool), key=lambda token: self.topics[token.place] != j)


class MergedIntoTheOther(MergeSplit):
    """M has all tokens in the topic that is empty in fact, with its α and β."""

    def merged_topic(self, a: int, b: int) -> int:
        return b


class NoMerged(MergeSplit):
    """G is evaluated without M: the products of (w_a + w_b) alone."""

    def allocate(self, pool: list[Token], a: int, b: int, goes_to_b: Callable[..., bool]) -> float:
        weight = elementary.LogProduct()

        def seen(token: Token, share_of_a: tuple[float, float]) -> bool:
            weight.multiply(share_of_a[1])
            return goes_to_b(token, share_of_a)

        super().allocate(pool, a, b, seen)
        return weight.log()


class OneAlpha(MergeSplit):
    """Both topics of a split have the α of the first."""

    def allocate(self, pool: list[Token], a: int, b: int, goes_to_b: Callable[..., bool]) -> float:
        alpha = self.priors.alpha.copy()
        alpha[b] = alpha[a]
        own, self.priors = (
            self.priors,
            type(self.priors)(alpha, self.priors.beta, self.priors.beta_sum),
        )
        try:
            return super().allocate(pool, a, b, goes_to_b)
        finally:
            self.priors = own


def repeated(move: type[MergeSplit]) -> Sweep:
    """Return a "sweep" of one attempt at a move."""

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        for _ in range(n_sweeps):
            move(state).attempt()
        return 0

    return sweep


MOVE_MUTANTS: dict[str, Sweep] = {
    "choice not weighed at the new state": repeated(ChoiceOfTheOldState),
    "choice not weighed": repeated(NoChoiceRatio),
    "order that depends on labels": repeated(OrderOfLabels),
    "merged into the other topic": repeated(MergedIntoTheOther),
    "merged state left out": repeated(NoMerged),
    "alpha of the first topic for both": repeated(OneAlpha),
}

MOVE_CONTROLS: dict[str, Sweep] = {"merge-split in Python": repeated(MergeSplit)}
"""What the mutants were made from."""
