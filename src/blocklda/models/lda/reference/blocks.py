"""One sweep over the blocks B_dv of a corpus, in the order of its entries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from blocklda.models.lda.reference.draw import shuffle_tokens
from blocklda.models.lda.state import State
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["Block", "BlockScheme", "BlockTooLargeError", "sweep_blocks"]


SAFE_PART = 700
"""A block whose normaliser no double can hold is drawn in random parts of this many tokens, for
which it is at least e^(−0.37 · 700) = 1e−112. Whether that happens depends on the other blocks
alone, so the conditional stays invariant."""


@dataclass(frozen=True)
class Block:
    """What the conditional of a block depends on, all with the block taken out of the counts.

    a_k = n_dk + alpha_k, b_k = n_vk + beta_kv, c_k = n_k + sum_v beta_kv; ``size`` is C_dv. ``old``
    is the topic that the block's first token had: what is drawn depends on it only by the order of
    intervals.
    """

    a: Floats
    b: Floats
    c: Floats
    size: int
    old: int = 0

    def ratio(self, n: int) -> Floats:
        """Return q_k(n) / q_k(n − 1) for all topics."""
        rate = (self.a + (n - 1)) / (n * (self.c + (n - 1)))
        return rate * (self.b + (n - 1))


class BlockTooLargeError(Exception):
    """The normaliser of a block is below the range of a double: draw it in parts."""


class BlockScheme(Protocol):
    """A way to draw (n_dv1, …, n_dvK) from the conditional of a block."""

    steps: int

    def draw(self, block: Block, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Return the occupied topics and how many tokens each has."""
        ...


def sweep_blocks(
    state: State, scheme: BlockScheme, max_block: int | None, shuffles: bool = True
) -> None:
    """Visit every block once, or its random parts of at most ``max_block`` tokens.

    ``shuffles=False``: the tokens stand in random order already.
    """
    n_vk = state.word_topic_counts()
    n_k = state.topic_counts()
    for document, entries in _documents(state):
        n_dk = np.bincount(document, minlength=state.priors.n_topics)
        for word, tokens in entries:
            counts = (n_dk, n_vk[word], n_k)
            for part in _parts(tokens, max_block, state.rng if shuffles else None):
                _update(state, scheme, word, part, counts)


def _update(
    state: State,
    scheme: BlockScheme,
    word: int,
    part: Int32s,
    counts: tuple[Ints, ...],
) -> None:
    """Take a block out of the counts n_dk, n_vk and n_k, draw it again, and put it back."""
    priors = state.priors
    n_dk, n_v, n_k = counts
    old = np.bincount(part, minlength=priors.n_topics)
    for table in counts:
        np.subtract(table, old, out=table)
    block = Block(
        a=n_dk + priors.alpha,
        b=n_v + priors.word_prior(word),
        c=n_k + priors.beta_sum,
        size=len(part),
        old=int(part[0]),
    )
    try:
        allocation = scheme.draw(block, state.rng)
    except BlockTooLargeError:
        for table in counts:
            np.add(table, old, out=table)
        for smaller in _parts(part, SAFE_PART, state.rng):
            _update(state, scheme, word, smaller, counts)
        return
    part[:] = np.repeat(*np.array(allocation, dtype=np.int64).T)
    for topic, count in allocation:
        for table in counts:
            table[topic] += count


def _documents(
    state: State,
) -> Iterator[tuple[Int32s, Iterator[tuple[int, Int32s]]]]:
    """Yield the topics of each document, with its words and the views of their tokens."""
    corpus = state.corpus
    ends = np.cumsum(corpus.counts, dtype=np.int64)
    starts = ends - corpus.counts

    def entries(first: int, last: int) -> Iterator[tuple[int, Int32s]]:
        for e in range(first, last):
            yield int(corpus.word_ids[e]), state.topics[starts[e] : ends[e]]

    for first, last in zip(corpus.doc_offsets[:-1], corpus.doc_offsets[1:], strict=True):
        if first < last:
            yield state.topics[starts[first] : ends[last - 1]], entries(first, last)


def _parts(
    tokens: Int32s, max_block: int | None, rng: np.random.Generator | None
) -> Iterator[Int32s]:
    """Yield the block itself, or if it is too large its random parts.

    Any subset of the tokens, chosen without regard to their topics, is a valid block. Without a
    generator the tokens are taken as they stand.
    """
    if max_block is None or len(tokens) <= max_block:
        yield tokens
        return
    if rng is not None:
        shuffle_tokens(tokens, rng)
    for start in range(0, len(tokens), max_block):
        yield tokens[start : start + max_block]
