"""`blocklda fit` on shards: what a local fit does, and what other commands make of the result."""

from __future__ import annotations

import json

import numpy as np
import pytest

import blocklda
from blocklda.formats.sharded import write_shards
from tests.cli.commands import complaint, run_json
from tests.cli.terminal import run
from tests.parallel.clusters import corpus

K = 4
LOCAL = ("--sampler", "partially-collapsed", "--moves", "none")
SHORT = ("-k", K, "--sweeps", 24, "--chains", 2, "--seed", 5)


@pytest.fixture(scope="module")
def few() -> blocklda.Corpus:
    """Documents of which none is empty: a local fit warns of those."""
    drawn = corpus(n_docs=400, n_words=60)
    return blocklda.Corpus.from_matrix(drawn.to_matrix()[drawn.doc_lengths() > 0], drawn.vocabulary)


@pytest.fixture(scope="module")
def shards(few, tmp_path_factory):
    folder = tmp_path_factory.mktemp("few") / "corpus"
    write_shards(few, folder, 2)
    return folder


@pytest.fixture(scope="module")
def fitted(shards, tmp_path_factory):
    """A run that was fitted out of core, its model, and what was said of it."""
    folder = tmp_path_factory.mktemp("fitted")
    place = ("--checkpoint", folder / "run", "-o", folder / "model")
    said = run_json("fit", shards, *SHORT, "--out-of-core", "--jobs", 1, "--quiet", *place)
    return folder, said


def test_the_defaults_are_those_of_a_local_fit(shards, fitted, tmp_path):
    """Chains, starts, learned priors and draws: all but the sampler, to the bit."""
    folder, said = fitted
    local = run_json("fit", shards, *SHORT, *LOCAL, "--quiet", "-o", tmp_path / "model")
    assert said["log_posterior"] == local["log_posterior"]
    found, expected = (blocklda.LDA.load(one / "model") for one in (folder, tmp_path))
    assert (found.n_chains, found.learn_alpha, found.init) == (2, "asymmetric", "auto")
    np.testing.assert_array_equal(found.components_, expected.components_)
    np.testing.assert_array_equal(found.doc_topic_, expected.doc_topic_)
    np.testing.assert_array_equal(found.alpha_, expected.alpha_)
    assert said["topics"] == local["topics"]


@pytest.mark.parametrize("name", ["model", "run"])
def test_other_commands_take_the_model_and_the_run(shards, fitted, tmp_path, name):
    folder = fitted[0] / name
    assert len(run_json("topics", folder)["topics"]) == K
    new = tmp_path / "new"
    write_shards(corpus(n_docs=30, n_words=60, seed=1), new, 1)
    measures = json.loads(run("evaluate", folder, new, "--json").stdout)["measures"]
    assert measures["document_completion"]["perplexity"] > 1
    done = run("transform", folder, new, "-o", tmp_path / "topics.csv")
    assert done.exit_code == 0, done.stderr
    assert len((tmp_path / "topics.csv").read_text().splitlines()) == 31
    done = run("report", folder, "-o", tmp_path / "report.html")
    assert done.exit_code == 0, done.stderr
    assert "<html" in (tmp_path / "report.html").read_text()


def test_more_draws_than_are_kept(shards, tmp_path):
    """Averages of words are over all draws, those of documents over the draws in files."""
    options = ("-k", K, "--sweeps", 40, "--burn-in", 2, "--thin", 1, "--chains", 1)
    place = ("--checkpoint", tmp_path / "run", "-o", tmp_path / "model")
    said = run_json("fit", shards, *options, "--out-of-core", "--quiet", *place)
    local = run_json("fit", shards, *options, *LOCAL, "--quiet", "-o", tmp_path / "local")
    assert said["log_posterior"] == local["log_posterior"]
    found, expected = (blocklda.LDA.load(tmp_path / one) for one in ("model", "local"))
    assert len(found.result_.draws) == len(expected.result_.draws) == 19
    np.testing.assert_allclose(found.components_, expected.components_, rtol=1e-9)
    np.testing.assert_allclose(found.doc_topic_, expected.doc_topic_, atol=0.05)
    np.testing.assert_allclose(found.doc_topic_.sum(axis=1), 1)
    assert len(list((tmp_path / "run").glob("topics-000001-*.npz"))) <= 19 + 3


def test_sweeps_end_by_themselves_or_by_the_clock(shards):
    options = ("-k", K, "--out-of-core", "--chains", 1, "--burn-in", 2)
    said = run_json("fit", shards, *options, "--max-seconds", "0.001")
    assert said["ending"] == "time"
    assert said["sweeps"] == 6


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--sampler", "grid"), "--sampler grid is not available with --out-of-core"),
        (("--sampler", "sparse"), "leave it out, or give auto or partially-collapsed.\n"),
        (
            ("--moves", "merge-split"),
            "merge-split is not available with --out-of-core: leave it out, or give auto.\n",
        ),
        (("--model", "hdp"), "fitted in memory on one machine"),
        (("--model", "mixture"), "one machine"),
        (("--init", "warm"), "--init 'warm' is unknown"),
        (("--init", "annealed", "--sweeps", 8), "--burn-in"),
    ],
)
def test_what_is_not_for_shards_is_said_by_name(shards, options, said):
    topics = () if "--model" in options else ("-k", K)
    assert said in complaint("fit", shards, *topics, "--out-of-core", *options)
