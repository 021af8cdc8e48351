"""``blocklda transform``: a row per document, in every kind of file."""

from __future__ import annotations

import csv
import io
import json
import sys

import numpy as np
import pytest
from pyarrow import parquet

import blocklda
from blocklda.exports.document_topics import write_table
from blocklda.support.extras import install_command
from tests.cli.commands import bars, complaint, run_json, write_uci
from tests.cli.terminal import run

COLUMNS = ["document", *(f"topic_{k}" for k in range(10))]


@pytest.fixture(scope="module")
def expected(files) -> np.ndarray:
    return blocklda.LDA.load(files.three_chains).transform(files.test)


def table(text: str, delimiter: str = ",") -> tuple[list[str], np.ndarray]:
    header, *rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    assert header == COLUMNS
    return [row[0] for row in rows], np.array([row[1:] for row in rows], dtype=float)


def test_standard_output_is_csv(files, expected):
    done = run("transform", files.three_chains, files.new)
    assert (done.exit_code, done.stderr) == (0, "")
    names, found = table(done.stdout)
    assert names == [str(d) for d in range(15)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_files(files, expected, tmp_path):
    for name in ("topics.csv", "topics.tsv", "topics.jsonl", "topics.NPY"):
        done = run("transform", files.three_chains, files.new, "-o", tmp_path / name, "-j", 2)
        said = f"{tmp_path / name}: 15 documents, 10 topics\n"
        assert (done.exit_code, done.stdout, done.stderr) == (0, said, "")
    for name, delimiter in (("topics.csv", ","), ("topics.tsv", "\t")):
        _, found = table((tmp_path / name).read_text(encoding="utf-8"), delimiter)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    lines = (tmp_path / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["document"] for row in rows] == list(range(15))
    np.testing.assert_array_equal([row["topics"] for row in rows], expected)
    np.testing.assert_array_equal(np.load(tmp_path / "topics.NPY"), expected)


def test_parquet(tmp_path):
    shares = np.array([[0.25, 0.75], [1.0, 0.0]])
    write_table(tmp_path / "topics.parquet", ["a", "b"], shares)
    read = parquet.read_table(tmp_path / "topics.parquet").to_pydict()
    assert read == {"document": ["a", "b"], "topic_0": [0.25, 1.0], "topic_1": [0.75, 0.0]}


def test_parquet_needs_an_extra(files, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "topics.parquet"
    said = complaint("transform", files.one_chain, files.new, "-o", path)
    assert install_command("parquet") in said
    assert list(tmp_path.iterdir()) == []


def test_documents_keep_their_names(tmp_path):
    names = ['said "yes"', "a,b", "größe\tΩ", "two\nlines"]
    shares = np.eye(4)[:, :3] + 0.125
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
        write_table(tmp_path / f"t{suffix}", names, shares)
        text = (tmp_path / f"t{suffix}").read_bytes().decode()
        _, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        assert [row[0] for row in rows] == names
        np.testing.assert_array_equal(np.array([row[1:] for row in rows], dtype=float), shares)
    write_table(tmp_path / "t.jsonl", names, shares)
    lines = (tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["document"] for line in lines] == names


def test_json(files, expected, tmp_path):
    result = run_json("transform", files.three_chains, files.new)
    np.testing.assert_array_equal(result["doc_topic"], expected)
    assert result["documents"] == list(range(15))
    written = run_json("transform", files.three_chains, files.new, "-o", tmp_path / "t.npy")
    assert written["output"] == str(tmp_path / "t.npy")
    assert "doc_topic" not in written


def test_draws_and_sweeps_are_passed_on(files):
    result = run_json("transform", files.three_chains, files.new, "--draws", 1, "--sweeps", 8)
    model = blocklda.LDA.load(files.three_chains)
    np.testing.assert_array_equal(
        result["doc_topic"], model.transform(files.test, n_draws=1, n_sweeps=8)
    )


def test_words_in_another_order_and_unknown_ones(files, expected, tmp_path):
    words = [*reversed(files.test.vocabulary), "unheard-of"]
    matrix = files.test.to_matrix().toarray()[:, ::-1]
    corpus = blocklda.Corpus.from_matrix(np.column_stack([matrix, np.eye(15, 1)]), words)
    done = run("transform", files.three_chains, write_uci(tmp_path, "other", corpus))
    assert done.exit_code == 0
    assert done.stderr.startswith("blocklda: warning: 1 of 1,501 tokens are words that the model")
    assert done.stderr.count("\n") == 1
    np.testing.assert_allclose(table(done.stdout)[1], expected, rtol=1e-5)


def test_an_empty_document_keeps_its_row(files, tmp_path):
    matrix = files.test.to_matrix().toarray()
    matrix[3] = 0
    corpus = blocklda.Corpus.from_matrix(matrix, files.test.vocabulary)
    done = run("transform", files.one_chain, write_uci(tmp_path, "holes", corpus))
    assert "1 of 15 documents is empty, in row 3" in done.stderr
    _, found = table(done.stdout)
    alpha = blocklda.LDA.load(files.one_chain).alpha_
    np.testing.assert_allclose(found[3], alpha / alpha.sum(), rtol=1e-4)


def test_mistakes_leave_nothing_behind(files, tmp_path):
    def said(*options: object) -> str:
        return complaint("transform", files.one_chain, *options)

    assert "--output 't.ods' does not show" in said(files.new, "-o", "t.ods")
    assert "cannot write" in said(files.new, "-o", tmp_path / "no" / "folder.csv")
    assert "there is no file" in said(tmp_path / "missing.txt", "-o", tmp_path / "t.csv")
    assert "--draws 0 is not allowed" in said(files.new, "--draws", 0, "-o", tmp_path / "t.csv")
    assert "--sweeps 0 is not allowed" in said(files.new, "--sweeps", 0, "-o", tmp_path / "t.csv")
    nameless = bars(5)
    other = blocklda.Corpus.from_matrix(nameless.to_matrix()[:, :7], nameless.vocabulary[:7])
    path = write_uci(tmp_path, "few", other)
    (tmp_path / "vocab.few.txt").unlink()
    assert "7 words and the model 25" in said(path, "-o", tmp_path / "t.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["docword.few.txt"]
