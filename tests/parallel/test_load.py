"""A run on shards that is looked at again, and corpora that no one machine holds."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda import parallel
from blocklda.formats.sharded import write_shards
from blocklda.models.lda.new_documents import infer_doc_topics
from tests.cli.commands import complaint, run_json
from tests.cli.terminal import run
from tests.parallel.clusters import N_TOPICS, SETTINGS, corpus, fit_json

pytestmark = pytest.mark.xdist_group("dask")


@pytest.fixture(scope="module")
def fitted(client, folder, tmp_path_factory) -> parallel.ShardedFit:
    checkpoint = tmp_path_factory.mktemp("run")
    return parallel.fit(client, folder, N_TOPICS, checkpoint=checkpoint, **SETTINGS)


@pytest.fixture
def small_machine(monkeypatch) -> None:
    """Leave too little memory for the documents, and enough for the topics."""
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 2**20)


def test_a_run_is_found_again_without_a_cluster(fitted):
    found = parallel.load(fitted.folder)
    assert repr(found) == repr(fitted)
    for name in ("topic_word", "log_posterior", "kept_sweeps", "topic_sizes", "bytes_of_counts"):
        np.testing.assert_array_equal(getattr(found, name), getattr(fitted, name))
    np.testing.assert_array_equal(found.assignments(), fitted.assignments())
    np.testing.assert_array_equal(found.doc_topic(1), fitted.doc_topic(1))
    assert str(found.diagnostics()) == str(fitted.diagnostics())
    lda, expected = found.to_lda(), fitted.to_lda()
    np.testing.assert_array_equal(lda.doc_topic_, expected.doc_topic_)
    assert lda.get_params() == expected.get_params()
    going_on, chain = found.to_chain(), fitted.to_chain()
    for one in (going_on, chain):
        one.sweep(2)
    np.testing.assert_array_equal(going_on.assignments(), chain.assignments())


def test_a_run_that_was_moved_has_its_shards_with_it(client, whole, tmp_path):
    run, moved = tmp_path / "run", tmp_path / "moved"
    fitted = parallel.fit(client, [whole], N_TOPICS, checkpoint=run, **SETTINGS)
    before = fitted.assignments()
    run.rename(moved)
    np.testing.assert_array_equal(parallel.load(moved).assignments(), before)
    assert parallel.load(moved).corpus.whole() == whole
    write_shards(corpus(n_docs=300), moved / "corpus", 1)
    with pytest.raises(blocklda.FileFormatError, match="are not those of the run"):
        parallel.load(moved)


def test_the_last_sweep_that_can_be_read(client, folder, tmp_path):
    parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **SETTINGS)
    (tmp_path / "sweep-000006.npz").write_bytes(b"nothing")
    found = parallel.load(tmp_path)
    assert found.n_sweeps == 5
    assert found.kept_sweeps.tolist() == [4]
    (tmp_path / "sweep-000005.npz").write_bytes(b"nothing")
    with pytest.raises(blocklda.FileFormatError, match=r"sweep-000006\.npz"):
        parallel.load(tmp_path)


def test_what_is_no_run(client, folder, tmp_path):
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(blocklda.InputError, match="holds no run on shards"):
            parallel.load(path)
    run = tmp_path / "run"
    parallel.fit(client, folder, N_TOPICS, checkpoint=run, **{**SETTINGS, "n_sweeps": 4})
    for path in run.glob("sweep-*.npz"):
        path.unlink()
    with pytest.raises(blocklda.InputError, match="has no draw yet"):
        parallel.load(run)


def test_topics_that_were_given_are_not_known_later(client, whole, tmp_path):
    topics = np.arange(whole.n_tokens) % N_TOPICS
    parallel.fit(client, [whole], N_TOPICS, init=topics, checkpoint=tmp_path, **SETTINGS)
    found = parallel.load(tmp_path)
    assert found.to_chain().n_sweeps == 6
    with pytest.raises(blocklda.InputError, match=r"call parallel\.fit with the same"):
        found.to_lda()


def test_new_documents_by_the_topics_alone(fitted, whole):
    new = blocklda.Corpus.from_matrix(whole.to_matrix()[whole.doc_lengths() > 0][:20])
    lda = fitted.to_lda()
    np.testing.assert_allclose(lda.components_, fitted.topic_word, rtol=1e-12)
    theta = infer_doc_topics(new, lda.components_, fitted.priors.alpha)
    np.testing.assert_array_equal(theta, lda.transform(new, n_draws=1))


def test_an_estimator_that_does_not_fit_is_refused_before_the_first_sweep(
    client, folder, fitted, tmp_path, small_machine
):
    assert not fitted.fits_here()
    with pytest.raises(blocklda.CapacityError, match=r"all shards and 2 draws needs.*doc_topic"):
        fitted.to_lda()
    with pytest.raises(blocklda.CapacityError, match="2 draws"):
        parallel.fit(client, folder, N_TOPICS, to_lda=True, checkpoint=tmp_path, **SETTINGS)
    assert not list(tmp_path.glob("*.npz"))


# --- the command line


def _options(cluster, *more):
    return (
        *("-k", N_TOPICS, "--sweeps", 6, "--burn-in", 2, "--thin", 2, "--seed", 5),
        *("--chains", 1, "--scheduler", cluster.scheduler_address, *more),
    )


def test_a_corpus_that_this_machine_does_not_hold(cluster, client, folder, tmp_path, monkeypatch):
    kept = ("--checkpoint", tmp_path / "run")
    here = fit_json(folder, *_options(cluster))
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 2**20)
    wrong = complaint("fit", folder, *_options(cluster, *kept), "-o", tmp_path / "model")
    assert "an estimator with the" in wrong
    assert not (tmp_path / "model").exists()
    found = fit_json(folder, *_options(cluster, *kept))
    same = ("documents", "tokens", "n_topics", "sampler", "seed", "sweeps", "draws", "beta")
    for name in (*same, "log_posterior", "alpha", "burn_in"):
        assert found[name] == here[name]
    assert found["verdict"]
    for topic, expected in zip(found["topics"], here["topics"], strict=True):
        assert topic["prevalence"] == expected["prevalence"]
        for word, with_interval in zip(topic["words"], expected["words"], strict=True):
            assert word["word"] == with_interval["word"]
            assert word["probability"]["mean"] == pytest.approx(
                with_interval["probability"]["mean"], rel=1e-12
            )
            assert word["probability"]["low"] is None
    again = run_json("topics", tmp_path / "run")
    assert again["topics"] == found["topics"]
    shown = run("topics", tmp_path / "run").stdout
    assert found["topics"][0]["words"][0]["word"] in shown
    said = run("fit", folder, *_options(cluster, *kept)).stdout
    assert f"blocklda topics {tmp_path / 'run'}" in said.replace("\n", "")
    assert "cannot hold the documents" in said
    without = run("fit", folder, *_options(cluster)).stdout
    assert "use --checkpoint DIR to keep the run" in without
