"""Corpus: what it takes and what it then is."""

from __future__ import annotations

import copy
import hashlib
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from blocklda.data.corpus import Corpus
from tests.data.matrices import COUNTS, FORMATS, coo, holds, in_format, matrices


def test_types() -> None:
    corpus = Corpus.from_matrix(COUNTS)
    assert corpus.doc_offsets.dtype == np.int64
    assert corpus.word_ids.dtype == np.int32
    assert corpus.counts.dtype == np.int32
    assert corpus.doc_lengths().dtype == np.int64
    for name in ("n_docs", "n_words", "n_entries", "n_tokens", "max_count"):
        assert type(getattr(corpus, name)) is int
    assert corpus.vocabulary is None


@settings(derandomize=True, deadline=None)
@given(counts=matrices, form=st.sampled_from(FORMATS), array=st.booleans())
def test_every_sparse_format_says_the_same(counts: np.ndarray, form: str, array: bool) -> None:
    container = sparse.csr_array if array else sparse.csr_matrix
    corpus = Corpus.from_matrix(in_format(container(counts), form))
    holds(corpus, counts)
    assert corpus == Corpus.from_matrix(counts)


@settings(derandomize=True, deadline=None)
@given(counts=matrices)
def test_there_and_back(counts: np.ndarray) -> None:
    corpus = Corpus.from_matrix(counts)
    matrix = corpus.to_matrix()
    assert isinstance(matrix, sparse.csr_matrix)
    assert matrix.dtype == np.int64
    assert (matrix.data > 0).all()
    parts = (matrix.data, matrix.indices, matrix.indptr)
    assert sparse.csr_matrix(parts, shape=matrix.shape).has_canonical_format
    np.testing.assert_array_equal(matrix.toarray(), counts)
    assert Corpus.from_matrix(matrix) == corpus


@settings(derandomize=True, deadline=None)
@given(data=st.data())
def test_repeated_entries_are_added_up_as_scipy_does(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 12))
    numbers = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    rows, columns = data.draw(numbers), data.draw(numbers)
    values = np.array(data.draw(numbers), dtype=data.draw(st.sampled_from(["i1", "f4", "?"])))
    matrix = coo(values, rows, columns, shape=(4, 4))
    holds(Corpus.from_matrix(matrix), matrix.toarray().astype(int))


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("form", ["dense", "csr", "coo", "big-endian", "fortran"])
def test_every_number_type(dtype: str, form: str) -> None:
    counts = COUNTS.astype(dtype)
    X: Any = counts
    if form in ("csr", "coo"):
        X = in_format(counts, form)
    elif form == "big-endian":
        X = counts.astype(np.dtype(dtype).newbyteorder(">"))
    elif form == "fortran":
        X = np.asfortranarray(counts)
    holds(Corpus.from_matrix(X), counts.astype(int))


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble])
def test_rare_float_types(dtype: Any) -> None:
    holds(Corpus.from_matrix(COUNTS.astype(dtype)), COUNTS)


def test_nested_lists_and_matrix_objects() -> None:
    holds(Corpus.from_matrix(COUNTS.tolist()), COUNTS)
    holds(Corpus.from_matrix(np.ma.masked_array(COUNTS)), COUNTS)
    holds(Corpus.from_matrix(COUNTS.astype(object)), COUNTS)


def test_small_types_do_not_wrap_round_when_added_up() -> None:
    matrix = coo(np.array([100, 100], dtype="i1"), [0, 0], [1, 1], shape=(1, 2))
    assert Corpus.from_matrix(matrix).counts.tolist() == [200]


def test_unsorted_rows_repeats_zeros_and_spare_room_in_csr() -> None:
    data, indices, indptr = [5, 1, 1, 0, 2, 9], [3, 1, 3, 0, 0, 0], [0, 4, 4, 5]
    matrix = sparse.csr_matrix((data, indices, indptr), shape=(3, 4))
    holds(Corpus.from_matrix(matrix), np.array([[0, 1, 0, 6], [0, 0, 0, 0], [2, 0, 0, 0]]))


def test_stored_zeros_are_dropped() -> None:
    matrix = sparse.csr_matrix(([0, 4, 0, -0.0], [0, 1, 2, 0], [0, 3, 4]), shape=(2, 3))
    holds(Corpus.from_matrix(matrix), np.array([[0, 4, 0], [0, 0, 0]]))


def test_a_corpus_without_tokens_is_allowed() -> None:
    corpus = Corpus.from_matrix(np.zeros((2, 3)))
    holds(corpus, np.zeros((2, 3), dtype=int))
    assert corpus.to_matrix().shape == (2, 3)
    assert len(corpus.fingerprint) == 64


@pytest.mark.parametrize("form", ["dense", "frame", *FORMATS])
def test_the_input_is_neither_changed_nor_shared(form: str) -> None:
    X: Any = COUNTS.copy()
    if form == "frame":
        X = pd.DataFrame(X)
    elif form != "dense":
        X = in_format(X, form)
    before = copy.deepcopy(X)
    corpus = Corpus.from_matrix(X)
    assert type(X) is type(before)
    if form == "csr":
        X.data[:] = 9
        X.indices[:] = 0
    elif form == "dense":
        np.testing.assert_array_equal(X, before)
        X[:] = 9
    holds(corpus, COUNTS)


def test_unordered_input_stays_unordered() -> None:
    matrix = sparse.csr_matrix(([5, 1, 1], [3, 1, 3], [0, 3]), shape=(1, 4))
    Corpus.from_matrix(matrix)
    assert matrix.data.tolist() == [5, 1, 1]
    assert matrix.indices.tolist() == [3, 1, 3]


def test_nothing_can_be_changed() -> None:
    corpus = Corpus.from_matrix(COUNTS)
    for array in (corpus.doc_offsets, corpus.word_ids, corpus.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError, match="n_docs"):
        corpus.n_docs = 7
    with pytest.raises(AttributeError, match="counts"):
        del corpus.counts
    with pytest.raises(AttributeError, match="extra"):
        corpus.extra = 7
    with pytest.raises(TypeError, match="from_matrix"):
        Corpus(COUNTS)


def test_the_matrix_is_the_callers() -> None:
    corpus = Corpus.from_matrix(COUNTS)
    matrix = corpus.to_matrix()
    matrix.data[:] = 99
    matrix.indices[:] = 0
    matrix.indptr[:] = 0
    holds(corpus, COUNTS)


def test_fingerprint_is_the_documented_one() -> None:
    corpus = Corpus.from_matrix(COUNTS)
    said = hashlib.sha256()
    said.update(np.array([3, 4], dtype="<i8").tobytes())
    said.update(np.array([0, 2, 2, 4], dtype="<i8").tobytes())
    said.update(np.array([1, 3, 0, 3], dtype="<i4").tobytes())
    said.update(np.array([2, 1, 3, 1], dtype="<i4").tobytes())
    assert corpus.fingerprint == said.hexdigest()


def test_equality() -> None:
    corpus, again = Corpus.from_matrix(COUNTS), Corpus.from_matrix(sparse.csc_array(COUNTS))
    assert corpus == again
    assert hash(corpus) == hash(again)
    assert corpus != Corpus.from_matrix(COUNTS[::-1])
    assert corpus != Corpus.from_matrix(np.hstack([COUNTS, np.zeros((3, 1), dtype=int)]))
    assert corpus != Corpus.from_matrix(np.vstack([COUNTS, np.zeros((1, 4), dtype=int)]))
    assert corpus != COUNTS.tolist()


def test_copies_for_other_processes_are_frozen_too() -> None:
    corpus = Corpus.from_matrix(COUNTS, list("abcd"))
    for twin in (copy.copy(corpus), copy.deepcopy(corpus), pickle.loads(pickle.dumps(corpus))):  # noqa: S301
        assert twin == corpus
        holds(twin, COUNTS)
        assert not twin.counts.flags.writeable


def test_repr() -> None:
    text = repr(Corpus.from_matrix(COUNTS))
    assert re.fullmatch(
        "<Corpus: 3 documents, 4 words, 4 entries, 7 tokens, no vocabulary>", text
    ), text
