"""``blocklda fit --model hdp``."""

from __future__ import annotations

import json

import pytest

from blocklda import simulate, write_corpus
from tests.cli.commands import complaint, run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("hdp") / "bars.npz"
    write_corpus(simulate.bars(n_docs=30, seed=1).corpus, path)
    return path


def test_a_fit_is_saved_shown_and_used(corpus, tmp_path):
    model = tmp_path / "model"
    said = run("fit", corpus, "--model", "hdp", "--sweeps", 12, "--thin", 1, "-o", model).stdout
    assert "not a property of the corpus" in " ".join(said.split())
    topics = json.loads(run("topics", model, "--json").stdout)["topics"]
    assert len(topics) > 2
    found = run("transform", model, corpus, "-o", tmp_path / "topics.csv")
    assert found.exit_code == 0, found.output
    header = (tmp_path / "topics.csv").read_text("utf-8").splitlines()[0]
    assert header.count("topic_") == len(topics) + 1


def test_for_programs(corpus):
    said = json.loads(
        run("fit", corpus, "--model", "hdp", "--sweeps", 10, "--chains", 1, "--json").stdout
    )
    assert said["alpha0"] > 0
    assert said["topic_counts"]["n_topics"]["median"] >= 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--model", "hdp", "-k", 5), "--topics 5 is not for an HDP"),
        (("--model", "hdp", "--alpha", 0.1), "--alpha 0.1 is for LDA"),
        (("--model", "hdp", "--moves", "merge-split"), "is for LDA"),
        (("--model", "hdp", "--beta", 0), "--beta"),
        (("--model", "hdp", "--workers", 2), "one machine"),
        (("--model", "hpd"), "'hdp'"),
        ((), "the number of topics is missing"),
    ],
)
def test_what_cannot_be_is_one_sentence(corpus, options, sentence):
    assert sentence in complaint("fit", corpus, *options)


def test_a_command_for_lda_alone_says_so(corpus, tmp_path):
    model = tmp_path / "model"
    run("fit", corpus, "--model", "hdp", "--sweeps", 6, "--thin", 1, "-q", "-o", model)
    said = complaint("convert", model, tmp_path / "state.gz", "--to", "mallet-state")
    assert "'hdp'" in said
    assert "to_lda()" in said
