"""Texts of users' files do nothing to terminals and spreadsheets."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

import blocklda
from blocklda.files.csv_output import csv_rows
from blocklda.support.harmless import harmless_cell, harmless_text
from tests.cli.terminal import run

OSC_52 = "\x1b]52;c;cm0gLXJmIC8=\x07"
CLEAR = "\x1b[2J\x1b[H"
C1 = "\x9b2J"


@pytest.mark.parametrize("text", [OSC_52, CLEAR, C1, "\x00", "\x7f", "a\rb", "\x08\x08"])
def test_control_characters_are_shown(text: str):
    shown = harmless_text(text)
    assert len(shown) == len(text)
    assert all(letter.isprintable() for letter in shown)


def test_other_texts_stay_as_they_are():
    text = "häuser 房子 पढ़ना\t🏠\n"
    assert harmless_text(text) == text


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "@SUM(A1)", "+cmd", "-cmd", "\tx", "\rx"])
def test_cells_that_a_spreadsheet_would_run(text: str):
    assert harmless_cell(text) == f"'{text}"
    file = io.BytesIO()
    with csv_rows(file) as write_row:
        write_row([text, 1.5])
    assert next(csv.reader(io.StringIO(file.getvalue().decode(), newline=""))) == [
        f"'{text}",
        "1.5",
    ]


@pytest.mark.parametrize("value", ["word", "-1.5", "+2e-3", -3, 0.5, None, "", "a=b"])
def test_other_cells_stay_as_they_are(value: object):
    assert harmless_cell(value) is value


@pytest.fixture(scope="module")
def hostile_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose words and documents are called as an attacker would have it."""
    folder = tmp_path_factory.mktemp("hostile")
    words = [f"{OSC_52}one", f"{CLEAR}two", f"{C1}three", "=HYPERLINK(1)", "five"]
    names = [f"{CLEAR}doc{i}" for i in range(12)]
    matrix = [[1 + (i + j) % 3 for j in range(5)] for i in range(12)]
    corpus = blocklda.Corpus.from_matrix(matrix, vocabulary=words, doc_names=names)
    lda = blocklda.LDA(2, n_sweeps=10, burn_in=2, random_state=1).fit(corpus)
    lda.set_topic_labels({0: f"{OSC_52}label"}).save(folder / "model")
    return folder / "model"


@pytest.mark.parametrize(
    "arguments",
    [
        ("topics", "{model}"),
        ("topics", "{model}", "--json"),
        ("compare-models", "{model}", "{model}"),
        ("misfit", "{model}"),
        ("evaluate", "{model}", "{corpus}"),
        ("report", "{model}", "-o", "{corpus}.html"),
        ("convert", "{corpus}", "{corpus}.mtx"),
        ("fit", "{corpus}", "-k", "2", "--sweeps", "8", "--burn-in", "2", "--chains", "1"),
        ("search", "{corpus}", "-k", "2", "--sweeps", "8", "--burn-in", "2"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_nothing_reaches_the_terminal(hostile_model: Path, arguments: tuple[str, ...]):
    corpus = hostile_model.with_name(f"{CLEAR}corpus.npz")
    blocklda.write_corpus(blocklda.LDA.load(hostile_model).result_.corpus, corpus)
    result = run(*(argument.format(model=hostile_model, corpus=corpus) for argument in arguments))
    assert result.exit_code == 0, result.stderr
    shown = result.stdout + result.stderr
    assert not set(shown) & {"\x1b", "\x07", "\x9b"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_nor_does_a_table_that_a_pipe_gets_as_it_is(hostile_model: Path, tmp_path: Path):
    """Programs get the names as they are; a person who looks at the same table does not."""
    import pty  # noqa: PLC0415  # which Windows lacks

    path = tmp_path / "corpus.npz"
    blocklda.write_corpus(blocklda.LDA.load(hostile_model).result_.corpus, path)
    command = [sys.executable, "-m", "blocklda", "transform", str(hostile_model), str(path)]
    piped = subprocess.run(command, capture_output=True, check=True).stdout
    terminal, end = pty.openpty()
    with os.fdopen(terminal, "rb", buffering=0) as shown:
        process = subprocess.Popen(command, stdin=end, stdout=end, stderr=subprocess.PIPE)
        os.close(end)
        seen = _all_of(shown)
        process.communicate()
    assert process.returncode == 0
    assert CLEAR.encode() in piped
    assert "\ufffd[2J\ufffd[Hdoc11" in seen.decode()
    assert CLEAR.encode() not in seen


def _all_of(terminal: io.FileIO) -> bytes:
    """Read what a terminal was told until nobody has it open: Linux reports that as an error."""
    seen = b""
    try:
        while part := terminal.read(4096):
            seen += part
    except OSError:
        pass
    return seen


def test_nor_in_an_error(tmp_path: Path):
    result = run("fit", tmp_path / f"{CLEAR}x.csv", "-k", "2")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
