"""Damaged workbooks, and archives that unpack without end, are refused in one sentence."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from blocklda.formats import read_corpus
from blocklda.support.errors import CapacityError, FileFormatError
from tests.cli.terminal import run

openpyxl = pytest.importorskip("openpyxl")

SHEET = "xl/worksheets/sheet1.xml"
CELL = b'<c r="B3" t="inlineStr"><is><t>dog cat apple</t></is></c>'


def workbook(path: Path, change: Callable[[bytes], bytes] = bytes) -> Path:
    """Write a small workbook, its sheet changed."""
    book = openpyxl.Workbook()
    for row in (("id", "text"), ("a", "apple crow"), ("b", "dog cat apple")):
        book.active.append(row)
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {one.filename: archive.read(one) for one in archive.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, change(content) if name == SHEET else content)
    return path


def test_the_workbook_that_these_cases_break_can_be_read(tmp_path) -> None:
    assert read_corpus(workbook(tmp_path / "x.xlsx"), text_column="text").n_tokens == 5


DAMAGES = {
    "cut": lambda sheet: sheet[:-300],
    "a string that is not there": lambda sheet: sheet.replace(
        CELL, b'<c r="B3" t="s"><v>77</v></c>'
    ),
    "not a number": lambda sheet: sheet.replace(CELL, b'<c r="B3" t="n"><v>zz</v></c>'),
    "a column beyond all": lambda sheet: sheet.replace(b'"B3"', b'"ZZZZZZZ3"'),
    "no sheet": lambda _: b"",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_behind_the_first_row(tmp_path, damage) -> None:
    path = workbook(tmp_path / "x.xlsx", damage)
    with pytest.raises(FileFormatError, match=r"x\.xlsx: this cannot be read as a workbook"):
        read_corpus(path, text_column="text")


def test_a_cell_that_unpacks_without_end(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 2**22)
    path = workbook(tmp_path / "x.xlsx", lambda sheet: sheet.replace(b"dog", b"a " * 2**20))
    assert path.stat().st_size < 2**15
    with pytest.raises(CapacityError, match="unpacking it needs"):
        read_corpus(path, text_column="text")


@pytest.mark.parametrize("name", ["x.xlsx", "x.bin"])
def test_the_command_line_reads_it_with_limits(tmp_path, monkeypatch, name) -> None:
    """By its name as by the name of the format."""
    monkeypatch.setattr("blocklda.cli.options.limited_reading.SECONDS", 0.0)
    path = workbook(tmp_path / name)
    format_ = () if name.endswith("xlsx") else ("--format", "xlsx")
    result = run("convert", path, tmp_path / "x.npz", "--text-column", "text", *format_)
    assert result.exit_code == 2
    assert "was not read within 0 s" in result.stderr
