"""Several files as one corpus, and what they must have in common."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from blocklda import Corpus, InputError, read_corpus, write_corpus
from blocklda.cli import app
from blocklda.formats import read_texts
from tests.cli.commands import QUICK, bars, complaint, run_json
from tests.cli.terminal import run

TEXTS = ["hot soup", "late train", "cold soup", "the train was late"]


def tables(folder: Path, header: str = "id,text,year") -> list[Path]:
    """Write two tables, the second of them gzip."""
    first, second = folder / "2019.csv", folder / "2020.csv.gz"
    first.write_text(f"id,text,year\n1,{TEXTS[0]},2019\n2,{TEXTS[1]},2019\n", encoding="utf-8")
    rows = f"{header}\n3,{TEXTS[2]},2020\n4,{TEXTS[3]},2020\n"
    second.write_bytes(gzip.compress(rows.encode()))
    return [first, second]


def test_tables_of_texts(tmp_path: Path) -> None:
    paths = tables(tmp_path)
    frequent = read_corpus(paths, text_column="text", min_df=2)
    assert frequent == Corpus.from_texts(TEXTS, min_df=2)  # document frequencies are those of all
    corpus = read_corpus(paths, text_column="text", id_column="id")
    assert corpus.doc_names == ("1", "2", "3", "4")
    assert read_corpus(tuple(map(str, paths)), like=corpus) == corpus
    texts = read_texts(paths, group_column="year")
    assert texts.groups == ("2019", "2019", "2020", "2020")
    assert texts.texts == tuple(TEXTS)


def test_the_command_line_from_fit_to_report(tmp_path: Path) -> None:
    paths, model = tables(tmp_path), tmp_path / "model"
    result = run("fit", *paths, "--text-column", "text", "-k", "2", *QUICK, "-o", model)
    assert result.exit_code == 0
    command = f"report {model} --input {paths[0]} --input {paths[1]} --text-column text"
    assert command in result.stdout
    inputs = [part for path in paths for part in ("--input", path)]
    page = tmp_path / "report.html"
    found = run_json("report", model, *inputs, "--text-column", "text", "--by", "year", "-o", page)
    assert (found["documents"], found["texts"], found["by"]) == (4, True, "year")
    shares = run_json("groups", model, *inputs, "--text-column", "text", "--by", "year")
    assert {row["group"] for row in shares["shares"]} == {"2019", "2020"}
    assert shares["input"] == list(map(str, paths))
    assert len(run_json("transform", model, *paths, "--text-column", "text")["doc_topic"]) == 4
    facts = run_json("convert", *paths, tmp_path / "both.npz", "--text-column", "text")
    assert (facts["documents"], facts["input"]) == (4, list(map(str, paths)))
    assert "is a model: give it without other inputs" in complaint("fit", model, *paths, "-k", "2")


def test_help_speaks_of_paths() -> None:
    said = run("fit", "--help").stdout
    assert re.search("INPUT +<paths>|paths +INPUT", said)  # as newer and older Typer put it
    assert "list[" not in said


def test_commands_to_copy_do_not_name_very_many_files(tmp_path: Path) -> None:
    paths = []
    for i in range(6):
        paths.append(tmp_path / f"{i}.log")
        paths[-1].write_text(TEXTS[i % 4], encoding="utf-8")
    options = ("--format", "texts", "-k", "2", *QUICK, "-o", tmp_path / "model")
    said = run("fit", *paths, *options).stdout
    assert f"report {tmp_path / 'model'} -o report.html" in said
    assert "--input" not in said


def test_standard_input_is_one_of_them(tmp_path: Path) -> None:
    more = tmp_path / "more.txt"
    more.write_text("cold soup\n", encoding="utf-8")
    command = ["fit", "-", str(more), "-k", "2", *QUICK, "--json"]
    done = CliRunner().invoke(app, command, input="hot soup\nlate train\n")
    assert json.loads(done.stdout)["documents"] == 3


def test_folders_and_lines(tmp_path: Path) -> None:
    for year, text in (("2019", TEXTS[0]), ("2020", TEXTS[1])):
        (tmp_path / year).mkdir()
        (tmp_path / year / "may.txt").write_text(text, encoding="utf-8")
    corpus = read_corpus([tmp_path / "2019", tmp_path / "2020"])
    assert corpus == Corpus.from_texts(TEXTS[:2])
    assert corpus.doc_names == ("2019/may", "2020/may")
    lines = tmp_path / "lines.txt"
    lines.write_text("\n".join(TEXTS), encoding="utf-8")
    assert read_corpus([lines, lines]) == Corpus.from_texts(TEXTS * 2)


@pytest.mark.parametrize("ending", ["mtx", "ldac", "npz", "svm"])
def test_counts(tmp_path: Path, ending: str) -> None:
    whole = bars(40)
    matrix = whole.to_matrix()
    paths = [tmp_path / f"{part}.{ending}" for part in "ab"]
    for path, part in zip(paths, (matrix[:15], matrix[15:]), strict=True):
        write_corpus(Corpus.from_matrix(part, whole.vocabulary), path)
    assert read_corpus(paths) == whole
    write_corpus(Corpus.from_matrix(matrix, (whole.vocabulary or ())[::-1]), paths[1])
    with pytest.raises(
        InputError, match=r"b\.\w+ has different words from .*a\.\w+, from column 0 on"
    ):
        read_corpus(paths)
    write_corpus(Corpus.from_matrix([[1, 2]], ["a", "b"]), paths[1])
    with pytest.raises(InputError, match=r"b\.\w+ has 2 words, but .*a\.\w+ has 25: several files"):
        read_corpus(paths)


def test_names_of_documents_are_kept_if_all_have_them(tmp_path: Path) -> None:
    for name in ("a", "b"):
        corpus = Corpus.from_matrix([[1, 2]], ["x", "y"], doc_names=[name])
        write_corpus(corpus, tmp_path / f"{name}.npz")
    write_corpus(Corpus.from_matrix([[1, 2]], ["x", "y"]), tmp_path / "c.npz")
    paths = [tmp_path / f"{name}.npz" for name in "abc"]
    assert read_corpus(paths[:2]).doc_names == ("a", "b")
    assert read_corpus(paths).doc_names is None


def test_other_kinds_and_other_columns(tmp_path: Path) -> None:
    first, second = tables(tmp_path, header="id,body,year")
    lines = tmp_path / "lines.txt"
    lines.write_text("soup\n", encoding="utf-8")
    said = complaint("fit", first, lines, "-k", "2", "--text-column", "text")
    assert "several inputs must have the same format" in said
    assert f"{first} is read as csv and {lines} as lines; convert them to one format" in said
    said = complaint("fit", first, second, "-k", "2", "--text-column", "text")
    assert f"{second}, line 1: there is no column 'text'; name another with --text-column" in said
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("text\nsoup\n", encoding="utf-8")
    other.write_text("body\nsoup\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"in the column 'body', but in .*one\.csv, line 1 in 'te"):
        read_corpus([one, other])
    with pytest.raises(InputError, match="there is no file to read"):
        read_corpus([])
    missing = tmp_path / "missing.csv"
    assert str(missing) in complaint("fit", first, missing, "-k", "2", "--text-column", "text")
