"""Corpus: data frames and the names of words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from blocklda.data.corpus import Corpus
from tests.data.matrices import COUNTS, holds, refused


def test_string_columns_become_the_vocabulary() -> None:
    frame = pd.DataFrame(COUNTS, columns=list("abcd"))
    corpus = Corpus.from_matrix(frame)
    holds(corpus, COUNTS)
    assert corpus.vocabulary == ("a", "b", "c", "d")
    assert Corpus.from_matrix(frame, list("wxyz")).vocabulary == ("w", "x", "y", "z")
    assert Corpus.from_matrix(pd.DataFrame(COUNTS)).vocabulary is None
    assert Corpus.from_matrix(pd.DataFrame(COUNTS, columns=["a", 1, "b", 2])).vocabulary is None


SPARSE_TYPES = [
    pd.SparseDtype("int64", 0),
    pd.SparseDtype("uint8", 0),
    pd.SparseDtype("float64", 0),
    pd.SparseDtype("float64", np.nan),
    pd.SparseDtype("int64", 1),
]


@pytest.mark.parametrize("dtype", [*SPARSE_TYPES, "Int64", "UInt8", "Float64", "int8", "float32"])
def test_frames_of_one_type(dtype: Any) -> None:
    holds(Corpus.from_matrix(pd.DataFrame(COUNTS, columns=list("abcd")).astype(dtype)), COUNTS)


def test_frames_of_mixed_types() -> None:
    frame = pd.DataFrame(
        {
            "a": pd.array([0, 0, 3], dtype="Int64"),
            "b": pd.arrays.SparseArray([2, 0, 0], fill_value=0),
            "c": [False, False, False],
            "d": [1.0, 0.0, 1.0],
        }
    )
    holds(Corpus.from_matrix(frame), COUNTS)
    flags = pd.DataFrame({"a": [True, False], "b": [2, 3]})
    holds(Corpus.from_matrix(flags), np.array([[1, 2], [0, 3]]))
    sparse_flags = flags.astype({"a": pd.SparseDtype(bool, False), "b": pd.SparseDtype(int, 0)})
    holds(Corpus.from_matrix(sparse_flags), np.array([[1, 2], [0, 3]]))


def test_frames_that_are_refused() -> None:
    missing = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [1, 1]})
    assert "document (row) 1, word (column) 0 ('a') has the count nan" in refused(missing)
    text = refused(pd.DataFrame({"a": [1, 2], "title": ["x", "y"]}))
    assert "column 1 ('title')" in text
    twice = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    assert "'a' twice, in columns 0 and 2" in refused(twice)
    assert "0 documents" in refused(pd.DataFrame({"a": []}))
    assert "0 words" in refused(pd.DataFrame(index=[1, 2]))
    assert "dimensions" in refused(pd.Series([1, 2]))


@pytest.mark.parametrize(
    "words", [list("abcd"), tuple("abcd"), np.array(list("abcd")), pd.Index(list("abcd"))]
)
def test_vocabularies(words: Any) -> None:
    vocabulary = Corpus.from_matrix(COUNTS, words).vocabulary
    assert vocabulary == ("a", "b", "c", "d")
    assert [type(word) for word in vocabulary] == [str] * 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (list("abc"), "has 3 words, but the matrix has 4 columns"),
        (list("abca"), "the word 'a' twice, in columns 0 and 3"),
        (["a", "b", 3, "d"], "word (column) 2 of the vocabulary is 3, a int"),
        ("abcd", "is a str"),
        ({"a": 0, "b": 1, "c": 2, "d": 3}, "is a dict"),
        (set("abcd"), "is a set"),
        (4, "is a int"),
    ],
)
def test_wrong_vocabularies_are_refused(words: Any, said: str) -> None:
    assert said in refused(COUNTS, words)
    assert said in refused(Corpus.from_matrix(COUNTS), words)


def test_a_corpus_passes_through() -> None:
    corpus = Corpus.from_matrix(COUNTS)
    assert Corpus.from_matrix(corpus) is corpus
    named = Corpus.from_matrix(corpus, list("abcd"))
    assert named.vocabulary == ("a", "b", "c", "d")
    assert corpus.vocabulary is None
    assert named.fingerprint == corpus.fingerprint
    assert named != corpus
