"""Draws of a sampler on a tiny problem, by one long chain or from exact starting points."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

import blocklda
from blocklda.models.lda.samplers.base import Sampler, Sweep
from blocklda.models.lda.samplers.registry import find_sampler
from tests.exact.fit import REJECT, judge
from tests.exact.problem import Problem

STAGES = (100, 250, 500, 1_000, 1_500, 2_500, 3_500, 5_000, 8_000, 12_000)
"""Draws after which a mutant is looked at: the Python twins are slow, and most are caught soon."""

SLOW = ("augmented", "partially-collapsed", "grid")
"""Samplers whose sweeps cost ten times as much on a tiny corpus, because they draw θ or φ, or a
stream for each cell."""


def n_draws_of(sampler: str, revealing: bool = False) -> int:
    """Return how many draws a right sampler is tested with.

    On a problem that is there to reveal mistakes, as many as reject the mutants below 1e-8 for each
    of five seeds, but for the two weakest, which take up to 8,000. On the others, which show that
    no shape or prior is a case of its own, half of them; and of slow samplers 700, by which a third
    of the mutants is below 1e-8 still.
    """
    return 5_000 if revealing else 700 if sampler in SLOW else 2_500


def sweep_of(sampler: str | Sweep) -> Sweep:
    """Return the native sweep of a registered sampler, or the sweep function that is given."""
    return find_sampler(sampler).sweep("native") if isinstance(sampler, str) else sampler


def start_chain(
    problem: Problem, sampler: str | Sweep, seed: object, init: object = "random", **options: object
) -> blocklda.Chain:
    """Return a chain on a problem, driven by a registered sampler or by any sweep function."""
    settings = {
        "n_topics": problem.n_topics,
        "alpha": problem.alpha,
        "beta": problem.beta,
        "seed": seed,
        "init": init,
        **options,
    }
    if not isinstance(sampler, str):
        sampler = Sampler("of a test", "any sweep, right or wrong", native=sampler, python=sampler)
    return blocklda.Chain(problem.corpus, sampler=sampler, **settings)


def chain_draws(
    problem: Problem,
    sampler: str | Sweep,
    n_draws: int,
    thin: int,
    seed: int,
    **options: object,
) -> np.ndarray:
    """Return states (N, entries, topics), ``thin`` sweeps apart, after ten times as many."""
    return _first(problem, n_draws, chain_topics(problem, sampler, thin, seed, **options))


def chain_topics(
    problem: Problem, sampler: str | Sweep, thin: int, seed: int, **options: object
) -> Iterator[np.ndarray]:
    """Yield the topics of a chain, ``thin`` sweeps apart, after ten times as many."""
    chain = start_chain(problem, sampler, seed, **options)
    chain.sweep(10 * thin)
    while True:
        chain.sweep(thin)
        yield chain.assignments()


def advanced_draws(
    problem: Problem,
    sampler: str | Sweep,
    n_draws: int,
    n_sweeps: int,
    seed: int,
    **options: object,
) -> np.ndarray:
    """Return states that exact draws have become after ``n_sweeps`` sweeps, each by itself."""
    return _first(problem, n_draws, advanced_topics(problem, sampler, n_sweeps, seed, **options))


def advanced_topics(
    problem: Problem, sampler: str | Sweep, n_sweeps: int, seed: int, **options: object
) -> Iterator[np.ndarray]:
    """Yield what exact draws have become after ``n_sweeps`` sweeps, each by itself.

    The tokens of a block start in sorted order, which is as good as any other. A scan that lets
    the order decide is then at its worst. One state takes up one draw after another: it costs a
    tenth of as many chains, and whatever a sampler keeps between its calls must give way to the
    new topics.
    """
    draws, own = np.random.SeedSequence(seed).spawn(2)
    first = problem.sorted_topics(problem.states[:1])[0]
    chain, sweep = start_chain(problem, sampler, own, init=first, **options), sweep_of(sampler)
    for start in _exact_draws(problem, draws):
        chain.state.topics[:] = start
        sweep(chain.state, chain.options, n_sweeps)
        yield chain.state.topics.copy()


def _exact_draws(problem: Problem, seed: np.random.SeedSequence) -> Iterator[np.ndarray]:
    """Yield topics that have the exact law."""
    rng = np.random.Generator(np.random.PCG64(seed))
    while True:
        chosen = rng.choice(len(problem.states), size=1_000, p=problem.probabilities)
        yield from problem.sorted_topics(problem.states[chosen])


def _first(problem: Problem, n_draws: int, topics: Iterator[np.ndarray]) -> np.ndarray:
    """Return the states of the first draws."""
    return problem.block_counts(np.array(list(islice(topics, n_draws))))


def smallest_p_value(
    problem: Problem, topics: Iterator[np.ndarray], stages: tuple[int, ...] = STAGES
) -> float:
    """Return the p-value of as many draws as it takes to fall below REJECT, if any do.

    Ten looks at REJECT multiply the chance that a right sampler is rejected by their number; it
    stays far below ACCEPT.
    """
    seen: list[np.ndarray] = []
    p_value = 1.0
    for n_draws in stages:
        seen += islice(topics, n_draws - len(seen))
        p_value = min(p_value, judge(problem, problem.block_counts(np.array(seen))).p_value)
        if p_value < REJECT:
            break
    return p_value
