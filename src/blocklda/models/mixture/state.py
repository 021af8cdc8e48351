"""What lasts from one sweep of a mixture to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from blocklda.models import base
from blocklda.models.mixture.kinds import Kinds
from blocklda.models.mixture.priors import MixturePriors
from blocklda.support.arrays import Int32s, Ints

__all__ = ["MAX_BLOCK", "State", "SweepOptions"]

MAX_BLOCK = 16
"""Documents of one kind that move at once at the most. The cost of a block grows with the square
of its size; with 16 it is about that of the documents one by one, times three."""


@dataclass(kw_only=True)
class State(base.State):
    """A clustering of the documents, and the generator that moves it on.

    Attributes
    ----------
    labels
        The component of each document, a position in ``births``.
    births
        The number of each component, ascending: the n-th to be born has the number n − 1. A
        component keeps it for as long as it has documents. Those of a finite mixture are born
        before the first sweep and stay, with or without documents.
    n_born
        How many components were born so far.
    alpha
        The concentration.
    """

    priors: MixturePriors
    kinds: Kinds
    labels: Int32s
    births: Ints
    n_born: int
    alpha: float

    changing: ClassVar[tuple[str, ...]] = ("labels", "births")

    def snapshot(self) -> base.Arrays:
        """Return copies of all that a sweep changes."""
        numbers = {"n_born": np.array(self.n_born), "alpha": np.array(self.alpha)}
        return super().snapshot() | numbers

    def restore(self, snapshot: base.Arrays) -> None:
        """Set everything back to what :meth:`snapshot` returned."""
        super().restore({name: snapshot[name] for name in self.changing})
        self.n_born, self.alpha = int(snapshot["n_born"]), float(snapshot["alpha"])

    @property
    def n_components(self) -> int:
        """K: the components with documents; of a finite mixture all."""
        return len(self.births)

    def sizes(self) -> Ints:
        """Return the number of documents of each component."""
        return np.bincount(self.labels, minlength=self.n_components)

    def slots(self) -> Ints:
        """Return places for all components that a sweep may need, the present ones first."""
        n_slots = self.priors.n_components or max(1, self.corpus.n_docs)
        return np.append(self.births, np.full(n_slots - len(self.births), -1))

    def take_slots(self, labels: Int32s, births: Ints, n_born: int) -> None:
        """Take what a sweep left: components in slots, which are put in the order of their births.

        Then the state is the same whichever slots were free, and so is all that follows.
        """
        self.n_born = n_born
        if self.priors.n_components is not None:
            self.labels = labels
            return
        occupied = np.unique(labels)
        order = occupied[np.argsort(births[occupied])]
        places = np.zeros(len(births), dtype=np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        self.labels, self.births = places[labels], births[order]


@dataclass(frozen=True)
class SweepOptions(base.SweepOptions):
    """How a mixture is swept.

    ``max_block``: documents of one kind that move at once; 1 moves every document by itself.
    """

    max_block: int = MAX_BLOCK
