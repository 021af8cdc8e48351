"""Corpora whose clusterings can be listed, and their exact posteriors.

Nothing here calls the package's own formulas: the target is written out again from its definition.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln, logsumexp

import blocklda
from blocklda.models.mixture.state import State, SweepOptions
from tests.exact.fit import REJECT, Verdict, compare_states

DocumentSweep = Callable[[State, SweepOptions], int]

STAGES = (150, 300, 600, 1_000, 1_500, 3_000, 6_000)
"""Draws after which a mutant is looked at: the twin is slow, and most are caught soon."""


@dataclass(frozen=True)
class Problem:
    """Documents and priors. A state is the tuple of the labels of all documents.

    Without ``n_components`` labels are numbered as they first occur, so a state is a partition.
    """

    matrix: tuple[tuple[int, ...], ...]
    alpha: float
    beta: tuple[float, ...]
    n_components: int | None = None

    @cached_property
    def corpus(self) -> blocklda.Corpus:
        return blocklda.Corpus.from_matrix(np.array(self.matrix))

    @cached_property
    def states(self) -> list[tuple[int, ...]]:
        n_docs = len(self.matrix)
        if self.n_components is None:
            return list(partitions(n_docs))
        return list(itertools.product(range(self.n_components), repeat=n_docs))

    @cached_property
    def positions(self) -> dict[tuple[int, ...], int]:
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
        log_weights = self.log_prior(self.alpha) + self.log_words
        return np.exp(log_weights - logsumexp(log_weights))

    def chain(self, seed: object = 0, **settings: object) -> blocklda.DPMixtureChain:
        given = {"alpha": self.alpha, "n_components": self.n_components, "learn": False}
        return blocklda.DPMixtureChain(self.corpus, beta=self.beta, seed=seed, **(given | settings))

    def state_of(self, labels: np.ndarray) -> tuple[int, ...]:
        """Return labels as a state."""
        if self.n_components is not None:
            return tuple(labels.tolist())
        numbers: dict[int, int] = {}
        return tuple(numbers.setdefault(label, len(numbers)) for label in labels.tolist())

    def judge(self, states: list[tuple[int, ...]]) -> Verdict:
        """Compare independent draws with the exact posterior."""
        found = [self.positions[state] for state in states]
        observed = np.bincount(found, minlength=len(self.states))
        return compare_states(np.array(self.states), self.probabilities, observed)


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """Yield all partitions of n documents, labels numbered as they first occur."""
    if n == 0:
        yield ()
        return
    for rest in partitions(n - 1):
        for label in range(max(rest, default=-1) + 2):
            yield (*rest, label)


def advanced(
    problem: Problem, sweep: DocumentSweep, seed: int, max_block: int = 16, n_sweeps: int = 1
) -> Iterator[tuple[int, ...]]:
    """Yield what exact draws have become after some sweeps, each by itself."""
    rng = np.random.default_rng(seed)
    chain = problem.chain(seed, init="one")
    options = SweepOptions(max_block=max_block)
    while True:
        for i in rng.choice(len(problem.states), size=500, p=problem.probabilities):
            labels = np.array(problem.states[i], dtype=np.int32)
            births = np.arange(problem.n_components or labels.max() + 1)
            chain.state.labels, chain.state.births = labels, births
            chain.state.n_born = len(births)
            for _ in range(n_sweeps):
                sweep(chain.state, options)
            yield problem.state_of(chain.state.labels)


def smallest_p_value(problem: Problem, draws: Iterator[tuple[int, ...]]) -> float:
    """Return the p-value of as many draws as it takes to fall below REJECT, if any do."""
    seen: list[tuple[int, ...]] = []
    p_value = 1.0
    for n_draws in STAGES:
        seen += itertools.islice(draws, n_draws - len(seen))
        p_value = min(p_value, problem.judge(seen).p_value)
        if p_value < REJECT:
            break
    return p_value
