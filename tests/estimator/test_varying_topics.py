"""Everything a fit of LDA offers, of models whose number of topics is not given."""

from __future__ import annotations

import json

import numpy as np
import pytest

import blocklda
from blocklda import InputError, plots, simulate
from blocklda.diagnostics.topic_counts import topic_count_summary
from blocklda.evaluate import npmi
from blocklda.evaluate.measures import measures
from blocklda.evaluate.model_comparison import compare_models
from blocklda.report.contents import page_contents
from blocklda.results.fixed_topics import EVERYTHING_ELSE, topics_of
from tests.cli.commands import run

CORPUS = simulate.bars(n_docs=40, alpha=0.1, seed=3).corpus
QUICK = {"n_sweeps": 24, "burn_in": 8, "thin": 2, "random_state": 1, "progress": False}
YEARS = [1990 + d % 4 for d in range(40)]


def made(kind: str) -> blocklda.HDP | blocklda.DPMixture:
    if kind == "hdp":
        return blocklda.HDP(initial_topics=12, n_chains=2, **QUICK).fit(CORPUS)
    n_components = 5 if kind == "finite" else None
    return blocklda.DPMixture(n_components, n_chains=2, **QUICK).fit(CORPUS)


@pytest.fixture(scope="module", params=["hdp", "mixture", "finite"])
def fit(request, tmp_path_factory):
    """A model that was saved and loaded again."""
    folder = tmp_path_factory.mktemp("varying") / "model"
    model = made(request.param)
    model.save(folder)
    return type(model).load(folder)


def test_all_draws_have_the_same_topics(fit):
    seen = topics_of(fit)
    rest = seen.n_topics - len(fit.components_)
    assert rest == (0 if getattr(fit, "n_components", None) else 1)
    assert seen.topic_word.sum(axis=1) == pytest.approx(np.ones(seen.n_topics))
    assert seen.doc_topic.shape == (40, seen.n_topics)
    assert seen.doc_topic.sum(axis=1) == pytest.approx(np.ones(40))
    assert np.nansum(seen.trace.topic_sizes, axis=2) == pytest.approx(CORPUS.n_tokens)
    assert {draw.priors.n_topics for draw in seen.reference_draws} == {seen.n_topics}
    assert seen.alignment.order.shape == (2, seen.n_topics)
    assert seen.topic_names[-1] == (EVERYTHING_ELSE if rest else f"topic_{seen.n_topics - 1}")
    raw = {draw.sweep: draw for draw in fit.result_.reference_draws}
    for draw in seen.reference_draws:
        theirs = raw[draw.sweep]
        own = getattr(theirs, "topics", None)
        own = np.repeat(theirs.labels, CORPUS.doc_lengths()) if own is None else own
        # A topic here is a topic there, and what is not here is everything else.
        pairs = {(int(a), int(b)) for a, b in zip(draw.topics, own, strict=True)}
        known = [a for a, _ in pairs if a < len(fit.components_)]
        assert len(known) == len(set(known))


def test_frames_and_questions(fit):
    n_topics, n_columns = len(fit.components_), topics_of(fit).n_topics
    assert len(fit.topic_summaries(4)) == n_topics
    assert len(fit.topics_frame()) == n_topics
    assert fit.topic_word_frame().shape == (n_topics, 25)
    assert fit.doc_topic_frame().shape == (40, n_columns)
    assert fit.doc_topic_frame(CORPUS.to_matrix()[:3]).shape == (3, n_columns)
    assert fit.prevalence(YEARS).groupby("group")["mean"].sum().to_numpy() == pytest.approx(1)
    assert len(fit.representative_documents(0, 3)) == 3
    assert len(fit.document_intervals([1, 2])) == 2 * n_columns
    assert fit.word_topics(3)["mean"].sum() == pytest.approx(1)
    assert fit.topic_correlations().shape == (n_columns, n_columns)
    assert len(fit.posterior_predictive_check(2)) == n_columns
    assert fit.merged([[0, 1]]).doc_topic_frame().shape == (40, n_columns - 1)
    frame = pytest.importorskip("pandas").DataFrame({"year": YEARS})
    if pytest.importorskip("formulaic"):
        assert len(fit.estimate_effect("~ year", frame).names) == n_columns
    named = fit.set_topic_labels({0: "first"})
    assert named.topic_labels_ == {0: "first"}
    assert topics_of(named).topic_names[0] == "first"
    fit.set_topic_labels({0: ""})


def test_intervals_hold_the_means_of_large_topics(fit):
    share = fit.topic_summaries(3, 0.98)[0].prevalence
    assert share.low <= share.mean <= share.high


def test_held_out_words_and_measures(fit):
    everything = blocklda.Corpus.from_matrix(np.ones((40, 25), dtype=int))
    by_word = np.exp(fit.log_predictive(everything)).reshape(40, 25)
    assert by_word.sum(axis=1) == pytest.approx(np.ones(40))
    found = {one.key for one in measures(fit, CORPUS, 5, with_left_to_right=False)}
    assert {"document_completion", "npmi", "diversity"} <= found
    assert 1 < fit.completion(CORPUS).perplexity < 25
    with pytest.raises(InputError, match="leave it out"):
        measures(fit, CORPUS, 5, with_left_to_right=True)
    assert npmi(fit.components_, CORPUS, 5).shape == (len(fit.components_),)
    assert compare_models(fit, fit).n_same == len(fit.components_)


def test_figures(fit):
    pytest.importorskip("matplotlib")
    plots.trace(fit)
    plots.topic_map(fit)
    plots.topic_bars(fit, 0)
    plots.topic_bars_figure(fit)
    plots.document_mixture(fit, 2)
    plots.prevalence_over_groups(fit, YEARS)
    ax = plots.topic_counts(fit)
    assert ax.get_ylabel() == fit.result_.counted
    for line, values in zip(ax.get_lines(), fit.result_.counts, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), values)


def test_the_number_of_topics_is_known_after_every_sweep(fit):
    counts, trace = fit.result_.counts, fit.result_.trace
    assert counts.shape == fit.log_posterior_.shape
    first = next(quantity.name for quantity in trace.quantities if quantity.is_count)
    np.testing.assert_array_equal(counts[:, trace.sweeps - 1], trace[first])


def test_a_given_number_has_no_figure_and_no_summary():
    pytest.importorskip("matplotlib")
    lda = blocklda.LDA(3, n_sweeps=6, burn_in=2, random_state=0, progress=False).fit(CORPUS)
    with pytest.raises(InputError, match=r"plots\.trace"):
        plots.topic_counts(lda)
    assert topic_count_summary(lda.result_) is None
    with pytest.raises(InputError, match="was given"):
        lda.count_summary()


def test_the_page(fit):
    settings = {"texts": None, "groups": YEARS, "group_name": "year", "title": None}
    page = json.loads(json.dumps(page_contents(fit, **settings, interval=0.9), allow_nan=False))
    seen = topics_of(fit)
    assert len(page["topics"]) == seen.n_topics
    assert sum(row["share"][0] for row in page["topics"]) == pytest.approx(1, abs=0.01)
    counts = page["counts"]
    assert "not a property of the corpus" in counts["advice"]
    assert [row["title"] for row in counts["table"]][:3] == [
        one.title for one in fit.count_summary()
    ][:3]
    assert counts["traces"]["chains"][0][-1] == fit.result_.counts[0, -1]
    said = dict(page["making"])
    assert "representative draw" in said[fit.result_.counted]
    assert any("sampled" in value for value in said.values())


def test_other_programs(fit):
    if pytest.importorskip("arviz"):
        assert "log_posterior" in fit.to_arviz().posterior
    if pytest.importorskip("pyLDAvis"):
        fit.to_pyldavis()
    assert "topics" in str(fit.diagnostics()) or "components" in str(fit.diagnostics())


@pytest.mark.parametrize("kind", ["hdp", "mixture"])
def test_commands(kind, tmp_path):
    corpus, folder = tmp_path / "bars.npz", tmp_path / "model"
    blocklda.write_corpus(CORPUS, corpus)
    fitted = run("fit", corpus, "--model", kind, "--sweeps", 12, "--thin", 1, "-o", folder)
    assert "blocklda report" in fitted.stdout
    assert "not a property" in " ".join(fitted.stdout.split())
    page = tmp_path / "page.html"
    for arguments in (
        ("report", folder, "-o", page),
        ("topics", folder),
        ("misfit", folder, "--replicates", 2),
        ("evaluate", folder, corpus),
        ("transform", folder, corpus),
        ("compare-models", folder, folder),
    ):
        found = run(*arguments)
        assert found.exit_code == 0, found.output
    assert "How many" in page.read_text("utf-8")
