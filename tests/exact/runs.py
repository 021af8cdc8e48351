"""Draws of a sampler on a tiny problem, by one long chain or from exact starting points."""

from __future__ import annotations

import numpy as np

import blocklda
from blocklda.models.lda.samplers.base import Sampler, Sweep
from blocklda.models.lda.samplers.registry import find_sampler
from tests.exact.problem import Problem


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
    chain = start_chain(problem, sampler, seed, **options)
    topics = np.empty((n_draws, problem.corpus.n_tokens), dtype=np.int32)
    chain.sweep(10 * thin)
    for i in range(n_draws):
        chain.sweep(thin)
        topics[i] = chain.assignments()
    return problem.block_counts(topics)


def _exact_draws(problem: Problem, n_draws: int, seed: np.random.SeedSequence) -> np.ndarray:
    chosen = np.random.Generator(np.random.PCG64(seed)).choice(
        len(problem.states), size=n_draws, p=problem.probabilities
    )
    return problem.sorted_topics(problem.states[chosen])


def advanced_draws(
    problem: Problem,
    sampler: str | Sweep,
    n_draws: int,
    n_sweeps: int,
    seed: int,
    **options: object,
) -> np.ndarray:
    """Return states that exact draws have become after ``n_sweeps`` sweeps, each by itself.

    The tokens of a block start in sorted order, which is as good as any other. A scan that lets
    the order decide is then at its worst. One state takes up one draw after another: it costs a
    tenth of as many chains, and whatever a sampler keeps between its calls must give way to the
    new topics.
    """
    draws, own = np.random.SeedSequence(seed).spawn(2)
    starts = _exact_draws(problem, n_draws, draws)
    topics = np.empty_like(starts)
    chain, sweep = start_chain(problem, sampler, own, init=starts[0], **options), sweep_of(sampler)
    for i, start in enumerate(starts):
        chain.state.topics[:] = start
        sweep(chain.state, chain.options, n_sweeps)
        topics[i] = chain.state.topics
    return problem.block_counts(topics)
