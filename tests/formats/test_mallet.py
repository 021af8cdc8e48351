"""MALLET's import-file lines."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from blocklda.data.corpus import Corpus
from blocklda.formats import mallet, read_corpus, write_corpus
from blocklda.support.errors import InputError
from tests.formats.refusals import checked_message, counts_of, refused, write

LINES = "d1 en A cat, and the cats.\nd2\tX\tDon't\tstop naïve café\n\n d3 en\n"


def test_lines(tmp_path: Path) -> None:
    path = write(tmp_path, LINES.encode(), "x.mallet")
    corpus = read_corpus(path, stop_words="none")
    assert corpus.doc_names == ("d1", "d2", "d3")
    assert corpus.vocabulary == ("and", "café", "cat", "cats", "don", "naïve", "stop", "the")
    assert counts_of(corpus) == [[1, 0, 1, 1, 0, 0, 0, 1], [0, 1, 0, 0, 1, 1, 1, 0], [0] * 8]
    assert corpus.text_settings is not None
    assert corpus.text_settings.stop_words == "none"
    packed = write(tmp_path, gzip.compress(LINES.encode()), "x.mallet.gz")
    assert read_corpus(packed, stop_words="none") == corpus
    latin = write(tmp_path, LINES.encode("latin-1"), "y.mallet")
    assert read_corpus(latin, stop_words="none", encoding="latin-1") == corpus


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat's 2nd-hand e-mail", ["The", "cat's", "nd-hand", "e-mail"]),
        ("a an and", ["and"]),
        ("(hello) «monde»…", ["hello", "monde"]),
        ("don’t state-of-the-art, x_y_z", ["don’t", "state-of-the-art", "x_y_z"]),
        ("naïve Straße $100 a+b", ["naïve", "Straße"]),
        ("one,two three.four", ["one,two", "three.four"]),
    ],
)
def test_words_as_mallet_finds_them(text: str, words: list[str]) -> None:
    """By hand from its default expression: three or more letters, punctuation between them."""
    assert re.findall(mallet.TOKEN_PATTERN, text) == words


def test_the_pattern_is_a_text_setting(tmp_path: Path) -> None:
    path = write(tmp_path, b"d X The cat's e-mail\n", "x.mallet")
    corpus = read_corpus(path, token_pattern=mallet.TOKEN_PATTERN, stop_words="none")
    assert corpus.vocabulary == ("cat's", "e-mail", "the")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "x.mallet, line 1: the file is empty"),
        (b"\n\n", "x.mallet, line 1: the file is empty"),
        (b"d X cat\n\nd2\n", 'x.mallet, line 3: "d2" was found; write "name label text"'),
        (b"d X cat\nd X c\xff\n", "x.mallet, line 2: the byte 0xff is not UTF-8"),
        (b"\xac\xed\x00\x05sr\x00", "x.mallet holds MALLET's instances, as Java objects"),
    ],
)
def test_wrong_files(tmp_path: Path, content: bytes, said: str) -> None:
    assert said in refused(write(tmp_path, content, "x.mallet"))


def test_nothing_left_to_count(tmp_path: Path) -> None:
    message = refused(write(tmp_path, b"d X the and\n", "x.mallet"), InputError)
    assert "x.mallet: no word is left to count" in message


def test_the_lines_that_are_written(tmp_path: Path) -> None:
    corpus = Corpus.from_matrix([[1, 2], [0, 0]], ["café", "b"], doc_names=["d/1", "d/2"])
    write_corpus(corpus, tmp_path / "x.mallet")
    assert (tmp_path / "x.mallet").read_text(encoding="utf-8") == "d/1 X café b b\nd/2 X\n"
    write_corpus(Corpus.from_matrix([[1, 2]], ["a", "b"]), tmp_path / "x.mallet")
    assert (tmp_path / "x.mallet").read_text(encoding="utf-8") == "0 X a b b\n"


def test_names_with_spaces(tmp_path: Path) -> None:
    corpus = Corpus.from_matrix([[1]], ["a"], doc_names=["my file.txt"])
    with pytest.raises(InputError) as caught:
        write_corpus(corpus, tmp_path / "x.mallet")
    message = checked_message(caught.value, InputError)
    assert "document (row) 0 is called 'my file.txt'" in message
