"""Matrix Market files, and gensim's, which are of the same kind."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.formats import read_corpus, write_corpus
from blocklda.formats.numbers import entry_lines
from blocklda.formats.streams import line_chunks
from blocklda.support.errors import BlockldaError, CapacityError
from tests.formats.refusals import counts_of, refused, write

BANNER = b"%%MatrixMarket matrix coordinate integer general\n"
SIZES = b"3 4 5\n"
ENTRIES = b"1 2 2\n1 4 1\n3 1 3\n3 2 1\n3 4 1\n"
GOOD = BANNER + SIZES + ENTRIES
REAL = GOOD.replace(b"integer", b"real")
COUNTS = [[0, 2, 0, 1], [0, 0, 0, 0], [3, 1, 0, 1]]


@pytest.fixture(params=[80, 2**20], ids=["small-pieces", "one-piece"])
def _pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_chunks, "CHUNK_BYTES", request.param)


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.rstrip() + b"\n\n",
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b"MatrixMarket matrix", b"matrixmarket MATRIX"),
        BANNER + b"% made by hand\n%\n\n" + SIZES + ENTRIES,
        BANNER + b"3 4 6\n1 1 0\n" + ENTRIES,
        BANNER + b"3   4 5 \n" + ENTRIES.replace(b" ", b"\t"),
        REAL,
        REAL.replace(b"1\n", b"1.0\n").replace(b"3\n", b"3.000000e+00\n"),
        REAL.replace(b"1\n", b"1.\n").replace(b"3\n", b"+3E0\n"),
        BANNER + SIZES + b"3 4 1\n1 4 1\n3 2 1\n1 2 2\n3 1 3\n",
    ],
)
def test_layouts(tmp_path: Path, content: bytes, packed: bool) -> None:
    path = write(tmp_path, gzip.compress(content) if packed else content, "x.mtx")
    corpus = read_corpus(path)
    assert counts_of(corpus) == COUNTS
    assert corpus.vocabulary is None
    write(tmp_path, b"a\nb\nc\nd\n", "x.vocab")
    assert read_corpus(path).vocabulary == tuple("abcd")


@pytest.mark.usefixtures("_pieces")
def test_pattern(tmp_path: Path) -> None:
    banner = BANNER.replace(b"integer", b"pattern")
    path = write(tmp_path, banner + b"2 3 3\n1 1\n1 3\n2 2\n", "x.mtx")
    assert counts_of(read_corpus(path)) == [[1, 0, 1], [0, 1, 0]]
    path = write(tmp_path, banner + b"2 3 2\n1 1\n1 3 1\n", "x.mtx")
    message = refused(path)
    assert 'x.mtx, line 4: 3 fields ("1 3 1") was found; write "document word"' in message


@pytest.mark.parametrize("kind", [np.int32, np.float64])
def test_what_scipy_writes_and_reads(tmp_path: Path, kind: type) -> None:
    path = tmp_path / "x.mtx"
    scipy.io.mmwrite(path, sparse.csr_matrix(np.array(COUNTS, dtype=kind)), symmetry="general")
    assert counts_of(read_corpus(path)) == COUNTS
    write_corpus(Corpus.from_matrix(COUNTS), path)
    assert scipy.io.mmread(path).toarray().tolist() == COUNTS


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"", 1, '"" was found; a Matrix Market file begins with'),
        (SIZES + ENTRIES, 1, '"3 4 5" was found; a Matrix Market file begins with'),
        (b"%%MatrixMarket matrix\n" + SIZES, 1, "a Matrix Market file begins with"),
        (GOOD.replace(b"coordinate", b"array"), 1, 'the layout is "array"'),
        (GOOD.replace(b"integer", b"complex"), 1, 'the values are "complex"'),
        (GOOD.replace(b"general", b"symmetric"), 1, 'the matrix is "symmetric"'),
        (BANNER, 2, "the file ends within its header"),
        (BANNER + b"% so\n\n", 4, "the file ends within its header"),
        (BANNER + b"3 4\n" + ENTRIES, 2, '"3 4" was found; give the numbers of documents'),
        (BANNER + b"0 4 0\n", 2, '"0 4 0" was found'),
        (BANNER + b"x 4 5\n" + ENTRIES, 2, '"x 4 5" was found'),
        (BANNER + b"3 4 13\n" + ENTRIES, 2, "13 entries, more than 3 documents of 4 words"),
        (GOOD + b"1 1 1\n", 8, "an entry beyond the 5 that the header (line 2) announces"),
        (GOOD[:-6], 6, "ends after 4 entries, but the header (line 2) announces 5"),
        (BANNER + b"%\n" + SIZES + b"1 2 2\n1 2 2\n", 5, "ends after 2 entries"),
        (BANNER + b"%\n3 4 2\n1 2 2\n1 2 2\n", 5, "word 2 is already on line 4"),
        (BANNER + SIZES + b"1 5 1\n", 3, 'the word number "5"'),
        (BANNER + SIZES + b"4 1 1\n", 3, 'the document number "4"'),
        (BANNER + SIZES + b"1 1 -1\n", 3, 'the count "-1" was found; counts are whole numbers'),
        (BANNER + SIZES + b"1 1 1.0\n", 3, 'the count "1.0"'),
        (REAL[: -len(ENTRIES)] + b"1 1 0.5\n", 3, 'the count "0.5"'),
        (REAL[: -len(ENTRIES)] + b"1 1 nan\n", 3, 'the count "nan"'),
        (REAL[: -len(ENTRIES)] + b"1 1 1e400\n", 3, 'the count "1e400"'),
        (REAL[: -len(ENTRIES)] + b"1.5 1 1.0\n", 3, 'the document number "1.5"'),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, content: bytes, line: int, said: str) -> None:
    message = refused(write(tmp_path, content, "x.mtx"))
    assert f"x.mtx, line {line}: " in message
    assert said in message


def test_too_large_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, BANNER + b"99999999999 4 5\n", "x.mtx")
    assert "line 2: a corpus of 99999999999 documents" in refused(path, CapacityError)
    path = write(tmp_path, REAL[: -len(ENTRIES)] + b"1 1 3e9\n", "x.mtx")
    assert "line 3: the count 3000000000" in refused(path, CapacityError)


def test_vocabularies_of_the_wrong_length(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD, "x.mtx")
    write(tmp_path, b"a\n", "x.vocab")
    assert "x.mtx, line 2: the header announces 4 words, but" in refused(path)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    text=st.text(alphabet="0123 \t\n.-+eEx\x00", max_size=40),
    kind=st.sampled_from([b"integer", b"real", b"pattern"]),
    chunk_bytes=st.sampled_from([60, 99]),
)
def test_fast_and_slow_reading_agree(text: str, kind: bytes, chunk_bytes: int) -> None:
    def outcome(folder: str, fast: bool) -> str:
        content = BANNER.replace(b"integer", kind) + b"9 9 2\n" + text.encode()
        path = write(Path(folder), content, "x.mtx")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(line_chunks, "CHUNK_BYTES", chunk_bytes)
            if not fast:
                patch.setattr(entry_lines, "usual_numbers", lambda *_: None)
            try:
                return read_corpus(path).fingerprint
            except BlockldaError as error:
                return str(error)

    with tempfile.TemporaryDirectory() as folder:
        assert outcome(folder, fast=True) == outcome(folder, fast=False)
