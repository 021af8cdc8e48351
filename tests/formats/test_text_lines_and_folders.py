"""Texts in lines and in folders of files: encodings, line ends, gzip, and what is refused."""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda.formats import FORMATS, read_corpus, write_corpus
from blocklda.formats.streams import text_stream
from blocklda.simulate import bars
from blocklda.support.errors import CapacityError, InputError
from tests.formats.text_files import PLAIN, bags, refused, written

TEXT = "Der Bär brummt\n\nBär, Bär, Biene\n"
BAGS = [{"bär": 1, "brummt": 1, "der": 1}, {}, {"biene": 1, "bär": 2}]


@pytest.fixture(params=[2, 7, 2**18], ids=["tiny-pieces", "small-pieces", "one-piece"])
def pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read two bytes at a time, in pieces smaller than a line, or at once."""
    monkeypatch.setattr(text_stream, "PIECE_BYTES", request.param)


# --- one document a line


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "A.TXT"])
@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (TEXT.encode(), None),
        (TEXT.rstrip().encode(), None),
        (TEXT.replace("\n", "\r\n").encode(), None),
        (TEXT.encode("utf-8-sig"), None),
        (TEXT.encode("utf-8-sig"), "UTF8"),
        (TEXT.encode("latin-1"), "latin-1"),
        (TEXT.encode("cp1252"), "cp1252"),
        (TEXT.encode("utf-16"), "utf-16"),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), "utf-16"),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), "utf-16-le"),
        (TEXT.encode("utf-32"), "utf-32"),
        (TEXT.encode("utf-7"), "utf-7"),
    ],
)
def test_lines(tmp_path: Path, name: str, content: bytes, encoding: str | None) -> None:
    path = written(tmp_path, content, name)
    corpus = read_corpus(path, encoding=encoding, stop_words="none")
    assert bags(corpus) == BAGS
    assert corpus.doc_names is None
    assert corpus.text_settings is not None
    assert corpus.text_settings.stop_words == "none"


def test_gzip_without_its_name(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(TEXT.encode()), "a.txt")
    assert bags(read_corpus(path, stop_words="none")) == BAGS


def test_a_file_named_by_its_format(tmp_path: Path) -> None:
    path = written(tmp_path, "1984\nis a novel", "a.txt")
    assert bags(read_corpus(path, "lines")) == [{"1984": 1}, {"novel": 1}]
    assert "docword" in refused(path)  # a number alone on the first line is what UCI's files have


def test_only_line_feeds_end_a_line(tmp_path: Path) -> None:
    path = written(tmp_path, "a\x85b\u2028c\x0cd\re\nf\r\n", "a.txt")
    settings = {**PLAIN, "token_pattern": r"[^ ]+"}
    assert bags(read_corpus(path, **settings)) == [{"a\x85b\u2028c\x0cd\re": 1}, {"f": 1}]


def test_lines_longer_than_a_chunk(tmp_path: Path) -> None:
    path = written(tmp_path, f"{'cat ' * 2_000_000}\n{'dog ' * 3}", "a.txt")
    assert bags(read_corpus(path)) == [{"cat": 2_000_000}, {"dog": 3}]


def test_a_line_without_end_is_refused_before_memory_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 2**25)
    path = written(tmp_path, b"x" * 2**26, "bomb.txt.gz")
    assert "a text of 1" in refused(path, CapacityError)
    folder = written(tmp_path, b"x" * 2**26, "bombs/a.txt.gz").parent
    with pytest.raises(CapacityError, match=r"and more in .*bombs.a\.txt\.gz needs"):
        read_corpus(folder)


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0"), max_size=30)


@settings(derandomize=True, deadline=None)
@given(
    lines=st.lists(words, min_size=1, max_size=6).filter(lambda lines: "".join(lines).split()),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]),
    piece=st.integers(1, 20),
)
def test_any_characters(lines: list[str], encoding: str, piece: int) -> None:
    lines = [line.removeprefix("\ufeff") for line in lines]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_stream, "PIECE_BYTES", piece)
        path = written(Path(folder), "\n".join(lines).encode(encoding), "a.txt")
        read = list(text_stream.text_lines(path, encoding))
    assert read == (lines if lines[-1] else lines[:-1])


# --- a folder of files


def test_a_folder(tmp_path: Path) -> None:
    for name, text in {
        "b.txt": "second",
        "a.TXT": "first",
        "c.txt.gz": "third",
        "sub/deep/d.txt": "",
        "sub/a.b.txt": "fifth",
        "notes.md": "hidden",
        ".hidden.txt": "hidden",
        ".git/x.txt": "hidden",
    }.items():
        written(tmp_path, text, name)
    corpus = read_corpus(tmp_path, stop_words="none")
    assert corpus.doc_names == ("a", "b", "c", "sub/a.b", "sub/deep/d")
    assert bags(corpus) == [{"first": 1}, {"second": 1}, {"third": 1}, {"fifth": 1}, {}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("piece", [4, 2**18])
def test_files_of_a_folder_in_any_encoding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, piece: int
) -> None:
    monkeypatch.setattr(text_stream, "PIECE_BYTES", piece)
    written(tmp_path, TEXT.encode(encoding), "a.txt")
    written(tmp_path, gzip.compress(TEXT.encode(encoding)), "packed.txt")
    told = None if encoding.startswith("utf-8") else encoding
    corpus = read_corpus(tmp_path, encoding=told, stop_words="none")
    assert bags(corpus) == 2 * [{"biene": 1, "brummt": 1, "bär": 3, "der": 1}]


@pytest.mark.skipif(os.name == "nt", reason="Windows has names of characters, not of bytes")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"gr\xfcn.txt")).write_text("word")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    assert read_corpus(tmp_path).doc_names == ("gr?n",)


def test_a_folder_without_texts(tmp_path: Path) -> None:
    written(tmp_path, "x", "a.md")
    said = refused(tmp_path, InputError)
    assert "have no .txt file; other files: 1 (for example 'a.md'): name a folder" in said
    assert "there is no folder" in refused(tmp_path / "none", InputError, format="texts")
    (tmp_path / "empty").mkdir()
    assert "have no .txt file: name a folder" in refused(tmp_path / "empty", InputError)
    written(tmp_path, "x", "sample/outs/matrix.mtx")
    assert "give the folder" in refused(tmp_path / "sample", InputError)


def test_files_that_are_called_otherwise_are_documents_if_given_themselves(tmp_path: Path) -> None:
    paths = [written(tmp_path, "hot soup\n\nsoup", "a.md"), written(tmp_path, "train", "b.txt")]
    packed = written(tmp_path, "late train", "c.log.gz")
    corpus = read_corpus([*paths, packed], "texts")
    assert corpus.doc_names == ("a.md", "b", "c.log")
    assert bags(corpus) == [{"hot": 1, "soup": 2}, {"train": 1}, {"late": 1, "train": 1}]


def test_the_wrong_file_of_a_folder_is_named(tmp_path: Path) -> None:
    written(tmp_path, "fine", "a.txt")
    path = written(tmp_path, b"fine\nB\xe4r", "sub/b.txt")
    with pytest.raises(InputError) as caught:
        read_corpus(tmp_path)
    assert str(caught.value).startswith(f"{path}, line 2: the byte 0xe4 is not UTF-8 text; ")


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    written(tmp_path, "fine", "a.txt")
    (tmp_path / "b.txt").symlink_to(tmp_path / "gone.txt")
    with pytest.raises(InputError, match=r"there is no file .*b\.txt"):
        read_corpus(tmp_path)


def test_a_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "fine", "sub/a.txt")
    scan = os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert "sub cannot be read (Permission denied); check" in refused(tmp_path, InputError)


# --- what is refused in any text


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "folder/a.txt"])
@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (
            b"fine\nB\xe4r\n",
            {},
            'line 2: the byte 0xe4 is not UTF-8 text; name its encoding, such as encoding="latin-1',
        ),
        (b"fine\n\xc3", {}, "line 2: the byte 0xc3 is not UTF-8 text"),
        (b"a\nb\n\x81", {"encoding": "cp1252"}, "line 3: the byte 0x81 is not CP1252 text"),
        (b"a\xff", {"encoding": "ascii"}, 'such as encoding="utf-8"'),
        (TEXT.encode("utf-16"), {}, 'seems to be UTF-16; read it with encoding="utf-16".'),
        (b"\xfe\xff\0a", {}, 'line 1: the file seems to be UTF-16; read it with encoding="utf-'),
        (b"a\nb\0c", {}, "line 2: there are zero bytes here, so this is binary data"),
        (TEXT.encode("utf-16-le"), {}, "zero bytes"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", {}, "line 1: "),
        (b"a", {"encoding": "undefined"}, "line 1: this is not UNDEFINED text"),
    ],
)
def test_bytes_that_are_no_text(
    tmp_path: Path, name: str, content: bytes, options: dict[str, Any], said: str
) -> None:
    path = written(tmp_path, content, name)
    source = path.parent if path.parent != tmp_path else path
    with pytest.raises(InputError) as caught:
        read_corpus(source, **options)
    assert str(caught.value).startswith(f"{path}, line ")
    assert said in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-9", "base64", "rot13", "", "a\0b", 7])
def test_encodings_that_are_none(tmp_path: Path, encoding: Any) -> None:
    path = written(tmp_path, TEXT, "a.txt")
    with pytest.raises(InputError, match=r"there is no text encoding .* such as encoding="):
        read_corpus(path, encoding=encoding)


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_an_empty_file(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, b"", name)
    assert f"{path}: there is no document to count" in refused(path, InputError)


def test_nothing_is_left(tmp_path: Path) -> None:
    path = written(tmp_path, "\n\n \n", "a.txt")
    assert "no word is left to count: the texts are empty" in refused(path, InputError)
    path = written(tmp_path, "cat\ndog\n", "a.txt")
    assert "min_df=2 and max_df=1.0 leave out all" in refused(path, InputError, min_df=2)


@pytest.mark.parametrize("name", ["a.txt.gz", "folder/a.txt.gz"])
def test_broken_gzip(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "many words\n" * 1000, name)
    source = path.parent if path.parent != tmp_path else path
    packed = path.read_bytes()
    for content, said in (
        (packed[:-9], "the gzip data end too early"),
        (packed[:-3] + b"abc", "the gzip data are damaged"),
        (b"words", "the name ends in .gz, but the file is not gzip data"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            read_corpus(source)
        assert str(caught.value).startswith(f"{path}, line ")
        assert said in str(caught.value)


# --- options and names


def test_options_without_meaning_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, TEXT, "a.txt")
    for options in ({"text_column": "body"}, {"id_column": "id"}):
        with pytest.raises(InputError, match="does not apply to lines files"):
            read_corpus(path, **options)
        with pytest.raises(InputError, match="does not apply to texts files"):
            read_corpus(tmp_path, **options)


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("a.txt", "lines"),
        ("a.TXT.gz", "lines"),
        ("a.csv", "csv"),
        ("a.tsv.gz", "csv"),
        ("a.Tab", "csv"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson.GZ", "jsonl"),
        ("a.parquet", "parquet"),
        ("a.pq", "parquet"),
    ],
)
def test_names_tell_the_format_of_files_that_are_not_there(name: str, format_name: str) -> None:
    found = [one for one, module in FORMATS.items() if module.recognises(Path("nowhere") / name)]
    assert found[0] == format_name


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.parquet"])
def test_texts_are_not_written(tmp_path: Path, name: str) -> None:
    """The order of the words is gone, so no text can be given back."""
    with pytest.raises(InputError, match="files can be read, but not written"):
        write_corpus(bars(n_docs=3).corpus, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
