"""The search over the number of topics: every number of its table, and what it refuses."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import blocklda
from blocklda import InputError
from blocklda.estimator.fit import run_fit
from blocklda.estimator.lda import LDA
from blocklda.evaluate import (
    diversity,
    exclusivity,
    npmi,
    search_fits,
    search_n_topics,
    umass,
)
from blocklda.run.engine import Ending

X = np.random.default_rng(4).poisson(0.9, size=(30, 12))
X[7] = 0
X[8] = np.eye(12, dtype=int)[0]  # one token
FAST = {"n_words": 4, "n_sweeps": 12, "burn_in": 2, "thin": 5, "random_state": 5}
FAST |= {"alpha": 0.3, "beta": 0.01}


def search(grid=(2, 4), **settings):
    return search_n_topics(X, grid, **{**FAST, **settings})


def one_line(found) -> str:
    return " ".join(str(found).split())


@pytest.fixture
def models(monkeypatch):
    """The estimators that a search fits, in its order."""
    fitted = []

    class Recorded(LDA):
        def fit(self, X, y=None):
            fitted.append(self)
            return super().fit(X, y)

    monkeypatch.setattr(search_fits, "LDA", Recorded)
    return fitted


def slow_log_p(draws, heldout: np.ndarray) -> list[float]:
    """Σ_v C*_dv log mean over draws of Σ_k θ_dk φ_kv, for every document with held-out tokens."""
    p = sum(draw.doc_topic() @ draw.topic_word() for draw in draws) / len(draws)
    return [
        sum(row[v] * math.log(p[d, v]) for v in np.flatnonzero(row))
        for d, row in enumerate(heldout)
        if row.any()
    ]


def test_every_number_comes_from_the_chains_it_is_said_to(models):
    found = search(n_chains=3)
    assert [row.n_topics for row in found.rows] == [model.n_topics for model in models] == [2, 4]
    for row, model in zip(found.rows, models, strict=True):
        heldout = X - model.chains_[0].corpus.to_matrix().toarray()
        by_chain = [[draw for draw in model.draws_ if draw.chain == c] for c in range(3)]
        assert [len(draws) for draws in by_chain] == [2, 2, 2]
        log_p = np.array([slow_log_p(draws, heldout) for draws in by_chain])
        phi = [np.mean([draw.topic_word() for draw in draws], axis=0) for draws in by_chain]
        assert found.scores[row.n_topics].log_p == pytest.approx(log_p, rel=1e-9)
        assert row.heldout.values == pytest.approx(log_p.sum(axis=1) / heldout.sum())
        assert row.npmi.values == pytest.approx([npmi(p, X, 4).mean() for p in phi])
        assert row.umass.values == pytest.approx([umass(p, X, 4).mean() for p in phi])
        assert row.diversity.values == pytest.approx([diversity(p, 4) for p in phi])
        assert row.exclusivity.values == pytest.approx([exclusivity(p, 4).mean() for p in phi])
        assert row.log_posterior.values == pytest.approx(
            [chain.log_posterior() for chain in model.chains_]
        )
        assert row.stability == pytest.approx(slow_stability(phi))


def slow_stability(phi) -> float:
    overlaps = []
    for one, other in itertools.combinations(phi, 2):
        overlap = np.array([[np.minimum(p, q).sum() for q in other] for p in one])
        overlaps.append(overlap[linear_sum_assignment(-overlap)].mean())
    return float(np.mean(overlaps))


def test_mean_deviation_and_error_over_chains():
    row = search(n_chains=3).rows[0]
    values = np.array(row.heldout.values)
    assert row.heldout.mean == pytest.approx(values.mean())
    assert row.heldout.sd == pytest.approx(math.sqrt(((values - values.mean()) ** 2).sum() / 2))
    assert row.heldout.se == pytest.approx(row.heldout.sd / math.sqrt(3))


def test_a_quarter_of_the_documents_with_two_tokens_or_more_is_split(models):
    search(grid=[2])
    heldout = X.sum(axis=1) - models[0].chains_[0].corpus.doc_lengths()
    assert np.count_nonzero(heldout) == round(0.25 * 28)
    chosen = np.flatnonzero(heldout)
    assert np.array_equal(heldout[chosen], X[chosen].sum(axis=1) - X[chosen].sum(axis=1) // 2)
    assert not {7, 8} & set(chosen.tolist())


def test_documents_can_be_chosen(models):
    found = search(grid=[2], docs=range(5, 9))
    heldout = X.sum(axis=1) - models[0].chains_[0].corpus.doc_lengths()
    assert np.flatnonzero(heldout).tolist() == [5, 6, 8]
    assert found.to_dict()["n_heldout_docs"] == 3
    assert found.to_dict()["n_heldout_tokens"] == heldout.sum()


def test_adding_a_number_of_topics_changes_no_other():
    alone, among = search(grid=[4]), search(grid=(6, 4, 2))
    assert [row.n_topics for row in among.rows] == [2, 4, 6]
    assert np.array_equal(alone.scores[4].log_p, among.scores[4].log_p)
    assert alone.rows[0].log_posterior == among.rows[1].log_posterior


def test_adding_a_chain_changes_no_other():
    two, three = search(n_chains=2), search(n_chains=3)
    assert np.array_equal(two.scores[4].log_p, three.scores[4].log_p[:2])


def test_the_same_seed_gives_the_same_search_and_others_another():
    assert search().to_dict() == search(random_state=np.random.SeedSequence(5)).to_dict()
    assert search().to_dict() != search(random_state=6).to_dict()
    generator = np.random.default_rng(5)
    once, again = (search(random_state=generator).to_dict() for _ in range(2))
    assert once != again


def test_chains_and_topics_have_streams_of_their_own():
    found = search(n_chains=2)
    first, second = found.rows[0].log_posterior.values
    assert first != second
    assert not np.array_equal(found.scores[2].log_p[0], found.scores[2].log_p[1])


def test_all_chains_start_alike_unless_told_otherwise(models):
    search(grid=[2])
    search(grid=[2], init="random")
    assert [model.init for model in models] == ["variational", "random"]


def test_an_interrupted_fit_ends_the_search(models, monkeypatch):
    monkeypatch.setattr("blocklda.estimator.base.run_fit", interrupted(run_fit))
    with pytest.raises(KeyboardInterrupt):
        search()
    assert len(models) == 1


def interrupted(run_fit):
    """As if Ctrl-C had been pressed after the sweep before the last."""

    def run(plan, *arguments, **settings):
        schedule = replace(plan.schedule, n_sweeps=plan.schedule.n_sweeps - 1)
        found, plan, _ = run_fit(replace(plan, schedule=schedule), *arguments, **settings)
        return found, plan, Ending.INTERRUPT

    return run


def test_the_table_is_aligned_and_names_no_winner():
    found = search(grid=(2, 4, 100), n_chains=2)
    text = str(found)
    prediction, topics, notes = text.split("\n\n")
    for table in (prediction, topics):
        _, *lines = table.split("\n")
        assert len({len(line) for line in lines}) == 1
        assert [line.split()[0] for line in lines] == ["K", "2", "4", "100"]
    assert "best" in prediction
    assert max(map(len, text.split("\n"))) <= 100
    assert "has the highest held-out probability" in notes
    assert "optimal" not in text.lower()
    assert repr(found) == "<KSearch: K = 2, 4, 100, chains for each: 2>"


def test_values_within_two_errors_are_not_told_apart():
    found = search(grid=(2, 3, 4, 100), n_chains=2)
    best = found.most_predictive
    others = [row for row in found.rows if row is not best]
    close = [row.n_topics for row in others if -row.to_best.mean <= 2 * row.to_best.se]
    assert [row.n_topics for row in others if row.is_close_to_best] == close
    assert close
    said = f"therefore indistinguishable: K = {', '.join(map(str, close))}. Choose among these by "
    assert said in one_line(found)


def test_one_chain_shows_no_spread():
    found = search(n_chains=1)
    for row in found.rows:
        assert math.isnan(row.heldout.sd)
        assert math.isnan(row.stability)
        assert row.to_best.se == row.to_best.se_documents
    assert "With one chain for each K" in str(found)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["rows"][0]["heldout"]["se"] is None
    assert plain["rows"][0]["stability"] is None
    assert "only K that was tried" in str(search(grid=[3]))


def test_the_dictionary_is_json():
    found = search(n_chains=2)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (plain["n_chains"], plain["n_words"]) == (2, 4)
    row = found.rows[1]
    assert plain["rows"][1]["n_topics"] == 4
    assert plain["rows"][1]["heldout"]["chains"] == list(row.heldout.values)
    assert plain["rows"][1]["to_best"]["se_documents"] == row.to_best.se_documents


def test_differences_between_any_two():
    found = search(grid=(2, 3, 4))
    best = found.most_predictive.n_topics
    assert found.difference(2, best) == found.rows[0].to_best
    one, other = found.difference(2, 3), found.difference(3, 2)
    assert one.mean == -other.mean
    assert one.se == other.se
    with pytest.raises(InputError, match=r"n_topics=7 is not in the grid: give two of \[2, 3, 4\]"):
        found.difference(2, 7)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"grid": []}, "n_topics_grid is empty"),
        ({"grid": (4, 2, 4)}, "n_topics_grid has 4 more than once"),
        ({"grid": (4, 0)}, r"n_topics_grid\[1\]=0 is not allowed: give a whole number from 1 to"),
        ({"grid": (4, 2.5)}, r"n_topics_grid\[1\]=2.5"),
        ({"grid": 4}, "n_topics_grid=4 is not allowed: give several numbers"),
        ({"grid": "24"}, "n_topics_grid='24'"),
        ({"n_chains": 0}, "n_chains=0"),
        ({"n_words": 1}, "n_words=1 is not allowed: give a whole number from 2 to 12"),
        ({"n_words": 13}, "n_words=13"),
        ({"docs": 0.0}, "docs=0.0 is not allowed: give a share between 0 and 1"),
        ({"docs": 1.5}, "docs=1.5"),
        ({"docs": [30]}, "document number 30"),
        ({"docs": [3]}, "1 of 30 documents have tokens to hold out"),
        ({"docs": [3, 7]}, "1 of 30 documents"),
        ({"docs": []}, "0 of 30 documents"),
        ({"random_state": -1}, "random_state=-1"),
        ({"n_topics": 5}, "n_topics=5 cannot be set in a search"),
        ({"callback": print}, "callback="),
        ({"warm_start": True}, "warm_start=True"),
        ({"keep_draws": False}, "keep_draws=False"),
        ({"alpha": [0.1, 0.2]}, "alpha"),
    ],
)
def test_wrong_arguments_are_named(settings, said):
    with pytest.raises(InputError, match=said):
        search(**settings)


@pytest.mark.parametrize("n_docs", [0, 1])
def test_too_few_documents_are_refused(n_docs):
    counts = np.eye(5, dtype=int)
    counts[:n_docs, 0] = 3
    with pytest.raises(InputError, match=f"{n_docs} of 5 documents have tokens to hold out"):
        search_n_topics(counts, [2], n_words=2)


def test_too_few_topics_for_the_bars_are_told_apart():
    """Ten bars, and what they were simulated from must be found far better than five topics."""
    corpus = blocklda.simulate.bars(n_docs=200, seed=3).corpus
    found = search_n_topics(corpus, [5, 10], n_words=5, n_sweeps=60, random_state=0)
    worse = found.difference(5, 10)
    assert found.most_predictive.n_topics == 10
    assert worse.mean < -5 * worse.se
    said = "K = 10, the largest tried, has the highest held-out probability, and every other K"
    assert said in one_line(found)
    assert one_line(found).endswith("Try larger K, too.")
    found = search_n_topics(corpus, [5, 10, 200], n_words=5, n_sweeps=60, random_state=0)
    assert "K = 10 has the highest" in one_line(found)
