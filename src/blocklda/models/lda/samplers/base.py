"""What a sampler is: a name, and one sweep in two versions that agree to the bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors, padded_length
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.errors import InputError

__all__ = ["BACKENDS", "BlockBytes", "Sampler", "Sweep", "TableBytes", "largest_block"]

Sweep = Callable[[State, SweepOptions, int], int]
"""Advance a state in place by some sweeps; return the number of simulation steps it took."""

BACKENDS = ("native", "python")

TableBytes = Callable[[Corpus, Priors, SweepOptions], int]
"""Tell how many bytes the tables of a native sweep take at its peak, beside the state."""

BlockBytes = Callable[[int, int, SweepOptions], int]
"""Tell the same of a block, given how many topics and tokens it has."""


def word_topic_counts(corpus: Corpus, priors: Priors, options: SweepOptions) -> int:
    """Return the bytes of the table n_vk."""
    return 4 * corpus.n_words * padded_length(priors.n_topics)


def largest_block(corpus: Corpus, options: SweepOptions) -> int:
    """Return how many tokens are drawn at once at the most."""
    return min(corpus.max_count, options.max_block or corpus.max_count)


@dataclass(frozen=True)
class Sampler:
    """A Markov kernel with the posterior as its stationary law, or a name that says it is not.

    ``native`` and ``python`` take the same arguments, draw the same uniforms in the same order and
    leave the same state. ``memory`` tells what the native one takes beside the state, and
    ``block_memory`` what it takes for a block on top of that. A sampler that ``keeps_tables`` has
    them from one sweep to the next.
    """

    name: str
    summary: str
    native: Sweep
    python: Sweep
    memory: TableBytes = word_topic_counts
    block_memory: BlockBytes | None = None
    keeps_tables: bool = False

    def sweep_bytes(self, corpus: Corpus, priors: Priors, options: SweepOptions) -> int:
        """Return what the native sweep takes, with the tables of the largest block."""
        tables = self.memory(corpus, priors, options)
        if self.block_memory is None:
            return tables
        block = largest_block(corpus, options)
        return tables + self.block_memory(priors.n_topics, block, options)

    def sweep(self, backend: str) -> Sweep:
        """Return the version of the sweep that a backend runs."""
        if not isinstance(backend, str) or backend not in BACKENDS:
            choices = ", ".join(map(repr, BACKENDS))
            raise InputError(f"backend={backend!r} is unknown: choose one of {choices}.")
        return self.native if backend == "native" else self.python
