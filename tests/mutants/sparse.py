"""Wrong sparse samplers, each made from the plain-Python twin by a single mistake; see `mutants`.

With few topics every list holds all of them and no block is restricted in where it may go. So
these sweeps, the right ones among them, run with ``ALL_LISTED`` set to 0: then a problem of two or
three topics, whose states are few, has leaves, a background and blocks that must stay put.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import factorial
from typing import Any

import numpy as np

from blocklda.models.lda.reference import list_block
from blocklda.models.lda.reference import sparse as twin
from blocklda.models.lda.reference.background import Background
from blocklda.models.lda.reference.draw import lane_ends, lanes_of, sum_in_lanes, topic_at
from blocklda.models.lda.reference.list_block import ListBlock
from blocklda.models.lda.reference.major_row import MajorRow
from blocklda.models.lda.reference.sequential_block import SequentialBlock
from blocklda.models.lda.reference.sparse import SparseSweep
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.sparse.plan import PART, one_by_one_shares
from blocklda.models.lda.state import State, SweepOptions
from tests.mutants.parts import replaced
from tests.mutants.samplers import sort_tokens


def _sparse(
    make: Callable[[State, int], SparseSweep] = SparseSweep,
    largest: int = PART,
    **parts: Any,
) -> Sweep:
    """Return a sweep of short lists; ``parts`` take the place of what the twin is made of."""
    in_module = {"ALL_LISTED": 0, **parts}
    background = in_module.pop("Background", Background)

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        with replaced(twin, **in_module), replaced(list_block, Background=background):
            sweeps = make(state, min(options.max_block or largest, largest))
            # As with more topics: with few of them no block would go token by token.
            for share in one_by_one_shares(40, state.random_start, state.n_sweeps, n_sweeps):
                sweeps.run(float(share))
            return sweeps.steps

    return sweep


# --- the set of leaves


class _EmptiedLeaves(ListBlock):
    """Keeps a topic that only the block itself has held among the leaves."""

    def __init__(self, row, listed, counts, is_leaf, *others) -> None:
        super().__init__(row, listed, counts, np.ones_like(is_leaf), *others)


def _spread(block: np.ndarray, counts: np.ndarray) -> bool:
    """Whether a block holds more than one topic that its list has no other token of."""
    return int((np.bincount(block, minlength=len(counts)) == counts)[np.unique(block)].sum()) > 1


class _NoneStaysPut(SparseSweep):
    """Moves the tokens of a block one by one where the block must stay: the state decides."""

    def update_block(self, block: np.ndarray, counts: np.ndarray, u: float) -> None:
        if _spread(block, counts):
            self.update_each(block, counts)
        else:
            super().update_block(block, counts, u)


class _DrawnIntoTheSet(SparseSweep):
    """Draws a block that must stay put as if it could come from anywhere."""

    def update_block(self, block: np.ndarray, counts: np.ndarray, u: float) -> None:
        if _spread(block, counts):
            # All tokens in one topic: what is drawn for the block does not depend on where it was.
            for k in block[1:]:
                for topic, by in ((int(k), -1), (int(block[0]), 1)):
                    self.row.change(topic, by)
                    counts[topic] += by
            block[:] = block[0]
        super().update_block(block, counts, u)


# --- the weights of a block


class _BoundsAreTrue(Background):
    """Accepts whatever ends in the background."""

    def topic_at(self, count: int, point: float) -> int | None:
        true = lane_ends(lanes_of(self.weights(count))[-1])[-1]
        return super().topic_at(count, point / self.bounds[count] * true)


class _EmptiedUnbounded(Background):
    """Bounds the topic that the block alone has held by its weight with the block's tokens."""

    def start(self, emptied: int | None) -> None:
        super().start(None)


class _BackgroundWithoutFactorial(Background):
    """Weighs j tokens in one background topic as a sequence, not as a count."""

    def start(self, emptied: int | None) -> None:
        true = (sum_in_lanes(self.weights(j)) for j in range(1, self.size + 1))
        self.bounds = [1.0, *true]

    def weights(self, count: int) -> np.ndarray:
        return super().weights(count) * factorial(count)


class _LeavesWithoutFactorial(ListBlock):
    def weigh_leaves(self, counts: np.ndarray, is_leaf: np.ndarray) -> np.ndarray:
        factorials = np.array([factorial(n) for n in range(self.size + 1)], dtype=float)
        return super().weigh_leaves(counts, is_leaf) * factorials[:, None]


class _BlockLeftInRow(MajorRow):
    def lift(self, k: int, count: int) -> None:
        super().lift(k, 0)


class _ChoiceNotTakenOff(SparseSweep):
    """Draws the block with the uniform that sent it there, which is not uniform any more."""

    def update_part(self, block: np.ndarray, counts: np.ndarray, one_by_one: float) -> None:
        if len(block) == 1:
            self.update_one(block, counts)
            return
        u = self.rng.random()
        if u < one_by_one:
            self.update_each(block, counts)
        else:
            self.update_block(block, counts, u)


# --- one token


class _SumThatOnlyFalls(MajorRow):
    """A running sum that never rises.

    The bound is too low, then, and cuts the last topics of the background off.
    """

    def change(self, k: int, by: int) -> None:
        before = self.sum
        super().change(k, by)
        self.sum = min(self.sum, before)

    def bound_without(self, k: int) -> float:
        return max(0.0, super().bound_without(k))


class _OneToken(SparseSweep):
    """The weights of one token written out, with the old topic's share of the background wrong."""

    old_shares: float

    def update_one(self, token: np.ndarray, counts: np.ndarray) -> None:
        row, r, old = self.row, self.other_prior, int(token[0])
        row.change(old, -1)
        counts[old] -= 1
        shares = np.where(np.arange(len(counts)) == old, self.old_shares, 1.0)
        weights = (counts + shares * r) * row.g
        topic = topic_at(weights, self.rng.random() * sum_in_lanes(weights))
        row.change(topic, 1)
        counts[topic] += 1
        token[0] = topic


class _OneTokenRight(_OneToken):
    old_shares = 1.0


class _OldTopicTwice(_OneToken):
    old_shares = 2.0


class _OldTopicLeftOut(_OneToken):
    old_shares = 0.0


class _OthersAsDifference(SparseSweep):
    """Takes the old topic's weight off the sum, however little is left."""

    def weight_of_others(self, weights: np.ndarray, is_old: np.ndarray) -> float:
        return sum_in_lanes(weights) - float(weights[is_old][0])


# --- the two axes


class _PriorsNotExchanged(SparseSweep):
    """Takes the document's prior for the row and the word's for the lists, whatever the rows."""

    def __init__(self, state: State, largest: int) -> None:
        super().__init__(state, largest)
        if self.by_word:
            priors = state.priors
            self.other_prior = priors.word_prior(0)
            self.state = replace(state, priors=replace(priors, beta=priors.alpha[None]))


# --- token after token


def _sequential(block: type[SequentialBlock] = SequentialBlock, **parts: Any) -> Sweep:
    """Return a sweep in which every block is drawn token after token."""
    sweeps = partial(SparseSweep, sequential=16)
    return _sparse(sweeps, SequentialBlock=block, sequential_from=lambda: 0, **parts)


class _AlwaysAccepted(SequentialBlock):
    """Takes what was drawn token after token for a draw of the block."""

    def is_accepted(self, chosen: list[int], first: int) -> bool:
        return True


class _SumsExchanged(SequentialBlock):
    """Accepts by the sums on the way to the old topics over those to the new ones."""

    def ratio_of_sums(self, chosen: list[int], first: int) -> tuple[np.float64, np.float64]:
        ratio, smallest = super().ratio_of_sums(chosen, first)
        return 1.0 / ratio, smallest


class _StaysInTheCounts(SequentialBlock):
    """Weighs a topic of the block with the block's tokens in the counts, and then with more."""

    def weight_of(self, slot: Any, n_of_block: int) -> float:
        return super().weight_of(slot, n_of_block + slot.old)


SPARSE_MUTANTS: dict[str, Sweep] = {
    "leaves chosen before removal": _sparse(ListBlock=_EmptiedLeaves),
    "spread blocks go token by token": _sparse(_NoneStaysPut),
    "spread blocks drawn all the same": _sparse(_DrawnIntoTheSet),
    "bounds taken for weights": _sparse(Background=_BoundsAreTrue),
    "emptied topic not in the bounds": _sparse(Background=_EmptiedUnbounded),
    "background without j!": _sparse(Background=_BackgroundWithoutFactorial),
    "leaves without n!": _sparse(ListBlock=_LeavesWithoutFactorial),
    "block left in its row": _sparse(MajorRow=_BlockLeftInRow),
    "choice not taken off the uniform": _sparse(_ChoiceNotTakenOff, ALL_LISTED=2),
    "tokens in sorted order": _sparse(largest=1, shuffle_tokens=sort_tokens),
    "parts of a sorted block": _sparse(largest=2, shuffle_tokens=sort_tokens),
    "running sum that only falls": _sparse(largest=1, MajorRow=_SumThatOnlyFalls),
    "old topic twice": _sparse(_OldTopicTwice, largest=1),
    "old topic not in the background": _sparse(_OldTopicLeftOut, largest=1),
    "priors not exchanged": _sparse(_PriorsNotExchanged),
    "others as a difference": _sparse(_OthersAsDifference),
    "token after token, always accepted": _sequential(_AlwaysAccepted),
    "token after token, sums exchanged": _sequential(_SumsExchanged),
    "token after token, block in the counts": _sequential(_StaysInTheCounts),
}
"""Wrong sparse samplers by the mistake they make."""

SPARSE_CONTROLS: dict[str, Sweep] = {
    "blocks": _sparse(),
    "parts of 2": _sparse(largest=2),
    "tokens": _sparse(largest=1),
    "tokens written out": _sparse(_OneTokenRight, largest=1),
    "token after token": _sequential(),
}
"""The right samplers that the mutants were made from."""
