"""Texts in tables and records: CSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
import sys
import tempfile
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda.formats import parquet, read_corpus
from blocklda.formats.streams import text_stream
from blocklda.support.errors import FileFormatError, InputError
from blocklda.support.extras import install_command
from tests.formats.text_files import PLAIN, as_parquet, bags, refused, written

CSV = "id,text,stars\n7,the cat sat,5\n,,\n9,cat cat,1\n"
JSONL = (
    '{"id": 7, "text": "the cat sat", "stars": 5}\n'
    '{"text": null}\n'
    '{"stars": 1, "text": "cat cat", "id": "9"}\n'
)
BAGS = [{"cat": 1, "sat": 1}, {}, {"cat": 2}]


# --- right ones


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV),
        ("a.csv.gz", CSV),
        ("a.csv", CSV.rstrip()),
        ("a.csv", "\ufeff" + CSV),
        ("a.csv", CSV.replace("\n", "\r\n")),
        ("a.csv", CSV.replace("\n", "\n\n") + "\n"),
        ("a.csv", CSV.replace(",", ";")),
        ("a.csv", CSV.replace(",", "\t")),
        ("a.tsv", CSV.replace(",", "\t")),
        ("a.tsv.gz", CSV.replace(",", "\t")),
        ("a.csv", CSV.replace("the cat sat", '"the, cat\nsat"').replace("text", '"text"')),
        ("a.jsonl", JSONL),
        ("a.ndjson.gz", JSONL),
        ("a.jsonl", JSONL.rstrip()),
        ("a.jsonl", "\ufeff" + JSONL),
        ("a.jsonl", "\n" + JSONL.replace("\n", "\r\n \r\n")),
        ("a.jsonl", JSONL.replace('"text": null', "")),
    ],
)
@pytest.mark.parametrize("piece", [5, 2**18])
def test_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str, piece: int
) -> None:
    monkeypatch.setattr(text_stream, "PIECE_BYTES", piece)
    path = written(tmp_path, content, name)
    corpus = read_corpus(path)
    assert bags(corpus) == BAGS
    assert corpus.doc_names is None
    assert read_corpus(path, text_column="text", id_column="id").doc_names == ("7", "", "9")


@pytest.mark.parametrize("rows", [1, 512])
def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(parquet, "_ROWS", rows)
    texts = ["the cat sat", None, "cat cat"]
    path = as_parquet(tmp_path, {"id": [7, None, 9], "text": texts, "stars": [5.0, None, 1.0]})
    corpus = read_corpus(path, id_column="id")
    assert bags(corpus) == BAGS
    assert corpus.doc_names == ("7", "", "9")
    coded = pyarrow.array(texts).dictionary_encode()
    large = pyarrow.array(texts, pyarrow.large_string())
    for column in (coded, large):
        path = as_parquet(tmp_path, {"body": column}, "b.pq")
        assert bags(read_corpus(path)) == BAGS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "id,body\na,cat\nb,dog\n"),
        ("a.jsonl", '{"id": "a", "body": "cat"}\n{"id": "b", "body": "dog"}\n'),
    ],
)
def test_columns_by_name(tmp_path: Path, name: str, content: str) -> None:
    path = written(tmp_path, content, name)
    for options in ({"text_column": "body"}, {"text_column": "body", "id_column": "id"}):
        assert bags(read_corpus(path, **options)) == [{"cat": 1}, {"dog": 1}]
    said = refused(path, InputError)
    assert "it is not clear which column holds the texts: name it with text_column=" in said
    assert "one of: 'id', 'body'." in said


def test_the_only_column_beside_the_names(tmp_path: Path) -> None:
    path = written(tmp_path, "id,body\na,cat\nb,dog\n", "a.csv")
    assert bags(read_corpus(path, id_column="id")) == [{"cat": 1}, {"dog": 1}]
    path = written(tmp_path, "body\ncat\ndog\n", "b.csv")
    assert bags(read_corpus(path)) == [{"cat": 1}, {"dog": 1}]


def test_encoding_of_tables(tmp_path: Path) -> None:
    path = written(tmp_path, "text\nBär\n".encode("latin-1"), "a.csv")
    assert bags(read_corpus(path, encoding="latin-1")) == [{"bär": 1}]
    assert "line 2: the byte 0xe4 is not UTF-8" in refused(path)
    path = written(tmp_path, JSONL.encode("utf-16"), "a.jsonl")
    assert bags(read_corpus(path, encoding="utf-16")) == BAGS
    assert "seems to be UTF-16" in refused(path)


def test_fields_of_any_length_leave_the_limit_of_others_alone(tmp_path: Path) -> None:
    path = written(tmp_path, f"text\n{'cat ' * 100_000}\n", "a.csv")
    before = csv.field_size_limit()
    assert bags(read_corpus(path)) == [{"cat": 100_000}]
    assert csv.field_size_limit() == before < 400_000
    refused(written(tmp_path, 'text\n"open\n', "b.csv"))
    assert csv.field_size_limit() == before


# Python's own readers of such files skip zero bytes or refuse them, and so do we.
cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=20)
rows_of_cells = st.lists(st.tuples(cells, cells), min_size=1, max_size=5)


def words_of(text: str) -> dict[str, int]:
    found = text.split()
    return {word: found.count(word) for word in found}


# What separates words for str.split and for \S agree but for four control characters.
def is_plain(rows: list[tuple[str, str]]) -> bool:
    text = " ".join(text for text, _ in rows)
    return any(text.split()) and not set(text) & set("\x1c\x1d\x1e\x1f")


@pytest.mark.filterwarnings("ignore:.* different names")
@settings(derandomize=True, deadline=None)
@given(
    rows=rows_of_cells.filter(is_plain),
    delimiter=st.sampled_from([",", ";", "\t"]),
    line_end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    piece=st.sampled_from([3, 2**18]),
)
def test_what_csv_writes_is_read(
    rows: list[tuple[str, str]], delimiter: str, line_end: str, quoting: int, piece: int
) -> None:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    writer.writerows([("text", "name"), *rows, ("last word", "")])
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_stream, "PIECE_BYTES", piece)
        path = written(Path(folder), file.getvalue(), "a.csv")
        corpus = read_corpus(path, id_column="name", **PLAIN)
    assert bags(corpus) == [*(words_of(text) for text, _ in rows), {"last": 1, "word": 1}]
    assert corpus.doc_names == (*(name for _, name in rows), "")


@pytest.mark.filterwarnings("ignore:.* different names")
@settings(derandomize=True, deadline=None)
@given(rows=rows_of_cells.filter(is_plain), ascii_only=st.booleans())
def test_what_json_writes_is_read(rows: list[tuple[str, str]], ascii_only: bool) -> None:
    lines = [
        json.dumps({"name": name, "text": text}, ensure_ascii=ascii_only)
        for text, name in [*rows, ("last word", "")]
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), "\n".join(lines), "a.jsonl")
        corpus = read_corpus(path, id_column="name", **PLAIN)
    assert bags(corpus) == [*(words_of(text) for text, _ in rows), {"last": 1, "word": 1}]
    assert corpus.doc_names == (*(name for _, name in rows), "")


def test_halves_of_characters_in_json(tmp_path: Path) -> None:
    path = written(tmp_path, '{"text": "a\\ud800 \\ud83d\\ude00", "id": "\\udfff"}', "a.jsonl")
    corpus = read_corpus(path, id_column="id", **PLAIN)
    assert bags(corpus) == [{"a?": 1, "😀": 1}]
    assert corpus.doc_names == ("?",)


# --- wrong ones


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1: the file is empty; the first row holds the names"),
        ("\n\n", "line 1: the file is empty"),
        ("id,text\n1,a,b\n", "line 2: the row has 3 fields, but the first row has 2; put texts"),
        (
            "text\na\nb;c,d\n",
            "quotes, or name the character between columns with delimiter=",
        ),
        ("id,text\n1,a\n\n2\n", "line 4: the row has 1 fields, but the first row has 2"),
        ('id,text\n1,"a\nb\nc"\n2\n', "line 5: the row has 1 fields"),
        ('text\na\n"b\nc\n', "line 3: a double quote is opened here and never closed"),
        ('text\n"a "b" c"\n', "line 2: a field continues after its closing double quote"),
        ("text\rcat\rdog\r", "line 1: there is a carriage return outside quotes"),
        ("text\ncat\0\n", "line 2: there are zero bytes here"),
    ],
)
def test_wrong_csv(tmp_path: Path, content: str, said: str) -> None:
    for name in ("a.csv", "a.csv.gz"):
        assert said in refused(written(tmp_path, content, name))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1: the file has no records"),
        ("\n \n", "line 1: the file has no records"),
        ('{"text": "a"}\n{"text": "b"\n', "line 2, column 13: this is not JSON (Expecting ',' "),
        ('{"text": "a"}\n\nnothing\n', "line 3, column 1: this is not JSON (Expecting value)"),
        ('[{"text": "a"}]', 'line 1: [{"text": "a"}] is not a record; each line holds one'),
        ('{"text": "a"}\n7\n', "line 2: 7 is not a record"),
        ('{"text": "a"}\n{"text": 7}\n', "line 2: 'text' is a number (7), not a text; name"),
        ('{"text": true}\n', "line 1: 'text' is true or false (true), not a text"),
        ('{"text": ["a", "b"]}\n', 'line 1: \'text\' is a list (["a", "b"]), not a text'),
        ('{"text": {"a": 1}}\n', "line 1: 'text' is a record ({\"a\": 1}), not a text"),
        ("[" * 100_000, "line 1: this is not JSON"),
    ],
)
def test_wrong_jsonl(tmp_path: Path, content: str, said: str) -> None:
    for name in ("a.jsonl", "a.jsonl.gz"):
        assert said in refused(written(tmp_path, content, name))


def test_numbers_too_long_to_read(tmp_path: Path) -> None:
    digits = "1" * (sys.get_int_max_str_digits() + 1)
    path = written(tmp_path, f'{{"text": "a", "n": {digits}}}', "a.jsonl")
    assert "line 1: this is not JSON (Exceeds the limit" in refused(path)


def test_names_that_are_none(tmp_path: Path) -> None:
    path = written(tmp_path, '{"text": "a", "id": [1]}', "a.jsonl")
    assert "line 1: 'id' is a list ([1]), not a name" in refused(path, id_column="id")
    path = as_parquet(tmp_path, {"text": ["cat"], "id": [0.5]})
    assert "the column 'id' holds double, not names" in refused(path, InputError, id_column="id")


def table(folder: Path, kind: str, columns: dict[str, list[str | None]]) -> Path:
    """A table of texts in one of the formats."""
    if kind == "parquet":
        return as_parquet(folder, {n: pyarrow.array(c, "string") for n, c in columns.items()})
    rows = list(zip(*columns.values(), strict=True))
    if kind == "jsonl":
        lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
        return written(folder, "\n".join(lines), "a.jsonl")
    file = io.StringIO(newline="")
    csv.writer(file).writerows([[*columns], *rows])
    return written(folder, file.getvalue(), "a.csv")


each_kind = pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])


@each_kind
def test_a_missing_column(tmp_path: Path, kind: str) -> None:
    path = table(tmp_path, kind, {"id": ["a"], "text": ["cat"]})
    said = refused(path, InputError, text_column="body")
    assert (
        "there is no column 'body'; name another with text_column=, one of: 'id', 'text'." in said
    )
    said = refused(path, InputError, id_column="name")
    assert "there is no column 'name'; name another with id_column=" in said
    path = table(tmp_path, kind, {f"column {i}": ["cat"] for i in range(100)})
    assert "'column 19' and 80 more." in refused(path, InputError)


@each_kind
def test_a_column_of_numbers(tmp_path: Path, kind: str) -> None:
    numbers: list[str | None] = ["12", "", " -1,5 ", "1e5", "nan", ".5", None, "7%"]
    path = table(tmp_path, kind, {"text": numbers, "body": ["cat"] * len(numbers)})
    said = refused(path, InputError)
    assert "the column 'text' holds only numbers (for example 7%): name the column of the" in said
    assert read_corpus(path, text_column="body").n_tokens == len(numbers)
    path = table(tmp_path, kind, {"text": [*numbers, "1984 was"]})
    assert bags(read_corpus(path, stop_words="none"))[-1] == {"1984": 1, "was": 1}


@each_kind
def test_empty_texts(tmp_path: Path, kind: str) -> None:
    path = table(tmp_path, kind, {"text": ["", None, " "], "id": ["a", "b", "c"]})
    assert "no word is left to count: the texts are empty" in refused(path, InputError)
    assert read_corpus(path, vocabulary=["cat"]).to_matrix().shape == (3, 1)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_without_rows(tmp_path: Path, kind: str) -> None:
    path = table(tmp_path, kind, {"text": [], "id": []})
    assert "there is no document to count" in refused(path, InputError)


def test_a_name_of_two_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "text,text\na,b\n", "a.csv")
    assert "2 columns are called 'text'; rename" in refused(path, text_column="text")
    assert "it is not clear which column" in refused(path, InputError)


def test_numbers_in_parquet(tmp_path: Path) -> None:
    path = as_parquet(tmp_path, {"price": [1.5, 2.5], "body": ["cat", "dog"]})
    said = refused(path, InputError, text_column="price")
    assert "the column 'price' holds double, not texts: name the column of the texts with" in said
    path = as_parquet(tmp_path, {"text": [b"cat"]})
    assert "holds binary, not texts" in refused(path, InputError)


@pytest.mark.parametrize("n_kept", [0, 3, 60, -9])
def test_broken_parquet(tmp_path: Path, n_kept: int) -> None:
    path = as_parquet(tmp_path, {"text": ["cat"] * 100})
    path.write_bytes(path.read_bytes()[:n_kept])
    assert f"{path}: this cannot be read as Parquet (" in refused(path)


def test_damaged_pages_of_parquet(tmp_path: Path) -> None:
    path = as_parquet(tmp_path, {"text": [f"cat {i}" for i in range(1000)]})
    content = bytearray(path.read_bytes())
    content[4:400] = b"\xff" * 396
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="this cannot be read as Parquet"):
        read_corpus(path)


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = as_parquet(tmp_path, {"text": ["cat"]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert install_command("parquet") in refused(path, InputError)


def test_the_encoding_of_parquet_is_its_own(tmp_path: Path) -> None:
    path = as_parquet(tmp_path, {"text": ["cat"]})
    with pytest.raises(InputError, match="encoding='latin-1' does not apply to parquet files"):
        read_corpus(path, encoding="latin-1")


# --- over the words of another corpus


@each_kind
def test_new_texts_over_the_words_of_old_ones(tmp_path: Path, kind: str) -> None:
    """Counted with the settings of the old ones: pairs of words, and stop words left out."""
    old_texts: list[str | None] = ["the cat sat down", "a cat sat", "no dog"]
    old = read_corpus(
        table(tmp_path, kind, {"text": old_texts}), ngrams=(1, 2), stop_words=["the", "sat"]
    )
    assert old.vocabulary == ("cat", "cat down", "dog", "down", "no", "no dog")
    new_texts = {"text": ["cat the down sat", "zebra", "No dog no"], "id": [*"xyz"]}
    with pytest.warns(UserWarning, match="2 of 9 tokens are words that the model does not know"):
        new = read_corpus(table(tmp_path, kind, new_texts), id_column="id", like=old)
    assert new.vocabulary == old.vocabulary
    assert new.text_settings == old.text_settings
    assert new.doc_names == ("x", "y", "z")
    assert bags(new) == [{"cat": 1, "cat down": 1, "down": 1}, {}, {"dog": 1, "no": 2, "no dog": 1}]
