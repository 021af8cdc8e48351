"""The texts themselves: those whose words are counted, with names and groups, in the same order."""

from __future__ import annotations

import csv
import datetime
import decimal
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda.data.corpus import Corpus
from blocklda.formats import FORMATS, TextFormat, Texts, read_corpus, read_texts
from blocklda.support.errors import CapacityError, InputError
from tests.formats.refusals import checked_message
from tests.formats.text_files import as_parquet, written

TEXTS = ("The cat,\nthe dog", "", "Zwölf Bären; 12")
NAMES = ("a", "", "c")
YEARS = ("1999", "", "2001")


def as_csv(folder: Path, rows: list[tuple[str, ...]], name: str = "a.csv", **how: Any) -> Path:
    file = io.StringIO(newline="")
    csv.writer(file, **how).writerows(rows)
    return written(folder, file.getvalue(), name)


def as_json(folder: Path, records: list[dict[str, Any]], name: str = "a.jsonl") -> Path:
    return written(folder, "\n".join(map(json.dumps, records)), name)


def table(folder: Path, kind: str) -> Path:
    """The same three documents in every kind of table."""
    rows = list(zip(TEXTS, NAMES, YEARS, strict=True))
    if kind == "csv":
        return as_csv(folder, [("body", "id", "year"), *rows])
    if kind == "tsv":
        return as_csv(folder, [("body", "id", "year"), *rows], "a.tsv.gz", delimiter="\t")
    if kind == "jsonl":
        records = [
            {name: one for name, one in zip(("body", "id", "year"), row, strict=True) if one}
            for row in rows
        ]
        return as_json(folder, records)
    columns = {"body": TEXTS, "id": NAMES, "year": YEARS}
    return as_parquet(folder, {name: [v or None for v in c] for name, c in columns.items()})


each_kind = pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])


@each_kind
def test_tables(tmp_path: Path, kind: str) -> None:
    path = table(tmp_path, kind)
    assert read_texts(path, text_column="body") == Texts(TEXTS, None, None)
    found = read_texts(path, text_column="body", id_column="id", group_column="year")
    assert found == Texts(TEXTS, NAMES, YEARS)
    assert found.n_docs == 3
    corpus = read_corpus(path, text_column="body", id_column="id")
    assert corpus == Corpus.from_texts(TEXTS, doc_names=NAMES)
    assert corpus.doc_names == NAMES


@each_kind
def test_one_column_may_serve_twice(tmp_path: Path, kind: str) -> None:
    path = table(tmp_path, kind)
    found = read_texts(path, text_column="body", id_column="year", group_column="year")
    assert found == Texts(TEXTS, YEARS, YEARS)
    assert read_texts(path, text_column="body", group_column="body").groups == TEXTS


@each_kind
def test_groups_of_a_table_without_texts(tmp_path: Path, kind: str) -> None:
    path = table(tmp_path, kind)
    assert read_texts(path, group_column="year") == Texts(None, None, YEARS)
    found = read_texts(path, id_column="id", group_column="year")
    assert found == Texts(None, NAMES, YEARS)
    assert found.n_docs == 3


def test_the_column_of_texts_is_that_of_the_corpus(tmp_path: Path) -> None:
    rows = [("id", "text", "year"), ("a", "cat", "1"), ("b", "dog", "2")]
    assert read_texts(as_csv(tmp_path, rows), group_column="year").texts == ("cat", "dog")
    two = as_csv(tmp_path, [("body", "id"), ("cat", "a"), ("dog", "b")])
    assert read_texts(two, id_column="id").texts == ("cat", "dog")
    assert read_texts(two, id_column="id", group_column="body").texts is None
    one = as_csv(tmp_path, [("year",), ("1",), ("2",)])
    assert read_texts(one, group_column="year") == Texts(None, None, ("1", "2"))


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_lines(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "The cat\r\n\r\n dog \n", name)
    assert read_texts(path) == Texts(("The cat", "", " dog "), None, None)


def test_encodings(tmp_path: Path) -> None:
    path = written(tmp_path, "Bär\nWölfe\n".encode("latin-1"), "a.txt")
    assert read_texts(path, encoding="latin-1").texts == ("Bär", "Wölfe")


def test_a_folder(tmp_path: Path) -> None:
    written(tmp_path, "second\n", "b/c.txt.gz")
    written(tmp_path, "first", "a.txt")
    assert read_texts(tmp_path) == Texts(("first", "second\n"), ("a", "b/c"), None)
    assert read_corpus(tmp_path).doc_names == ("a", "b/c")


def test_mallet_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "one X The  cat\n\ntwo X\n", "a.mallet")
    assert read_texts(path) == Texts(("The  cat", ""), ("one", "two"), None)
    other = written(tmp_path, "one X The  cat\n", "a.txt")
    assert read_texts(other, "mallet").texts == ("The  cat",)


# --- groups of every kind


def test_groups_in_json_are_written_as_in_the_file(tmp_path: Path) -> None:
    values = [2020, 1.5, True, None, "a\ud800", float("nan"), "", -3]
    path = as_json(tmp_path, [{"text": "cat", "by": value} for value in values])
    expected = ("2020", "1.5", "true", "", "a?", "", "", "-3")
    assert read_texts(path, group_column="by").groups == expected


@pytest.mark.parametrize(
    ("values", "groups"),
    [
        ([2020, None, -1], ("2020", "", "-1")),
        ([2020.0, None, float("nan"), 0.5], ("2020", "", "", "0.5")),
        ([True, None, False], ("true", "", "false")),
        ([datetime.date(2020, 2, 29), None], ("2020-02-29", "")),
        (
            [datetime.datetime(2020, 2, 29, 12, 0, 0, 500_000), datetime.datetime(2020, 1, 1)],
            ("2020-02-29 12:00:00.500000", "2020-01-01 00:00:00"),
        ),
        (np.array(["2020-01-01"], "datetime64[ns]"), ("2020-01-01 00:00:00",)),
        ([decimal.Decimal("1.50")], ("1.50",)),
        (pyarrow.array(["x", None, "x"]).dictionary_encode(), ("x", "", "x")),
        (pyarrow.array([7, None, 7]).dictionary_encode(), ("7", "", "7")),
        ([None, None], ("", "")),
    ],
)
def test_groups_in_parquet(tmp_path: Path, values: Any, groups: tuple[str, ...]) -> None:
    path = as_parquet(tmp_path, {"by": values, "text": ["cat"] * len(groups)})
    assert read_texts(path, group_column="by") == Texts(("cat",) * len(groups), None, groups)


def test_what_documents_cannot_be_grouped_by(tmp_path: Path) -> None:
    path = as_json(tmp_path, [{"text": "cat", "by": 1}, {"text": "cat", "by": [1]}])
    said = refusal(path, group_column="by")
    assert f"{path}, line 2: 'by' is a list ([1]), and documents cannot be grouped by it" in said
    path = as_parquet(tmp_path, {"text": ["cat"], "by": [[1]]})
    assert "the column 'by' holds list<" in refusal(path, group_column="by")


# --- refusals


def refusal(path: Path, *arguments: Any, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_texts(path, *arguments, **options)
    return checked_message(caught.value, type(caught.value))


@each_kind
def test_a_group_that_is_missing(tmp_path: Path, kind: str) -> None:
    said = refusal(table(tmp_path, kind), text_column="body", group_column="month")
    assert "there is no column 'month'; name another with group_column=, one of: 'body'" in said


def test_groups_have_no_meaning_without_columns(tmp_path: Path) -> None:
    lines = written(tmp_path, "cat\n", "a.txt")
    mallet = written(tmp_path, "a X cat\n", "a.mallet")
    for path, name in ((lines, "lines"), (tmp_path, "texts"), (mallet, "mallet")):
        said = refusal(path, group_column="year")
        assert f"group_column='year' does not apply to {name} files" in said


COUNTS = sorted(name for name, module in FORMATS.items() if not isinstance(module, TextFormat))


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_no_texts(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "1\n", "a.file")
    said = refusal(path, name)
    assert f"{path}: {name} files hold counts, not texts: give the file that was" in said
    assert said.endswith("one of: csv, jsonl, lines, mallet, parquet, texts, xlsx.")


def test_which_formats_hold_counts(tmp_path: Path) -> None:
    assert {"uci", "npz", "h5ad", "gensim", "mallet-state", "svmlight", "ldac"} < set(COUNTS)
    path = tmp_path / "a.npz"
    scipy.sparse.save_npz(path, scipy.sparse.csr_array(np.eye(2, dtype=int)))
    assert "npz files hold counts" in refusal(path)


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("a.csv", "", {}),
        ("a.csv", "id,text\n1,a,b\n", {}),
        ("a.csv", 'text\na\n"b\nc\n', {}),
        ("a.csv", "id,body\na,b\n", {}),
        ("a.csv", "text\n12\n7\n", {}),
        ("a.csv", "text\ncat\n", {"text_column": "body"}),
        ("a.csv", "text\ncat\n", {"encoding": "klingon"}),
        ("a.jsonl", '{"text": "a"}\n{"text": 7}\n', {}),
        ("a.jsonl", '{"text": "a"}\n{"text":\n', {}),
        ("a.jsonl", '{"text": "a"}\n', {"id_column": "id"}),
        ("a.parquet", "no such thing", {}),
        ("a.txt", b"B\xe4r\n", {}),
        ("a.txt", "a\0b", {}),
        ("a.txt", "cat\n", {"text_column": "body"}),
        ("a.mallet", "one\n", {}),
        ("a.mallet", "\n", {}),
    ],
)
def test_files_are_refused_as_for_a_corpus(
    tmp_path: Path, name: str, content: str | bytes, options: dict[str, str]
) -> None:
    path = written(tmp_path, content, name)
    with pytest.raises(InputError) as caught:
        read_corpus(path, **options)
    assert refusal(path, **options) == str(caught.value)


def test_only_formats_of_texts_are_offered(tmp_path: Path) -> None:
    path = written(tmp_path, "cat\n", "a.bin")
    offered = "one of: csv, jsonl, lines, mallet, parquet, texts, xlsx."
    assert refusal(path).endswith(f"give it with format=, {offered}")
    said = refusal(path, "magic")
    assert said == f"there is no format 'magic'; use {offered.replace(' csv', ' auto, csv')}"


def test_nothing_there(tmp_path: Path) -> None:
    assert "there is no file" in refusal(tmp_path / "a.csv")
    for name, content in {"a.csv": "text\n", "a.txt": ""}.items():
        path = written(tmp_path, content, name)
        assert refusal(path) == f"{path}: there is no document; check that this is the right one."


def test_more_text_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 2**26)
    path = written(tmp_path, (b"x" * 2**20 + b"\n") * 100, "bomb.txt.gz")
    with pytest.raises(CapacityError, match=r"continuing to read .*bomb\.txt\.gz after \d+ bytes"):
        read_texts(path)


# --- whatever the characters

cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12)
rows_of_cells = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=5)


@settings(derandomize=True, deadline=None)
@given(rows=rows_of_cells, kind=st.sampled_from(["csv", "jsonl", "parquet"]))
def test_what_is_written_is_read(rows: list[tuple[str, str, str]], kind: str) -> None:
    rows = [*rows, ("a word", "last", "group")]  # a column of numbers alone is refused
    names = ("text", "id", "by")
    with tempfile.TemporaryDirectory() as folder:
        if kind == "csv":
            path = as_csv(Path(folder), [names, *rows])
        elif kind == "jsonl":
            path = as_json(Path(folder), [dict(zip(names, row, strict=True)) for row in rows])
        else:
            columns = map(list, zip(*rows, strict=True))
            path = as_parquet(Path(folder), dict(zip(names, columns, strict=True)))
        found = read_texts(path, id_column="id", group_column="by")
    assert found == Texts(*zip(*rows, strict=True))
