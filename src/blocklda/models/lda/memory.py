"""How much memory a chain and a fit take at their peak: coarse, and within a factor of 1.5.

Only what grows with tokens N, entries E or with tables of topics by documents or words is counted.
Each sampler states its own tables. `python -m benchmarks.fit_memory` compares the figures with
measured peaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.lda.moves.registry import moves_bytes
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.annealed import ANNEALED
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.openings import is_annealed
from blocklda.models.lda.state import SweepOptions
from blocklda.support.memory import require_memory
from blocklda.support.messages import Message, Part

__all__ = [
    "FitSize",
    "chain_bytes",
    "draw_bytes",
    "means_bytes",
    "require_memory_for_chain",
    "require_memory_for_fit",
]

BYTES_PER_TOPIC = 260
"""Priors, their padded copies and a kernel's rows of doubles, about 32 numbers a topic."""

SUMMED_CELL = 12
"""A double and the number of its topic."""

START_NOISE = 2**24
"""Random numbers that a variational start draws at a time, with their products."""


def draw_bytes(n_tokens: int, n_topics: int) -> int:
    """Return what the topics of all tokens take in the smallest type that holds them."""
    return topic_dtype(n_topics).itemsize * n_tokens


def means_bytes(n_docs: int, n_words: int, n_topics: int) -> int:
    """Return what θ and φ take."""
    return 8 * n_topics * (n_docs + n_words)


def chain_bytes(
    corpus: Corpus, priors: Priors, sampler: Sampler, options: SweepOptions, init: Any = None
) -> int:
    """Return what a chain takes at its peak, in its start or in a sweep; a loaded one has no start.

    A sweep keeps the topics before it, to return to after Ctrl-C. Blocks are left out: a chain that
    nobody sweeps needs no tables for them, and sweeps refuse those that are too large.
    """
    before = draw_bytes(corpus.n_tokens, priors.n_topics)
    during = moves_bytes(corpus, priors, options)
    used = (one.memory(corpus, priors, options) for one in _samplers(sampler, init))
    sweeping = before + max(kept + max(own, during) for kept, own in used)
    return _state_bytes(corpus, priors) + max(sweeping, _start_bytes(init, corpus, priors))


def _samplers(sampler: Sampler, init: Any) -> tuple[Sampler, ...]:
    """Return what sweeps a chain; companions are left out, since they take no more than others."""
    return (sampler, ANNEALED) if is_annealed(init) else (sampler,)


def _state_bytes(corpus: Corpus, priors: Priors) -> int:
    """Count the topics of all tokens and the priors, which kernels read from a padded copy."""
    return 4 * corpus.n_tokens + BYTES_PER_TOPIC * priors.n_topics + 2 * priors.beta.nbytes


def _start_bytes(init: Any, corpus: Corpus, priors: Priors) -> int:
    """Count what a start takes beside the topics that it leaves.

    A variational one has n_vk and rows of its longest document in single precision.
    """
    if isinstance(init, str) and init == "variational":
        rows = corpus.n_words + int(np.diff(corpus.doc_offsets).max(initial=0))
        cells = priors.n_topics * rows
        return 4 * cells + priors.beta.nbytes // 2 + min(16 * cells, START_NOISE)
    # Uniforms, or topics in the type in which they were given.
    return 0 if init is None else 8 * corpus.n_tokens


def _sums_bytes(corpus: Corpus, n_topics: int) -> int:
    """Count the sums over draws that are not kept: of every filled cell a topic and a number.

    Over many draws a token adds about two cells to those of its word and of its document.
    """
    cells = [min(n_topics * rows, 2 * corpus.n_tokens) for rows in (corpus.n_docs, corpus.n_words)]
    return SUMMED_CELL * sum(cells)


@dataclass(frozen=True)
class FitSize:
    """What decides how much memory a fit takes."""

    corpus: Corpus
    priors: Priors
    sampler: Sampler
    options: SweepOptions
    n_chains: int
    n_workers: int
    """Chains that run at once."""
    n_kept: int
    """Draws that are kept of all chains; one of each if they are not kept."""
    anneals: bool = False
    """Whether chains begin with annealed sweeps, which have tables of their own."""
    n_kept_before: int = 0
    """Of these, draws of an earlier fit that is resumed: they are in memory already."""
    has_sums: bool = False
    """Whether there are draws that are not kept."""

    def peak_bytes(self) -> int:
        """Return the most bytes that are in use at any one time, beside the corpus.

        That is while chains are swept, or at the end, when their tables are gone and θ and φ come.
        """
        corpus, n_topics = self.corpus, self.priors.n_topics
        draw = draw_bytes(corpus.n_tokens, n_topics)
        kept, during = self.sampler.memory(corpus, self.priors, self.options)
        during += self.sampler.largest_block_bytes(corpus, self.priors, self.options)
        during = max(during, moves_bytes(corpus, self.priors, self.options))
        if self.anneals:
            annealing = sum(ANNEALED.memory(corpus, self.priors, self.options))
            during = max(during, annealing - kept)
        sums = _sums_bytes(corpus, n_topics) if self.has_sums else 0
        lasting = self.n_chains * (_state_bytes(corpus, self.priors) + sums)
        lasting += max(0, self.n_kept - self.n_kept_before) * draw + self.priors.beta.nbytes
        working = max(draw + during, sums)  # sums are made again with every draw that joins them
        sweeping = self.n_chains * kept + self.n_workers * working
        return lasting + max(sweeping, self._ending())

    def _means(self) -> int:
        return means_bytes(self.corpus.n_docs, self.corpus.n_words, self.priors.n_topics)

    def _ending(self) -> int:
        """Count the means of the reference chain, and beside them the matching of topics.

        Topics are matched with three tables of φ more, chain by chain.
        """
        matching = 3 * 8 * self.priors.n_topics * self.corpus.n_words
        return self._means() + (matching if self.n_chains > 1 else 0)


def require_memory_for_fit(size: FitSize) -> None:
    """Refuse a fit that will not fit, with the figure, before it starts."""
    corpus, n_topics = size.corpus, size.priors.n_topics
    chains = "one chain" if size.n_chains == 1 else f"{size.n_chains:,} chains"
    require_memory(
        size.peak_bytes(),
        f"a fit of {n_topics:,} topics to {corpus.n_docs:,} documents, {corpus.n_words:,} words "
        f"and {corpus.n_tokens:,} tokens with {chains}, {size.n_workers:,} at once, and "
        f"{size.n_kept:,} draws kept",
        Message.of(
            "use fewer topics, chains or {n_jobs}, keep fewer draws (larger thin, fewer "
            "{n_sweeps}, {keep_draws=False}), or run it anyway with "
            "{allow_memory_overcommit=True}"
        ),
    )


def require_memory_for_chain(
    corpus: Corpus, priors: Priors, sampler: Sampler, options: SweepOptions, init: Any = None
) -> None:
    """Refuse a chain that will not fit, with the figure, before it starts."""
    lists: Part = ""
    if not sampler.name.startswith("sparse"):
        lists = Message.of("{sampler='sparse'}, which has no table of words by topics, ")
    require_memory(
        chain_bytes(corpus, priors, sampler, options, init),
        f"a chain of {priors.n_topics:,} topics on {corpus.n_docs:,} documents, "
        f"{corpus.n_words:,} words and {corpus.n_tokens:,} tokens with sampler={sampler.name!r}",
        Message(
            "use fewer topics, a smaller vocabulary or fewer documents, ",
            lists,
            Message.of("or {allow_memory_overcommit=True}"),
        ),
    )
