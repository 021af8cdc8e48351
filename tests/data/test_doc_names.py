"""Names of documents, and the note of how texts became words: kept, checked, never in the way."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from blocklda import Corpus, InputError, split_tokens
from blocklda.data.text_settings import TextSettings
from blocklda.files.corpus_file import read_corpus_file, write_corpus_file

COUNTS = np.array([[2, 0, 1], [0, 3, 0]])
SETTINGS = TextSettings(stop_words=("a", "the"), min_df=2, max_df=0.5, ngrams=(1, 2))


def noted() -> Corpus:
    words = ["ant", "bee", "cow"]
    return Corpus.from_matrix(COUNTS, words, doc_names=["one", "two"], text_settings=SETTINGS)


def notes(corpus: Corpus) -> tuple[Any, ...]:
    return corpus.vocabulary, corpus.doc_names, corpus.text_settings


def test_a_corpus_has_no_names_unless_given() -> None:
    assert notes(Corpus.from_matrix(COUNTS)) == (None, None, None)


def test_names_are_kept() -> None:
    assert notes(noted()) == (("ant", "bee", "cow"), ("one", "two"), SETTINGS)


def test_a_data_frame_names_documents_by_its_index() -> None:
    frame = pd.DataFrame(COUNTS, columns=list("abc"), index=["x", "y"])
    assert Corpus.from_matrix(frame).doc_names == ("x", "y")
    assert Corpus.from_matrix(frame.reset_index(drop=True)).doc_names is None
    assert Corpus.from_matrix(frame, doc_names=["1", "2"]).doc_names == ("1", "2")


def test_documents_may_share_a_name() -> None:
    assert Corpus.from_matrix(COUNTS, doc_names=["x", "x"]).doc_names == ("x", "x")


def test_new_notes_leave_the_others() -> None:
    corpus = Corpus.from_matrix(noted(), doc_names=["1", "2"])
    assert notes(corpus) == (("ant", "bee", "cow"), ("1", "2"), SETTINGS)
    assert Corpus.from_matrix(corpus) is corpus


def test_notes_do_not_make_corpora_differ() -> None:
    bare = Corpus.from_matrix(COUNTS, ["ant", "bee", "cow"])
    assert bare == noted()
    assert hash(bare) == hash(noted())


def test_notes_survive_files_and_processes(tmp_path: Path) -> None:
    write_corpus_file(tmp_path / "corpus.npz", noted())
    assert notes(read_corpus_file(tmp_path / "corpus.npz")) == notes(noted())
    assert notes(pickle.loads(pickle.dumps(noted()))) == notes(noted())  # noqa: S301


def test_both_halves_of_a_split_keep_the_notes() -> None:
    for half in split_tokens(noted(), [0], 0):
        assert notes(half) == notes(noted())


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["one"], "doc_names has 1 names, but the matrix has 2 rows"),
        ("ab", "doc_names is a str"),
        ({"a", "b"}, "doc_names is a set"),
        (["one", 2], r"the name of document \(row\) 1 is 2, a int"),
        (7, "doc_names is a int"),
    ],
)
def test_names_that_cannot_be_used(names: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.from_matrix(COUNTS, doc_names=names)
    with pytest.raises(InputError, match=message):
        Corpus.from_matrix(Corpus.from_matrix(COUNTS), doc_names=names)
