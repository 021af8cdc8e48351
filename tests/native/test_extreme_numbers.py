"""Priors, blocks, documents and numbers of topics at the ends of their ranges."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from tests.exact.fit import ACCEPT
from tests.exact.problem import Problem
from tests.native.large_block import draws, judge, of_prior
from torture import extremes

EXTREMES = {
    "alpha = beta = 1e-10": Problem(((4_000, 0, 0),), 2, (1e-10, 2e-10), 1e-10),
    "alpha = beta = 1e6": Problem(((2_000, 0, 0),), 3, (1e6, 2e6, 3e6), 1e6),
    "from 1e-10 to 1e6": Problem(
        ((2_000, 0),), 3, (1e-10, 1.0, 1e6), ((1e6, 1e6), (1.0, 1e-10), (1e-10, 1e6))
    ),
}
LAWS = {name: of_prior(problem) for name, problem in EXTREMES.items()}


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("sampler", ["backward", "nested"])
def test_a_block_of_thousands_has_its_law(sampler, name):
    """The law is computed in log space, where nothing is too large or too small."""
    counts = draws(EXTREMES[name], sampler, n_draws=150)
    verdict = judge(LAWS[name], counts)
    assert verdict.p_value > ACCEPT, verdict.report


def test_the_quick_grid_has_no_wrong_number():
    rows = list(extremes.main(quick=True))
    assert len(rows) > 100
    assert [row for row in rows if row["outcome"] != "right"] == []


def test_the_grid_tells_what_is_wrong(monkeypatch):
    chain = blocklda.Chain(np.ones((2, 3), dtype=int), 2)
    monkeypatch.setattr(chain, "log_posterior", lambda: float("nan"))
    with pytest.raises(extremes.WrongError, match="log posterior"):
        extremes.check_chain(chain)


def test_the_grid_tells_refusals_from_errors(monkeypatch):
    def refuse() -> str:
        raise blocklda.InputError("no.")

    def fail() -> str:
        raise extremes.WrongError("lost")

    monkeypatch.setattr(extremes, "cases", lambda quick: [("a", refuse), ("b", fail)])
    assert [row["outcome"] for row in extremes.main(quick=True)] == ["refused", "wrong"]
