"""What a sampler is: a name, and one sweep in two versions that agree to the bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors, padded_length
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.errors import unknown_choice

__all__ = ["BACKENDS", "BlockBytes", "Sampler", "Sweep", "TableBytes", "largest_block"]

Sweep = Callable[[State, SweepOptions, int], int]
"""Advance a state in place by some sweeps; return the number of simulation steps it took."""

BACKENDS = ("native", "python")


class TableBytes(NamedTuple):
    """Bytes of a sampler's tables: kept from one sweep to the next, and more during one."""

    kept: int
    during: int


Memory = Callable[[Corpus, Priors, SweepOptions], TableBytes]
"""Tell how much the native version takes at its peak beside the state."""

BlockBytes = Callable[[int, int, SweepOptions], int]
"""Tell how many bytes a block takes, given how many topics and tokens it has."""


def word_topic_counts(corpus: Corpus, priors: Priors, options: SweepOptions) -> TableBytes:
    """Return what the table n_vk takes."""
    return TableBytes(0, 4 * corpus.n_words * padded_length(priors.n_topics))


def largest_block(corpus: Corpus, options: SweepOptions) -> int:
    """Return how many tokens are drawn at once at the most."""
    return min(corpus.max_count, options.max_block or corpus.max_count)


@dataclass(frozen=True)
class Sampler:
    """A Markov kernel whose stationary distribution is the posterior, unless its name says not.

    ``native`` and ``python`` take the same arguments, draw the same uniforms in the same order and
    leave the same state. ``memory`` tells what the native one takes beside the state, and
    ``block_memory`` what it takes for a block on top of that. ``companion`` names the sampler that
    does the first sweeps from a random start, if that is another one.
    """

    name: str
    summary: str
    native: Sweep
    python: Sweep
    memory: Memory = word_topic_counts
    block_memory: BlockBytes | None = None
    companion: str | None = None

    def largest_block_bytes(self, corpus: Corpus, priors: Priors, options: SweepOptions) -> int:
        """Return what the largest block takes."""
        if self.block_memory is None:
            return 0
        return self.block_memory(priors.n_topics, largest_block(corpus, options), options)

    def sweep(self, backend: str) -> Sweep:
        """Return the version of the sweep that a backend runs."""
        if not isinstance(backend, str) or backend not in BACKENDS:
            raise unknown_choice("backend", backend, BACKENDS)
        return self.native if backend == "native" else self.python
