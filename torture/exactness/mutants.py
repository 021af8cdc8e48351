"""The wrong samplers and moves of tests/mutants: the same tests must find each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from blocklda.models.hdp.global_step import Learning
from blocklda.models.hdp.sampler import KINDS, Sampler
from blocklda.testing.base import Sweep
from blocklda.testing.verdict import REJECT
from tests.mutants import hdp, mixture, moves, samplers, sparse
from torture.exactness.cases import Case
from torture.exactness.lda_cases import lda_functions, lda_problem
from torture.exactness.other_cases import hdp_functions, hdp_problem, mixture_problem

__all__ = ["MUTANTS", "QUICK", "problems_until_found"]

STAGES = ((200, 0.3), (1_000, 0.05), (4_000, 1e-3), (12_000, 0.0))
"""Draws, and the p-value above which a problem shows too little to go on with it."""
MOST_TESTS = 200
SMALL, TOPICS = 40, (2, 2, 2, 3, 4, 5, 9, 17)
"""States and topics of a problem: mutants are made from the Python twins, which are slow."""

OF_ROUNDING = ("others as a difference",)
"""Mutants that are wrong only where a small number is lost beside a large one."""

Make = Callable[[np.random.Generator], tuple[Any, dict[str, str]]]


def _small(rng: np.random.Generator) -> tuple[Any, dict[str, str]]:
    return lda_problem(rng, SMALL, large=False, topics=TOPICS)


def _tiny(rng: np.random.Generator) -> tuple[Any, dict[str, str]]:
    """Draw a problem whose priors are both tiny: one in 25, where rounding decides."""
    while True:
        problem, tags = _small(rng)
        if tags["alpha"] == tags["beta"] == "tiny":
            return problem, tags


def _large(rng: np.random.Generator) -> tuple[Any, dict[str, str]]:
    return lda_problem(rng, SMALL, large=True)


def _hdp(rng: np.random.Generator) -> tuple[Any, dict[str, str]]:
    return hdp_problem(rng, 5)


def _mixture(finite: bool) -> Make:
    def make(rng: np.random.Generator) -> tuple[Any, dict[str, str]]:
        while True:
            problem, tags = mixture_problem(rng, 5)
            if (problem.n_components is not None) == finite:
                return problem, tags

    return make


def _moving(move: Callable[[Any], object]) -> Sweep:
    def sweep(state: Any, options: Any, n_sweeps: int) -> int:
        for _ in range(n_sweeps):
            move(state)
        return 0

    return sweep


def _of_documents(documents: Callable[[Any, Any], int]) -> Sweep:
    return lambda state, options, n_sweeps: sum(documents(state, options) for _ in range(n_sweeps))


def _collected() -> Iterator[tuple[str, Make, Sweep]]:
    """Yield name, problems and sweep of each; steps of learned priors are left to other tests."""
    for name, sweep in (
        *samplers.MUTANTS.items(),
        *sparse.SPARSE_MUTANTS.items(),
        *moves.MOVE_MUTANTS.items(),
    ):
        # Some have one name in two collections.
        yield (
            f"{name} (sparse)" if sweep is sparse.SPARSE_MUTANTS.get(name) else name,
            _tiny if name in OF_ROUNDING else _small,
            sweep,
        )
    for name, sweep in samplers.LARGE_BLOCK_MUTANTS.items():
        yield name, _large, sweep
    for name, move in (*hdp.HDP_MUTANTS.items(), *hdp.COLOUR_MUTANTS.items()):
        yield name, _hdp, _moving(move)
    for name, stick in hdp.STICK_MUTANTS.items():
        yield name, _hdp, _moving(hdp.blocks(stick))
    fixed = Learning(alpha0=False, gamma=False)
    wrong = Sampler("wrong", KINDS["sparse"], hdp.GLOBAL_MUTANTS["tables off by one"](fixed))
    yield "tables off by one", _hdp, wrong.sweep("native")
    for name, documents in mixture.MIXTURE_MUTANTS.items():
        yield name, _mixture(finite=False), _of_documents(documents)
    for name, documents in mixture.FINITE_MUTANTS.items():
        yield name, _mixture(finite=True), _of_documents(documents)


MUTANTS = {name: (make, sweep) for name, make, sweep in _collected()}
QUICK = ("priors swapped", "token left in n_dk", "size to the power j", "rest not shortened")


def problems_until_found(name: str, seed: int) -> int:
    """Return how many random problems it takes to reject a mutant; 0 if none does.

    The p-value of a problem counts times the number of problems so far and the looks at each.
    """
    make, sweep = MUTANTS[name]
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    for n_tests in range(1, MOST_TESTS + 1):
        problem, tags = make(rng)
        functions = hdp_functions if make is _hdp else lda_functions
        case = Case(problem, sweep, int(rng.integers(1, 5)), tags, functions)
        for n_draws, enough in STAGES:
            p_value = case.verdict(n_draws, int(rng.integers(2**31))).p_value
            if p_value * n_tests * len(STAGES) < REJECT:
                return n_tests
            if p_value > enough:
                break
    return 0
