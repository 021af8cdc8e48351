"""``blocklda convert``: the same counts in another file."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import blocklda
from tests.cli.commands import complaint, run_json
from tests.cli.terminal import run


@pytest.mark.parametrize(
    "name", ["docword.copy.txt", "docword.copy.txt.gz", "copy.npz", "copy.mtx"]
)
def test_counts_and_words_stay_the_same(files, tmp_path, name):
    done = run("convert", files.documents, tmp_path / name)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path / name}: 80 documents, 25 words, 8,000 tokens\n"
    assert blocklda.read_corpus(tmp_path / name) == files.train


def test_a_format_may_be_named(files, tmp_path):
    result = run_json("convert", files.documents, tmp_path / "file.dat", "--to", "npz")
    assert (result["documents"], result["output"]) == (80, str(tmp_path / "file.dat"))
    again = run("convert", tmp_path / "file.dat", tmp_path / "back.mtx", "--format", "npz")
    assert again.exit_code == 0
    back = blocklda.read_corpus(tmp_path / "back.mtx")
    assert back.fingerprint == files.train.fingerprint


def test_the_corpus_of_a_model(files, tmp_path):
    assert run("convert", files.one_chain, tmp_path / "corpus.npz").exit_code == 0
    assert blocklda.read_corpus(tmp_path / "corpus.npz") == files.train


@pytest.mark.parametrize("chain", [0, 2])
def test_the_tokens_of_a_chain_in_mallets_form(files, tmp_path, chain):
    path = tmp_path / "state.gz"
    done = run("convert", files.three_chains, path, "--to", "mallet-state", "--chain", chain)
    assert done.exit_code == 0
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    topics = np.array([int(row[-1]) for row in rows])
    expected = blocklda.LDA.load(files.three_chains).chains_[chain]
    sizes = expected.topic_word_counts().sum(axis=1)
    np.testing.assert_array_equal(np.bincount(topics, minlength=10), sizes)


def test_the_name_of_a_state_tells_that_it_is_one(files, tmp_path):
    assert run("convert", files.one_chain, tmp_path / "model.state.gz").exit_code == 0
    found = blocklda.read_mallet_state(tmp_path / "model.state.gz")
    expected = blocklda.LDA.load(files.one_chain).chains_[0]
    np.testing.assert_array_equal(found.assignments(), expected.assignments())


def test_what_is_there_is_replaced_only_by_force(files, tmp_path):
    path = tmp_path / "copy.npz"
    path.write_text("precious")
    assert "--force" in complaint("convert", files.documents, path)
    assert path.read_text() == "precious"
    assert run("convert", files.documents, path, "--force").exit_code == 0
    assert blocklda.read_corpus(path) == files.train


@pytest.mark.parametrize("output", ["copy.xyz", "copy.csv", "copy.h5ad"])
def test_what_cannot_be_written_is_refused_before_the_input_is_read(tmp_path, output):
    said = complaint("convert", tmp_path / "missing.txt", tmp_path / output)
    assert said.endswith(
        "with --to, one of: gensim, ldac, mallet, matrix-market, npz, svmlight, uci.\n"
    )


def test_a_place_where_nothing_can_be_written_is_refused_before_the_input_is_read(tmp_path):
    (tmp_path / "folder.npz").mkdir()
    missing = tmp_path / "missing.txt"
    assert "there is no folder" in complaint("convert", missing, tmp_path / "no" / "copy.npz")
    assert "it is not a file" in complaint("convert", missing, tmp_path / "folder.npz", "--force")


def test_mistakes_leave_nothing_behind(files, tmp_path):
    def said(*arguments: object) -> str:
        return complaint("convert", *arguments)

    writable = "gensim, ldac, mallet, matrix-market, npz, svmlight, uci.\n"
    assert f"give it with --to, one of: {writable}" in said(files.documents, tmp_path / "copy.xyz")
    assert f"there is no format 'xyz'; use one of: auto, {writable}" in said(
        files.documents, tmp_path / "c", "--to", "xyz"
    )
    assert "there is no folder" in said(files.documents, tmp_path / "no" / "copy.npz")
    assert "there is no file" in said(tmp_path / "missing.txt", tmp_path / "copy.npz")
    assert "is not a model" in said(files.documents, tmp_path / "state", "--to", "mallet-state")
    assert "is not a model" in said(files.documents, tmp_path / "copy.state.gz")
    state = [files.one_chain, tmp_path / "state", "--to", "mallet-state", "--chain"]
    assert "--chain 1 is not in" in said(*state, 1)
    assert "--chain -1 is not in" in said(*state, -1)
    assert "whose corpus is read as it is: leave --min-df '2' out" in said(
        files.one_chain, tmp_path / "copy.npz", "--min-df", 2
    )
    assert "leave --min-df '2' out" in said(*state, 0, "--min-df", 2)
    assert "--chain 0 is only for --to 'mallet-state': leave it out" in said(
        files.one_chain, tmp_path / "copy.npz", "--chain", 0
    )
    assert list(tmp_path.iterdir()) == []
