"""Inputs that would never end, or never fit: pipes, devices, texts and patterns without end."""

from __future__ import annotations

import gzip
import os
import sys
import threading
from pathlib import Path

import pytest

import blocklda
from blocklda.formats.streams import text_stream
from blocklda.formats.words import pattern_limit
from tests.cli.terminal import run

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files and signals")


@posix
@pytest.mark.parametrize("name", ["pipe.csv", "pipe.txt", "docword.pipe.txt", "pipe.h5ad"])
def test_pipes_are_refused_at_once(tmp_path: Path, name: str):
    os.mkfifo(tmp_path / name)
    with pytest.raises(blocklda.InputError, match="is a pipe or a device, not a file"):
        blocklda.read_corpus(tmp_path / name)


@posix
def test_devices_are_refused_at_once():
    result = run("fit", "/dev/zero", "-k", "2", "--format", "lines")
    assert result.exit_code == 2
    assert "/dev/zero is a pipe or a device, not a file" in result.stderr
    assert "use - as the input" in result.stderr


@pytest.mark.parametrize("name", ["long.csv.gz", "long.txt.gz", "long.jsonl.gz"])
def test_a_text_without_end_is_refused_before_it_is_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setattr(text_stream, "LONGEST_TEXT", 2**20)
    with gzip.open(tmp_path / name, "wb", 1) as file:
        file.write(
            b'{"text": "b"}\n' + b"a " * 2**22 if "json" in name else b"text\n" + b"a " * 2**22
        )
    with pytest.raises(blocklda.FileFormatError, match="a text has more than 1,048,576 characters"):
        blocklda.read_corpus(tmp_path / name)


SLOW = "(?:a|a)*b"


@posix
def test_a_pattern_that_takes_for_ever_is_ended(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pattern_limit, "SECONDS", 0.2)
    with pytest.raises(blocklda.InputError, match=r"token_pattern=.* takes too long"):
        blocklda.Corpus.from_texts(["a" * 40, "ab ab"], token_pattern=SLOW)
    # Nothing is left behind: other patterns have the time they need.
    assert blocklda.Corpus.from_texts(["ab ab", "ab"], token_pattern=SLOW).n_tokens == 3


@posix
def test_so_is_that_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pattern_limit, "SECONDS", 0.2)
    texts = ["ab aab", "ab", "aab aab", "ab ab"]
    corpus = blocklda.Corpus.from_texts(texts, token_pattern=SLOW)
    blocklda.LDA(2, n_sweeps=10, burn_in=2, random_state=1).fit(corpus).save(tmp_path / "model")
    lda = blocklda.LDA.load(tmp_path / "model")
    with pytest.raises(blocklda.InputError, match="takes too long"):
        lda.transform(["a" * 40])


def test_other_threads_have_no_limit_and_no_error():
    found = []
    thread = threading.Thread(
        target=lambda: found.append(blocklda.Corpus.from_texts(["ab ab"], token_pattern=SLOW))
    )
    thread.start()
    thread.join()
    assert found[0].n_tokens == 2
