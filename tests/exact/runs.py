"""Draws of a sampler on a tiny problem, by one long chain or from exact starting points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

import blocklda
from blocklda.models.lda.samplers.base import Sampler, Sweep
from blocklda.models.lda.state import SweepOptions
from blocklda.testing.invariance import moved_draws, until_rejected
from tests.exact.problem import Problem
from tests.models.lda.samplers.subjects import OTHER_FORMS, find_subject

STAGES = (100, 250, 500, 1_000, 1_500, 2_500, 3_500, 5_000, 8_000, 12_000)
"""Draws after which a mutant is looked at: the Python twins are slow, and most are caught soon."""

SLOW = ("augmented", "partially-collapsed", "grid", *OTHER_FORMS)
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
    return find_subject(sampler).sweep("native") if isinstance(sampler, str) else sampler


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
    if isinstance(sampler, str):
        sampler = find_subject(sampler)
    else:
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
    """Yield what exact draws have become after ``n_sweeps`` sweeps, each by itself."""
    moved = replace(problem, options=SweepOptions(**options))
    sweep = sweep_of(sampler)
    return moved_draws(moved, lambda state: sweep(state, moved.options, n_sweeps), STAGES[-1], seed)


def _first(problem: Problem, n_draws: int, topics: Iterator[np.ndarray]) -> np.ndarray:
    """Return the states of the first draws."""
    return problem.block_counts(np.array(list(islice(topics, n_draws))))


def smallest_p_value(
    problem: Problem, topics: Iterator[np.ndarray], stages: tuple[int, ...] = STAGES
) -> float:
    """Return the p-value of as many draws as it takes to fall below REJECT, if any do."""
    return until_rejected(problem, topics, stages).p_value
