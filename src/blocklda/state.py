"""What lasts from one sweep to the next, the same for every sampler."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.corpus import Corpus
from blocklda.priors import Priors

__all__ = ["State", "SweepOptions"]


@dataclass
class State:
    """A point of a Markov chain over topic assignments, and the generator that moves it on.

    ``topics`` holds one topic per token, grouped by entry of the corpus. The order of the tokens
    within an entry carries no information: a sampler that moves them one by one shuffles them
    first, so any sampler may go on from where another stopped.
    """

    corpus: Corpus
    priors: Priors
    topics: NDArray[np.int32]
    rng: np.random.Generator
    n_sweeps: int = 0
    """Sweeps done so far."""
    random_start: bool = False
    """Whether the chain began with topics drawn at random; its first sweeps then take more care."""
    workspace: Any = field(default=None, repr=False, compare=False)
    """Tables that a sampler may keep from one call to the next. They follow from the topics."""

    def token_docs(self) -> NDArray[np.int64]:
        """Return the document of every token."""
        return np.repeat(np.arange(self.corpus.n_docs), self.corpus.doc_lengths())

    def token_words(self) -> NDArray[np.int32]:
        """Return the word of every token."""
        return np.repeat(self.corpus.word_ids, self.corpus.counts)

    def doc_topic_counts(self) -> NDArray[np.int64]:
        """Return n_dk, shape (D, K)."""
        return _cross_table(self.token_docs(), self.topics, self.corpus.n_docs, self._n_topics)

    def word_topic_counts(self) -> NDArray[np.int64]:
        """Return n_vk, shape (V, K)."""
        return _cross_table(self.token_words(), self.topics, self.corpus.n_words, self._n_topics)

    def topic_counts(self) -> NDArray[np.int64]:
        """Return n_k, shape (K,)."""
        return np.bincount(self.topics, minlength=self._n_topics)

    @property
    def _n_topics(self) -> int:
        return self.priors.n_topics


def _cross_table(
    rows: NDArray[np.integer], columns: NDArray[np.integer], n_rows: int, n_columns: int
) -> NDArray[np.int64]:
    cells = rows.astype(np.int64) * n_columns + columns
    return np.bincount(cells, minlength=n_rows * n_columns).reshape(n_rows, n_columns)


@dataclass(frozen=True)
class SweepOptions:
    """How a sampler sweeps; what a sampler has no use for it ignores.

    ``max_block``: larger blocks are updated in random parts of this many tokens. ``convolution``:
    "auto", "direct" or "fft". ``n_threads``: samplers that run in sequence use one.
    """

    max_block: int | None = None
    convolution: str = "auto"
    n_threads: int = 1
