"""Tiny problems of LDA and their exact posteriors.

Nothing here calls the package's own formulas: the target is written out again from its definition.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.checks import random_generator
from blocklda.testing.lda_fit import indices, judge
from blocklda.testing.verdict import Verdict

__all__ = ["LDAProblem", "Prior", "sequence_log_weights"]

Prior = float | tuple[float, ...] | tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class LDAProblem:
    """A corpus and priors; with few tokens all its states can be listed.

    A state is n_dvk, an array (entries, topics): the order of the tokens of an entry means nothing.

    Attributes
    ----------
    matrix
        Counts (documents, words).
    n_topics
        K.
    alpha, beta
        The priors, in any form that a chain takes.
    options
        What sweeps get.

    Examples
    --------
    >>> from blocklda import testing
    >>> problem = testing.LDAProblem(((2, 1), (0, 1)), n_topics=2, alpha=0.5, beta=0.3)
    >>> len(problem.states), float(problem.probabilities.sum().round(9))
    (12, 1.0)
    """

    matrix: tuple[tuple[int, ...], ...]
    n_topics: int
    alpha: Prior
    beta: Prior
    options: SweepOptions = field(default_factory=SweepOptions)

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus of the matrix."""
        return Corpus.from_matrix(np.array(self.matrix))

    @cached_property
    def entry_docs(self) -> np.ndarray:
        """The document of each entry."""
        return np.nonzero(np.array(self.matrix))[0]

    @cached_property
    def entry_words(self) -> np.ndarray:
        """The word of each entry."""
        return np.nonzero(np.array(self.matrix))[1]

    @cached_property
    def entry_counts(self) -> np.ndarray:
        """The tokens of each entry."""
        return np.asarray(np.array(self.matrix)[self.entry_docs, self.entry_words])

    @cached_property
    def alpha_vector(self) -> np.ndarray:
        """α_k, shape (topics,)."""
        return np.broadcast_to(np.array(self.alpha, dtype=float), self.n_topics)

    @cached_property
    def beta_matrix(self) -> np.ndarray:
        """β_kv, shape (topics, words)."""
        return np.broadcast_to(
            np.array(self.beta, dtype=float), (self.n_topics, len(self.matrix[0]))
        )

    @property
    def is_symmetric(self) -> bool:
        """Return True if relabelling the topics leaves the posterior as it is."""
        same_alpha = (self.alpha_vector == self.alpha_vector[0]).all()
        same_beta = (self.beta_matrix == self.beta_matrix[0]).all()
        return bool(same_alpha and same_beta)

    def log_weights(self, states: np.ndarray) -> np.ndarray:
        """Return the log of the target on counts, up to a constant; states (N, entries, topics).

        ∏_d∏_k Γ(n_dk+α_k) ∏_k∏_v Γ(n_vk+β_kv) / ∏_k Γ(n_k+Σ_v β_kv) / ∏ n_dvk!
        """
        log_q = sequence_log_weights(
            states, self.entry_docs, self.entry_words, self.alpha_vector, self.beta_matrix
        )
        return np.asarray(log_q - gammaln(states + 1).sum(axis=(1, 2)))

    @cached_property
    def states(self) -> np.ndarray:
        """Every state, shape (states, entries, topics)."""
        of_entry = [list(_compositions(int(c), self.n_topics)) for c in self.entry_counts]
        return np.array(list(itertools.product(*of_entry)))

    @cached_property
    def probabilities(self) -> np.ndarray:
        """The exact probability of every state."""
        log_weights = self.log_weights(self.states)
        return np.asarray(np.exp(log_weights - logsumexp(log_weights)))

    def block_counts(self, topics: np.ndarray) -> np.ndarray:
        """Return the states of assignments (N, tokens) as counts (N, entries, topics)."""
        starts = np.cumsum(self.entry_counts) - self.entry_counts
        by_topic = [np.add.reduceat(topics == k, starts, axis=1) for k in range(self.n_topics)]
        return np.stack(by_topic, axis=-1)

    def sorted_topics(self, states: np.ndarray) -> np.ndarray:
        """Return assignments (N, tokens) of states, the tokens of an entry in order of topic."""
        labels = np.tile(np.arange(self.n_topics), len(self.entry_counts))
        return np.array([np.repeat(labels, state.ravel()) for state in states])

    # --- for `one_step` and `long_chain`

    def exact_states(self, n_draws: int, seed: Any) -> Iterator[State]:
        """Yield one state again and again, at topics from the exact posterior.

        The tokens of a block are in sorted order, which is as good as any other. A scan that lets
        the order decide is then at its worst. One state takes up one draw after another: whatever a
        sampler keeps between its calls must give way to the new topics.
        """
        sequence = (
            seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        )
        draws, own = sequence.spawn(2)
        state = State(
            corpus=self.corpus,
            priors=Priors.create(self.n_topics, self.corpus.n_words, self.alpha, self.beta),
            topics=self.sorted_topics(self.states[:1])[0].astype(np.int32),
            rng=random_generator(own),
        )
        for topics in islice(self._exact_topics(draws, min(n_draws, 1_000)), n_draws):
            state.topics[:] = topics
            state.forget_derived()
            yield state

    def _exact_topics(self, seed: np.random.SeedSequence, at_once: int) -> Iterator[np.ndarray]:
        """Yield topics that have the exact distribution, drawn in batches."""
        rng = random_generator(seed)
        while True:
            chosen = rng.choice(len(self.states), size=at_once, p=self.probabilities)
            yield from self.sorted_topics(self.states[chosen])

    def observe(self, state: State) -> np.ndarray:
        """Return the topics."""
        return state.topics.copy()

    def positions(self, seen: Sequence[Any]) -> np.ndarray:
        """Return the number of each observed state in ``states``."""
        return indices(self, self.block_counts(np.array(seen)))

    def judge(self, seen: Sequence[Any]) -> Verdict:
        """Compare topics, one array per independent draw, with the exact posterior."""
        return judge(self, self.block_counts(np.array(seen)))


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write ``total`` as a sum of ``parts`` numbers from 0."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def sequence_log_weights(
    states: np.ndarray,
    entry_docs: np.ndarray,
    entry_words: np.ndarray,
    alpha: np.ndarray,
    beta: np.ndarray,
) -> np.ndarray:
    """Return log q of the paper for counts (N, entries, topics), every term included.

    Documents and words without entries contribute constants: the sums over d run over the documents
    that occur in ``entry_docs``, those over v over all columns of ``beta``.
    """
    in_doc = (entry_docs[:, None] == np.unique(entry_docs)).astype(float)
    of_word = (entry_words[:, None] == np.arange(beta.shape[1])).astype(float)
    n_dk = np.einsum("nek,ed->ndk", states, in_doc)
    n_kv = np.einsum("nek,ev->nkv", states, of_word)
    n_k = states.sum(axis=1)
    return np.asarray(
        gammaln(n_dk + alpha).sum(axis=(1, 2))
        + gammaln(n_kv + beta).sum(axis=(1, 2))
        - gammaln(n_k + beta.sum(axis=1)).sum(axis=1)
    )
