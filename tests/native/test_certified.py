"""What single precision certifies is what rational arithmetic says, for the hardest of draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import product

import numpy as np
import pytest

from blocklda import _native
from tests.mutants.certified import BOUND_MUTANTS
from tests.native.token_cases import (
    Case,
    CaseGivenPhi,
    TokenCase,
    always_rounded_one_way,
    always_rounded_one_way_given_phi,
    invented_case,
    invented_case_given_phi,
    wrong_decisions,
)

TOPICS = (1, 2, 3, 8, 15, 16, 17, 24, 33, 40, 100, 200, 1000, 5000)
SPREADS = (0.5, 3.0, 11.0)
"""Decimal digits that priors lie from 1; with 11, weights differ by factors of 1e30 and more."""

SPREADS_OF_GROUPS, SMALLEST_MASS = (0.5, 3.0, 9.0), 2.4e-10
"""The same with masses of groups of words, whose range is smaller, and the least mass in it."""


@pytest.fixture(params=_native.instruction_sets(), autouse=True)
def _instruction_set(request: pytest.FixtureRequest) -> Iterator[None]:
    active = _native.active_instruction_set()
    _native.use_instruction_set(request.param)
    yield
    _native.use_instruction_set(active)


@cache
def cases() -> list[TokenCase]:
    """Return cases of all sizes, such as were made to be hard and ordinary ones.

    They are made once: rational arithmetic takes longer than the draws.
    """
    hard = [always_rounded_one_way(n_rows) for n_rows in (16, 64, 313)]
    return hard + [
        invented_case(n_topics, seed, spread, beta_varies=seed % 2 == 1)
        for n_topics in TOPICS
        for spread in (SPREADS if n_topics < 1000 else SPREADS[1:])
        for seed in range(8 if n_topics <= 40 else 2)
    ]


@cache
def cases_of_groups() -> list[TokenCase]:
    """Return such cases of tokens in a group of words, whose weights have a product more."""
    hard = [always_rounded_one_way(n_rows, of_group=True) for n_rows in (16, 64, 313)]
    return hard + [
        invented_case(
            n_topics,
            seed,
            spread,
            beta_varies=seed % 2 == 1,
            smallest_mass=SMALLEST_MASS if seed % 4 < 2 else 0.01,
        )
        for n_topics in TOPICS
        for spread in (SPREADS_OF_GROUPS if n_topics < 1000 else SPREADS_OF_GROUPS[1:])
        for seed in range(8 if n_topics <= 40 else 2)
    ]


@cache
def cases_given_phi() -> list[CaseGivenPhi]:
    """Return such cases of tokens given φ."""
    hard = [always_rounded_one_way_given_phi(n_rows) for n_rows in (16, 64, 313)]
    return hard + [
        invented_case_given_phi(n_topics, seed, spread)
        for n_topics in TOPICS
        for spread in (SPREADS if n_topics < 1000 else SPREADS[1:])
        for seed in range(8 if n_topics <= 40 else 2)
    ]


ALL_CASES: dict[str, Callable[[], Sequence[Case]]] = {
    "all words": cases,
    "a group of words": cases_of_groups,
    "given phi": cases_given_phi,
}

of_all_kinds = pytest.mark.parametrize("kind", ALL_CASES)


def first_wrong(kind: str, bound_share: float) -> list[str]:
    """Return the wrong decisions of the first case that has some."""
    numbered = enumerate(ALL_CASES[kind]())
    of_cases = (wrong_decisions(case, bound_share, seed) for seed, case in numbered)
    return next((wrong for each in of_cases if (wrong := list(each))), [])


@of_all_kinds
def test_no_certified_draw_is_wrong(kind):
    assert first_wrong(kind, 1.0) == []


@pytest.mark.parametrize(("mutant", "kind"), list(product(BOUND_MUTANTS, ALL_CASES)))
def test_bounds_that_are_too_small_are_rejected(mutant, kind):
    wrong = first_wrong(kind, BOUND_MUTANTS[mutant])
    assert wrong
    assert all("certified" in each for each in wrong)


@of_all_kinds
def test_the_definition_is_that_of_the_twin(kind):
    rng = np.random.default_rng(1)
    for case in ALL_CASES[kind]():
        for u in case.hard_points(rng, 2):
            assert case.drawn(u, 1.0)[1] == case.drawn_by_twin(u)


@pytest.mark.parametrize("name", ["alpha", "beta", "beta_sum"])
@pytest.mark.parametrize("prior", [5e-324, 1e-310, 1e-30, 9e-13, 1.2e12, 1e30, 1e200])
def test_single_precision_certifies_nothing_outside_its_range(name, prior):
    """One such number among ordinary ones is enough."""
    for at in (0, 18):
        values = vars(invented_case(20, seed=1, spread=0.5, beta_varies=True)).copy()
        values[name] = np.where(np.arange(20) == at, prior, values[name])
        case = TokenCase(**values)
        for u in (0.0, 0.3, 0.999):
            certified, defined = case.drawn(u, 1.0)
            assert certified == -1
            assert defined == case.drawn_by_twin(u)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, x) for name in ("alpha", "beta", "beta_sum") for x in (9e-10, 1.1e9)),
        *(("masses", x) for x in (0.0, 5e-324, 1e-30, 2.3e-10, 1.1, 1e30)),
    ],
)
def test_single_precision_certifies_nothing_outside_the_range_of_groups(name, value):
    for at in (0, 18):
        values = vars(
            invented_case(20, seed=1, spread=0.5, beta_varies=True, smallest_mass=0.1)
        ).copy()
        values[name] = np.where(np.arange(20) == at, value, values[name])
        case = TokenCase(**values)
        assert case.old != at
        for u in (0.0, 0.3, 0.999):
            certified, defined = case.drawn(u, 1.0)
            assert certified == -1
            assert defined == case.drawn_by_twin(u)


@pytest.mark.parametrize(
    ("name", "value"),
    [("alpha", 1.1e6), *(("phi", x) for x in (np.nan, np.inf, 1e300))],
)
def test_single_precision_certifies_nothing_outside_the_range_given_phi(name, value):
    for at in (0, 18):
        values = vars(invented_case_given_phi(20, seed=1, spread=0.5)).copy()
        values[name] = np.where(np.arange(20) == at, value, values[name])
        case = CaseGivenPhi(**values)
        assert case.old != at
        for u in (0.0, 0.3, 0.999):
            certified, _ = case.drawn(u, 1.0)
            assert certified == -1


def test_sums_of_weights_that_are_nearly_nothing_are_left_to_doubles():
    """The smallest numbers φ are left out of them in single precision."""
    phi = invented_case_given_phi(20, seed=1, spread=0.5).phi
    ones = np.ones(20)
    for scale in (1e-15, 1e-40, 1e-200):
        case = CaseGivenPhi(alpha=ones, n_d=ones, old=3, phi=phi * scale)
        for u in (0.0, 0.3, 0.999):
            certified, defined = case.drawn(u, 1.0)
            assert defined == case.drawn_by_twin(u)
            assert certified == -1


ORDINARY: dict[str, Callable[[int], Case]] = {
    "all words": partial(invented_case, seed=3, spread=0.5),
    "a group of words": partial(invented_case, seed=3, spread=0.5, smallest_mass=0.01),
    "given phi": partial(invented_case_given_phi, seed=3, spread=0.5),
}


@of_all_kinds
@pytest.mark.parametrize("n_topics", [1, 2, 20, 100, 200])
def test_nearly_all_draws_are_certified(n_topics, kind):
    """A filter that left everything to doubles would be right, too, and worth nothing."""
    case = ORDINARY[kind](n_topics)
    points = np.random.default_rng(1).random(2_000)
    undecided = sum(case.drawn(float(u), 1.0)[0] == -1 for u in points)
    assert undecided <= 20
