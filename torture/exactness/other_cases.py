"""Random problems of the HDP and of mixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from blocklda.models.hdp.global_step import GlobalStep, Learning
from blocklda.models.hdp.sampler import SAMPLERS, find_sampler
from blocklda.models.hdp.state import SweepOptions as HDPOptions
from blocklda.models.mixture.sampler import BLOCKS
from blocklda.models.mixture.state import SweepOptions as MixtureOptions
from blocklda.testing.hdp_problem import HDPProblem
from blocklda.testing.mixture_problem import MixtureProblem
from torture.exactness.cases import Case

__all__ = ["hdp_case", "hdp_functions", "hdp_problem", "mixture_case", "mixture_problem"]

MOST_TOKENS, MOST_DOCS = 7, 6
"""These have 877 and 203 partitions."""


def hdp_problem(
    rng: np.random.Generator, n_tokens: int = MOST_TOKENS
) -> tuple[HDPProblem, dict[str, str]]:
    """Return a few tokens, most of them in blocks; words may have priors of their own."""
    n_docs, n_words = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    counts = np.zeros((n_docs, n_words), dtype=int)
    left = int(rng.integers(2, n_tokens + 1))
    while left > 0:
        size = min(left, int(rng.integers(1, 6)))
        counts[rng.integers(n_docs), rng.integers(n_words)] += size
        left -= size
    rows = tuple(tuple(map(int, row)) for row in counts[counts.any(axis=1)])
    alpha0, gamma = (float(10 ** rng.uniform(-1, 1)) for _ in range(2))
    beta: float | tuple[float, ...] = float(10 ** rng.uniform(-1, 1))
    if rng.random() < 0.5:
        beta = tuple(map(float, 10 ** rng.uniform(-1, 1, n_words)))
    options = HDPOptions(
        table_every=int(rng.choice([0, 1, 1, 2])), max_block=rng.choice([None, None, 1, 2])
    )
    tags = {
        "largest block": str(max(map(max, rows))),
        "parts": str(options.max_block),
        "beta": "equal" if isinstance(beta, float) else "per word",
    }
    return HDPProblem(rows, alpha0, gamma, beta, options=options), tags


def hdp_case(rng: np.random.Generator, problem: HDPProblem, tags: Mapping[str, str]) -> Case:
    """Return a sampler with fixed levels."""
    name = str(rng.choice(SAMPLERS))
    step = GlobalStep(Learning(alpha0=False, gamma=False))
    sweep = find_sampler(name, step).sweep("native")
    n_sweeps = int(rng.choice([1, 1, 2]))
    named = {**tags, "model": "hdp", "sampler": f"hdp/{name}"}
    return Case(problem, sweep, n_sweeps, named, hdp_functions, hdp_sticks)


def hdp_sticks(
    problem: HDPProblem, seen: list[Any], shape: tuple[int, int], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return what is left of each stick, and exact draws of it: Beta(γ, m) for m tables."""
    weights, tables = [], []
    for key, probability in zip(problem.keys, problem.probabilities, strict=True):
        m, of_key = problem.tables(key)
        weights.append(probability * of_key)
        tables.append(m.sum(axis=1))
    of_all, m = np.concatenate(weights), np.concatenate(tables)
    chosen = rng.choice(len(m), size=shape, p=of_all / of_all.sum())
    return np.array([sticks[0] for _, sticks in seen]), rng.beta(problem.gamma, m[chosen])


def hdp_functions(problem: HDPProblem) -> dict[str, np.ndarray]:
    """Return numbers of each partition."""
    return {
        "topics": np.array([len(key) for key in problem.keys], dtype=float),
        "largest topic": np.array([max(map(sum, key)) for key in problem.keys], dtype=float),
    }


def mixture_problem(
    rng: np.random.Generator, n_docs: int = MOST_DOCS
) -> tuple[MixtureProblem, dict[str, str]]:
    """Return documents of few kinds, an empty one now and then."""
    n_words = int(rng.integers(1, 4))
    kinds = rng.integers(0, 4, (int(rng.integers(1, 4)), n_words))
    chosen = kinds[rng.integers(len(kinds), size=int(rng.integers(2, n_docs + 1)))]
    n_components = int(rng.integers(1, 4)) if rng.random() < 0.35 else None
    beta = tuple(map(float, 10 ** rng.uniform(-1.5, 0.5, n_words)))
    alpha = float(10 ** rng.uniform(-1, 1))
    options = MixtureOptions(max_block=int(rng.choice([1, 2, 3, 16])))
    rows = tuple(tuple(map(int, row)) for row in chosen)
    tags = {"parts": str(options.max_block), "components": str(n_components)}
    return MixtureProblem(rows, alpha, beta, n_components, options=options), tags


def mixture_case(
    rng: np.random.Generator, problem: MixtureProblem, tags: Mapping[str, str]
) -> Case:
    """Return the sampler of mixtures."""
    sweep, n_sweeps = BLOCKS.sweep("native"), int(rng.choice([1, 1, 2]))
    named = {**tags, "model": "mixture", "sampler": "mixture/blocks"}
    return Case(problem, sweep, n_sweeps, named, mixture_functions)


def mixture_functions(problem: MixtureProblem) -> dict[str, np.ndarray]:
    """Return numbers of each clustering."""
    return {
        "components": np.array([len(set(state)) for state in problem.states], dtype=float),
        "first two together": np.array([float(s[0] == s[1]) for s in problem.states]),
    }
