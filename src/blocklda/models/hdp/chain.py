"""A Markov chain over the topics of a hierarchical Dirichlet process."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda.data.corpus import Corpus
from blocklda.files.chain_file import read_chain, restore_chain, write_chain
from blocklda.models.base import Stored
from blocklda.models.hdp.draw import Draw
from blocklda.models.hdp.global_step import Learning
from blocklda.models.hdp.log_joint import log_joint
from blocklda.models.hdp.model import HDPModel, check_corpus, check_level, restored_levels
from blocklda.models.hdp.sampler import AUTO
from blocklda.models.hdp.state import FREE, Levels, State, SweepOptions
from blocklda.models.hdp.word_prior import Beta, check_beta
from blocklda.models.lda.priors import MAX_TOPICS
from blocklda.run.chain import BaseChain
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Int32s, Ints
from blocklda.support.checks import random_generator, true_or_false, whole_number

__all__ = ["HDPChain"]


class HDPChain(BaseChain):
    """A chain whose stationary distribution is the posterior of an HDP topic model.

    Topics are born and die in a sweep, so their number varies. A topic is known by the number of
    its birth; positions of topics in arrays are in the order of these numbers.

    Parameters
    ----------
    corpus
        A :class:`~blocklda.Corpus`, or anything :meth:`Corpus.from_matrix` takes.
    alpha0
        Concentration of the topics of a document: where it starts, or fixed if not ``learn``.
    gamma
        Concentration of the weights of all topics: the same.
    beta
        Dirichlet prior of the words of a topic: one number for all words, or one per word.
    learn
        Sample ``alpha0`` and ``gamma`` with Gamma(1, 1) priors.
    sampler
        "sparse", which is also "auto": blocks at once, and tables of one document in eight;
        "grid": the same over a grid of documents and words, in several threads; or
        "sparse-single-site": one token at a time, and the same tables.
    backend
        "native" or "python": the compiled kernel, or its twin. Both leave the same state.
    seed
        A whole number, a NumPy ``SeedSequence``, or None for fresh entropy.
    init
        "random" or "variational" topics, ``initial_topics`` of them, or an array with one topic per
        token as :meth:`assignments` returns it.
    initial_topics
        How many topics a chain starts with.
    n_threads
        How many threads "grid" uses. The draws do not depend on it; the others use one.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=50, seed=1).corpus
    >>> chain = blocklda.HDPChain(corpus, seed=1)
    >>> chain.sweep(5)
    >>> int(chain.topic_word_counts().sum()) == corpus.n_tokens
    True
    """

    model: HDPModel
    state: State
    options: SweepOptions

    options_type = SweepOptions

    def __init__(
        self,
        corpus: Any,
        alpha0: float = defaults.CONCENTRATION,
        gamma: float = defaults.CONCENTRATION,
        beta: ArrayLike = defaults.HDP_BETA,
        learn: bool = True,
        sampler: str = AUTO,
        backend: str = defaults.BACKEND,
        seed: int | np.random.SeedSequence | None = defaults.SEED,
        init: str | ArrayLike = defaults.RANDOM_INIT,
        initial_topics: int = defaults.INITIAL_TOPICS,
        n_threads: int = 1,
    ) -> None:
        checked = check_corpus(Corpus.from_matrix(corpus))
        levels = Levels(
            check_level("alpha0", alpha0),
            check_level("gamma", gamma),
            check_beta(beta, checked.n_words),
        )
        learns = true_or_false("learn", learn)
        n_initial = whole_number("initial_topics", initial_topics, 1, MAX_TOPICS)
        learning = Learning(alpha0=learns, gamma=learns)
        model = HDPModel(checked, levels, learning, initial_topics=n_initial)
        chosen = model.find_sampler(sampler)
        chosen.sweep(backend)
        options = SweepOptions(n_threads=whole_number("n_threads", n_threads, 1))
        state = model.start(init, random_generator(seed), backend)
        super().__init__(model, state, chosen, backend, options)

    @property
    def n_topics(self) -> int:
        """Topics that have tokens."""
        return int((self.state.numbers != FREE).sum())

    @property
    def alpha0(self) -> float:
        """The concentration of the topics of a document."""
        return self.state.levels.alpha0

    @property
    def gamma(self) -> float:
        """The concentration of the weights of all topics."""
        return self.state.levels.gamma

    @property
    def beta(self) -> Beta:
        """The Dirichlet prior of words: one number, or one per word."""
        return self.state.levels.beta

    def topic_ids(self) -> Ints:
        """Return the birth numbers of the topics, ascending."""
        return self.state.numbers[self.state.occupied]

    def topic_weights(self) -> Floats:
        """Return τ in the order of :meth:`topic_ids`, and last what is left of the stick."""
        return np.append(self.state.tau[self.state.occupied], self.state.rest)

    def assignments(self) -> Int32s:
        """Return one position in :meth:`topic_ids` per token, grouped by entry of the corpus.

        The order of the tokens within an entry means nothing.
        """
        return self.state.positions()

    def doc_topic_counts(self) -> Ints:
        """Return n_dk, shape (documents, topics)."""
        return self.state.doc_topic_counts()[:, self.state.occupied]

    def topic_word_counts(self) -> Ints:
        """Return n_kv, shape (topics, words)."""
        return np.ascontiguousarray(self.state.word_topic_counts()[:, self.state.occupied].T)

    def log_posterior(self) -> float:
        """Return log p(z, w | τ, α₀, β); do not compare it across numbers of topics."""
        return log_joint(self.state)

    def draw(self, chain: int = 0) -> Draw:
        """Return the present state as a draw that later sweeps leave as it is."""
        return self.model.draw(self.state, chain)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chain to a file from which :meth:`load` continues as if never stopped."""
        write_chain(path, self)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        corpus: Any,
        sampler: str | None = None,
        backend: str | None = None,
        n_threads: int | None = None,
    ) -> HDPChain:
        """Read a chain written by :meth:`save`; ``corpus`` must be the one it ran on."""
        found = check_corpus(Corpus.from_matrix(corpus))

        def restored(stored: Stored) -> HDPChain:
            with stored.reading():
                learning = Learning.restore(stored.header["learning"])
                _, levels = restored_levels(stored, found.n_words)
            model = HDPModel(found, levels, learning)
            return restore_chain(cls.of, model, stored, sampler=sampler, backend=backend)

        chain = read_chain(path, found, HDPModel.kind, restored)
        if n_threads is not None:
            chain.use_threads(n_threads)
        return chain

    def __repr__(self) -> str:
        return (
            f"HDPChain({self.corpus.n_docs:,} documents, {self.corpus.n_tokens:,} tokens, "
            f"{self.n_topics} topics, sampler={self.sampler!r}, n_sweeps={self.n_sweeps})"
        )
