"""Texts in memory, and new texts counted like old ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow
import pytest

from blocklda import LDA, Corpus, InputError, read_corpus

TEXTS = ["The soup was hot", "Cold soup", ""]


def test_texts_are_counted_as_those_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS[:2]), encoding="utf-8")
    for settings in ({}, {"stop_words": "none", "ngrams": (1, 2)}):
        assert Corpus.from_texts(TEXTS[:2], **settings) == read_corpus(path, **settings)


def test_series_name_their_documents() -> None:
    series = pd.Series(TEXTS, index=["a", "b", "c"])
    assert Corpus.from_texts(series).doc_names == ("a", "b", "c")
    assert Corpus.from_texts(series.reset_index(drop=True)).doc_names is None
    assert Corpus.from_texts(iter(TEXTS), doc_names=["x", "y", "z"]).doc_names == ("x", "y", "z")


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), pd.NA, pd.NaT])
def test_missing_texts_keep_their_rows(missing: object) -> None:
    corpus = Corpus.from_texts(["hot soup", missing, "soup"])  # type: ignore[list-item]
    assert corpus.doc_lengths().tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("hot soup", "texts is a str"),
        (7, "texts is a int"),
        (["hot", 7], r"text \(row\) 1 is 7, a int"),
        ([], "there is no document to count"),
    ],
)
def test_what_is_no_list_of_texts(texts: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(texts)  # type: ignore[arg-type]


def test_new_texts_are_counted_like_the_old_and_unknown_words_told() -> None:
    old = Corpus.from_texts(["hot soup", "cold soup"], stop_words=("the",))
    with pytest.warns(UserWarning, match="2 of 3 tokens are words that the model does not know"):
        new = Corpus.from_texts(["The green salad, the soup"], like=old)
    assert new.vocabulary == old.vocabulary
    assert new.to_matrix().toarray().tolist() == [[0, 0, 1]]
    assert new.text_settings == old.text_settings


def test_files_of_new_texts_tell_of_unknown_words_too(tmp_path: Path) -> None:
    old = Corpus.from_texts(["hot soup", "cold soup"])
    path = tmp_path / "new.csv"
    path.write_text("text\ngreen salad\nsoup\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="2 of 3 tokens"):
        read_corpus(path, like=old)
    path.write_text("text\nthe soup\n", encoding="utf-8")
    assert read_corpus(path, like=old).n_tokens == 1  # stop words are no news


def test_settings_of_the_old_texts_stand() -> None:
    old = Corpus.from_texts(["hot soup"])
    with pytest.raises(InputError, match="leave the text settings out"):
        Corpus.from_texts(["soup"], like=old, min_df=2)
    with pytest.raises(InputError, match="leave vocabulary= out"):
        Corpus.from_texts(["soup"], like=old, vocabulary=["soup"])
    with pytest.raises(InputError, match="has no vocabulary to count them with"):
        Corpus.from_texts(["soup"], like=Corpus.from_matrix([[1, 2]]))


@pytest.mark.parametrize("texts", [TEXTS, tuple(TEXTS), pd.Series(TEXTS), np.array(TEXTS)])
def test_texts_where_counts_are_needed(texts: object) -> None:
    with pytest.raises(InputError, match=r"of texts was given.*Corpus\.from_texts"):
        Corpus.from_matrix(texts)


def test_a_data_frame_is_not_a_list_of_its_columns() -> None:
    frame = pd.DataFrame({"body": TEXTS, "year": [1, 2, 3]})
    with pytest.raises(InputError, match=r"DataFrame .*text_column=, one of: 'body', 'year'"):
        Corpus.from_texts(frame)
    with pytest.raises(InputError, match=r"no column 'text'.*text_column="):
        Corpus.from_texts(frame, text_column="text")
    with pytest.raises(
        InputError, match="text_column='body' names a column, but a list has no columns"
    ):
        Corpus.from_texts(TEXTS, text_column="body")
    assert Corpus.from_texts(frame, text_column="body") == Corpus.from_texts(TEXTS)


def test_columns_of_arrow() -> None:
    table = pyarrow.table({"body": [*TEXTS[:2], None]})
    for given in (table["body"], table["body"].combine_chunks()):
        assert Corpus.from_texts(given) == Corpus.from_texts(TEXTS)
    assert Corpus.from_texts(table, text_column="body") == Corpus.from_texts(TEXTS)


def test_a_frame_where_a_file_name_is_needed() -> None:
    with pytest.raises(InputError, match=r"not a DataFrame; .* Corpus\.from_texts"):
        read_corpus(pd.DataFrame({"text": TEXTS}), text_column="text")  # type: ignore[arg-type]


def test_names_that_do_not_tell_documents_apart(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("id,text\na,soup\nb,soup\na,salad\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="gives 3 documents 2 different names \\('a' 2 times"):
        read_corpus(path, id_column="id")


def test_what_looks_like_texts_where_counts_are_needed() -> None:
    with pytest.raises(InputError, match=r"lists of words were given.*Corpus\.from_tokens"):
        LDA(2).fit([["hot", "soup"], ["soup"]])
    with pytest.raises(InputError, match="put a single text in a list"):
        LDA(2).fit("hot soup")
    with pytest.raises(InputError, match=r"'text'.*If it holds texts, give the column alone"):
        LDA(2).fit(pd.DataFrame({"text": TEXTS, "year": [1, 2, 3]}))


def test_summaries_are_tables_in_notebooks() -> None:
    lda = LDA(2, n_sweeps=20, random_state=0, progress=False).fit(["hot <soup>", "late train"] * 5)
    summaries = lda.topic_summaries(2)
    table = summaries._repr_html_()
    assert table.count("<tr>") == 3
    assert summaries[0].words[0].word in table
    assert isinstance(summaries, tuple)
