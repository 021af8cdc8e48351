"""Labels, merged views, groups, documents, words: the numbers behind the page, as frames."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import blocklda
from blocklda import LDA, DataWarning, InputError, plots
from blocklda.evaluate import compare_models
from blocklda.summaries.group_prevalence import group_prevalence
from tests.cli.commands import bars
from tests.optional import need

N_DOCS, K = 60, 6


@pytest.fixture(scope="module")
def lda() -> LDA:
    return LDA(K, n_chains=2, n_sweeps=60, random_state=0, progress=False).fit(bars(N_DOCS))


@pytest.fixture
def labelled(lda: LDA) -> Any:
    yield lda.set_topic_labels({1: "left", 4: "  right  side "})
    lda.set_topic_labels({1: "", 4: ""})


# --- labels


def test_labels_are_seen_everywhere(labelled: LDA, tmp_path: Path) -> None:
    names = ["topic_0", "left", "topic_2", "topic_3", "right side", "topic_5"]
    labelled.save(tmp_path / "model")
    for lda in (labelled, LDA.load(tmp_path / "model")):
        assert lda.topic_labels_ == {1: "left", 4: "right side"}
        assert list(lda.doc_topic_frame().columns) == names
        assert list(lda.get_feature_names_out()) == names
        assert list(lda.topic_word_frame().index) == names
        assert list(lda.topics_frame()["label"])[1] == "left"
    assert plots.style.topic_name(labelled.result_, 4) == "4  right side"


def test_without_labels_topics_have_numbers(lda: LDA) -> None:
    assert list(lda.get_feature_names_out()) == list(lda.doc_topic_frame().columns)
    assert next(iter(lda.doc_topic_frame().columns)) == "topic_0"
    assert "label" not in lda.topics_frame()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({6: "x"}, "a topic of labels=6"),
        ({0: 3}, "the label of topic 0 is 3"),
        ({0: "  "}, "the label of topic 0"),
        ({0: "x", 1: "x"}, "topics 0 and 1 would both be called 'x'"),
        ({0: "topic_3"}, "topics 0 and 3 would both be called 'topic_3'"),
        (["x"], "is not a mapping"),
    ],
)
def test_labels_that_cannot_be_used(lda: LDA, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lda.set_topic_labels(labels)
    assert lda.topic_labels_ == {}


def test_a_function_names_topics(lda: LDA) -> None:
    seen = []

    def name(words: list[str], documents: list[str]) -> str:
        seen.append((words, documents))
        return "" if len(seen) == 1 else f"about {words[0]} {len(seen)}"

    texts = [f"text {d}" for d in range(N_DOCS)]
    lda.label_topics(name, n_words=3, n_docs=2, texts=texts)
    assert len(seen) == K
    assert all(len(words) == 3 and len(docs) == 2 for words, docs in seen)
    assert seen[1][1][0].startswith("text ")
    assert 0 not in lda.topic_labels_
    assert lda.topic_labels_[1].startswith("about ")
    lda.set_topic_labels(dict.fromkeys(range(K), ""))
    with pytest.raises(InputError, match="returned 3 for topic 0"):
        lda.label_topics(lambda *_: 3)  # type: ignore[arg-type, return-value]


def test_seed_words_by_name(tmp_path: Path) -> None:
    corpus = bars(N_DOCS)
    seeds = {"first row": ["cell00", "cell01"], "last row": ["cell22", "cell23"]}
    lda = LDA(4, seed_words=seeds, n_sweeps=20, random_state=0, progress=False).fit(corpus)
    same = LDA(
        4, seed_words=dict(enumerate(seeds.values())), n_sweeps=20, random_state=0, progress=False
    ).fit(corpus)
    np.testing.assert_array_equal(lda.components_, same.components_)
    assert lda.topic_labels_ == {0: "first row", 1: "last row"}
    lda.save(tmp_path / "model")
    assert LDA.load(tmp_path / "model").seed_words == seeds
    with pytest.raises(InputError, match="seed_words has 2 topics, but n_topics=1"):
        LDA(1, seed_words=seeds).fit(corpus)
    with pytest.raises(InputError, match=r"seed_words\['last row'\] has the word 'cell'"):
        LDA(4, seed_words=seeds | {"last row": ["cell"]}).fit(corpus)


# --- views


def test_a_view_sums_draw_by_draw(lda: LDA) -> None:
    view = lda.merged([[1, 4], [2, 5]])
    groups = np.arange(N_DOCS) % 3
    np.testing.assert_allclose(
        view.doc_topic_frame().to_numpy(),
        np.column_stack(
            [
                lda.doc_topic_[:, 0],
                lda.doc_topic_[:, [1, 4]].sum(axis=1),
                lda.doc_topic_[:, [2, 5]].sum(axis=1),
                lda.doc_topic_[:, 3],
            ]
        ),
    )
    reference = lda.result_.reference_draws
    counts = np.array([np.bincount(draw.topics, minlength=K) for draw in reference])
    np.testing.assert_array_equal(
        [draw.topic_counts()[1] for draw in view.result_.draws], counts[:, [1, 4]].sum(axis=1)
    )
    # The ends of the interval of a sum are not the sums of the ends.
    whole, parts = view.prevalence(groups), lda.prevalence(groups)
    row = whole[whole["topic"] == 1].iloc[0]
    pair = parts[parts["topic"].isin([1, 4])].groupby("group").sum(numeric_only=True)
    assert row["mean"] == pytest.approx(pair["mean"].loc[row["group"]])
    assert row["high"] - row["low"] < (pair["high"] - pair["low"]).loc[row["group"]] + 1e-12
    assert len(view.topics_frame()) == 4
    assert view.set_topic_labels({1: "both"}).topic_labels_ == {1: "both"}
    assert lda.topic_labels_ == {}
    np.testing.assert_allclose(view.topic_word_frame().sum(axis=1), 1)
    assert plots.prevalence_over_groups(view, groups) is not None
    with pytest.raises(InputError, match="only the training documents"):
        view.transform([[1]])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[1]], "give two or more topics"),
        ([[1, 2], [2, 3]], "topic 2 is in groups more than once"),
        ([[1, 9]], r"groups\[0\]=9"),
        (3, "groups=3"),
    ],
)
def test_groups_that_cannot_be_merged(lda: LDA, groups: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lda.merged(groups)


# --- questions


def test_prevalence_is_that_of_the_page(lda: LDA) -> None:
    groups = [["x", "y", None][d % 3] for d in range(N_DOCS)]
    frame = lda.prevalence(groups, interval=0.5)
    expected = group_prevalence(lda.result_, groups, 0.5)
    assert list(frame.columns) == [
        *("group", "topic", "label", "mean", "low", "high", "documents", "tokens")
    ]
    np.testing.assert_array_equal(frame["mean"], expected.prevalence.mean.ravel())
    np.testing.assert_array_equal(frame["high"], expected.prevalence.high.ravel())
    assert list(frame["group"].unique()) == list(expected.labels)
    dated = lda.prevalence([f"20{d % 20:02d}-01-01" for d in range(N_DOCS)])
    assert "start" in dated
    assert "middle" in lda.prevalence(np.arange(N_DOCS))


def test_rows_in_another_order_are_noticed(lda: LDA) -> None:
    party = pd.Series(["left", "right"] * (N_DOCS // 2))
    with pytest.warns(DataWarning, match=r"index of groups numbers its rows .* \(59, 58, 57, …\)"):
        lda.prevalence(party[::-1])
    names = [f"speech {d}" for d in range(N_DOCS)]
    named = LDA(2, n_sweeps=20, random_state=0, progress=False).fit(
        pd.DataFrame(bars(N_DOCS).to_matrix().toarray(), index=names)
    )
    data = party.set_axis(names).to_frame("party")
    named.prevalence(data["party"])
    named.prevalence(party[::-1].set_axis(names[::-1]).reset_index(drop=True))
    for ask in (
        lambda: named.prevalence(data["party"][::-1]),
        lambda: named.estimate_effect("~ party", data[::-1]),
    ):
        with pytest.raises(InputError, match="row 0 is 'speech 59', document 0 is 'speech 0'"):
            ask()
    in_order = data[::-1].loc[named.doc_topic_frame().index]
    effect = named.estimate_effect("~ party", in_order)
    np.testing.assert_array_equal(
        effect.coefficients, named.estimate_effect("~ party", data).coefficients
    )


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_covariates_of_other_libraries(lda: LDA, library: str) -> None:
    need(library)
    data = {"party": ["left", "right"] * (N_DOCS // 2), "year": list(range(N_DOCS))}
    module = importlib.import_module(library)
    frame = module.table(data) if library == "pyarrow" else module.DataFrame(data)
    effect = lda.estimate_effect("~ party + year", frame)
    expected = lda.estimate_effect("~ party + year", data)
    np.testing.assert_array_equal(effect.coefficients, expected.coefficients)
    assert len(effect.predict(frame)) == N_DOCS * K


def test_a_mistake_in_a_formula_is_shown_without_markup(lda: LDA) -> None:
    with pytest.raises(InputError) as caught:
        lda.estimate_effect("~ party +", {"party": ["left", "right"] * (N_DOCS // 2)})
    assert str(caught.value).isprintable()
    assert "⧛" not in str(caught.value)


def test_representative_documents(lda: LDA) -> None:
    frame = lda.representative_documents(2, 4, texts=[f"text {d}" for d in range(N_DOCS)])
    best = np.argsort(-lda.doc_topic_[:, 2], kind="stable")[:4]
    assert list(frame["row"]) == list(best)
    assert frame["text"].iloc[0] == f"text {best[0]}"
    assert (frame["low"] <= frame["high"]).all()
    assert list(lda.representative_documents("topic_2", 4)["row"]) == list(best)
    with pytest.raises(InputError, match="no topic is called 'war'"):
        lda.representative_documents("war")


def test_intervals_of_documents(lda: LDA) -> None:
    frame = lda.document_intervals([3, 0], interval=0.8)
    assert list(frame["row"]) == [3] * K + [0] * K
    np.testing.assert_allclose(frame["mean"][:K], lda.doc_topic_[3], atol=0.05)
    assert len(lda.document_intervals()) == N_DOCS * K


def test_where_a_word_is(lda: LDA) -> None:
    frame = lda.word_topics("cell07")
    assert frame["mean"].sum() == pytest.approx(1)
    assert frame["mean"].is_monotonic_decreasing
    assert frame["probability"].iloc[0] == lda.components_[frame["topic"].iloc[0], 7]
    pd.testing.assert_frame_equal(frame, lda.word_topics(7))
    with pytest.raises(InputError, match="'cell7' is not in the model; did you mean"):
        lda.word_topics("cell7")


def test_correlations(lda: LDA) -> None:
    frame = lda.topic_correlations()
    np.testing.assert_allclose(np.diag(frame), 1)
    np.testing.assert_allclose(frame, frame.T)
    assert (frame.to_numpy()[~np.eye(K, dtype=bool)] < 0.9).all()


def test_two_models(lda: LDA) -> None:
    same = compare_models(lda, lda)
    assert same.n_same == K
    assert all(pair.first == pair.second and pair.distance == 0 for pair in same.pairs)
    corpus = bars(N_DOCS)
    matrix = corpus.to_matrix()[:, ::-1]
    words = (corpus.vocabulary or ())[::-1]
    other = LDA(4, n_sweeps=40, random_state=1, progress=False).fit(
        blocklda.Corpus.from_matrix(matrix, words)
    )
    for found, lonely in ((compare_models(lda, other), "second"), (compare_models(other, lda), 0)):
        assert len(found.pairs) == K
        assert found.n_shared_words == 25
        without = [pair for pair in found.pairs if None in (pair.first, pair.second)]
        assert len(without) == 2
        assert all((pair.second is None) == (lonely == "second") for pair in without)
    assert list(compare_models(lda, other).to_frame()["same"]).count(True) >= 1
    with pytest.raises(InputError, match="no word in common"):
        compare_models(lda, LDA(2, n_sweeps=20, random_state=0).fit(["soup train", "train"]))
