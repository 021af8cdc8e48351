"""Documents over the words of another corpus."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from blocklda import Corpus, InputError
from blocklda.data.word_columns import over_vocabulary

MODEL = Corpus.from_matrix([[1, 1, 1]], ["ant", "bee", "cow"])


def test_columns_are_found_by_name() -> None:
    corpus = Corpus.from_matrix([[5, 7], [0, 2]], ["cow", "ant"], doc_names=["x", "y"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mapped = over_vocabulary(corpus, MODEL)
    assert mapped.to_matrix().toarray().tolist() == [[7, 0, 5], [2, 0, 0]]
    assert (mapped.vocabulary, mapped.doc_names) == (("ant", "bee", "cow"), ("x", "y"))


def test_unknown_words_are_left_out_with_a_warning() -> None:
    corpus = Corpus.from_matrix([[5, 7], [0, 2]], ["dog", "bee"])
    with pytest.warns(UserWarning, match="5 of 14 tokens are words .*'dog'"):
        mapped = over_vocabulary(corpus, MODEL)
    assert mapped.to_matrix().toarray().tolist() == [[0, 7, 0], [0, 2, 0]]


def test_a_document_of_unknown_words_keeps_its_row() -> None:
    corpus = Corpus.from_matrix([[5, 0], [0, 2]], ["dog", "bee"])
    with pytest.warns(UserWarning, match="left out"):
        assert over_vocabulary(corpus, MODEL).doc_lengths().tolist() == [0, 2]


def test_the_same_words_change_nothing() -> None:
    corpus = Corpus.from_matrix([[5, 7, 0]], ["ant", "bee", "cow"])
    assert over_vocabulary(corpus, MODEL) is corpus


def test_without_names_the_order_is_trusted() -> None:
    corpus = Corpus.from_matrix([[5, 7, 0]])
    mapped = over_vocabulary(corpus, MODEL)
    assert mapped.vocabulary == MODEL.vocabulary
    assert np.array_equal(mapped.counts, corpus.counts)
    nameless = Corpus.from_matrix([[1, 1, 1]])
    named = Corpus.from_matrix([[5, 7, 0]], ["x", "y", "z"])
    assert over_vocabulary(named, nameless) is named
    with pytest.raises(InputError, match="the documents have 2 words and the model 3"):
        over_vocabulary(Corpus.from_matrix([[5, 7]]), MODEL)
