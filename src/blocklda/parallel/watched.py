"""Tokens that are followed from draw to draw, as a fit on one machine does: pairs, and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.files.sharded_corpus import ShardedCorpus, joined
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.models.lda.watched_words import WatchedWords
from blocklda.support.arrays import Ints

__all__ = ["Watched", "WatchedDraw"]

WATCHED_TOKENS = 5_000_000
"""Shards from the first on are chosen from until they have so many tokens, which the client reads
for it. A corpus with no more than these has the pairs and words of a fit on one machine."""


@dataclass(frozen=True)
class Watched:
    """Pairs of tokens and words, and where in their shards their tokens are."""

    pairs: TokenPairs
    words: WatchedWords
    tokens: Ints
    """All of them, in order, as numbered in the whole corpus."""
    by_shard: tuple[Ints, ...]
    """The same as numbered in each of the first shards."""

    @classmethod
    def choose(cls, corpus: ShardedCorpus) -> Watched:
        """Choose among the first shards; the same counts always give the same choice."""
        ends = np.cumsum([shard.n_tokens for shard in corpus.shards])
        n_shards = max(1, int(np.searchsorted(ends, WATCHED_TOKENS, side="right")))
        part = joined([corpus.read(i) for i in range(n_shards)], corpus.words)
        pairs, words = TokenPairs.choose(part), WatchedWords.choose(part)
        tokens = np.unique(np.concatenate([pairs.tokens, words.tokens]))
        cuts = np.searchsorted(tokens, ends[: n_shards - 1])
        starts = [0, *ends[: n_shards - 1].tolist()]
        of_shards = [own - at for own, at in zip(np.split(tokens, cuts), starts, strict=True)]
        return cls(pairs, words, tokens, tuple(of_shards))

    def draw(self, topics: Sequence[NDArray[Any]], priors: Priors, n_k: Ints) -> WatchedDraw:
        """Return a draw of these tokens alone; ``topics`` are theirs by shard."""
        return WatchedDraw(_Topics(self.tokens, np.concatenate(topics)), priors, n_k)


@dataclass(frozen=True)
class WatchedDraw:
    """What the recorded quantities ask of a draw."""

    topics: _Topics
    priors: Priors
    n_k: Ints

    def topic_counts(self) -> Ints:
        """Return n_k, shape (K,)."""
        return self.n_k


@dataclass(frozen=True)
class _Topics:
    """Topics of some tokens, found by their numbers in the whole corpus."""

    tokens: Ints
    topics: NDArray[Any]

    def __getitem__(self, tokens: Any) -> NDArray[Any]:
        found: NDArray[Any] = self.topics[np.searchsorted(self.tokens, tokens)]
        return found
