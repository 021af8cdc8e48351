"""What lasts from one sweep to the next, the same for every sampler."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from blocklda.models import base
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.lda.opening import NO_OPENING, Opening
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.topic_counts import CellCounts, TopicCounts
from blocklda.support.arrays import Int32s, Ints

__all__ = ["State", "SweepOptions"]


@dataclass(kw_only=True)
class State(base.State, TopicCounts):
    """A point of a Markov chain over topic assignments, and the generator that moves it on.

    ``topics`` holds one topic per token, grouped by entry of the corpus. The order of the tokens
    within an entry carries no information: a sampler that moves them one by one shuffles them
    first unless it knows that their order is random, so any sampler may continue from where another
    stopped.
    """

    priors: Priors
    topics: Int32s
    random_start: bool = False
    """Whether the chain began with topics drawn at random; its first sweeps then take more care."""
    opening: Opening = NO_OPENING
    """The kind of the chain's first sweeps, and how many they are."""
    random_order_at: int | None = None
    """The number of sweeps after which the tokens of every entry stood in random order."""
    _counted: CellCounts | None = field(default=None, init=False, repr=False, compare=False)
    _was_asked: bool = field(default=False, init=False, repr=False, compare=False)

    changing: ClassVar[tuple[str, ...]] = ("topics",)

    def counted(self) -> CellCounts:
        """Return counts that several questions about one state share; a sweep makes them old."""
        self._was_asked = True
        if self._counted is None:
            noted = getattr(self.workspace, "noted_cells", _nothing_noted)(self)
            self._counted = self.cells() if noted is None else CellCounts.noted(self, noted)
        return self._counted

    @property
    def is_in_random_order(self) -> bool:
        """Whether the order of the tokens of every entry does not depend on their topics.

        A sampler that draws each token where it stands leaves a random order random. Any other
        sweep moves the number of sweeps on, and the order counts as unknown again.
        """
        return self.random_order_at == self.n_sweeps

    def forget_derived(self) -> None:
        """Drop the counts: the topics are about to change."""
        self._counted = None

    @property
    def has_counts(self) -> bool:
        """Whether :meth:`counted` need not count: somebody has, or a sweep did on its way."""
        return self._counted is not None

    @property
    def notes_cells(self) -> bool:
        """Whether it pays for a sweep to note cells: somebody asked for counts before."""
        return self._was_asked

    def expect_questions(self) -> None:
        """Let the first sweep note cells already: somebody will ask for counts after each."""
        self._was_asked = True

    def take_noted(self, noted: tuple[Ints, Ints, Ints, Ints, Ints] | None) -> None:
        """Take the counts of cells that a sweep noted; they hold until the topics change."""
        self._counted = None if noted is None else CellCounts.noted(self, noted)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the counts behind, which hold the compiled kernels' view of the corpus."""
        return {**super().__getstate__(), "_counted": None}

    def snapshot(self) -> base.Arrays:
        """Return the topics in the smallest type: a large corpus would feel a second copy."""
        return {"topics": self.topics.astype(topic_dtype(self.priors.n_topics))}

    def restore(self, snapshot: base.Arrays) -> None:
        """Set the topics back."""
        self.topics = snapshot["topics"].astype(np.int32)
        self.forget_derived()


def _nothing_noted(state: State) -> None:
    """Stand in for a sampler whose sweeps note no cells."""


@dataclass(frozen=True)
class SweepOptions(base.SweepOptions):
    """How a sampler sweeps; what a sampler has no use for it ignores.

    ``max_block``: larger blocks are updated in random parts of this many tokens. ``convolution``:
    "auto", "direct" or "fft". ``n_threads``: samplers that run in sequence use one. ``shards``: the
    first documents of shards, over whose ends no piece of a parallel sweep goes. ``moves``: what a
    chain tries after each sweep, by name.
    """

    max_block: int | None = None
    convolution: str = "auto"
    shards: tuple[int, ...] = ()
    moves: tuple[str, ...] = ()
