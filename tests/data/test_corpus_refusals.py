"""Corpus: which matrices it refuses and in which words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from blocklda.data.corpus import MAX_TOKENS, Corpus
from blocklda.support.errors import CapacityError, InputTypeError
from tests.data.matrices import COUNTS, FORMATS, coo, in_format, matrices, refused


def with_value(value: Any, form: str, dtype: Any = None) -> Any:
    counts = COUNTS.astype(dtype or np.asarray(value).dtype)
    counts[2, 3] = value
    return counts if form == "dense" else in_format(counts, form)


@pytest.mark.parametrize("form", ["dense", *FORMATS])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (-2, "-2; counts must be whole numbers from 0"),
        (-2.0, "-2.0; counts must be whole numbers from 0"),
        (-0.5, "-0.5; counts must be whole numbers from 0"),
        (0.5, "0.5; counts must be whole numbers, and fractions look like TF-IDF"),
        (np.nan, "nan; counts are whole numbers"),
        (np.inf, "inf; counts must be finite"),
        (-np.inf, "-inf; counts must be finite"),
    ],
)
def test_wrong_counts_are_named(value: float, said: str, form: str) -> None:
    message = refused(with_value(value, form))
    assert f"document (row) 2, word (column) 3 has the count {said}" in message
    named = refused(with_value(value, form), ["a", "b", "c", "tree"])
    assert "word (column) 3 ('tree') has" in named


def test_fractions_are_told_to_use_raw_counts() -> None:
    assert "raw counts, for example from CountVectorizer" in refused([[0.25]])


def test_the_first_wrong_count_is_named() -> None:
    unsorted = coo([-1, -3, -2], [3, 1, 1], [0, 2, 1], shape=(4, 3))
    assert "document (row) 1, word (column) 1 has the count -2" in refused(unsorted)


@settings(derandomize=True, deadline=None)
@given(counts=matrices, data=st.data(), form=st.sampled_from(["dense", "csr", "csc", "coo"]))
def test_the_place_is_right(counts: np.ndarray, data: st.DataObject, form: str) -> None:
    values = counts.astype(float)
    row = data.draw(st.integers(0, values.shape[0] - 1))
    column = data.draw(st.integers(0, values.shape[1] - 1))
    values[row, column] = data.draw(st.sampled_from([-1.0, 1.5, np.nan, np.inf]))
    X = values if form == "dense" else in_format(values, form)
    assert f"document (row) {row}, word (column) {column} has" in refused(X)


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (COUNTS.astype(complex), "complex128"),
        (COUNTS.astype(str), "<U21"),
        (COUNTS.astype("m8[s]"), "timedelta64"),
        (sparse.csr_matrix(COUNTS.astype(complex)), "complex128"),
        ([["a", "b"]], "<U1"),
    ],
)
def test_wrong_types_are_named(X: Any, said: str) -> None:
    assert f"the matrix has dtype {said}" in refused(X)


@pytest.mark.parametrize("value", [None, "3", {"count": 3}, 3 + 0j])
def test_objects_that_are_no_numbers_are_named(value: Any) -> None:
    X = COUNTS.astype(object)
    X[1, 2] = value
    said = refused(X, error=InputTypeError)
    assert f"document (row) 1, word (column) 2 holds {value!r}, a {type(value).__name__}" in said


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([1, 2], "1 dimensions"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (7, "0 dimensions"),
        (None, "0 dimensions"),
        (sparse.coo_array([1, 2]), "1 dimensions"),
        ([[1, 2], [3]], "rows of equal length"),
        (np.zeros((0, 3)), "0 documents"),
        (np.zeros((3, 0)), "0 words"),
        ([[]], "0 words"),
        (sparse.csr_matrix((0, 3)), "0 documents"),
        ("docword.kos.txt", "read_corpus"),
        (Path("docword.kos.txt"), "read_corpus"),
        (np.ma.masked_equal(COUNTS, 2), "masked"),
    ],
)
def test_wrong_shapes_are_named(X: Any, said: str) -> None:
    assert said in refused(X)


def test_damaged_sparse_matrices_are_refused() -> None:
    def damaged(form: str, part: str, place: int, value: int) -> str:
        matrix = in_format(COUNTS, form)
        getattr(matrix, part)[place] = value
        return refused(matrix)

    assert "its indices are not all from 0 to 3" in damaged("csr", "indices", 0, 4)
    assert "its indices are not all from 0 to 3" in damaged("csr", "indices", 0, -1)
    assert "indptr" in damaged("csr", "indptr", 1, 9)
    assert "indptr" in damaged("csr", "indptr", 3, 90)
    assert "its indices are not all from 0 to 2" in damaged("csc", "indices", 0, 3)
    assert "indptr" in damaged("csc", "indptr", 4, 90)
    assert "damaged" in damaged("coo", "col", 0, 4)


@pytest.mark.parametrize("form", ["dense", "csr", "coo"])
@pytest.mark.parametrize("value", [2**31, 2**62, np.uint64(2**64 - 1), np.float32(2**31), 1e300])
def test_counts_beyond_32_bits_are_refused(value: Any, form: str) -> None:
    message = refused(with_value(value, form), error=CapacityError)
    assert "document (row) 2, word (column) 3 has the count" in message
    assert str(MAX_TOKENS) in message


def test_the_largest_count_is_allowed() -> None:
    corpus = Corpus.from_matrix([[MAX_TOKENS, 0]])
    assert corpus.n_tokens == corpus.max_count == MAX_TOKENS


def test_more_tokens_than_32_bits_are_refused() -> None:
    message = refused([[MAX_TOKENS, 1]], error=CapacityError)
    assert f"has {MAX_TOKENS + 1} tokens, but at most {MAX_TOKENS}" in message


def test_too_many_words_or_documents_are_refused() -> None:
    wide = coo([1], [0], [0], shape=(1, 2**31))
    assert str(2**31) in refused(wide, error=CapacityError)
    tall = coo([1], [0], [0], shape=(10**15, 1))
    assert str(10**15) in refused(tall, error=CapacityError)


def test_a_matrix_beyond_memory_is_refused_before_it_is_converted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 1000)
    tall = coo([1], [0], [0], shape=(2**18, 1))
    assert "8.0 MiB of memory, but 1000 bytes are available" in refused(tall, error=CapacityError)
