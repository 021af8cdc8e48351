"""The verdict says what is wrong, and only what can be said."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import blocklda
from benchmarks.recorded import Recorded, record
from blocklda.diagnostics import report
from blocklda.diagnostics.mixing import MIN_DRAWS
from blocklda.diagnostics.report import Diagnostics, diagnose_trace
from blocklda.diagnostics.settling import Change
from blocklda.diagnostics.stopping import Since
from blocklda.diagnostics.verdict import Evidence, Level, judge
from blocklda.results.stability import STABLE_BELOW, Alignment, align_chains
from blocklda.results.trace import Trace
from blocklda.run.engine import Ending
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
        log_predictive=-7 + 0.001 * series(1)[..., 0],
        seconds=2.0,
    )


def judged(trace: Trace, distances: np.ndarray | None = None) -> Diagnostics:
    order = np.tile(np.arange(K), (trace.n_chains, 1))
    found = Alignment(order, np.zeros(order.shape) if distances is None else distances)
    return diagnose_trace(trace, found, n_sweeps=600)


def finding(result: Diagnostics, purpose: str) -> str:
    """Return level and sentence of what is said for a purpose."""
    found = next(one for one in result.findings if one.purpose == purpose)
    return f"{found.level}: {found.sentence}"


def test_chains_that_agree() -> None:
    result = judged(made_up())
    assert (result.level, result.converged) == (Level.GREEN, True)
    assert result.verdict.startswith("Green light: predictions have settled, and every topic")
    assert (
        finding(result, "topics") == "green: All 3 topics were found in all 4 chains: report them."
    )
    assert finding(result, "full posterior").startswith("green: Chains agree: R-hat ≤ 1.01")
    assert result.stable is not None
    assert result.stable.all()
    assert result.unstable_topics == ()
    assert result.n_found is not None
    assert result.n_found.tolist() == [4, 4, 4]


def test_topics_to_report_are_named() -> None:
    distances = np.zeros((4, K))
    distances[2, [0, 2]] = STABLE_BELOW
    result = judged(made_up(), distances)
    assert result.level is Level.AMBER
    assert result.headline == (
        "Usable, with care: predictions have settled, and 1 of 3 topics were found in all 4 chains."
    )
    assert finding(result, "topics").startswith(
        "amber: 1 of 3 topics were found in all 4 chains: 1. Report those;"
    )
    assert result.unstable_topics == (0, 2)


def test_no_reproducible_topic_calls_for_fewer() -> None:
    distances = np.zeros((4, K))
    distances[2] = STABLE_BELOW
    result = judged(made_up(), distances)
    assert result.level is Level.RED
    assert result.headline.endswith("(3 in more than one). Try fewer topics: n_topics=2.")


def test_fewer_topics_are_advised_only_while_there_can_be_fewer() -> None:
    advice = []
    for n_topics in (5, 3, 2):
        evidence = Evidence(4, 500, (), (), np.zeros(4), np.full(n_topics, 2))
        advice.append(judge(evidence).findings[1].sentence)
    assert [said.split("one). ")[1] for said in advice] == [
        "Try fewer topics: n_topics=2.",
        "Try fewer topics: n_topics=2.",
        "The corpus may be too small to distinguish topics: add documents.",
    ]


def test_advice_names_what_sets_the_number_of_topics() -> None:
    def advice(parameter: str | None) -> str:
        found = np.full(6, 2)
        evidence = Evidence(4, 500, (), (), np.zeros(4), found, topics_parameter=parameter)
        return str(judge(evidence).findings[1].sentence).split("one). ")[1]

    assert advice("n_components") == "Try fewer topics: n_components=3."
    assert "n_topics" not in advice(None), "a model that finds their number"


@pytest.mark.parametrize(
    ("model", "parameter"),
    [
        (blocklda.LDA(3), "n_topics"),
        (blocklda.HDP(), None),
        (blocklda.DPMixture(), None),
        (blocklda.DPMixture(n_components=3), "n_components"),
    ],
)
def test_every_model_says_what_sets_its_number_of_topics(model, parameter) -> None:
    corpus = blocklda.simulate.bars(n_docs=20, side=3, seed=1).corpus
    model.set_params(n_sweeps=8, random_state=0, progress=False).fit(corpus)
    assert report.topics_parameter_of(model.result_) == parameter


def test_several_chains_are_not_advised_where_there_are_several() -> None:
    """An interrupt may leave a chain without draws; then it is not chains that are lacking."""
    verdict = judge(Evidence(4, 0, (), (), np.zeros(4), None))
    said = [verdict.headline, *(finding.sentence for finding in verdict.findings)]
    assert not any("n_chains" in str(sentence) for sentence in said)
    assert verdict.headline == "Too early to tell: a chain has no draws yet. Continue the fit."
    assert "n_chains=4" in str(judge(Evidence(1, 9, (), (), np.zeros(1), None)).findings[1])


def test_a_settled_set_is_not_said_to_be_final() -> None:
    found, levels = np.array([4, 2, 4]), np.zeros(4)
    settled = Evidence(4, 500, (), (), levels, found, ending=Ending.SETTLED)
    by_number = Evidence(4, 500, (), (), levels, found)
    said, without = (judge(one).findings[1].sentence for one in (settled, by_number))
    assert said == f"{without} The set had settled when the fit ended; a longer fit may add a few."


def test_topics_that_differ_little_are_not_called_found() -> None:
    """Without topics in the corpus, all are alike, and every chain has the same."""
    found = np.full(10, 4)
    alike, apart = (judge(Evidence(4, 500, (), (), np.zeros(4), found, n_alike=n)) for n in (10, 4))
    assert apart.level is Level.AMBER  # no predictions were recorded
    assert apart.findings[1].level is Level.GREEN
    assert alike.findings[1].level is Level.AMBER
    assert "10 of 10 topics differ little from another one" in str(alike.headline)
    assert str(alike.findings[1].sentence).endswith("or try fewer topics: n_topics=5.")
    two = judge(Evidence(4, 500, (), (), np.zeros(4), np.full(2, 4), n_alike=2))
    assert "n_topics" not in str(two.findings[1].sentence)


def test_a_corpus_of_noise_has_no_topics_to_report() -> None:
    noise = np.random.default_rng(1).poisson(0.5, size=(100, 40))
    lda = blocklda.LDA(6, n_chains=3, n_sweeps=200, random_state=0, progress=False).fit(noise)
    headline = str(lda.diagnostics().headline)
    assert "topics differ little from another one" in headline
    X = blocklda.simulate.bars(n_docs=100, side=4, seed=1).corpus
    assert lda.set_params(n_topics=8).fit(X).result_.n_alike == 0


def test_a_fit_that_ended_at_its_limit_may_find_more_topics() -> None:
    """More sweeps are advised once: a fit with a number of sweeps says nothing of more."""
    at_limit = Evidence(
        4, 225, (), (), np.zeros(4), np.array([4, 2, 4]), n_sweeps=1000, ending=Ending.CAP
    )

    def said(evidence: Evidence) -> str:
        return " ".join(str(finding.sentence) for finding in judge(evidence).findings)

    more = "and the chains may still find more topics: n_sweeps=2000."
    assert said(at_limit).count(more) == 1
    assert "n_sweeps" not in said(replace(at_limit, n_sweeps=2000, ending=Ending.SCHEDULE))
    assert "n_sweeps" not in said(replace(at_limit, n_found=np.full(3, 4)))
    # Then it is said whether they helped.
    followed = replace(at_limit, n_sweeps=2000, ending=Ending.SCHEDULE)
    helped, did_not = (said(replace(followed, since=Since(876, 1, n_now))) for n_now in (3, 2))
    assert "Since sweep 876 more were found. If it is worth the time: n_sweeps=4000." in helped
    assert "Hardly more than after 876 sweeps: a longer fit is not worth it." in did_not
    moving = said(replace(at_limit, change=Change(-0.03, 0.001)))
    assert moving.count("n_sweeps=2000") == 1, "not twice in one verdict"


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
    assert result.level is Level.AMBER
    assert finding(result, "full posterior").startswith("amber: Chains explored different parts")


def test_one_pair_elsewhere_is_enough() -> None:
    trace = made_up()
    values = trace["co_assignment"].copy()
    values[3, :, 4] = 0.0
    result = judged(changed(trace, co_assignment=values))
    assert result.converged is False
    assert "R-hat of 2 of " in result.verdict  # the pair, and the mean of all pairs
    assert any("co-assignment of pair 4" in row.quantity for row in result.table)


def test_one_chain_is_not_compared() -> None:
    result = judged(made_up(n_chains=1))
    assert result.converged is None
    assert result.verdict.startswith(
        "Usable: predictions have settled. Topics were not assessed: one chain."
    )
    assert "use n_chains=4." in result.verdict
    assert result.stable is None
    assert result.unstable_topics == ()
    assert all(math.isnan(row.r_hat) for row in result.table)
    assert "\n1 chain, 500 draws of each\n" in str(result)


@pytest.mark.parametrize(("slope", "said"), [(0.16, "improve"), (-0.16, "get worse")])
def test_predictions_that_still_move(slope: float, said: str) -> None:
    trace = made_up(n_chains=2)
    moving = trace["log_predictive"] + np.linspace(0, slope, 500)
    result = judged(changed(trace, log_predictive=moving))
    assert result.level is Level.RED
    assert result.headline.startswith(f"Not finished. Predictions still {said}: by ")
    assert result.headline.endswith("Run more sweeps: n_sweeps=1200.")


def test_predictions_that_move_a_little_are_said_to() -> None:
    trace = made_up(n_chains=2)
    moving = trace["log_predictive"] + np.linspace(0, 0.05, 500)
    result = judged(changed(trace, log_predictive=moving))
    assert result.level is Level.AMBER
    assert "Predictions improve slightly: by 1." in result.verdict
    assert "If that matters: n_sweeps=1200." in result.verdict


def test_predictions_that_move_less_than_matters_have_settled() -> None:
    trace = made_up(n_chains=2)
    moving = trace["log_predictive"] + np.linspace(0, 0.01, 500)
    assert judged(changed(trace, log_predictive=moving)).level is not Level.RED


def test_noise_is_not_a_change() -> None:
    trace = made_up(n_chains=2, n_draws=24)
    noisy = -7 + 0.05 * stationary(np.random.default_rng(3), 2, 24, 0.0)
    assert finding(judged(changed(trace, log_predictive=noisy)), "prediction").startswith("green")


@pytest.mark.parametrize(("slope", "said"), [(5, "climbs"), (-5, "falls"), (0, "is stable")])
def test_without_predictions_the_log_posterior_is_looked_at(slope: float, said: str) -> None:
    trace = made_up(n_chains=1)
    unknown = changed(trace, log_predictive=np.full((1, 500), np.nan))
    moving = replace(unknown, log_posterior=trace.log_posterior + np.linspace(0, slope, 500))
    result = judged(moving)
    assert result.level is Level.AMBER
    assert said in finding(result, "prediction")


def test_too_few_draws_give_no_numbers() -> None:
    result = judged(made_up(n_draws=MIN_DRAWS - 1))
    assert result.converged is None
    assert result.verdict.startswith("Too early to tell: 19 draws of each chain")
    early = judge(
        Evidence(1, 3, (), (), np.zeros(1), None, n_sweeps=30)  # 3 draws in 30 sweeps
    )
    assert "Run more sweeps: n_sweeps=200." in early.headline
    assert all(math.isnan(row.r_hat) and math.isnan(row.ess_bulk) for row in result.table)


def test_too_few_effective_draws() -> None:
    result = judged(made_up(n_draws=60))
    assert result.converged is None
    assert "effective draws show. If you need more precision: n_sweeps=" in result.verdict


def test_nothing_that_varies() -> None:
    trace = made_up()
    still = replace(
        trace,
        log_posterior=np.zeros_like(trace.log_posterior),
        values={name: np.ones_like(values) for name, values in trace.values.items()},
    )
    result = judged(still)
    assert result.converged is None
    assert finding(result, "full posterior").endswith("nothing varies from draw to draw.")


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
    assert {"sum of alpha", "beta"} < set(names)
    assert names[-1] == "alpha of topic 2"
    assert result.converged is False


def test_json_and_print() -> None:
    trace = made_up()
    values = trace["co_assignment"].copy()
    values[..., 4] = np.arange(4)[:, None]  # an infinite R-hat, which JSON cannot hold
    result = judged(replace(changed(trace, co_assignment=values), seconds=math.nan))
    again = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert again["verdict"] == result.verdict
    assert again["findings"][1]["purpose"] == "topics"
    assert len(again["table"]) == len(result.table) == 7 + K
    assert again["table"][0]["ess_per_second"] is None
    assert str(result).startswith(result.verdict)
    lines = str(result).splitlines()[len(result.verdict.splitlines()) :]
    header, rows = lines[3], lines[4:]
    assert len(rows) == len(result.table)
    assert header.endswith("ESS/s")
    assert all(len(row) == len(header) for row in rows)


BARS = blocklda.simulate.bars(n_docs=120, seed=1)


N_SWEEPS = 1200
"""After 400 sweeps about half of such sets of chains still disagree on the size of a topic, with
any sampler; after 1,200 one in eight."""


def run_bars(seeds: list[int], n_sweeps: int = N_SWEEPS) -> Recorded:
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
    result = diagnose_trace(bars.trace, bars.alignment)
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
    other = record([stuck], N_SWEEPS, burn_in=50, thin=2)
    both = replace_chain(bars, other)
    result = diagnose_trace(both.trace, both.alignment)
    assert result.converged is False
    assert "different parts" in result.verdict
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
    before = diagnose_trace(bars.trace, bars.alignment)
    after = diagnose_trace(changed(bars.trace, topic_size=sizes), align_chains(words))
    assert after.to_dict() == before.to_dict()


def test_traces_whose_parts_do_not_fit_are_refused() -> None:
    trace = made_up()
    with pytest.raises(InputError, match=r"sweeps has the shape \(500,\)"):
        replace(trace, log_posterior=trace.log_posterior[:, 1:])
    with pytest.raises(InputError, match=r"topic_size has the shape \(500, 3\)"):
        changed(trace, topic_size=trace.topic_sizes[0])
    with pytest.raises(InputError, match=r"order has the shape \(3,\)"):
        diagnose_trace(trace, Alignment(np.arange(3), np.zeros((4, 3))))
