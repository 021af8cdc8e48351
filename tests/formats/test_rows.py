"""LDA-C and svmlight: lines of id:count pairs, right and wrong."""

from __future__ import annotations

import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from blocklda.data.corpus import Corpus
from blocklda.formats import read_corpus, write_corpus
from blocklda.formats.numbers import count_rows
from blocklda.formats.streams import line_chunks
from blocklda.support.errors import BlockldaError, CapacityError
from tests.formats.refusals import counts_of, refused, write

LDAC = b"2 1:2 3:1\n0\n3 0:3 1:1 3:1\n"
SVM = b"1 2:2 4:1\n-1\n+1 1:3 2:1 4:1\n"
COUNTS = [[0, 2, 0, 1], [0, 0, 0, 0], [3, 1, 0, 1]]


@pytest.fixture(params=[40, 2**20], ids=["small-pieces", "one-piece"])
def _pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_chunks, "CHUNK_BYTES", request.param)


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.ldac", LDAC),
        ("x.ldac", LDAC.rstrip()),
        ("x.ldac", LDAC + b"\n \n"),
        ("x.ldac", LDAC.replace(b"\n", b" \r\n")),
        ("x.ldac", LDAC.replace(b" ", b"  ").replace(b"3:1", b"03:1")),
        ("x.ldac", b"2 3:1 1:2\n0\n3 3:1 0:3 1:1\n"),
        ("x.ldac", LDAC.replace(b":1", b":1.0")),
        ("x.svm", SVM),
        ("x.svm", SVM.replace(b"2:2", b"2:2.0 3:0").replace(b"1:3", b"1:3e0")),
        ("x.svm", SVM.replace(b"1 2:2", b"0.5 qid:7 2:2").replace(b"\n", b" # 3:4\n")),
        ("x.svm", b"# made by hand\n\n" + SVM),
        ("x.svm", b"0 1:2 3:1\n0\n0 0:3 1:1 3:1\n"),
        ("x.svm", b"# Column indices are zero-based\n0 1:2 3:1\n0\n0 0:3 1:1 3:1\n"),
    ],
)
def test_layouts(tmp_path: Path, name: str, content: bytes, packed: bool) -> None:
    path = write(tmp_path, gzip.compress(content) if packed else content, name)
    corpus = read_corpus(path)
    assert counts_of(corpus) == COUNTS
    assert corpus.vocabulary is None
    write(tmp_path, b"a\nb\nc\nd\ne\n", "x.tokens")
    corpus = read_corpus(path)
    assert corpus.vocabulary == tuple("abcde")
    assert counts_of(corpus) == [[*row, 0] for row in COUNTS]


def test_a_comment_says_where_ids_begin(tmp_path: Path) -> None:
    """Without it a file whose first word is unused would be taken for one that begins with 1."""
    body = b"0 1:2 2:1\n"
    assert counts_of(read_corpus(write(tmp_path, body, "x.svm"))) == [[2, 1]]
    commented = b"# Column indices are zero-based\n" + body
    assert counts_of(read_corpus(write(tmp_path, commented, "x.svm"))) == [[0, 2, 1]]
    both = b"# Column indices are one-based\n0 1:2\n0 0:2\n"
    assert "x.svm, line 3: the id 0 was found" in refused(write(tmp_path, both, "x.svm"))


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("comment", ["", "counts"])
def test_what_scikit_learn_writes(tmp_path: Path, zero_based: bool, comment: str) -> None:
    counts = np.array(COUNTS)
    path = tmp_path / "x.svm"
    dump_svmlight_file(counts, [0, 1, 2], str(path), zero_based=zero_based, comment=comment or None)
    assert counts_of(read_corpus(path)) == COUNTS


def test_what_scikit_learn_reads() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.svm"
        write_corpus(Corpus.from_matrix(COUNTS), path)
        matrix, labels = load_svmlight_file(io.BytesIO(path.read_bytes()), zero_based=False)
    assert matrix.toarray().tolist() == COUNTS
    assert labels.tolist() == [0, 0, 0]


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize(
    ("name", "content", "line", "said"),
    [
        ("x.ldac", b"", 1, "there is no document"),
        ("x.ldac", LDAC + b"2 1:1\n", 4, '"2" as the number of pairs on a line with 1'),
        ("x.ldac", LDAC + b"x 1:1\n", 4, '"x" as the number of pairs'),
        ("x.ldac", LDAC + b"1:1 2:1\n", 4, '"1:1" at the beginning was found; the number of pairs'),
        ("x.ldac", LDAC + b"1 1\n", 4, '"1" was found; write "id:count"'),
        ("x.ldac", LDAC + b"1 a:1\n", 4, '"a:1" was found; write "id:count", ids whole numbers'),
        ("x.ldac", LDAC + b"1 -1:1\n", 4, '"-1:1" was found'),
        ("x.ldac", LDAC + b"1 1:0\n", 4, '"1:0" was found; counts are whole numbers from 1'),
        ("x.ldac", LDAC + b"1 1:1.5\n", 4, '"1:1.5" was found'),
        ("x.ldac", LDAC + b"1 1:-2\n", 4, '"1:-2" was found'),
        ("x.ldac", LDAC + b"2 1:1 1:2\n", 4, "the id 1 twice in one document"),
        ("x.ldac", LDAC + b"3 2:1 1:1 2:2\n", 4, "the id 2 twice in one document"),
        ("x.ldac", LDAC + b"1 1:\x001\n", 4, "binary data"),
        ("x.ldac", LDAC + b"\n\n" + LDAC, 4, "the line is blank, but documents follow"),
        ("x.ldac", b"0\n0\n", 1, "no document has a word"),
        ("x.svm", b"# nothing\n", 1, "there is no document"),
        ("x.svm", SVM + b"1:1\n", 4, '"1:1" at the beginning was found; a label stands'),
        ("x.svm", SVM + b"1 2\n", 4, '"2" was found; write "id:count", ids whole numbers from 1'),
        ("x.svm", SVM + b"1 2:0.5\n", 4, '"2:0.5" was found; counts are whole numbers from 0'),
        ("x.svm", SVM + b"1 2:nan\n", 4, '"2:nan" was found'),
        ("x.svm", SVM + b"1 2:-1\n", 4, '"2:-1" was found'),
        ("x.svm", SVM + b"# so\n1 2:1 2:1 # x\n", 5, "the id 2 twice in one document"),
    ],
)  # fmt: skip
def test_wrong_lines_are_named(
    tmp_path: Path, name: str, content: bytes, line: int, said: str
) -> None:
    message = refused(write(tmp_path, content, name))
    assert f"{name}, line {line}: " in message
    assert said in message


@pytest.mark.parametrize(("name", "content"), [("x.ldac", LDAC), ("x.svm", SVM)])
def test_ids_beyond_the_vocabulary(tmp_path: Path, name: str, content: bytes) -> None:
    path = write(tmp_path, content, name)
    write(tmp_path, b"a\nb\nc\n", "x.vocab")
    message = refused(path)
    assert f"{name}, line 1: the id {3 if name == 'x.ldac' else 4} was found" in message
    assert "x.vocab has 3 words" in message
    assert "the vocabulary has 2 words" in refused(path, vocabulary=["a", "b"])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1 2147483647:1\n", "line 1: the id 2147483647"),
        (b"1 99999999999999999999999:1\n", "line 1: the id 99999999999999999999999"),
        (b"1 1:2147483648\n", "line 1: the count 2147483648"),
        (b"2 1:2147483647 2:1\n", "the corpus has 2147483648 tokens"),
    ],
)
def test_too_large_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    message = refused(write(tmp_path, content, "x.ldac"), CapacityError)
    assert "x.ldac" in message
    assert said in message


def test_an_id_beyond_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 10**6)
    message = refused(write(tmp_path, b"1 900000:1\n", "x.ldac"), CapacityError)
    assert "a corpus of 900001 words needs" in message


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    text=st.text(alphabet="0123 :\n\t.-#x\x00", max_size=40),
    name=st.sampled_from(["x.ldac", "x.svm"]),
    chunk_bytes=st.sampled_from([9, 99]),
)
def test_fast_and_slow_reading_agree(text: str, name: str, chunk_bytes: int) -> None:
    def outcome(folder: str, fast: bool) -> str:
        path = write(Path(folder), text.encode(), name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(line_chunks, "CHUNK_BYTES", chunk_bytes)
            if not fast:
                patch.setattr(count_rows.RowReader, "read_usual", lambda *_: None)
            try:
                return read_corpus(path).fingerprint
            except BlockldaError as error:
                return str(error)

    with tempfile.TemporaryDirectory() as folder:
        assert outcome(folder, fast=True) == outcome(folder, fast=False)


@pytest.mark.parametrize("name", ["x.vocab", "x.vocab.txt", "x.tokens", "x.ldac.vocab"])
@pytest.mark.parametrize("packed", [False, True])
def test_where_words_are_found(tmp_path: Path, name: str, packed: bool) -> None:
    path = write(tmp_path, LDAC, "x.ldac")
    content = b"a\nb\nc\nd\n"
    write(tmp_path, gzip.compress(content) if packed else content, name + ".gz" * packed)
    assert read_corpus(path).vocabulary == tuple("abcd")


def test_truncated_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(LDAC * 2000)[:-20]
    assert "the gzip data end too early" in refused(write(tmp_path, packed, "x.ldac.gz"))


def test_text_settings_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, LDAC, "x.ldac")
    with pytest.raises(BlockldaError, match="ldac files hold counts, not texts"):
        read_corpus(path, min_df=2)
