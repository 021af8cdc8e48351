"""Corpus: what it takes, what it refuses and in which words."""

from __future__ import annotations

import copy
import hashlib
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from blocklda.corpus import MAX_TOKENS, Corpus
from blocklda.errors import BlockldaError, CapacityError, InputError

COUNTS = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 1]])
FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]

matrices = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.sampled_from([0, 0, 0, 1, 2, 7, 120]),
)


def refused(X: Any, vocabulary: Any = None, error: type[BlockldaError] = InputError) -> str:
    """The message with which X is refused: one sentence, ended by a full stop."""
    with pytest.raises(error) as caught:
        Corpus.from_matrix(X, vocabulary)
    assert type(caught.value) is error
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def in_format(counts: Any, form: Any) -> Any:
    """The same counts as a sparse matrix of the format that is named."""
    matrix: Any = counts if sparse.issparse(counts) else sparse.csr_matrix(counts)
    return matrix.asformat(form)


def coo(values: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    coordinates = (np.asarray(rows, dtype=int), np.asarray(columns, dtype=int))
    return sparse.coo_matrix((np.asarray(values), coordinates), shape=shape)


def holds(corpus: Corpus, counts: np.ndarray) -> None:
    """Check every public number of a corpus against the dense counts, written out plainly."""
    offsets, words, values = [0], [], []
    for row in counts:
        for word, count in enumerate(row):
            if count:
                words.append(word)
                values.append(int(count))
        offsets.append(len(words))
    assert corpus.doc_offsets.tolist() == offsets
    assert corpus.word_ids.tolist() == words
    assert corpus.counts.tolist() == values
    assert (corpus.n_docs, corpus.n_words) == counts.shape
    assert corpus.n_entries == len(words)
    assert corpus.n_tokens == sum(values)
    assert corpus.max_count == max(values, default=0)
    assert corpus.doc_lengths().tolist() == [int(row.sum()) for row in counts]


# --- what it is


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


# --- data frames


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


# --- what is refused


def with_value(value: Any, form: str, dtype: Any = None) -> Any:
    counts = COUNTS.astype(dtype or np.asarray(value).dtype)
    counts[2, 3] = value
    return counts if form == "dense" else in_format(counts, form)


@pytest.mark.parametrize("form", ["dense", *FORMATS])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (-2, "-2; counts are whole numbers from 0"),
        (-2.0, "-2.0; counts are whole numbers from 0"),
        (-0.5, "-0.5; counts are whole numbers from 0"),
        (0.5, "0.5; counts are whole numbers, and fractions look like TF-IDF"),
        (np.nan, "nan; counts are whole numbers"),
        (np.inf, "inf; counts are finite"),
        (-np.inf, "-inf; counts are finite"),
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
        (COUNTS.astype(object), "object"),
        (COUNTS.astype(str), "<U21"),
        (COUNTS.astype("m8[s]"), "timedelta64"),
        (sparse.csr_matrix(COUNTS.astype(complex)), "complex128"),
        ([["a", "b"]], "<U1"),
        ([[1, None]], "object"),
    ],
)
def test_wrong_types_are_named(X: Any, said: str) -> None:
    assert f"the matrix has dtype {said}" in refused(X)


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
    assert f"has {MAX_TOKENS + 1} tokens, and at most {MAX_TOKENS}" in message


def test_too_many_words_or_documents_are_refused() -> None:
    wide = coo([1], [0], [0], shape=(1, 2**31))
    assert str(2**31) in refused(wide, error=CapacityError)
    tall = coo([1], [0], [0], shape=(10**15, 1))
    assert str(10**15) in refused(tall, error=CapacityError)


def test_a_matrix_beyond_memory_is_refused_before_it_is_converted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("blocklda.memory.available_bytes", lambda: 1000)
    tall = coo([1], [0], [0], shape=(2000, 1))
    assert "62.5 KiB of memory, and 1000 bytes are available" in refused(tall, error=CapacityError)


# --- vocabulary


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


# --- frozen, comparable


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
