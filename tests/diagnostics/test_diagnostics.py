"""The verdict says what is wrong, and only what can be said."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import blocklda
from benchmarks.recorded import Recorded, record
from blocklda.diagnostics.mixing import MIN_DRAWS
from blocklda.diagnostics.report import Diagnostics, diagnose
from blocklda.results.stability import STABLE_BELOW, align_chains
from blocklda.results.trace import Trace
from blocklda.support.errors import InputError
from tests.diagnostics.series import stationary
from tests.results.traces import changed, lda_trace

K = 3
N_PAIRS = 5


def made_up(n_chains: int = 4, n_draws: int = 500, correlation: float = 0.0) -> Trace:
    """Return a trace whose quantities are independent stationary chains."""
    rng = np.random.default_rng(0)

    def series(columns: int) -> np.ndarray:
        each = [stationary(rng, n_chains, n_draws, correlation) for _ in range(columns)]
        return np.stack(each, axis=-1)

    return lda_trace(
        sweeps=np.arange(1, n_draws + 1),
        log_posterior=series(1)[..., 0],
        topic_size=np.round(1000 * np.arange(1, K + 1) + 100 * series(K)).astype(np.int64),
        co_assignment=0.5 + 0.1 * series(N_PAIRS),
        seconds=2.0,
    )


def judged(trace: Trace, distances: np.ndarray | None = None) -> Diagnostics:
    order = np.tile(np.arange(K), (trace.n_chains, 1))
    return diagnose(trace, order, np.zeros(order.shape) if distances is None else distances)


def test_chains_that_agree() -> None:
    result = judged(made_up())
    assert result.converged is True
    assert result.verdict.startswith("No sign of trouble: R-hat ≤ 1.01")
    assert "no proof of convergence" in result.verdict
    assert result.stable is not None
    assert result.stable.all()
    assert result.unstable_topics == ()


def test_unstable_topics_are_named() -> None:
    distances = np.zeros((4, K))
    distances[2, [0, 2]] = STABLE_BELOW
    result = judged(made_up(), distances)
    assert result.converged is False
    assert result.verdict == "Chains disagree: these 2 of 3 topics are not stable: 0, 2."
    assert result.unstable_topics == (0, 2)
    distances[2, 0] = 0
    assert judged(made_up(), distances).verdict.endswith("this one of 3 topics is not stable: 2.")


@pytest.mark.parametrize("name", ["log_posterior", "topic_size", "co_assignment"])
def test_a_chain_elsewhere_is_noticed_in_every_quantity(name: str) -> None:
    trace = made_up()
    is_level = name == "log_posterior"
    values = (trace.log_posterior if is_level else trace[name]).copy()
    values[1] += (3 * values.std(axis=1)[0]).astype(values.dtype)
    elsewhere = (
        replace(trace, log_posterior=values) if is_level else changed(trace, **{name: values})
    )
    result = judged(elsewhere)
    assert result.converged is False
    assert result.verdict.startswith("Chains disagree: ")
    assert "every topic comes back" in result.verdict


def test_one_pair_elsewhere_is_enough() -> None:
    trace = made_up()
    values = trace["co_assignment"].copy()
    values[3, :, 4] = 0.0
    result = judged(changed(trace, co_assignment=values))
    assert result.converged is False
    assert "(co-assignment of pair 4)" in result.verdict


def test_one_chain_cannot_disagree() -> None:
    result = judged(made_up(n_chains=1))
    assert result.converged is None
    assert result.verdict.startswith("Only one chain: nothing can be said about")
    assert result.verdict.endswith("use n_chains=4.")
    assert result.stable is None
    assert result.unstable_topics == ()
    assert all(math.isnan(row.r_hat) for row in result.table)
    assert str(result).startswith("1 chain, 500 draws of each\n")


def test_a_climbing_log_posterior() -> None:
    trace = made_up(n_chains=1)
    climbing = replace(trace, log_posterior=trace.log_posterior + np.linspace(0, 5, 500))
    result = judged(climbing)
    assert result.converged is False
    assert result.verdict.startswith("The log posterior still climbs: the last third")
    falling = replace(trace, log_posterior=trace.log_posterior - np.linspace(0, 5, 500))
    assert "still falls" in judged(falling).verdict


def test_chains_that_climb_a_little_climb_together() -> None:
    trace = made_up(n_draws=300)
    slope = np.linspace(0, 0.5, 300)
    result = judged(replace(trace, log_posterior=trace.log_posterior + slope))
    assert np.abs(result.drift).max() < 4 or result.drift.min() > 0
    assert "still climbs" in result.verdict


def test_too_few_draws_give_no_numbers() -> None:
    result = judged(made_up(n_draws=MIN_DRAWS - 1))
    assert result.converged is None
    assert result.verdict.startswith("Too few draws: 19 draws of each chain")
    assert all(math.isnan(row.r_hat) and math.isnan(row.ess_bulk) for row in result.table)


def test_too_few_effective_draws() -> None:
    result = judged(made_up(n_draws=60))
    assert result.converged is None
    assert result.verdict.startswith("Too few effective draws to tell: ")


def test_nothing_that_varies() -> None:
    trace = made_up()
    still = replace(
        trace,
        log_posterior=np.zeros_like(trace.log_posterior),
        values={name: np.ones_like(values) for name, values in trace.values.items()},
    )
    result = judged(still)
    assert result.converged is None
    assert result.verdict == "Nothing varies from draw to draw, so nothing can be said."


def test_a_corpus_without_pairs() -> None:
    trace = made_up()
    result = judged(changed(trace, co_assignment=np.empty((4, 500, 0))))
    assert result.converged is True
    assert not any("pair" in row.quantity for row in result.table)


def test_learned_priors_are_looked_at_too() -> None:
    trace = made_up()
    alpha = np.random.default_rng(1).gamma(5, size=(4, 500, K))
    beta = np.random.default_rng(2).gamma(5, size=(4, 500))
    beta[0] *= 3
    result = judged(changed(trace, alpha=alpha, beta=beta))
    names = [row.quantity for row in result.table]
    assert names[2:4] == ["sum of alpha", "beta"]
    assert names[-1] == "alpha of topic 2"
    assert "(beta)" in result.verdict


def test_json_and_print() -> None:
    trace = made_up()
    values = trace["co_assignment"].copy()
    values[..., 4] = np.arange(4)[:, None]  # an infinite R-hat, which JSON cannot hold
    result = judged(replace(changed(trace, co_assignment=values), seconds=math.nan))
    again = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert again["verdict"] == result.verdict
    assert "infinite R-hat" in result.verdict
    assert len(again["table"]) == len(result.table) == 6 + K
    assert again["table"][0]["ess_per_second"] is None
    lines = str(result).splitlines()
    assert lines[-1] == result.verdict
    header, rows = lines[2], lines[3:-2]
    assert len(rows) == len(result.table)
    assert header.endswith("ESS/s")
    assert all(len(row) == len(header) for row in rows)


BARS = blocklda.simulate.bars(n_docs=120, seed=1)


def run_bars(seeds: list[int], n_sweeps: int = 400) -> Recorded:
    rng = np.random.default_rng(0)
    start = blocklda.simulate.draw_assignments(BARS.corpus, BARS.doc_topic, BARS.topics, rng)
    chains = [
        blocklda.Chain(BARS.corpus, 10, sampler="sparse", seed=seed, init=start) for seed in seeds
    ]
    return record(chains, n_sweeps, burn_in=50, thin=2)


@pytest.fixture(scope="module")
def bars() -> Recorded:
    return run_bars([1, 2, 3])


def test_chains_that_find_the_bars_agree(bars: Recorded) -> None:
    result = diagnose(bars.trace, *bars.alignment)
    assert result.stable is not None
    assert result.stable.all()
    assert result.converged is not False, str(result)


def test_a_chain_in_another_mode_is_noticed(bars: Recorded) -> None:
    # Two bars begin as one, and the topic that is left free copies a third: too far to come back
    # from in a few hundred sweeps.
    start = bars.draws[-1].topics.astype(np.int32)
    start = np.where(start == 1, 0, start)
    copied = np.flatnonzero(start == 2)
    start[copied[::2]] = 1
    stuck = blocklda.Chain(BARS.corpus, 10, sampler="sparse", seed=9, init=start)
    other = record([stuck], 400, burn_in=50, thin=2)
    both = replace_chain(bars, other)
    result = diagnose(both.trace, *both.alignment)
    assert result.converged is False
    assert "Chains disagree" in result.verdict
    assert set(result.unstable_topics) & {0, 1}


def replace_chain(runs: Recorded, other: Recorded) -> Recorded:
    """Return the runs with their last chain replaced by another."""
    trace = runs.trace
    joined = replace(
        trace,
        log_posterior=np.concatenate([trace.log_posterior[:-1], other.trace.log_posterior]),
        values={
            name: np.concatenate([values[:-1], other.trace[name]])
            for name, values in trace.values.items()
        },
    )
    return Recorded([], joined, [*runs.topic_words[:-1], *other.topic_words])


def test_renumbering_a_chain_changes_nothing(bars: Recorded) -> None:
    renamed = np.random.default_rng(5).permutation(10)
    sizes = bars.trace.topic_sizes.copy()
    sizes[1] = sizes[1][:, renamed]
    words = list(bars.topic_words)
    words[1] = words[1][renamed]
    before = diagnose(bars.trace, *bars.alignment)
    after = diagnose(changed(bars.trace, topic_size=sizes), *align_chains(words))
    assert after.to_dict() == before.to_dict()


def test_traces_whose_parts_do_not_fit_are_refused() -> None:
    trace = made_up()
    with pytest.raises(InputError, match=r"sweeps has the shape \(500,\)"):
        replace(trace, log_posterior=trace.log_posterior[:, 1:])
    with pytest.raises(InputError, match=r"topic_size has the shape \(500, 3\)"):
        changed(trace, topic_size=trace.topic_sizes[0])
    with pytest.raises(InputError, match=r"order has the shape \(3,\)"):
        diagnose(trace, np.arange(3), np.zeros((4, 3)))
