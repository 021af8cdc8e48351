"""What lasts from one sweep to the next, the same for every sampler."""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.topic_counts import TopicCounts
from blocklda.support.arrays import Int32s

__all__ = ["State", "SweepOptions"]


@dataclass
class State(TopicCounts):
    """A point of a Markov chain over topic assignments, and the generator that moves it on.

    ``topics`` holds one topic per token, grouped by entry of the corpus. The order of the tokens
    within an entry carries no information: a sampler that moves them one by one shuffles them
    first, so any sampler may go on from where another stopped.
    """

    corpus: Corpus
    priors: Priors
    topics: Int32s
    rng: np.random.Generator
    n_sweeps: int = 0
    """Sweeps done so far."""
    random_start: bool = False
    """Whether the chain began with topics drawn at random; its first sweeps then take more care."""
    workspace: Any = field(default=None, repr=False, compare=False)
    """Tables that a sampler may keep from one call to the next. They follow from the topics."""
    alone: Any = field(default_factory=threading.Lock, repr=False, compare=False)
    """What a chain holds while it sweeps: of two threads with one state, one has to wait."""

    def copy(self) -> State:
        """Return a state with topics and a generator of its own; corpus and priors are frozen."""
        return replace(
            self,
            topics=self.topics.copy(),
            rng=copy.deepcopy(self.rng),
            workspace=None,
            alone=threading.Lock(),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave the workspace behind: a copy in another process makes its own."""
        return {**self.__dict__, "workspace": None, "alone": None}

    def __setstate__(self, values: dict[str, Any]) -> None:
        """Take up what another process or state has left."""
        self.__dict__.update(values, alone=threading.Lock())


@dataclass(frozen=True)
class SweepOptions:
    """How a sampler sweeps; what a sampler has no use for it ignores.

    ``max_block``: larger blocks are updated in random parts of this many tokens. ``convolution``:
    "auto", "direct" or "fft". ``n_threads``: samplers that run in sequence use one. ``shards``: the
    first documents of shards, over whose ends no piece of a parallel sweep goes.
    """

    max_block: int | None = None
    convolution: str = "auto"
    n_threads: int = 1
    shards: tuple[int, ...] = ()
