"""A Markov chain over the topic assignments of a corpus: the only loop there is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from blocklda.data.corpus import Corpus
from blocklda.files.archive import Archive
from blocklda.files.chain_file import (
    ChainRecord,
    read_chain,
    restore_chain,
    store_chain,
    write_chain,
)
from blocklda.models.lda.draw import Draw, topic_dtype
from blocklda.models.lda.log_posterior import log_joint, log_posterior
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.priors import Priors, check_n_topics
from blocklda.models.lda.samplers import ALL_SAMPLERS, Sampler, choose_sampler, find_sampler
from blocklda.models.lda.samplers.convolution import check_convolution
from blocklda.models.lda.samplers.partially_collapsed.pieces import shard_starts
from blocklda.models.lda.starts.choose import start_topics
from blocklda.models.lda.state import State, SweepOptions
from blocklda.models.lda.topic_counts import CellCounts
from blocklda.support import defaults
from blocklda.support.arrays import Int32s, Ints
from blocklda.support.checks import random_generator, true_or_false, whole_number
from blocklda.support.errors import CapacityError
from blocklda.support.memory import overcommit_allowed, require_memory_if_large

__all__ = ["Chain"]

TOKENS_PER_CALL = 200_000
"""Small corpora are swept several times per kernel call, large ones once, so that Ctrl-C is
answered after about this many tokens or one sweep."""


BYTES_PER_TOPIC = 260
"""Priors, their padded copies and a kernel's rows of doubles, about 32 numbers a topic."""


def _is_random(init: str | ArrayLike) -> bool:
    return isinstance(init, str) and init == "random"


def _found(sampler: str | Sampler, n_topics: int) -> Sampler:
    if isinstance(sampler, Sampler):
        return sampler
    return find_sampler(choose_sampler(sampler, n_topics))


class Chain:
    """A chain whose stationary law is the posterior of the topic assignments.

    A chain is for one thread at a time: of two that call :meth:`sweep` one waits, and nothing else
    is guarded. Several chains may run in several threads.

    Parameters
    ----------
    corpus
        A :class:`~blocklda.Corpus`, or anything :meth:`Corpus.from_matrix` takes.
    n_topics
        K.
    alpha
        Dirichlet prior of the topics of a document: a number, or one number per topic.
    beta
        Dirichlet prior of the words of a topic: a number, or a matrix (topics, words).
    sampler
        A name in ``blocklda.SAMPLERS``, or "auto" for the one that is fastest to quality; which
        that is, :attr:`sampler` tells. Those in ``blocklda.APPROXIMATE_SAMPLERS`` have another
        stationary law, close to the posterior. A :class:`~blocklda.models.lda.samplers.Sampler`
        of one's own is taken too.
    backend
        "native" or "python": the compiled kernel, or its twin. Both leave the same state.
    seed
        A whole number, a NumPy ``SeedSequence``, or None for fresh entropy.
    init
        "random"; "variational", a few variational passes and one draw from their result, which
        saves most of the burn-in; or an array with one topic per token as :meth:`assignments`
        returns it.
    n_threads
        For samplers that can use several; the others use one.
    convolution
        For blocked samplers: "direct", "fft", or "auto" for whichever is faster.
    max_block
        For blocked samplers: larger blocks are updated in random parts of this many tokens. Still
        exact, and the cost becomes linear in the size of the block.
    shards
        For partially-collapsed: how many documents each shard has, one after the other. The same
        shards give the same draws, on this machine or on several; see docs/parallel.md.
    allow_memory_overcommit
        If True, nothing is refused because the memory that is free looks too small for it. The
        system may then end the process.
    """

    def __init__(
        self,
        corpus: Any,
        n_topics: int,
        alpha: ArrayLike = defaults.ALPHA,
        beta: ArrayLike = defaults.BETA,
        sampler: str | Sampler = "nested",
        backend: str = defaults.BACKEND,
        seed: int | np.random.SeedSequence | None = defaults.SEED,
        init: str | ArrayLike = defaults.RANDOM_INIT,
        n_threads: int = 1,
        convolution: str = "auto",
        max_block: int | None = None,
        shards: Sequence[int] = (),
        allow_memory_overcommit: bool = False,
    ) -> None:
        checked = Corpus.from_matrix(corpus)
        n_topics = check_n_topics(n_topics)
        self._may_overcommit = true_or_false("allow_memory_overcommit", allow_memory_overcommit)
        with overcommit_allowed(self._may_overcommit):
            require_memory_if_large(
                BYTES_PER_TOPIC * n_topics + 4 * checked.n_tokens,
                f"a chain of {n_topics:,} topics on {checked.n_tokens:,} tokens",
                "use fewer topics or fewer documents",
            )
            priors = Priors.create(n_topics, checked.n_words, alpha, beta)
            rng = random_generator(seed)
            chosen = _found(sampler, n_topics)
            # Before the start, which may take a while, whatever else can be wrong.
            chosen.sweep(backend)
            topics = start_topics(init, checked, priors, rng, backend)
        state = State(checked, priors, topics, rng, random_start=_is_random(init))
        self._set_up(state, chosen, backend, 0)
        self.options = SweepOptions(
            max_block=None if max_block is None else whole_number("max_block", max_block, 1),
            convolution=check_convolution(convolution),
            n_threads=whole_number("n_threads", n_threads, 1),
            shards=shard_starts(shards, checked.n_docs),
        )

    def _set_up(self, state: State, sampler: Sampler, backend: str, n_steps: int) -> None:
        self.state = state
        self._sampler = sampler
        self._backend = backend
        self._sweep = self._sampler.sweep(backend)
        self._n_steps = n_steps
        self._cells: CellCounts | None = None

    def sweep(self, n: int = 1) -> None:
        """Advance the chain by ``n`` sweeps; a sweep visits every block once."""
        left = whole_number("n", n, 0)
        with self.state.alone, overcommit_allowed(self._may_overcommit):
            self._sweep_times(left)

    def _sweep_times(self, left: int) -> None:
        self._cells = None
        per_call = max(1, TOKENS_PER_CALL // max(1, self.corpus.n_tokens))
        while left > 0:
            now = min(left, per_call)
            # In the smallest type, since a large corpus would feel a second copy.
            topics = self.state.topics.astype(topic_dtype(self.n_topics))
            generator = self.state.rng.bit_generator.state
            try:
                self._n_steps, self.state.n_sweeps = (
                    self._n_steps + self._sweep(self.state, self.options, now),
                    self.state.n_sweeps + now,
                )
            except BaseException as error:
                # Ctrl-C or an error: back to the last whole sweep, so that all parts fit again.
                self.state.topics = topics.astype(np.int32)
                self.state.rng.bit_generator.state = generator
                if isinstance(error, MemoryError) and not isinstance(error, CapacityError):
                    raise CapacityError(
                        f"there is not enough memory for a sweep with {self.n_topics:,} topics and "
                        f"blocks of up to {self.corpus.max_count:,} tokens; use fewer topics, or "
                        "max_block for large blocks."
                    ) from error
                raise
            left -= now

    def use_threads(self, n_threads: int) -> None:
        """Go on in this many threads; what comes of it does not depend on them."""
        threads = whole_number("n_threads", n_threads, 1)
        self.options = replace(self.options, n_threads=threads)

    @property
    def corpus(self) -> Corpus:
        """The corpus the chain runs on."""
        return self.state.corpus

    @property
    def priors(self) -> Priors:
        """The Dirichlet priors."""
        return self.state.priors

    @property
    def n_topics(self) -> int:
        """K."""
        return self.state.priors.n_topics

    @property
    def sampler(self) -> str:
        """The name of the sampler."""
        return self._sampler.name

    @property
    def backend(self) -> str:
        """The backend in use, "native" or "python"."""
        return self._backend

    @property
    def n_sweeps(self) -> int:
        """Sweeps done since the start, over all sessions."""
        return self.state.n_sweeps

    @property
    def n_simulation_steps(self) -> int:
        """Simulation steps done, as the paper counts them: one per discrete draw.

        At most K − 1 a block for ``backward`` and C ⌈log₂ K⌉ a block for ``nested``.
        """
        return self._n_steps

    def log_posterior(self) -> float:
        """Return the paper's log q: the log posterior of the assignments, up to a constant."""
        return log_posterior(self.state, self._counted())

    def log_joint(self) -> float:
        """Return log p(z, w | α, β): unlike log q it can be compared when the priors change."""
        return log_joint(self.state, self._counted())

    def update_priors(self, learning: PriorLearning) -> None:
        """Put new priors, which ``learning`` makes of the present state, in the place of the old.

        Sampled priors are drawn from the chain's own stream.
        """
        state = self.state
        state.priors = learning.updated(state, state.rng, self._counted())

    def _counted(self) -> CellCounts:
        """Return counts that several questions about one state share; a sweep makes them old."""
        if self._cells is None:
            self._cells = self.state.cells()
        return self._cells

    def draw(self, chain: int = 0) -> Draw:
        """Return the present state as a draw that later sweeps leave as it is.

        ``chain`` is the number it carries among several chains.
        """
        return Draw.create(self.state, chain, self.state.n_sweeps)

    def assignments(self) -> Int32s:
        """Return one topic per token, grouped by entry of ``corpus.to_matrix()``.

        The order of the tokens within an entry means nothing.
        """
        return self.state.topics.copy()

    def block_counts(self) -> scipy.sparse.csr_matrix[np.int64]:
        """Return n_dvk as a sparse matrix, one row per entry of ``corpus.to_matrix()``."""
        entries = np.repeat(np.arange(self.corpus.n_entries), self.corpus.counts)
        ones = np.ones(self.corpus.n_tokens, dtype=np.int64)
        shape = (self.corpus.n_entries, self.n_topics)
        counts = scipy.sparse.coo_matrix((ones, (entries, self.state.topics)), shape=shape)
        return counts.tocsr()

    def doc_topic_counts(self) -> Ints:
        """Return n_dk, shape (documents, topics)."""
        return self.state.doc_topic_counts()

    def topic_word_counts(self) -> Ints:
        """Return n_kv, shape (topics, words)."""
        return np.ascontiguousarray(self.state.word_topic_counts().T)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chain to a file from which :meth:`load` goes on as if never stopped.

        The file holds the assignments, the priors, the generator's state and the settings, but not
        the corpus. It is written aside, synced and renamed, so the old file stays until then.
        """
        write_chain(path, self._record())

    def _record(self) -> ChainRecord:
        return ChainRecord(
            state=self.state,
            options=self.options,
            sampler=self.sampler,
            backend=self.backend,
            n_steps=self._n_steps,
        )

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        corpus: Any,
        sampler: str | None = None,
        backend: str | None = None,
        n_threads: int | None = None,
        allow_memory_overcommit: bool = False,
    ) -> Chain:
        """Read a chain written by :meth:`save`; ``corpus`` must be the one it ran on.

        Another sampler, backend or number of threads may go on with it.
        """
        record = read_chain(path, Corpus.from_matrix(corpus), known_samplers=ALL_SAMPLERS)
        if sampler is not None:
            record.sampler = choose_sampler(sampler, record.state.priors.n_topics)
        if backend is not None:
            record.backend = backend
        if n_threads is not None:
            threads = whole_number("n_threads", n_threads, 1)
            record.options = replace(record.options, n_threads=threads)
        chain = cls.from_record(record)
        chain._may_overcommit = true_or_false("allow_memory_overcommit", allow_memory_overcommit)
        return chain

    @classmethod
    def from_record(cls, record: ChainRecord) -> Chain:
        """Return the chain that a record is of."""
        chain = cls.__new__(cls)
        chain._set_up(record.state, find_sampler(record.sampler), record.backend, record.n_steps)
        chain.options = record.options
        chain._may_overcommit = False
        return chain

    def to_parts(self, prefix: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a header and arrays, their names prefixed, for a file that holds more as well."""
        return store_chain(self._record(), prefix)

    @classmethod
    def from_parts(
        cls, archive: Archive, header: dict[str, Any], prefix: str, corpus: Corpus
    ) -> Chain:
        """Return the chain whose parts are in an archive."""
        return cls.from_record(restore_chain(archive, header, prefix, corpus, ALL_SAMPLERS))

    def __copy__(self) -> Chain:
        """Return a chain at the same state: both go on alike, and neither moves the other."""
        other = self.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.state = self.state.copy()
        other._cells = None
        return other

    def __repr__(self) -> str:
        return (
            f"Chain({self.corpus.n_docs:,} documents, {self.corpus.n_tokens:,} tokens, "
            f"n_topics={self.n_topics}, sampler={self.sampler!r}, n_sweeps={self.n_sweeps})"
        )
