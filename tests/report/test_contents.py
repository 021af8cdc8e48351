"""The numbers on a page are those of the model."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import blocklda
from blocklda import InputError
from blocklda.report import misfit
from blocklda.report.topics import topics
from blocklda.report.words import SLIDER_WEIGHTS, WORDS_SHOWN, WordTable
from blocklda.results.result import result_of
from blocklda.summaries.relevance import most_relevant
from tests.report.page_models import contents


def shown_words(page, topic: int, weight: float) -> list[int]:
    """Do as the page does: order the words of a topic by relevance."""
    row, counts = page["topics"][topic], page["words"]["counts"]
    level = np.log(row["probabilities"][0]) - (1 - weight) * np.log(
        [counts[w] for w in row["words"]]
    )
    order = np.lexsort((row["words"], -level))[:WORDS_SHOWN]
    return [row["words"][i] for i in order]


def test_topics_have_their_numbers_shares_and_stability(two_chains):
    page = contents(two_chains)
    for row, summary in zip(page["topics"], two_chains.topic_summaries(), strict=True):
        share = summary.prevalence
        assert row["share"] == pytest.approx([share.mean, share.low, share.high], rel=1e-3)
        assert row["stable"] == summary.is_stable
        assert row["distance"] == pytest.approx(summary.distance, rel=1e-3)
        assert len(row["chain_places"]) == 2


def test_words_have_the_intervals_of_the_model(two_chains):
    page = contents(two_chains, interval=0.5)
    names = page["words"]["names"]
    for row, summary in zip(page["topics"], two_chains.topic_summaries(5, 0.5), strict=True):
        found = {
            names[w]: numbers
            for w, *numbers in zip(row["words"], *row["probabilities"], strict=True)
        }
        for word in summary.words:
            p = word.probability
            assert found[word.word] == pytest.approx([p.mean, p.low, p.high], rel=1e-3, abs=1e-9)


def test_the_slider_shows_the_most_relevant_words_at_every_place():
    rng = np.random.default_rng(0)
    X = rng.poisson(rng.gamma(0.2, 1.0, size=(60, 300)))
    model = blocklda.LDA(4, n_sweeps=12, random_state=0, progress=False).fit(X)
    page, counts = contents(model), X.sum(axis=0)
    names = page["words"]["names"]
    for weight in SLIDER_WEIGHTS:
        _, levels = most_relevant(model.components_, counts, WORDS_SHOWN, weight)
        for k in range(4):
            found = [int(names[w]) for w in shown_words(page, k, weight)]
            own = [
                np.log(model.components_[k, v]) - (1 - weight) * np.log(counts[v] / counts.sum())
                for v in found
            ]
            # Rounded numbers may exchange words that are almost equally relevant.
            np.testing.assert_allclose(own, levels[k], atol=2e-3)


def test_a_word_is_found_in_the_topics_that_hold_it(two_chains):
    page = contents(two_chains)
    model = result_of(two_chains)
    joint = model.topic_word * (model.corpus.doc_lengths() @ model.doc_topic)[:, None]
    shares = joint / joint.sum(axis=0)
    assert page["words"]["names"] == list(model.words)
    for v, pairs in enumerate(page["words"]["topics"]):
        told = dict(zip(pairs[::2], pairs[1::2], strict=True))
        assert list(told.values()) == sorted(told.values(), reverse=True)
        for k, share in enumerate(shares[:, v]):
            assert told.get(k, 0) == pytest.approx(1000 * share, abs=0.51 if k in told else 20)


def test_typical_documents_have_the_largest_proportions(two_chains):
    page = contents(two_chains)["documents"]
    for k, places in enumerate(page["of_topics"]):
        numbers = [page["rows"][place]["number"] for place in places]
        theta = two_chains.doc_topic_[:, k]
        np.testing.assert_array_equal(theta[numbers], np.sort(theta)[::-1][: len(numbers)])
        for place in places:
            row = page["rows"][place]
            topic, mean, low, high = row["mixture"][0]
            assert mean == pytest.approx(two_chains.doc_topic_[row["number"]].max(), rel=1e-3)
            assert topic == two_chains.doc_topic_[row["number"]].argmax()
            assert low <= mean <= high


def test_words_of_documents_have_their_most_probable_topic(two_chains):
    page = contents(two_chains)
    model = result_of(two_chains)
    row = page["documents"]["rows"][0]
    d = row["number"]
    start, end = model.corpus.doc_offsets[d : d + 2]
    tokens = np.repeat(np.arange(model.corpus.n_entries), model.corpus.counts)
    shares = np.zeros((end - start, 6))
    for draw in model.reference_draws:
        for k in range(6):
            has = draw.topics == k
            shares[:, k] += np.bincount(tokens[has], minlength=model.corpus.n_entries)[start:end]
    shares /= shares.sum(axis=1, keepdims=True)
    by_word = dict(zip(model.corpus.word_ids[start:end].tolist(), shares, strict=True))
    assert len(row["words"]) == min(40, end - start)
    for word, count, topic, per_cent in row["words"]:
        assert count == model.corpus.to_matrix()[d, word]
        assert by_word[word][topic] == by_word[word].max()
        assert per_cent == round(100 * by_word[word].max())


def test_texts_are_cut_into_words_with_topics(hostile):
    from tests.report.hostile import HOSTILE_TEXTS  # noqa: PLC0415

    page = contents(hostile, texts=HOSTILE_TEXTS)["documents"]
    for row in page["rows"]:
        parts = row["text"]
        strings = [part for part in parts if isinstance(part, str)]
        assert "".join(strings) == HOSTILE_TEXTS[row["number"]]
        assert parts[1::4] == HOSTILE_TEXTS[row["number"]].split()
        assert not row["is_cut"]


@pytest.mark.parametrize(
    ("given", "seed", "run"),
    [
        ({"random_state": np.int64(4), "thin": 1}, "4", "4 draws in total, one every sweep"),
        (
            {"random_state": None, "thin": 2},
            "none was given",
            "total, one every 2 sweeps",
        ),
        (
            {"random_state": np.random.default_rng(0), "thin": 4},
            "a Generator",
            "one every 4 sweeps",
        ),
    ],
)
def test_seed_and_thinning_in_words(given, seed, run):
    model = blocklda.LDA(2, n_sweeps=8, burn_in=4, progress=False, **given)
    making = dict(contents(model.fit(np.eye(4, dtype=int)))["making"])
    assert making["seed"] == seed
    assert making["run"].endswith(run)


def test_convergence_and_making(two_chains):
    page = contents(two_chains)
    assert page["convergence"]["verdict"] == two_chains.diagnostics().verdict
    traces = page["convergence"]["traces"]
    assert traces["sweeps"] == list(range(1, 61))
    np.testing.assert_allclose(traces["chains"], two_chains.log_posterior_, atol=0.051)
    making = dict(page["making"])
    assert making["seed"] == "3"
    assert making["run"].startswith("2 chains of 60 sweeps, of which the first 20 were discarded")
    assert making["made with"] == f"blocklda {blocklda.__version__}"


def test_a_title_of_nothing_is_none(two_chains):
    assert [contents(two_chains, title=title)["title"] for title in ("", " \n", " a ")] == [
        "Topics",
        "Topics",
        "a",
    ]


def test_long_traces_are_thinned_and_end_at_the_last_sweep():
    model = blocklda.LDA(2, n_sweeps=901, burn_in=899, thin=1, random_state=0)
    model.set_params(progress=False).fit(np.eye(4, dtype=int))
    traces = contents(model)["convergence"]["traces"]
    assert len(traces["sweeps"]) <= 401
    assert traces["sweeps"][-1] == 901


@pytest.mark.parametrize("n_topics", [1, 2, 3])
def test_the_smallest_models(n_topics):
    model = blocklda.LDA(n_topics, n_sweeps=4, burn_in=0, random_state=0, progress=False)
    with pytest.warns(UserWarning, match="empty"):
        model.fit(np.array([[2], [0], [1]]))
    page = contents(model)
    assert len(page["topics"]) == n_topics
    assert page["topics"][0]["stable"] is None
    numbers = {row["number"] for row in page["documents"]["rows"]}
    assert numbers == {0, 2}  # the empty document is typical of nothing


def test_without_draws_there_are_no_intervals_and_no_coloured_words():
    corpus = blocklda.simulate.bars(n_docs=10, seed=0).corpus
    model = blocklda.LDA(3, n_sweeps=8, keep_draws=False, random_state=0, progress=False)
    page = contents(model.fit(corpus))
    assert not page["has_draws"]
    assert len(page["topics"][0]["probabilities"]) == 1
    assert page["documents"]["rows"][0]["mixture"][0][2:] == [None, None]
    assert len(page["documents"]["rows"][0]["words"][0]) == 2
    with pytest.raises(InputError, match="keep_draws=True"):
        contents(model, groups=["a"] * 10)


def test_of_a_chain_without_draws_nothing_is_said(two_chains):
    model = result_of(two_chains)
    unknown = np.array([[0.0] * 6, [np.nan] * 6])
    alignment = model.alignment._replace(distances=unknown)
    interrupted = replace(model, align=lambda: alignment, chain_means=(model.chain_means[0], None))
    rows = topics(interrupted, WordTable.create(interrupted), 0.9).rows
    assert {row["stable"] for row in rows} == {None}
    assert {row["distance"] for row in rows} == {None}
    assert rows[0]["chain_places"][1] == [None, None]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"texts": ["one"]}, "there are 1 texts, but the model has 40 documents"),
        ({"texts": "one"}, "texts is one text"),
        ({"texts": 3}, "texts=3 is not allowed"),
        ({"texts": [b"x"] * 40}, r"texts\[0\] is a bytes, not a text"),
        ({"groups": ["a"]}, "40"),
        ({"group_name": "year"}, "was given without groups"),
        ({"title": 3}, "title=3 is not allowed"),
        ({"interval": 1}, "interval=1 is not allowed"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(two_chains, given, said):
    with pytest.raises(InputError, match=said):
        contents(two_chains, **given)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_missing_texts_are_empty(missing):
    texts = ["apple banana"] * 4
    corpus = blocklda.Corpus.from_matrix(np.eye(4, dtype=int))  # whose words cannot be compared
    model = blocklda.LDA(2, n_sweeps=8, random_state=0, progress=False).fit(corpus)
    page = contents(model, texts=[*texts[:3], missing])["documents"]
    assert [row["text"] for row in page["rows"]] == [["apple banana"]] * 3 + [[""]]


def test_texts_of_other_documents_are_refused():
    texts = ["apple banana cherry"] * 5 + ["dog emu fox"] * 5
    corpus = blocklda.Corpus.from_texts(texts)
    model = blocklda.LDA(2, n_sweeps=8, random_state=0, progress=False).fit(corpus)
    contents(model, texts=texts)
    with pytest.raises(InputError, match=r"texts\[0\] has the word 'apple' 0 times"):
        contents(model, texts=texts[::-1])


def test_words_as_long_as_a_page_are_shortened():
    texts = ["x" * 1_000_000 + " short", "short words"] * 3
    corpus = blocklda.Corpus.from_texts(texts, stop_words="none")
    model = blocklda.LDA(2, n_sweeps=8, random_state=0, progress=False).fit(corpus)
    assert len(json.dumps(contents(model)["words"])) < 1000


def test_misfit_is_that_of_the_model(two_chains, monkeypatch):
    rows = contents(two_chains)["misfit"]["rows"]
    expected = two_chains.posterior_predictive_check()
    for name in ("observed", "expected", "deviation", "p_value"):
        np.testing.assert_allclose([row[name] for row in rows], expected[name], rtol=1e-3)
    monkeypatch.setattr(misfit, "MOST_SHUFFLED", 10)
    page = contents(two_chains)["misfit"]
    assert page["rows"] == []
    assert "blocklda misfit MODEL prints it" in page["note"]


def test_misfit_needs_draws():
    model = blocklda.LDA(2, n_sweeps=8, keep_draws=False, random_state=0, progress=False)
    page = contents(model.fit(np.full((4, 3), 2)))["misfit"]
    assert page == {"rows": [], "note": "The fit of topics cannot be checked without draws."}
