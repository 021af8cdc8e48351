"""``blocklda report``: what the page is made of, where it goes, and what is refused before."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import blocklda
from tests.cli.commands import QUICK, complaint, run_json
from tests.cli.terminal import run

YEARS = ("1999", "", "2001")
TEXTS = tuple(f"whale ship {word}" for word in ("harbour", "storm", "anchor") * 4)


class Told:
    """Stands for the library: keeps what it was told, and writes a small page."""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}

    def report(self, lda: object, **options: Any) -> Told:
        self.options = options
        return self

    def save(self, path: Path) -> None:
        path.write_text("<!doctype html>" + "x" * 260_000)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    library = Told()
    monkeypatch.setattr("blocklda.cli.commands.report.report", library.report)
    return library


def write_table(path: Path, texts: tuple[str, ...]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = [(f"d{i}", text, YEARS[i % 3]) for i, text in enumerate(texts)]
        csv.writer(file).writerows([("id", "body", "year"), *rows])
    return path


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A table of texts with names, and a model of it."""
    folder = tmp_path_factory.mktemp("named")
    table = write_table(folder / "old.csv", TEXTS)
    reading = ["--text-column", "body", "--id-column", "id"]
    done = run("fit", table, *reading, "-k", "2", *QUICK, "-o", folder / "model", "-q")
    assert (done.exit_code, done.output) == (0, "")
    return table, folder / "model"


def test_a_page_without_texts(files, told, tmp_path):
    page = tmp_path / "my page.HTML"
    done = run("report", files.one_chain, "-o", page)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        f"{page}: 10 topics, 80 documents, 0.3 MB. Open it in a browser; it works offline.\n"
    )
    assert set(told.options.values()) == {None, 0.9}
    assert told.options["interval"] == 0.9


def test_texts_and_groups_reach_the_page(named, told, tmp_path):
    table, model = named
    command = ["report", model, "--input", table, "--text-column", "body", "--by", "year"]
    result = run_json(*command, "--title", "At sea", "--interval", 0.5, "-o", tmp_path / "a.html")
    assert told.options == {
        "texts": TEXTS,
        "groups": YEARS * 4,
        "group_name": "year",
        "title": "At sea",
        "interval": 0.5,
    }
    assert result == {
        "model": str(model),
        "output": str(tmp_path / "a.html"),
        "bytes": (tmp_path / "a.html").stat().st_size,
        "n_topics": 2,
        "documents": 12,
        "texts": True,
        "by": "year",
    }


def test_the_page_is_that_of_the_library(named, tmp_path):
    table, model = named
    page = tmp_path / "a.html"
    command = ["report", model, "--input", table, "--text-column", "body", "--by", "year"]
    done = run(*command, "--title", "At <sea>", "-o", page)
    assert (done.exit_code, done.stderr) == (0, "")
    lda = blocklda.LDA.load(model)
    options = {"groups": YEARS * 4, "group_name": "year", "title": "At <sea>"}
    assert page.read_text(encoding="utf-8") == lda.report(texts=TEXTS, **options).html
    assert run("report", model, "-o", page).exit_code == 0
    assert page.read_text(encoding="utf-8") == lda.report().html


def test_groups_of_a_model_of_counts(files, told, tmp_path):
    table = tmp_path / "years.csv"
    table.write_text("year,stars\n" + "1999,5\n" * files.train.n_docs)
    result = run_json(
        "report", files.one_chain, "--input", table, "--by", "year", "-o", tmp_path / "a.html"
    )
    assert (result["texts"], result["by"]) == (False, "year")
    assert told.options["texts"] is None
    assert told.options["groups"] == ("1999",) * files.train.n_docs


def test_other_documents_are_refused(named, told, tmp_path):
    table, model = named
    options = ["--text-column", "body", "--id-column", "id", "-o", tmp_path / "a.html"]
    fewer = write_table(tmp_path / "fewer.csv", TEXTS[1:])
    said = complaint("report", model, "--input", fewer, *options)
    assert f"{fewer} has 11 documents, but {model} was fitted to 12: give the file that" in said
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace("d7", "e7"))
    said = complaint("report", model, "--input", other, *options)
    assert "document (row) 7 is called 'e7', but" in said
    assert "with the same --id-column." in said
    assert told.options == {}
    assert not (tmp_path / "a.html").exists()


def test_other_words_are_told_with_the_file(named, tmp_path):
    table, model = named
    other, page = tmp_path / "other.csv", tmp_path / "a.html"
    other.write_text(table.read_text().replace("whale", "snail"))
    said = complaint("report", model, "--input", other, "--text-column", "body", "-o", page)
    assert said.startswith(f"blocklda: {other}: texts[")
    assert "the word 'whale' 0 times" in said
    assert not page.exists()


def test_the_old_page_stays_if_there_is_no_new_one(named, tmp_path):
    page = tmp_path / "a.html"
    page.write_text("old")
    complaint("report", named[1], "--input", tmp_path / "nothing.csv", "-o", page)
    assert page.read_text() == "old"
    assert run("report", named[1], "-o", page).exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [page]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "'--output' / '-o': give the file to write, for example -o report.html."),
        (
            ["-o", "page.pdf"],
            "--output 'page.pdf' is not the name of an HTML page: let it end in .html",
        ),
        (["-o", "no/such/a.html"], "there is no folder"),
        (["-o", "a.html", "--interval", "1"], "--interval 1.0 is not allowed"),
        (
            ["-o", "a.html", "--by", "year"],
            "--by 'year' is about the file that was fitted: name it",
        ),
        (["-o", "a.html", "--text-column", "body"], "--text-column 'body' is about the file"),
        (["-o", "a.html", "--format", "csv"], "--format 'csv' is about the file"),
    ],
)
def test_mistakes_that_show_before_the_model_is_read(tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    assert said in complaint("report", "no-such-model", *options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--by", "month"], "there is no column 'month'; name another with --by, one of: 'id'"),
        ([], "it is not clear which column holds the texts: name it with --text-column"),
        (
            ["--format", "uci"],
            "uci files hold counts, not texts: give the file that was",
        ),
        (["--format", "lines", "--by", "year"], "--by 'year' does not apply to lines files"),
        (["--text-column", "body", "--encoding", "magic"], "there is no text encoding 'magic'"),
    ],
)
def test_mistakes_in_reading(named, told, tmp_path, options, said):
    table, model = named
    message = complaint("report", model, "--input", table, *options, "-o", tmp_path / "a.html")
    assert said in message
    assert told.options == {}
    assert list(tmp_path.iterdir()) == []


def test_what_a_page_cannot_use_is_refused_before_it_is_read(files, named, tmp_path):
    page = ["-o", tmp_path / "a.html"]
    said = complaint("report", files.without_draws, "--input", "nothing", "--by", "year", *page)
    assert f"--by 'year' needs draws, but {files.without_draws} has none" in said
    assert run("report", files.without_draws, *page).exit_code == 0
    said = complaint("report", named[1], "--input", files.one_chain, *page)
    assert f"{files.one_chain} is a model, which has counts but no texts" in said


def test_what_is_no_model_is_refused(tmp_path):
    page = tmp_path / "a.html"
    assert "does not exist" in complaint("report", tmp_path / "nothing", "-o", page)
    assert "does not hold a model: give a folder" in complaint("report", tmp_path, "-o", page)
    (tmp_path / "folder.html").mkdir()
    said = complaint("report", tmp_path / "nothing", "-o", tmp_path / "folder.html")
    assert "it is not a file" in said
