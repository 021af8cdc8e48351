"""An estimator takes texts where it takes counts, and documents keep the index they came with."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import blocklda
from blocklda import LDA, Corpus, DataWarning, InputError

TEXTS = ["hot soup and bread", "cold soup", None, "fast train", "slow train, late train"] * 3


def model(**parameters: Any) -> LDA:
    return LDA(2, n_sweeps=20, random_state=0, progress=False, **parameters)


def quietly(lda: LDA, X: Any) -> LDA:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return lda.fit(X)


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, lambda t: np.array(t, dtype=object)])
def test_texts_are_counted_as_a_corpus_counts_them(kind: Any) -> None:
    lda, same = quietly(model(), kind(TEXTS)), quietly(model(), Corpus.from_texts(TEXTS))
    np.testing.assert_array_equal(lda.doc_topic_, same.doc_topic_)
    assert lda.result_.corpus.text_settings == same.result_.corpus.text_settings
    new = ["hot soup", "late train"]
    counted = Corpus.from_texts(new, like=same.result_.corpus)
    np.testing.assert_array_equal(lda.transform(kind(new)), same.transform(counted))
    assert lda.score(new) == same.score(counted)


def test_new_texts_are_counted_with_the_settings_of_the_fit(tmp_path: Path) -> None:
    corpus = Corpus.from_texts(TEXTS[:2] + TEXTS[3:5], stop_words="none", ngrams=(1, 2))
    model().fit(corpus).save(tmp_path / "model")
    lda = LDA.load(tmp_path / "model")
    np.testing.assert_array_equal(
        lda.transform(["hot soup"]), lda.transform(Corpus.from_texts(["hot soup"], like=corpus))
    )


def test_a_model_whose_words_have_no_names_refuses_texts() -> None:
    lda = model().fit([[2, 1], [0, 3]])
    with pytest.raises(InputError, match=r"these are texts, but the corpus .* no vocabulary"):
        lda.transform(["soup"])


@pytest.mark.parametrize("X", [["soup", 7], [None, None], np.array([1, 2]), [["soup"], ["train"]]])
def test_what_is_not_texts_goes_through_the_door_for_counts(X: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # whatever that door says
        model().fit(X)


INDEXES = [
    pd.Index([7, 3, 11], name="speech"),
    pd.Index([7, 3, 11]),
    pd.Index([0.5, 1.5, 2.5]),
    pd.DatetimeIndex(["2020-01-01", "2020-03-01", "2021-01-01"]),
    pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["party", "year"]),
    pd.Index(["x", "y", "z"], name="id"),
]


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: str(index.dtype))
def test_an_index_of_any_type_is_kept(index: pd.Index, tmp_path: Path) -> None:
    frame = pd.DataFrame({"text": ["hot soup", "cold soup", "late train"]}, index=index)
    lda = model().fit(frame["text"])
    pd.testing.assert_index_equal(lda.doc_topic_frame().index, index)
    joined = frame.join(lda.doc_topic_frame())
    np.testing.assert_array_equal(joined[["topic_0", "topic_1"]], lda.doc_topic_)
    pd.testing.assert_index_equal(lda.doc_topic_frame(frame["text"][::-1]).index, index[::-1])
    half, _ = blocklda.split_tokens(lda.result_.corpus, [0], 0)
    pd.testing.assert_index_equal(lda.doc_topic_frame(half).index, index)
    lda.save(tmp_path / "model")
    pd.testing.assert_index_equal(
        LDA.load(tmp_path / "model").doc_topic_frame().index, index, check_exact=True
    )


def test_the_index_of_counts_is_kept_too() -> None:
    counts = pd.DataFrame([[2, 1], [0, 3]], columns=["a", "b"], index=[5, 2])
    assert list(model().fit(counts).doc_topic_frame().index) == [5, 2]
    assert model().fit(counts).result_.corpus.doc_names == ("5", "2")
    renamed = Corpus.from_matrix(Corpus.from_matrix(counts), doc_names=["x", "y"])
    assert renamed.doc_index is None


def test_a_pipeline_warns_once() -> None:
    pipeline = make_pipeline(FunctionTransformer(), model())
    with pytest.warns(DataWarning) as said:
        pipeline.fit_transform(TEXTS)
    assert [str(one.message) for one in said] == [
        "3 of 15 documents are empty, the first in row 2: each keeps its row, with the topics "
        "of the prior."
    ]


def test_one_empty_document_is_in_the_singular() -> None:
    with pytest.warns(DataWarning, match="^1 of 1,201 documents is empty, in row 1,200: it keeps"):
        model().fit([*["hot soup"] * 1200, ""])


@pytest.mark.parametrize(
    ("shape", "reason"),
    [((10, 20), "only 10 documents"), ((40, 2), "only 3.8 tokens per topic")],
)
def test_more_topics_than_a_corpus_can_tell_apart_are_questioned(
    shape: tuple[int, int], reason: str
) -> None:
    with pytest.warns(DataWarning, match=f"n_topics=21 is far more than.*{reason}"):
        LDA(21, n_sweeps=8, random_state=0, progress=False).fit(np.ones(shape, dtype=int))


def test_texts_that_are_values_of_a_dictionary() -> None:
    with pytest.raises(InputError, match=r"texts is a dict.*list\(texts.values\(\)\)"):
        Corpus.from_texts({"first": "hot soup", "second": "late train"})


def test_a_tokenizer_is_not_a_name() -> None:
    with pytest.raises(InputError, match="tokenizer='jieba' is not allowed: give a function"):
        Corpus.from_texts(["hot soup"], tokenizer="jieba")
