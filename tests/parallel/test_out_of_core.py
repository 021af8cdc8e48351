"""Shards swept in this process from their files: the chain of one machine, to the bit."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import blocklda
from blocklda import parallel
from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.formats.sharded import write_shards
from blocklda.parallel import one_process
from blocklda.parallel.open_shards import OpenShards
from tests.cli.commands import complaint
from tests.cli.terminal import run
from tests.parallel.clusters import N_TOPICS, SETTINGS, cut, on_one_machine


def out_of_core(shards, n_topics=N_TOPICS, **settings) -> parallel.ShardedFit:
    given = {"n_jobs": 2, **SETTINGS, **settings}
    return parallel.fit(None, shards, n_topics, out_of_core=True, **given)


@pytest.fixture
def nothing_stays(monkeypatch) -> None:
    """Leave no room for shards that stay open: each is read again in every sweep."""
    monkeypatch.setattr(one_process, "SHARE_FOR_SHARDS", 0.0)


@pytest.mark.usefixtures("nothing_stays")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_sharded_corpus(folder, whole, n_jobs):
    found = out_of_core(folder, n_jobs=n_jobs)
    chain, levels = on_one_machine(whole, 6)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels
    assert found.bytes_sent == 0


def test_priors_of_every_kind(whole):
    rng = np.random.default_rng(5)
    priors = {
        "alpha": rng.uniform(0.05, 2.0, N_TOPICS),
        "beta": rng.uniform(0.001, 0.5, (N_TOPICS, whole.n_words)),
    }
    shards = cut(whole, [7, 500])
    found = out_of_core(shards, max_block=3, **priors)
    chain, levels = on_one_machine(whole, 6, [one.n_docs for one in shards], max_block=3, **priors)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


def test_empty_topics_with_a_tiny_prior():
    few = blocklda.Corpus.from_matrix(np.eye(6, dtype=int) + 1)
    settings = {"alpha": 1e-3, "beta": 1e-9, "n_topics": 30}
    found = out_of_core(cut(few, [2]), **settings, n_sweeps=4, burn_in=0, thin=1)
    chain, levels = on_one_machine(few, 4, [2, 4], **settings)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


@pytest.mark.usefixtures("nothing_stays")
def test_a_run_goes_on(folder, whole, tmp_path):
    """A kill leaves the files of the latest sweep; the next call begins with them."""
    out_of_core(folder, checkpoint=tmp_path, n_sweeps=5)
    found = out_of_core(folder, checkpoint=tmp_path, n_sweeps=8)
    chain, levels = on_one_machine(whole, 8)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels
    at_once = out_of_core(folder, n_sweeps=8)
    np.testing.assert_array_equal(found.topic_word, at_once.topic_word)


@pytest.mark.xdist_group("dask")
def test_a_run_that_workers_began(client, folder, whole, tmp_path):
    began = {**SETTINGS, "n_sweeps": 4}
    on_workers = parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **began)
    found = out_of_core(folder, checkpoint=tmp_path)
    chain, levels = on_one_machine(whole, 6)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels
    assert on_workers.log_posterior.tolist() == levels[:4]


def test_the_first_shards_stay_open_where_there_is_room(folder):
    corpus = ShardedCorpus.open(folder)
    room = 24 * corpus.n_entries + 8 * corpus.n_tokens  # for all but the documents of the last
    shards = OpenShards(corpus, room)
    assert [shards[i] is shards[i] for i in range(4)] == [True, True, True, False]


def test_a_damaged_shard_is_named(whole, tmp_path):
    write_shards(whole, tmp_path / "shards", 3)
    damaged = tmp_path / "shards" / "shard-000002.npz"
    content = damaged.read_bytes()
    damaged.write_bytes(content[: len(content) // 2])
    with pytest.raises(blocklda.FileFormatError, match=r"shard-000002\.npz"):
        out_of_core(tmp_path / "shards")
    damaged.unlink()
    with pytest.raises(blocklda.FileFormatError, match=r"shard-000002\.npz"):
        out_of_core(tmp_path / "shards")


def test_too_little_memory_is_told_before_the_first_sweep(folder, monkeypatch):
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 2**20)
    with pytest.raises(blocklda.CapacityError, match="more and smaller shards"):
        out_of_core(folder)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_workers": 2}, "n_workers=2 is for a cluster"),
        ({"client": "tcp://127.0.0.1:9"}, "client='tcp://127.0.0.1:9' is for a cluster"),
        ({"out_of_core": False, "n_jobs": 2}, "n_jobs=2 is for out_of_core=True"),
    ],
)
def test_a_cluster_and_one_process_exclude_each_other(folder, settings, said):
    given = {"client": None, "out_of_core": True, **SETTINGS, **settings}
    with pytest.raises(blocklda.InputError, match=said):
        parallel.fit(corpus_shards=folder, n_topics=N_TOPICS, **given)


def test_dask_is_not_needed(folder):
    code = (
        "import sys; sys.modules['dask'] = sys.modules['distributed'] = None\n"
        "from blocklda import parallel\n"
        f"print(parallel.fit(None, {str(folder)!r}, 3, n_sweeps=2, burn_in=0, thin=1, "
        "out_of_core=True))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "4 shards" in done.stdout, done.stderr


def test_the_command(folder, whole, tmp_path):
    options = ("-k", N_TOPICS, "--sweeps", 6, "--burn-in", 2, "--thin", 2, "--seed", 5)
    options += ("--chains", 1, "--init", "random", "--alpha", 0.1, "--beta", 0.01)
    how = ("--out-of-core", "--jobs", 2, "-o", tmp_path / "model")
    answer = run("fit", folder, *options, *how, "--json")
    assert "documents are empty" in answer.stderr
    done = json.loads(answer.stdout)
    seed = np.random.SeedSequence(5).spawn(1)[0]
    chain, levels = on_one_machine(whole, 6, seed=seed)
    assert done["log_posterior"] == [levels[-1]]
    loaded = blocklda.LDA.load(tmp_path / "model")
    np.testing.assert_array_equal(
        loaded.result_.run.chains[0].chain.assignments(), chain.assignments()
    )
    both = complaint("fit", folder, *options, "--out-of-core", "--workers", 2)
    assert "--workers and --out-of-core exclude each other" in both


def test_documents_without_words_are_told_of(whole, folder):
    """Once for all shards, in the words of a fit on one machine."""
    n_empty = int((whole.doc_lengths() == 0).sum())
    first = int(np.flatnonzero(whole.doc_lengths() == 0)[0])
    said = f"{n_empty} of 1,100 documents are empty, the first in row {first} \\('document {first}'"
    with pytest.warns(blocklda.DataWarning, match=said) as caught:
        out_of_core(folder)
    assert len([one for one in caught if "are empty" in str(one.message)]) == 1
