"""UCI bag-of-words files: the real ones, invented ones, and every way to be wrong."""

from __future__ import annotations

import gzip
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from blocklda.data.corpus import Corpus
from blocklda.formats import FORMATS, read_corpus
from blocklda.formats.numbers import entry_lines
from blocklda.formats.streams import line_chunks
from blocklda.formats.words import vocabulary
from blocklda.support.errors import BlockldaError, CapacityError, FileFormatError, InputError

HEADER = b"3\n4\n5\n"
ENTRIES = b"1 2 2\n1 4 1\n3 1 3\n3 2 1\n3 4 1\n"
COUNTS = [[0, 2, 0, 1], [0, 0, 0, 0], [3, 1, 0, 1]]


def write(folder: Path, content: bytes, name: str = "docword.x.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def refused(path: Any, error: type[BlockldaError] = FileFormatError, **options: Any) -> str:
    """The message with which a file is refused: one line, ended by a full stop."""
    with pytest.raises(error) as caught:
        read_corpus(path, **options)
    assert type(caught.value) is error
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


@pytest.fixture(params=[32, 2**20], ids=["small-pieces", "one-piece"])
def pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in pieces of a few lines, or at once."""
    monkeypatch.setattr(line_chunks, "CHUNK_BYTES", request.param)


def counts_of(corpus: Corpus) -> list[list[int]]:
    rows: list[list[int]] = corpus.to_matrix().toarray().tolist()
    return rows


# --- real data


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "figures", "ends"),
    [
        ("kos", (3430, 6906, 353_160, 467_714, 43), ("aarp", "zones")),
        ("nips", (1500, 12_419, 746_316, 1_932_365, 132), ("a2i", "zwislocki")),
    ],
)
def test_real_corpora(
    data_dir: Path, name: str, figures: tuple[int, ...], ends: tuple[str, str]
) -> None:
    corpus = read_corpus(data_dir / f"docword.{name}.txt.gz")
    assert (
        corpus.n_docs,
        corpus.n_words,
        corpus.n_entries,
        corpus.n_tokens,
        corpus.max_count,
    ) == figures
    assert corpus.vocabulary is not None
    assert (corpus.vocabulary[0], corpus.vocabulary[-1]) == ends


@pytest.mark.realdata
def test_kos_line_by_line(data_dir: Path) -> None:
    """The same corpus through the plainest reading there is."""
    path = data_dir / "docword.kos.txt.gz"
    with gzip.open(path, "rt", encoding="ascii") as lines:
        n_docs, n_words, _ = (int(next(lines)) for _ in range(3))
        counts = np.zeros((n_docs, n_words), dtype=np.int64)
        for line in lines:
            doc, word, count = map(int, line.split())
            counts[doc - 1, word - 1] = count
    assert Corpus.from_matrix(counts).fingerprint == read_corpus(path).fingerprint


# --- files that are right


@pytest.mark.parametrize(
    "content",
    [
        HEADER + ENTRIES,
        (HEADER + ENTRIES).rstrip(),
        HEADER + ENTRIES + b"\n \n\r\n",
        (HEADER + ENTRIES).replace(b"\n", b"\r\n"),
        (HEADER + ENTRIES).replace(b" ", b"\t"),
        HEADER + ENTRIES.replace(b"\n", b" \n").replace(b"3 4", b"  3   04"),
        b"\xef\xbb\xbf" + HEADER + ENTRIES,
        HEADER + b"3 4 1\n1 4 1\n3 2 1\n1 2 2\n3 1 3\n",
    ],
    ids=["plain", "no-end", "blank-end", "crlf", "tabs", "spaces", "bom", "any-order"],
)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.usefixtures("pieces")
def test_layouts(tmp_path: Path, content: bytes, packed: bool) -> None:
    if packed:
        path = write(tmp_path, gzip.compress(content), "docword.x.txt.gz")
    else:
        path = write(tmp_path, content)
    corpus = read_corpus(path)
    assert counts_of(corpus) == COUNTS
    assert corpus.vocabulary is None


def test_gzip_is_recognised_without_its_name(tmp_path: Path) -> None:
    assert counts_of(read_corpus(write(tmp_path, gzip.compress(HEADER + ENTRIES)))) == COUNTS


def test_gzip_of_several_members(tmp_path: Path) -> None:
    content = gzip.compress(HEADER) + gzip.compress(ENTRIES[:9]) + gzip.compress(ENTRIES[9:])
    assert counts_of(read_corpus(write(tmp_path, content))) == COUNTS


def test_no_entries(tmp_path: Path) -> None:
    corpus = read_corpus(write(tmp_path, b"2\n3\n0\n"))
    assert (corpus.n_docs, corpus.n_words, corpus.n_tokens) == (2, 3, 0)


def test_path_as_text_and_format_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + ENTRIES, "counts.data")
    assert counts_of(read_corpus(str(path), format="uci")) == COUNTS
    assert "uci" in FORMATS


counts_matrices = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.sampled_from([0, 0, 1, 2, 30, 2**30]),
)


@settings(derandomize=True, deadline=None)
@given(
    counts=counts_matrices.filter(lambda counts: counts.sum() < 2**31),
    shuffle=st.randoms(use_true_random=False),
    separator=st.sampled_from([" ", "\t", "  "]),
    line_end=st.sampled_from(["\n", "\r\n", " \n"]),
    chunk_bytes=st.integers(20, 200),
)
def test_what_is_written_is_read(
    counts: np.ndarray, shuffle: Any, separator: str, line_end: str, chunk_bytes: int
) -> None:
    entries = [(d + 1, w + 1, counts[d, w]) for d, w in zip(*np.nonzero(counts), strict=True)]
    shuffle.shuffle(entries)
    lines = [*map(str, counts.shape), str(len(entries))]
    lines += [separator.join(map(str, entry)) for entry in entries]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_chunks, "CHUNK_BYTES", chunk_bytes)
        path = write(Path(folder), "".join(line + line_end for line in lines).encode())
        assert read_corpus(path) == Corpus.from_matrix(counts)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    place=st.integers(0, len(HEADER + ENTRIES) - 1),
    byte=st.integers(0, 255),
    chunk_bytes=st.sampled_from([16, 2**20]),
)
def test_one_wrong_byte_never_escapes_as_another_error(
    place: int, byte: int, chunk_bytes: int
) -> None:
    content = bytearray(HEADER + ENTRIES)
    content[place] = byte
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_chunks, "CHUNK_BYTES", chunk_bytes)
        path = write(Path(folder), bytes(content))
        try:
            corpus = read_corpus(path)
        except BlockldaError as error:
            assert re.search(r"docword\.x\.txt, line \d+: ", str(error))  # noqa: PT017
        else:
            assert corpus.n_entries == int(content.split()[2])


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    text=st.text(alphabet="019 \t\r\n-+._x\x00²", max_size=40), chunk_bytes=st.sampled_from([7, 99])
)
def test_fast_and_slow_reading_agree(text: str, chunk_bytes: int) -> None:
    def outcome(folder: str, fast: bool) -> str:
        path = write(Path(folder), b"9\n9\n2\n" + text.encode())
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


# --- files that are wrong


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"", 1, "ends within its header"),
        (b"3\n", 2, "ends within its header"),
        (b"3\n4", 3, "ends within its header"),
        (b"x\n4\n5\n" + ENTRIES, 1, '"x" as the number of documents'),
        (b"3\n4.0\n5\n" + ENTRIES, 2, '"4.0" as the number of words'),
        (b"3\n4\n-5\n" + ENTRIES, 3, '"-5" as the number of entries'),
        (b"0\n4\n0\n", 1, '"0" as the number of documents; it must be a whole number of at least'),
        (b"3\n0\n0\n", 2, '"0" as the number of words'),
        (b"\n3\n4\n5\n" + ENTRIES, 1, '"" as the number of documents'),
        (b"3 4 5\n" + ENTRIES, 1, '"3 4 5" as the number of documents'),
        (b"3\n4\n13\n" + ENTRIES, 3, "13 entries, more than 3 documents of 4 words can have"),
        (HEADER + b"1 2\n" + ENTRIES, 4, '2 fields ("1 2")'),
        (HEADER + b"1 2 3 4\n" + ENTRIES, 4, '4 fields ("1 2 3 4")'),
        (HEADER + b"1 2 1 1\n1 4\n" + ENTRIES[6:], 4, "4 fields"),
        (HEADER + b"1 2 1 1 4 1\n" + ENTRIES[12:], 4, "6 fields"),
        (HEADER + b"1 2 1\n" + b"1 x 1\n" + ENTRIES[12:], 5, 'the word number "x"'),
        (HEADER + ENTRIES[:6] + b"4 1 1\n", 5, 'the document number "4" was found; documents are'),
        (HEADER + ENTRIES[:6] + b"0 1 1\n", 5, 'the document number "0" was found; documents are'),
        (HEADER + ENTRIES[:6] + b"1 5 1\n", 5, 'the word number "5" was found; words are numbered'),
        (HEADER + ENTRIES[:6] + b"1 0 1\n", 5, 'the word number "0"'),
        (HEADER + ENTRIES[:6] + b"1 1 0\n", 5, 'the count "0"'),
        (HEADER + ENTRIES[:6] + b"1 1 -1\n", 5, 'the count "-1"'),
        (HEADER + ENTRIES[:6] + b"1 1 +1\n", 5, 'the count "+1"'),
        (HEADER + ENTRIES[:6] + b"1 1 1.0\n", 5, 'the count "1.0"'),
        (HEADER + ENTRIES[:6] + b"1 1 1_0\n", 5, 'the count "1_0"'),
        (HEADER + ENTRIES[:6] + b"1 9999999999999999999999999 1\n", 5, "the word number"),
        (HEADER + ENTRIES[:6] + "1 1 ٣\n".encode(), 5, r'the count "\xd9\xa3"'),
        (HEADER + ENTRIES[:6] + b"1 \x001 1\n", 5, "binary data"),
        (HEADER + ENTRIES[:6] + b"\n" + ENTRIES[6:], 5, "the line is blank"),
        (HEADER + ENTRIES[:12] + b" \n\n\n" + ENTRIES[12:], 6, "the line is blank"),
        (HEADER + b"\n" + ENTRIES, 4, "the line is blank"),
        (HEADER + ENTRIES[:-6], 7, "ends after 4 entries, but the header (line 3) announces 5"),
        (HEADER, 3, "ends after 0 entries, but the header (line 3) announces 5"),
        (HEADER + ENTRIES + b"2 2 1\n", 9, "an entry beyond the 5 that the header"),
        (HEADER + ENTRIES[:24] + b"1 4 1\n", 8, "document 1, word 4 is already on line 5"),
        (HEADER + b"3 1 1\n1 1 1\n1 1 2\n1 1 3\n3 1 1\n", 6, "word 1 is already on line 5"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, content: bytes, line: int, said: str) -> None:
    message = refused(write(tmp_path, content))
    assert f"docword.x.txt, line {line}: " in message
    assert said in message


def test_a_wrong_line_far_into_a_large_file(tmp_path: Path) -> None:
    lines = [b"%d %d 1\n" % (d, w) for d in range(1, 301) for w in range(1, 1001)]
    lines[250_000] = b"251 1 one\n"
    path = write(tmp_path, b"300\n1000\n300000\n" + b"".join(lines))
    assert 'line 250004: the count "one"' in refused(path)


def test_long_rubbish_is_shortened(tmp_path: Path) -> None:
    message = refused(write(tmp_path, HEADER + b"1 1 " + b"z" * 10_000 + b"\n"))
    assert len(message) < 300 + len(str(tmp_path))
    assert "zzz…" in message


def test_a_line_without_end_is_refused_early(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + b"1" * (3 * line_chunks.CHUNK_BYTES))
    assert "line 4: the line is longer than" in refused(path)


@pytest.mark.parametrize("n_lost", [1, 4, 8, 9, 12, 60])
def test_truncated_gzip(tmp_path: Path, n_lost: int) -> None:
    rng = np.random.default_rng(0)
    pairs = sorted(rng.choice(40_000, size=5000, replace=False).tolist())
    body = b"".join(b"%d %d 1\n" % (p // 200 + 1, p % 200 + 1) for p in pairs)
    packed = gzip.compress(b"200\n200\n5000\n" + body)
    message = refused(write(tmp_path, packed[:-n_lost], "docword.x.txt.gz"))
    found = re.search(r"docword\.x\.txt\.gz, line (\d+): the gzip data end too early", message)
    assert found is not None, message
    assert 4900 < int(found[1]) <= 5004


def test_gzip_truncated_in_its_header(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(HEADER + ENTRIES)[:5], "docword.x.txt.gz")
    assert "line 1: the gzip data end too early" in refused(path)


def test_a_wrong_line_before_the_break_is_told_first(tmp_path: Path) -> None:
    packed = gzip.compress(HEADER + b"1 2 x\n" + ENTRIES)
    assert 'line 4: the count "x"' in refused(write(tmp_path, packed[:-8], "docword.x.txt.gz"))


@pytest.mark.parametrize("place", [12, 20, -8, -3])
def test_damaged_gzip(tmp_path: Path, place: int) -> None:
    packed = bytearray(gzip.compress(HEADER + ENTRIES))
    packed[place] ^= 0xFF
    message = refused(write(tmp_path, bytes(packed), "docword.x.txt.gz"))
    assert re.search(r"docword\.x\.txt\.gz, line \d+: ", message)


def test_rubbish_after_gzip(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(HEADER + ENTRIES) + b"rubbish", "docword.x.txt.gz")
    assert "the gzip data are damaged" in refused(path)


@pytest.mark.parametrize("content", [HEADER + ENTRIES, b""])
def test_named_gz_but_not_gzip(tmp_path: Path, content: bytes) -> None:
    message = refused(write(tmp_path, content, "docword.x.txt.gz"))
    assert "docword.x.txt.gz, line 1: the name ends in .gz, but the file is not gzip" in message


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"999999999999999999\n4\n5\n", "line 1: a corpus of 999999999999999999 documents"),
        (b"3\n99999999999999\n5\n", "line 2: a corpus of 99999999999999 words"),
        (b"300000\n400000\n99999999999\n", "line 3: a corpus of 99999999999 entries"),
        (HEADER + b"1 1 2147483648\n", "line 4: the count 2147483648"),
        (b"1\n2\n2\n1 1 2147483647\n1 2 1\n", "the corpus has 2147483648 tokens"),
    ],
)
def test_too_large_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    message = refused(write(tmp_path, content), error=CapacityError)
    assert "docword.x.txt" in message
    assert said in message


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"1000000\n4\n5\n", 1), (b"3\n9000000\n5\n", 2), (b"3000\n400\n900000\n", 3)],
)
def test_a_header_beyond_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, line: int
) -> None:
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 10**6)
    message = refused(write(tmp_path, content), error=CapacityError)
    assert f"line {line}: a corpus of" in message
    assert "976.6 KiB are available" in message


# --- the file itself


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    assert "there is no file" in refused(tmp_path / "docword.none.txt", InputError)
    assert "there is no file" in refused(tmp_path / "none", InputError)
    assert "is a folder" in refused(tmp_path, InputError, format="uci")
    assert "is a folder" in refused(tmp_path, InputError, format="uci")
    assert "cannot be opened" in refused("docword.\0.txt", InputError)
    assert "cannot be opened" in refused("docword." + "x" * 5000, InputError)
    assert "a file name is needed" in refused(7, InputError)
    assert "a file name is needed" in refused([[1, 2]], InputError)


def test_unknown_formats(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + ENTRIES, "counts.data")
    known = ", ".join(sorted(FORMATS))
    assert f"there is no format 'docx'; use one of: auto, {known}." in refused(
        path, InputError, format="docx"
    )
    assert f"one of: {known}." in refused(path)


# --- vocabulary


@pytest.mark.parametrize("docword", ["docword.x.txt", "docword.x.txt.gz"])
@pytest.mark.parametrize("vocab", ["vocab.x.txt", "vocab.x.txt.gz"])
def test_the_vocabulary_beside_is_found(tmp_path: Path, docword: str, vocab: str) -> None:
    for name, content in ((docword, HEADER + ENTRIES), (vocab, "a\nb\nnaïve\nd\n".encode())):
        write(tmp_path, gzip.compress(content) if name.endswith(".gz") else content, name)
    assert read_corpus(tmp_path / docword).vocabulary == ("a", "b", "naïve", "d")


def test_a_given_vocabulary_comes_first(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + ENTRIES)
    write(tmp_path, b"a\nb\nc\nd\n", "vocab.x.txt")
    other = write(tmp_path, b"\xef\xbb\xbfw\r\nx\r\ny y\r\nz", "words")
    assert read_corpus(path, vocabulary=list("efgh")).vocabulary == tuple("efgh")
    assert read_corpus(path, vocabulary=other).vocabulary == ("w", "x", "y y", "z")
    assert read_corpus(path, vocabulary=str(other)).vocabulary == ("w", "x", "y y", "z")


def test_unicode_line_ends_are_part_of_a_word(tmp_path: Path) -> None:
    path = write(tmp_path, "a\x85b\nc\u2028d\n".encode(), "words")
    assert vocabulary.read_vocabulary(path) == ("a\x85b", "c\u2028d")


def test_vocabularies_of_the_wrong_length(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + ENTRIES)
    assert "has 2 words, but the matrix has 4 columns" in refused(
        path, InputError, vocabulary=["a", "b"]
    )
    assert "is a dict" in refused(path, InputError, vocabulary=dict.fromkeys("abcd"))
    write(tmp_path, b"a\nb\nc\n", "vocab.x.txt")
    message = refused(path)
    assert "docword.x.txt, line 2: the header announces 4 words" in message
    assert "vocab.x.txt has 3" in message


@pytest.mark.usefixtures("pieces")
@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"", 1, "is empty"),
        (b"\n\n", 1, "is empty"),
        (b"a\nb\n\nd\n", 3, "blank"),
        (b"a\nb\n \nd\n", 3, "blank"),
        (b"a\nb\nc\nb\n", 4, "the word 'b' is already on line 2"),
        (b"a" * 20 + b"\n" + b"b" * 20 + b"\nc\xff\nd\n", 3, "the byte 0xff is not UTF-8"),
        (b"a\nb\0\nc\nd\n", 2, "binary"),
    ],
)
def test_wrong_vocabulary_files(tmp_path: Path, content: bytes, line: int, said: str) -> None:
    path = write(tmp_path, HEADER + ENTRIES)
    write(tmp_path, content, "vocab.x.txt")
    message = refused(path)
    assert f"vocab.x.txt, line {line}: " in message
    assert said in message


def test_a_vocabulary_that_is_not_there(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + ENTRIES)
    assert "there is no file" in refused(path, InputError, vocabulary=tmp_path / "none")
