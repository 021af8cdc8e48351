"""A Markov chain over the topic assignments of a corpus."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from blocklda.data.corpus import Corpus
from blocklda.data.pieces import shard_starts
from blocklda.files.chain_file import (
    read_chain,
    restore_chain,
    warn_of_draw_order,
    write_chain,
)
from blocklda.models.base import Stored
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.log_posterior import log_joint, log_posterior
from blocklda.models.lda.memory import require_memory_for_chain
from blocklda.models.lda.model import LDAModel
from blocklda.models.lda.moves.registry import check_moves
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.priors import Priors, check_n_topics
from blocklda.models.lda.samplers.convolution import check_convolution
from blocklda.models.lda.samplers.openings import AUTO_OPENING, choose_opening
from blocklda.models.lda.samplers.registry import Sampler
from blocklda.models.lda.state import State, SweepOptions
from blocklda.run.chain import BaseChain
from blocklda.support import defaults
from blocklda.support.arrays import Int32s, Ints
from blocklda.support.checks import random_generator, true_or_false, whole_number
from blocklda.support.errors import CapacityError
from blocklda.support.memory import overcommit_allowed

__all__ = ["Chain"]


class Chain(BaseChain):
    """A chain whose stationary distribution is the posterior of the topic assignments.

    Use a chain from one thread at a time: :meth:`sweep` is locked, but other methods are not.
    Several chains may run in several threads.

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
        A name in ``blocklda.SAMPLERS``, or "auto" for the one that is usually fastest;
        :attr:`sampler` then names it. Those in ``blocklda.APPROXIMATE_SAMPLERS`` have another
        stationary distribution, close to the posterior. You can also pass your own
        :class:`~blocklda.models.lda.samplers.base.Sampler`.
    backend
        "native" or "python": the compiled kernel, or its Python version. Both give the same state.
    seed
        A whole number, a NumPy ``SeedSequence``, or None for fresh entropy.
    init
        "random"; "variational", a few variational passes and one draw from their result, which
        saves most of the burn-in; "annealed", random topics and an opening of annealed sweeps,
        whose topics often fit better; or an array with one topic per token as :meth:`assignments`
        returns it. See docs/explanation/starts.md.
    n_threads
        Number of threads, for samplers that can use several.
    convolution
        For blocked samplers: "direct", "fft", or "auto" for whichever is faster.
    max_block
        For blocked samplers: larger blocks are updated in random parts of this many tokens. Still
        exact, and the cost becomes linear in the size of the block.
    shards
        For partially-collapsed and grid: the number of documents of each shard, in order. The same
        shards give the same draws, on one machine or on several; see docs/how-to/parallel.md.
    moves
        Names in ``blocklda.MOVES`` of moves to try after each sweep, for example
        ``("merge-split",)``; see docs/explanation/moves.md.
    opening_sweeps
        Number of sweeps of the opening: annealed sweeps with ``init="annealed"``, otherwise
        sweeps of the sampler's companion, which moves one token at a time. They count as sweeps
        of the chain, but annealed sweeps do not sample the posterior: keep no draw before
        :attr:`is_tempered` is False. "auto" is 400 annealed sweeps, 30 of the companion for a
        blocked sampler with ``init="random"``, and none otherwise.
    allow_memory_overcommit
        If True, run even if the estimated memory exceeds what is free. The system may then kill the
        process.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=50, seed=1).corpus
    >>> chain = blocklda.Chain(corpus, n_topics=10, sampler="nested", seed=1)
    >>> chain.sweep(5)
    >>> int(chain.topic_word_counts().sum()) == corpus.n_tokens
    True
    """

    model: LDAModel
    state: State
    options: SweepOptions

    options_type = SweepOptions

    def __init__(
        self,
        corpus: Any,
        n_topics: int,
        alpha: ArrayLike = defaults.GIVEN_ALPHA,
        beta: ArrayLike = defaults.GIVEN_BETA,
        sampler: str | Sampler = "nested",
        backend: str = defaults.BACKEND,
        seed: int | np.random.SeedSequence | None = defaults.SEED,
        init: str | ArrayLike = defaults.RANDOM_INIT,
        n_threads: int = 1,
        convolution: str = "auto",
        max_block: int | None = None,
        shards: Sequence[int] = (),
        moves: Sequence[str] = defaults.MOVES,
        opening_sweeps: int | str = AUTO_OPENING,
        allow_memory_overcommit: bool = False,
    ) -> None:
        checked = Corpus.from_matrix(corpus)
        n_topics = check_n_topics(n_topics)
        may_overcommit = true_or_false("allow_memory_overcommit", allow_memory_overcommit)
        with overcommit_allowed(may_overcommit):
            model = LDAModel(checked, Priors.create(n_topics, checked.n_words, alpha, beta))
            rng = random_generator(seed)
            chosen = model.find_sampler(sampler)
            # Before the start, which may take a while, whatever else can be wrong.
            chosen.sweep(backend)
            options = SweepOptions(
                max_block=None if max_block is None else whole_number("max_block", max_block, 1),
                convolution=check_convolution(convolution),
                n_threads=whole_number("n_threads", n_threads, 1),
                shards=shard_starts(shards, checked.n_docs),
                moves=check_moves(moves),
            )
            opening = choose_opening(init, chosen, opening_sweeps)
            require_memory_for_chain(checked, model.priors, chosen, options, init)
            state = model.start(init, rng, backend)
            state.opening = opening
        super().__init__(model, state, chosen, backend, options)
        self._may_overcommit = may_overcommit

    def _too_large(self) -> CapacityError:
        return CapacityError(
            f"there is not enough memory for a sweep with {self.n_topics:,} topics and "
            f"blocks of up to {self.corpus.max_count:,} tokens; use fewer topics, or "
            "max_block for large blocks."
        )

    @property
    def priors(self) -> Priors:
        """The Dirichlet priors."""
        return self.state.priors

    @property
    def n_topics(self) -> int:
        """K."""
        return self.state.priors.n_topics

    @property
    def opening_sweeps(self) -> int:
        """Sweeps at the start of the chain that are its opening."""
        return self.state.opening.n_sweeps

    @property
    def is_tempered(self) -> bool:
        """Return True if the current state belongs to an annealed opening, not to the posterior."""
        return self.state.opening.is_tempered(self.n_sweeps)

    def log_posterior(self) -> float:
        """Return the paper's log q: the log posterior of the assignments, up to a constant."""
        return log_posterior(self.state, self.state.counted())

    def log_joint(self) -> float:
        """Return log p(z, w | α, β): unlike log q it can be compared when the priors change."""
        return log_joint(self.state, self.state.counted())

    def update_priors(self, learning: PriorLearning) -> None:
        """Replace the priors by those that ``learning`` derives from the current state.

        Sampled priors are drawn from the chain's own stream.
        """
        state = self.state
        state.priors = learning.updated(state, state.rng, state.counted())

    def draw(self, chain: int = 0) -> Draw:
        """Return a copy of the current state as a draw.

        ``chain`` is its number among several chains.
        """
        return self.model.draw(self.state, chain)

    def assignments(self) -> Int32s:
        """Return one topic per token, grouped by entry of ``corpus.to_matrix()``.

        The order of the tokens within an entry carries no information.
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
        """Write the chain to a file, from which :meth:`load` continues to the same bits.

        The file holds the assignments, the priors, the generator's state and the settings, but not
        the corpus. It is written under a temporary name, synced and renamed; until then, the
        old file stays.
        """
        write_chain(path, self)

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

        Another sampler, backend or number of threads may continue it.
        """
        found = Corpus.from_matrix(corpus)

        def restored(stored: Stored) -> Chain:
            model = LDAModel(found, Priors.restore(stored, found.n_words))
            return cls.restored(model, stored, sampler=sampler, backend=backend)

        chain = read_chain(path, found, LDAModel.kind, restored)
        warn_of_draw_order([chain], stacklevel=2)
        if n_threads is not None:
            chain.use_threads(n_threads)
        chain._may_overcommit = true_or_false("allow_memory_overcommit", allow_memory_overcommit)
        with overcommit_allowed(chain._may_overcommit):
            used = chain.model.find_sampler(chain.sampler)
            require_memory_for_chain(chain.corpus, chain.priors, used, chain.options)
        return chain

    @classmethod
    def restored(
        cls,
        model: LDAModel,
        stored: Stored,
        *,
        sampler: str | None = None,
        backend: str | None = None,
    ) -> Chain:
        """Return the chain in a part of a file; another sampler or backend may continue it."""
        return restore_chain(cls.of, model, stored, sampler=sampler, backend=backend)

    def __repr__(self) -> str:
        return (
            f"Chain({self.corpus.n_docs:,} documents, {self.corpus.n_tokens:,} tokens, "
            f"n_topics={self.n_topics}, sampler={self.sampler!r}, n_sweeps={self.n_sweeps})"
        )
