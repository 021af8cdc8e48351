"""How much memory a fit takes at its peak, counted before it starts.

What lasts is counted with whatever is there beside it at the time: a start, the sweeps of the
chains that run at once, or the results at the end. `python -m benchmarks.fit_memory` compares the
figure with what fits really took.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from blocklda.data.corpus import Corpus
from blocklda.models.lda.chain import BYTES_PER_TOPIC
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.lda.priors import Priors, padded_length
from blocklda.models.lda.samplers import find_sampler
from blocklda.models.lda.samplers.sparse.plan import rows_are_words
from blocklda.models.lda.samplers.table_sizes import DOUBLE, SweepMemory
from blocklda.models.lda.starts.choose import start_bytes
from blocklda.models.lda.state import SweepOptions
from blocklda.support.memory import require_memory

__all__ = ["FitSize", "require_memory_for_fit"]

TABLE_CELLS_PER_ENTRY = 8
"""The log posterior counts words in a table of up to so many cells: native/counts/occupancy.cpp."""

WRITTEN_AT_ONCE = 2**24
"""NumPy copies so many bytes of an array at a time when it writes it into an archive."""

BY_WORD_ENTRY = 12
BY_WORD_MAKING = 24
"""Bytes for each entry of the corpus put in order of its words, and more while that is done."""

COUNTING_ENTRY = 24
SUMMING_ENTRY = 16
"""Bytes for each entry while a draw's words are counted, and while tokens are summed by word."""

NOT_RETURNED = 2**25
"""The C library keeps freed arrays of up to 32 MiB for the thread that had them: the threads of the
chains and the main one cannot use what the other left."""


@dataclass(frozen=True)
class FitSize:
    """What a fit is made of, as far as memory is concerned."""

    corpus: Corpus
    priors: Priors
    sampler: str
    starts: tuple[Any, ...]
    n_workers: int
    n_threads: int
    draws_per_chain: int
    keep_draws: bool
    learns_priors: bool
    n_pairs: int
    has_checkpoint: bool = False
    draws_there: int = 0
    """Draws of an earlier fit that is gone on with: they are in memory already."""

    @property
    def n_chains(self) -> int:
        """How many chains there are."""
        return len(self.starts)

    @property
    def n_kept(self) -> int:
        """Draws that are kept of all chains, and those that are there for a moment."""
        per_chain = self.draws_per_chain if self.keep_draws else 1
        return self.n_chains * per_chain

    def peak_bytes(self) -> int:
        """Return the most bytes that are in use at any one time, beside the corpus."""
        begun = self._lasting_from_the_start()
        sampled = begun + self._lasting_from_the_sweeps()
        starting, sweeping = self._starting(), self._sweeping()
        return max(
            begun + starting,
            sampled + self.n_workers * sweeping + min(starting, NOT_RETURNED),
            sampled
            + max(self._writing(), self._ending())
            + self.n_workers * min(sweeping, NOT_RETURNED),
        )

    def _lasting_from_the_start(self) -> int:
        """Count topics of all tokens and priors, of each chain."""
        one = chain_priors_bytes(self.priors) + 4 * self.corpus.n_tokens
        return self.n_chains * one + self.priors.beta.nbytes + self._ordered_by_word()

    def _lasting_from_the_sweeps(self) -> int:
        """Count tables of the sampler, sums of θ and φ, draws and their values."""
        n_topics = self.priors.n_topics
        draw = topic_dtype(n_topics).itemsize * self.corpus.n_tokens
        values = DOUBLE * (n_topics + self.n_pairs)
        if self.learns_priors:
            values += DOUBLE * (2 * n_topics + 4 * padded_length(n_topics))
        return (
            self.n_chains * (self._tables().kept + self._averages())
            + max(0, self.n_kept - self.draws_there) * draw
            + self.n_chains * self.draws_per_chain * values
        )

    def _starting(self) -> int:
        """Count the largest start, since one chain starts after another."""
        making = BY_WORD_MAKING * self.corpus.n_entries if self._ordered_by_word() else 0
        summing = SUMMING_ENTRY * self.corpus.n_entries
        starts = [start_bytes(init, self.corpus, self.priors) for init in self.starts]
        return max(making, summing + max(starts))

    def _sweeping(self) -> int:
        """Count a chain as it sweeps, is measured, or adds a draw to its averages."""
        n_topics, n_entries = self.priors.n_topics, self.corpus.n_entries
        before = topic_dtype(n_topics).itemsize * self.corpus.n_tokens
        return max(
            before + self._tables().during + SUMMING_ENTRY * n_entries,
            measuring_bytes(self.corpus, self.priors),
            _counting_bytes(self.corpus.n_docs, self.corpus, n_topics),
            _counting_bytes(self.corpus.n_words, self.corpus, n_topics, COUNTING_ENTRY),
        )

    def _writing(self) -> int:
        if not self.has_checkpoint:
            return 0
        values = DOUBLE * (self.priors.n_topics + self.n_pairs)
        return self.n_chains * self.draws_per_chain * values + WRITTEN_AT_ONCE

    def _ending(self) -> int:
        """Count the means over all chains, and before them the matching of their topics.

        That has two tables of φ, one of them reordered, and their differences; or both of them
        laid out anew. Where topics have priors of their own, these are sorted.
        """
        n_topics = self.priors.n_topics
        theta = DOUBLE * n_topics * self.corpus.n_docs
        phi = DOUBLE * n_topics * self.corpus.n_words
        adding = max(theta, phi) if self.n_chains > 1 else phi
        matching = 5 * phi + 3 * DOUBLE * n_topics**2 if self.n_chains > 1 else phi
        sorting = 3 * phi if not self.priors.beta_is_symmetric else 0
        return max(matching, sorting, self._averages() + adding)

    def _averages(self) -> int:
        return DOUBLE * self.priors.n_topics * (self.corpus.n_docs + self.corpus.n_words)

    def _tables(self) -> SweepMemory:
        return find_sampler(self.sampler).memory(
            self.corpus, self.priors, SweepOptions(n_threads=self.n_threads)
        )

    def _ordered_by_word(self) -> int:
        """Count the corpus once more, for chains that go through it word by word."""
        is_sparse = self._tables().kept > 0
        is_favoured = not self.priors.beta_is_symmetric and "variational" in map(str, self.starts)
        is_needed = is_favoured or (is_sparse and rows_are_words(self.corpus, self.priors))
        return BY_WORD_ENTRY * self.corpus.n_entries if is_needed else 0


def chain_priors_bytes(priors: Priors) -> int:
    """Return what the priors of a chain take, with the copies and rows that kernels have."""
    padded = len(priors.beta) * padded_length(priors.n_topics) * DOUBLE
    return BYTES_PER_TOPIC * priors.n_topics + priors.beta.nbytes + padded


def measuring_bytes(corpus: Corpus, priors: Priors) -> int:
    """Return what the log posterior takes."""
    cells = corpus.n_words * priors.n_topics
    if not priors.beta_is_symmetric:
        return _counting_bytes(corpus.n_words, corpus, priors.n_topics, COUNTING_ENTRY)
    if cells <= TABLE_CELLS_PER_ENTRY * corpus.n_entries:
        return 4 * cells
    return 8 * (corpus.n_entries + corpus.n_words)


def _counting_bytes(n_rows: int, corpus: Corpus, n_topics: int, per_entry: int = 0) -> int:
    """Return what θ or φ of a draw takes: a cell for every token, then counts and shares."""
    table = DOUBLE * n_topics * n_rows
    making = DOUBLE * corpus.n_tokens + per_entry * corpus.n_entries
    return table + max(table, making)


def require_memory_for_fit(size: FitSize) -> None:
    """Refuse a fit that will not fit, with the figure, before it starts."""
    corpus, n_topics = size.corpus, size.priors.n_topics
    chains = "one chain" if size.n_chains == 1 else f"{size.n_chains:,} chains"
    require_memory(
        size.peak_bytes(),
        f"a fit of {n_topics:,} topics to {corpus.n_docs:,} documents, {corpus.n_words:,} words "
        f"and {corpus.n_tokens:,} tokens with {chains}, {size.n_workers:,} at once, and "
        f"{size.n_kept:,} draws kept",
        "use fewer topics, chains or n_jobs, keep fewer draws (larger thin, fewer n_sweeps, "
        "keep_draws=False), or try it all the same with allow_memory_overcommit=True",
    )
