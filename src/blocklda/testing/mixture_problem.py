"""Corpora whose clusterings can be listed, and their exact posteriors.

Nothing here calls the package's own formulas: the target is written out again from its definition.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from blocklda.data.corpus import Corpus
from blocklda.models.mixture.chain import DPMixtureChain
from blocklda.models.mixture.state import State, SweepOptions
from blocklda.support import defaults
from blocklda.testing.verdict import Verdict, compare_states

__all__ = ["MixtureProblem", "partitions"]


@dataclass(frozen=True)
class MixtureProblem:
    """Documents and priors. A state is the tuple of the labels of all documents.

    Without ``n_components`` labels are numbered as they first occur, so a state is a partition.

    Examples
    --------
    >>> from blocklda import testing
    >>> problem = testing.MixtureProblem(((2, 1), (0, 1), (2, 0)), alpha=1.7, beta=(0.5, 0.4))
    >>> problem.states[:3]
    [(0, 0, 0), (0, 0, 1), (0, 1, 0)]
    """

    matrix: tuple[tuple[int, ...], ...]
    alpha: float
    beta: tuple[float, ...]
    n_components: int | None = None
    options: SweepOptions = field(default_factory=SweepOptions)

    @cached_property
    def corpus(self) -> Corpus:
        """The corpus of the matrix."""
        return Corpus.from_matrix(np.array(self.matrix))

    @cached_property
    def states(self) -> list[tuple[int, ...]]:
        """Every state."""
        n_docs = len(self.matrix)
        if self.n_components is None:
            return list(partitions(n_docs))
        return list(itertools.product(range(self.n_components), repeat=n_docs))

    @cached_property
    def places(self) -> dict[tuple[int, ...], int]:
        """The number of each state in ``states``."""
        return {state: i for i, state in enumerate(self.states)}

    @cached_property
    def log_words(self) -> np.ndarray:
        """Log p(words | state): a product over components of Dirichlet-multinomials."""
        X, beta = np.array(self.matrix), np.array(self.beta)
        found = []
        for state in self.states:
            n_cv = np.zeros((max(state) + 1, X.shape[1]))
            np.add.at(n_cv, list(state), X)
            of_words = (gammaln(n_cv + beta) - gammaln(beta)).sum()
            totals = gammaln(beta.sum()) - gammaln(n_cv.sum(axis=1) + beta.sum())
            found.append(of_words + totals.sum())
        return np.array(found)

    def log_prior(self, alpha: float) -> np.ndarray:
        """Log p(state | α)."""
        n, K = len(self.matrix), self.n_components
        sizes = [np.bincount(state, minlength=K or 0) for state in self.states]
        if K is None:
            of_sizes = [len(s) * np.log(alpha) + gammaln(s).sum() for s in sizes]
            return np.array(of_sizes) + gammaln(alpha) - gammaln(alpha + n)
        of_sizes = [(gammaln(s + alpha) - gammaln(alpha)).sum() for s in sizes]
        return np.array(of_sizes) + gammaln(K * alpha) - gammaln(K * alpha + n)

    @cached_property
    def probabilities(self) -> np.ndarray:
        """The exact probability of every state."""
        log_weights = self.log_prior(self.alpha) + self.log_words
        return np.asarray(np.exp(log_weights - logsumexp(log_weights)))

    def chain(self, seed: Any = defaults.SEED, **settings: Any) -> DPMixtureChain:
        """Return a chain on the problem."""
        given = {"alpha": self.alpha, "n_components": self.n_components, "learn": False}
        return DPMixtureChain(self.corpus, beta=self.beta, seed=seed, **(given | settings))

    def state_of(self, labels: np.ndarray) -> tuple[int, ...]:
        """Return labels as a state."""
        if self.n_components is not None:
            return tuple(labels.tolist())
        numbers: dict[int, int] = {}
        return tuple(numbers.setdefault(label, len(numbers)) for label in labels.tolist())

    # --- for `one_step` and `long_chain`

    def exact_states(self, n_draws: int, seed: Any) -> Iterator[State]:
        """Yield one state again and again, at labels from the exact posterior."""
        rng = np.random.default_rng(seed)
        state = self.chain(seed, init="one").state
        n_left = n_draws
        while n_left > 0:
            chosen = rng.choice(len(self.states), size=500, p=self.probabilities)
            for i in chosen[:n_left]:
                labels = np.array(self.states[i], dtype=np.int32)
                state.labels = labels
                state.births = np.arange(self.n_components or int(labels.max()) + 1)
                state.n_born = len(state.births)
                yield state
            n_left -= len(chosen)

    def observe(self, state: State) -> tuple[int, ...]:
        """Return the labels as a state of the list."""
        return self.state_of(state.labels)

    def positions(self, seen: Sequence[Any]) -> np.ndarray:
        """Return the number of each observed state in ``states``."""
        return np.array([self.places[state] for state in seen])

    def judge(self, seen: Sequence[Any]) -> Verdict:
        """Compare independent draws with the exact posterior."""
        observed = np.bincount(self.positions(seen), minlength=len(self.states))
        return compare_states(np.array(self.states), self.probabilities, observed)


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """Yield all partitions of n documents, labels numbered as they first occur."""
    if n == 0:
        yield ()
        return
    for rest in partitions(n - 1):
        for label in range(max(rest, default=-1) + 2):
            yield (*rest, label)
