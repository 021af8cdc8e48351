"""What cannot be fitted on shards is told in a sentence before the first sweep."""

from __future__ import annotations

import distributed
import numpy as np
import pytest

import blocklda
from blocklda import parallel
from tests.parallel.clusters import N_TOPICS, SETTINGS, cut, scheduler, worker

pytestmark = pytest.mark.xdist_group("dask")


def refusal(client, shards, n_topics=N_TOPICS, kind=blocklda.InputError, **settings) -> str:
    with pytest.raises(kind) as caught:
        parallel.fit(client, shards, n_topics, **{**SETTINGS, **settings})
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def renamed(corpus: blocklda.Corpus, *words: str) -> blocklda.Corpus:
    names = [*words, *(corpus.vocabulary or ())[len(words) :]]
    return blocklda.Corpus.from_matrix(corpus, names)


def test_shards_with_different_vocabularies(client, whole):
    one, two = cut(whole, [500])
    message = refusal(client, [one, renamed(two, "w0", "other")])
    assert "shard 1 has another vocabulary" in message
    assert "word (column) 1 is 'other', and there 'w1'" in message
    fewer = blocklda.Corpus.from_matrix(two.to_matrix()[:, :200])
    assert "200 words and not 300" in refusal(client, [one, fewer])
    nameless = blocklda.Corpus.from_matrix(two.to_matrix())
    assert "no names of words" in refusal(client, [one, nameless])


def test_an_empty_shard(client, whole):
    one, two = cut(whole, [500])
    nothing = blocklda.Corpus.from_matrix(np.zeros((3, 300), dtype=int), whole.vocabulary)
    assert "shard 1 is empty (3 documents without words)" in refusal(client, [one, nothing, two])
    assert "corpus_shards is empty" in refusal(client, [])


def test_workers_that_are_too_small(client, whole, monkeypatch):
    info = client.scheduler_info(n_workers=-1)
    for facts in info["workers"].values():
        facts["memory_limit"] = 100 * 2**20
    monkeypatch.setattr(client, "scheduler_info", lambda **_: info)
    message = refusal(client, cut(whole, [500]), 60_000, blocklda.CapacityError)
    assert "may use 100 MiB of memory, but φ of 300 words and 60,000 topics" in message
    assert "more and smaller shards" in message


def test_no_worker_and_one_with_another_version(whole, tmp_path):
    package = tmp_path / "blocklda"
    package.mkdir()
    (package / "__init__.py").write_text('__version__ = "0.0.9"\n')
    with scheduler(tmp_path) as (_, address):
        assert f"the scheduler at {address} has no workers" in refusal(address, [whole])
        with (
            worker(address, python_path=str(tmp_path)),
            distributed.Client(address, set_as_default=False) as client,
        ):
            client.wait_for_workers(1, timeout=60)
            message = refusal(client, [whole])
    assert f"has blocklda 0.0.9, and here it is {blocklda.__version__}" in message


def test_no_scheduler(monkeypatch):
    monkeypatch.setattr("blocklda.parallel.cluster.CONNECT_SECONDS", 0.5)
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in refusal("tcp://127.0.0.1:9", [])


def test_a_folder_that_workers_do_not_see(client, whole, monkeypatch, tmp_path):
    monkeypatch.setattr(client, "run", lambda *_, **__: {"tcp://far:1": False})
    monkeypatch.setattr("blocklda.parallel.cluster.Cluster.require_workers", lambda _: None)
    assert "tcp://far:1 does not see the folders of this machine" in refusal(client, [whole])
    message = refusal(client, [whole], checkpoint=tmp_path)
    assert f"does not see checkpoint={str(tmp_path)!r}" in message


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"init": "warm"}, "init='warm' is unknown"),
        ({"n_topics": 10**6}, "n_topics=1000000 is more than the"),
        ({"n_topics": 0}, "n_topics=0"),
        ({"alpha": -1.0}, "alpha=-1.0"),
        ({"n_sweeps": 2}, "keeps no draw"),
        ({"max_block": 0}, "max_block=0"),
        ({"seed": -1}, "seed=-1"),
        ({"n_workers": 2}, "n_workers=2 is for a local cluster"),
        ({"text_column": "text"}, "text settings are for texts"),
        ({"init": [0, 1]}, "init has the shape (2,)"),
    ],
)
def test_settings(client, whole, settings, said):
    assert said in refusal(client, [whole], **settings)


def test_shards_and_clients_that_are_none(client, tmp_path, whole):
    assert "client=3 is a int" in refusal(3, [whole])
    assert "corpus_shards is a int" in refusal(client, 3)
    assert "there is no file" in refusal(client, tmp_path / "nothing")
    assert "neither a sharded corpus" in refusal(client, tmp_path)
    (tmp_path / "file").write_text("")
    assert "is a file" in refusal(client, [whole], checkpoint=tmp_path / "file")
