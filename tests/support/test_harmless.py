"""Texts of users' files do nothing to terminals and spreadsheets."""

from __future__ import annotations

import csv
import io
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


@pytest.mark.parametrize("arguments", [("topics",), ("compare-models", "{model}")])
def test_nothing_reaches_the_terminal(hostile_model: Path, arguments: tuple[str, ...]):
    command, *more = (argument.format(model=hostile_model) for argument in arguments)
    result = run(command, hostile_model, *more)
    assert result.exit_code == 0, result.stderr
    shown = result.stdout + result.stderr
    assert not set(shown) & {"\x1b", "\x07", "\x9b"}


def test_nor_in_an_error(tmp_path: Path):
    result = run("fit", tmp_path / f"{CLEAR}x.csv", "-k", "2")
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
