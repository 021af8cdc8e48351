"""A fit ends when its answer has settled, and the same way whatever interrupted it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blocklda
from blocklda.diagnostics.settling import SETTLED_WITHIN, UNFINISHED_BEYOND, recent_change
from blocklda.diagnostics.stopping import APPROACH, StoppingRule, found_since, topics_settled
from blocklda.results.result import FitResult
from blocklda.run.engine import Ending
from blocklda.run.schedule import Schedule
from blocklda.support.errors import ConvergenceWarning, InputError

BARS = blocklda.simulate.bars(n_docs=60, side=4, seed=2).corpus


def fitted(**settings) -> blocklda.LDA:
    given = {"n_chains": 2, "random_state": 1, "progress": False, "alpha": 0.1, "beta": 0.01}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return blocklda.LDA(8, **{**given, **settings}).fit(BARS)


def bits(result: FitResult) -> list[bytes]:
    return [draw.topics.tobytes() for draw in result.draws]


def test_looks_are_fixed_in_advance() -> None:
    rule = StoppingRule(Schedule(1000, 100, 4))
    looks = [rule.next_look(0)]
    while looks[-1] < 900:
        looks.append(rule.next_look(looks[-1]))
    assert looks[:4] == [200, 252, 328, 444]
    assert rule.next_look(199) == 200


def test_a_fit_ends_by_itself() -> None:
    lda = fitted()
    assert lda.result_.ending is Ending.SETTLED
    assert 200 < lda.n_sweeps_ < 1000
    assert lda.result_.run is not None
    assert [look["settled"] for look in lda.result_.run.looks][-1] is True
    assert lda.n_sweeps_ == lda.result_.run.looks[-1]["sweep"]


def test_the_end_does_not_depend_on_jobs() -> None:
    one, two = fitted(n_jobs=1), fitted(n_jobs=2)
    assert one.n_sweeps_ == two.n_sweeps_
    assert bits(one.result_) == bits(two.result_)


def test_one_chain_is_judged_by_prediction() -> None:
    lda = fitted(n_chains=1, burn_in=100)
    assert lda.result_.ending is Ending.SETTLED
    assert lda.result_.run is not None
    assert lda.result_.run.looks[-1]["found"] is None


def test_a_killed_run_ends_where_it_would_have(tmp_path: Path) -> None:
    whole = fitted()
    n_seen = 0

    def killed(draw: object) -> None:
        nonlocal n_seen
        n_seen += 1
        if n_seen == 60:  # after the first look
            raise RuntimeError("killed")

    def lda(**settings) -> blocklda.LDA:
        return blocklda.LDA(
            8, alpha=0.1, beta=0.01, n_chains=2, random_state=1, progress=False, **settings
        )

    with pytest.raises(RuntimeError, match="killed"):
        lda(callback=killed).fit(BARS, checkpoint=tmp_path, every=7)
    resumed = lda().fit(BARS, checkpoint=tmp_path, every=7)
    assert bits(resumed.result_) == bits(whole.result_)
    again = lda().fit(BARS, checkpoint=tmp_path)  # nothing is left to do
    assert (again.n_sweeps_, again.result_.ending) == (whole.n_sweeps_, Ending.SETTLED)


def test_the_limit_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StoppingRule, "look", lambda *_: False)
    lda = fitted(thin=20)
    assert (lda.result_.ending, lda.n_sweeps_) == (Ending.CAP, 1300)


def test_time_ends_a_fit_and_the_result_says_so() -> None:
    lda = fitted(max_seconds=1e-3, n_sweeps=10_000)
    assert lda.result_.ending is Ending.TIME
    assert lda.n_sweeps_ < 10_000


def test_warm_start_continues_a_settled_fit() -> None:
    lda = fitted(warm_start=True)
    before = lda.n_sweeps_
    lda.fit(BARS)
    assert lda.n_sweeps_ > before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_sweeps": "all"}, "n_sweeps='all' is not allowed: give a whole number from 1 up, or"),
        ({"max_seconds": 0}, "max_seconds=0 is not allowed: give a positive number"),
        ({"max_seconds": "1"}, "max_seconds='1' is not allowed"),
    ],
)
def test_what_is_no_end_is_refused(settings, message) -> None:
    with pytest.raises(InputError, match=message):
        fitted(**settings)


def test_a_fit_warns_on_red_only() -> None:
    noise = np.random.default_rng(1).poisson(0.5, size=(30, 40))
    settings = {"n_chains": 3, "n_sweeps": 60, "burn_in": 10, "thin": 2, "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="Try fewer topics: n_topics=4"):
        lda = blocklda.LDA(8, alpha=0.1, beta=0.01, progress=False, **settings).fit(noise)
    assert str(lda.diagnostics().level) == "red"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lda = blocklda.LDA(8, alpha=0.1, beta=0.01, n_chains=2, random_state=1, progress=False)
        assert str(lda.fit(BARS).diagnostics().level) != "red"


def seen(found: list[bool] | None, excess: float | None = 0.3) -> dict[str, Any]:
    """Return what a look saw of topics."""
    return {"found": found, "excess": excess}


def test_topics_may_change_a_little() -> None:
    some = [True] * 30 + [False] * 10
    assert not topics_settled(seen(some), seen(some[2:] + [True] * 2))
    assert topics_settled(seen(some), seen([False, *some[1:]]))
    assert not topics_settled(None, seen(some))
    assert topics_settled(None, seen(None, None))


def test_chains_that_approach_each_other_have_not_settled() -> None:
    """The same topics are found everywhere, but the others come closer, or drift apart."""
    some = [True] * 30 + [False] * 10
    assert topics_settled(seen(some, 0.3), seen(some, 0.3 - 0.9 * APPROACH))
    assert not topics_settled(seen(some, 0.3), seen(some, 0.3 - 1.1 * APPROACH))
    assert not topics_settled(seen(some, 0.3), seen(some, 0.3 + 1.1 * APPROACH))
    assert not topics_settled({"found": some}, seen(some)), "a look of an older version"


def test_a_fit_with_more_sweeps_remembers_what_the_rule_saw(tmp_path: Path) -> None:
    lda = fitted(warm_start=True)
    assert "Hardly more" not in str(lda.diagnostics())
    looks = lda.result_.run.looks
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        lda.set_params(n_sweeps=2 * looks[-1]["sweep"]).fit(BARS)
    since = found_since(lda.result_.run)
    assert since is not None
    assert (since.sweep, since.n_then) == (looks[-1]["sweep"], sum(looks[-1]["found"]))
    lda.save(tmp_path / "model")
    assert found_since(blocklda.LDA.load(tmp_path / "model").result_.run) == since
    once = fitted(n_sweeps=2 * looks[-1]["sweep"])
    assert found_since(once.result_.run) == since, "the same as without a stop on the way"


def test_more_sweeps_are_not_advised_again_where_the_last_ones_found_hardly_more() -> None:
    """The rule goes on looking when a number of sweeps is given."""
    lda = fitted(n_sweeps=400, warm_start=True)
    first = found_since(lda.result_.run)
    second = found_since(lda.set_params(n_sweeps=1200).fit(BARS).result_.run)
    assert first is not None
    assert second is not None
    assert first.sweep <= 200 < second.sweep <= 600


def test_a_change_is_that_of_the_perplexity() -> None:
    values = np.full((2, 40), -7.0)
    values[:, 30:] += np.log(1.02)
    change = recent_change(values)
    assert change is not None
    assert change.share == pytest.approx(1 / 1.02 - 1)
    assert not change.has_settled
    assert recent_change(values[:, :19]) is None
    still = recent_change(values[:, :30])
    assert still is not None
    assert abs(still.share) < SETTLED_WITHIN


def test_a_large_change_does_not_end_a_fit_even_if_it_may_be_noise() -> None:
    """With few draws of one chain the noise hides much; more sweeps show what it was."""
    wobble = np.resize([0.04, -0.04], 26)
    moved = recent_change((np.where(np.arange(26) < 20, -7.03, -7.0) + wobble)[None])
    assert moved is not None
    assert abs(moved.share) > UNFINISHED_BEYOND
    assert moved.has_settled
    assert moved.is_noise
    assert not moved.may_stop
    level = recent_change((-7.0 + wobble)[None])
    assert level is not None
    assert level.may_stop
    assert not level.is_noise
