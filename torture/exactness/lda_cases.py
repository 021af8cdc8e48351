"""Random problems of LDA: sizes at the ends of lanes, lists and parts, any priors and options.

Vectors have 4 or 8 lanes, lists hold all of up to 16 topics, blocks are drawn in parts of 8: sizes
of one less and one more than these are frequent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb

import numpy as np

from blocklda.models.lda.moves.registry import MOVES, find_move
from blocklda.models.lda.samplers.registry import SAMPLERS, find_sampler
from blocklda.models.lda.state import State, SweepOptions
from blocklda.testing.base import Sweep
from blocklda.testing.lda_problem import LDAProblem
from torture.exactness.cases import Case

__all__ = ["lda_case", "lda_functions", "lda_problem"]

TOPICS = (1, 2, 2, 2, 3, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65)
BLOCKS = (1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17)
LARGE_BLOCKS = (31, 33, 64, 100, 255, 256, 257, 600, 1499, 1500, 1501)
"""The last ones are convolved by FFT."""
PARTS = (None, None, None, 1, 2, 7, 8, 9, 16)
SHARE_OF_LARGE = 0.05

SLOW = ("augmented", "partially-collapsed", "grid")
"""They draw θ or φ, or have a stream for each cell: tested less often."""
WEIGHTS = np.array([1.0 if name in SLOW else 3.0 for name in SAMPLERS])


def lda_case(rng: np.random.Generator, problem: LDAProblem, tags: Mapping[str, str]) -> Case:
    """Return a sampler, several that take turns, or a move, with options."""
    kind = rng.choice(["sampler", "switch", "move"], p=[0.75, 0.17, 0.08])
    n_samplers = {"sampler": 1, "switch": int(rng.integers(2, 4)), "move": 0}[str(kind)]
    names = [str(name) for name in rng.choice(SAMPLERS, n_samplers, p=WEIGHTS / WEIGHTS.sum())]
    sweeps = [find_sampler(name).sweep("native") for name in names]
    if kind == "move":
        names = [str(rng.choice(MOVES))]
        sweeps = [_attempts(names[0])]
    n_before, from_random = int(rng.integers(0, 60)), bool(rng.integers(2))

    def prepare(state: State) -> None:
        state.n_sweeps, state.random_start = n_before, from_random

    return Case(
        problem,
        _in_turn(sweeps),
        int(rng.choice([1, 1, 1, 2, 3])),
        {**tags, "model": "lda", "sampler": names[0] if n_samplers < 2 else "several in turn"},
        lda_functions,
        prepare=prepare,
    )


def _in_turn(sweeps: Sequence[Sweep]) -> Sweep:
    """Return a sweep that is one of each; what a sampler keeps must not disturb the next."""
    if len(sweeps) == 1:
        return sweeps[0]

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        steps = 0
        for one in sweeps:
            steps += one(state, options, n_sweeps)
            state.n_sweeps += n_sweeps
        return steps

    return sweep


def _attempts(move: str) -> Sweep:
    attempt = find_move(move).attempt

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        return sum(attempt(state) for _ in range(4 * n_sweeps))

    return sweep


def lda_problem(
    rng: np.random.Generator,
    n_states: int,
    *,
    large: bool | None = None,
    topics: Sequence[int] = TOPICS,
) -> tuple[LDAProblem, dict[str, str]]:
    """Return a problem of at most so many states, and what kind it is of."""
    is_large = rng.random() < SHARE_OF_LARGE if large is None else large
    n_topics = 2 if is_large else int(rng.choice(topics))
    sizes = [int(rng.choice(LARGE_BLOCKS))] if is_large else _sizes(rng, n_topics, n_states)
    n_docs, n_words = (int(rng.integers(1, 4)) for _ in range(2))
    while n_docs * n_words < len(sizes):
        n_docs += 1
    matrix = np.zeros(n_docs * n_words, dtype=int)
    matrix[rng.choice(len(matrix), len(sizes), replace=False)] = sizes
    alpha_kind, alpha = _alpha(rng, n_topics)
    beta_kind, beta = _beta(rng, n_topics, n_words, tiny=alpha_kind == "tiny")
    options = SweepOptions(
        max_block=rng.choice(np.array(PARTS, dtype=object)),
        convolution=str(rng.choice(["auto", "auto", "auto", "direct", "fft"])),
    )
    rows = tuple(tuple(map(int, row)) for row in matrix.reshape(n_docs, n_words))
    tags = {
        "topics": str(n_topics),
        "largest block": "more" if is_large else str(max(sizes)),
        "parts": str(options.max_block),
        "alpha": alpha_kind,
        "beta": beta_kind,
    }
    return LDAProblem(rows, n_topics, alpha, beta, options=options), tags


def _sizes(rng: np.random.Generator, n_topics: int, n_states: int) -> list[int]:
    """Return sizes of blocks with few enough states together."""
    sizes, total = [], 1
    for size in rng.choice(BLOCKS, 6):
        n_more = comb(int(size) + n_topics - 1, n_topics - 1)
        if total * n_more <= n_states:
            sizes.append(int(size))
            total *= n_more
    return sizes or [1]


def _level(rng: np.random.Generator, size: int | None = None) -> np.ndarray:
    return np.asarray(10 ** rng.uniform(-2, 0.7, size))


def _alpha(rng: np.random.Generator, n_topics: int) -> tuple[str, float | tuple[float, ...]]:
    kind = str(rng.choice(["symmetric", "asymmetric", "tiny"], p=[0.5, 0.42, 0.08]))
    if kind == "asymmetric":
        return kind, tuple(map(float, _level(rng, n_topics)))
    return kind, float(_level(rng) if kind == "symmetric" else 10 ** rng.uniform(-20, -6))


def _beta(
    rng: np.random.Generator, n_topics: int, n_words: int, *, tiny: bool
) -> tuple[str, float | tuple[tuple[float, ...], ...]]:
    if tiny and rng.random() < 0.5:  # mistakes of rounding show where both are
        return "tiny", float(10 ** rng.uniform(-20, -6))
    kind = str(rng.choice(["symmetric", "matrix", "seed words", "tiny"], p=[0.5, 0.25, 0.17, 0.08]))
    if kind == "symmetric":
        return kind, float(_level(rng))
    if kind == "tiny":
        return kind, float(10 ** rng.uniform(-20, -6))
    rows = _level(rng, n_topics * n_words).reshape(n_topics, n_words)
    if kind == "seed words":
        rows = np.full((n_topics, n_words), _level(rng))
        rows[rng.random(rows.shape) < 0.3] += 5.0
    return kind, tuple(tuple(map(float, row)) for row in rows)


def lda_functions(problem: LDAProblem) -> dict[str, np.ndarray]:
    """Return numbers of each state that wrong samplers change."""
    n_k = problem.states.sum(axis=1)
    rng = np.random.default_rng(len(n_k))
    return {
        "sizes of topics": n_k @ rng.normal(size=problem.n_topics),
        "squares of n_k": (n_k**2).sum(axis=1),
        "squares of n_dvk": (problem.states**2).sum(axis=(1, 2)),
    }
