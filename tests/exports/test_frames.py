"""Data frames hold the model's own numbers under the right names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import blocklda
from tests.exports.fits import WORDS, fit

NAMES = [f"doc-{d}" for d in range(80)]


def test_topics_by_words() -> None:
    lda = fit()
    frame = lda.topic_word_frame()
    np.testing.assert_array_equal(frame.to_numpy(), lda.components_)
    assert tuple(frame.columns) == WORDS
    assert list(frame.index) == list(range(6))
    assert (frame.index.name, frame.columns.name) == ("topic", "word")
    assert frame.loc[3, "b2"] == lda.components_[3, 7]


def test_a_frame_is_a_copy() -> None:
    lda = fit()
    before = lda.components_.copy(), lda.doc_topic_.copy()
    for frame in (lda.topic_word_frame(), lda.doc_topic_frame()):
        frame.iloc[:] = 0.0
    np.testing.assert_array_equal(lda.components_, before[0])
    np.testing.assert_array_equal(lda.doc_topic_, before[1])


def test_words_without_names_are_called_by_their_columns() -> None:
    lda = fit(named=False)
    assert list(lda.topic_word_frame().columns) == [str(v) for v in range(25)]
    assert set(", ".join(lda.topics_frame()["words"]).split(", ")) <= set(map(str, range(25)))


def test_documents_by_topics() -> None:
    lda = fit()
    frame = lda.doc_topic_frame()
    np.testing.assert_array_equal(frame.to_numpy(), lda.doc_topic_)
    assert list(frame.index) == list(range(80))
    assert (frame.index.name, frame.columns.name) == ("document", "topic")
    named = lda.doc_topic_frame(index=NAMES)
    assert list(named.index) == NAMES
    assert named.loc["doc-7", "topic_2"] == lda.doc_topic_[7, 2]
    assert list(lda.doc_topic_frame(index=iter(NAMES)).index) == NAMES


def test_a_pandas_index_stays_what_it_is() -> None:
    days = pd.date_range("2024-01-01", periods=80, name="day")
    pd.testing.assert_index_equal(fit().doc_topic_frame(index=days).index, days)


def test_the_corpuss_own_names_are_taken() -> None:
    corpus = blocklda.Corpus.from_matrix([[2, 1], [0, 3]], doc_names=["first", "second"])
    lda = blocklda.LDA(2, n_sweeps=10, random_state=0).fit(corpus)
    assert list(lda.doc_topic_frame().index) == ["first", "second"]
    assert list(lda.doc_topic_frame(index=range(2)).index) == [0, 1]


def test_new_documents_have_their_own_names() -> None:
    lda = fit()
    X = blocklda.simulate.bars(n_docs=3, seed=9).corpus.to_matrix()
    frame = lda.doc_topic_frame(X)
    np.testing.assert_array_equal(frame.to_numpy(), lda.transform(X))
    assert list(frame.index) == [0, 1, 2]
    named = blocklda.Corpus.from_matrix(X, doc_names=["x", "y", "z"])
    assert list(lda.doc_topic_frame(named).index) == ["x", "y", "z"]
    assert list(frame.columns[:2]) == ["topic_0", "topic_1"]


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (NAMES[:3], "index has 3 names, but there are 80 documents"),
        ("doc", "index='doc' is a str"),
        (80, "index=80 is a int"),
    ],
)
def test_wrong_names_are_refused(index, words) -> None:
    with pytest.raises(blocklda.InputError, match=words):
        fit().doc_topic_frame(index=index)


def test_one_row_per_topic() -> None:
    lda = fit(n_chains=2)
    frame = lda.topics_frame(n_words=4, interval=0.5)
    summaries = lda.topic_summaries(n_words=4, interval=0.5)
    assert list(frame.columns) == ["prevalence", "low", "high", "stable", "found_in", "words"]
    for k, topic in enumerate(summaries):
        row = frame.loc[k]
        share = topic.prevalence
        assert (row["prevalence"], row["low"], row["high"]) == (share.mean, share.low, share.high)
        assert row["stable"] == topic.is_stable
        assert row["found_in"] == topic.found_in
        assert row["words"].split(", ") == [word.word for word in topic.words]
    assert frame["stable"].dtype == "boolean"
    assert frame["prevalence"].sum() == pytest.approx(1)


def test_with_one_chain_nothing_is_known_of_stability() -> None:
    assert fit().topics_frame()["stable"].isna().all()


@pytest.mark.parametrize("method", ["topic_word_frame", "doc_topic_frame", "topics_frame"])
def test_an_unfitted_model_says_so(method) -> None:
    with pytest.raises(NotFittedError):
        getattr(blocklda.LDA(), method)()
