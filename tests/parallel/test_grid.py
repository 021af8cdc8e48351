"""`grid` on shards: the chain of one machine with the same shards, to the bit."""

from __future__ import annotations

import json
from pathlib import Path

import distributed
import numpy as np
import pytest

import blocklda
from blocklda import parallel
from blocklda.formats.sharded import write_shards
from blocklda.parallel.clients import local_cluster
from blocklda.parallel.grid_sweeps import GridSweeps
from blocklda.parallel.worker_memory import forget_run
from tests.parallel.clusters import N_TOPICS, SETTINGS, Killer, cut, on_one_machine

pytestmark = pytest.mark.xdist_group("dask")

GRID = {**SETTINGS, "sampler": "grid"}
LEARNED = {"learn_alpha": "asymmetric", "learn_beta": "symmetric"}


def sizes(found: parallel.ShardedFit) -> list[int]:
    return [shard.n_docs for shard in found.corpus.shards]


def same_as_a_chain(found: parallel.ShardedFit, whole: blocklda.Corpus, **settings: object) -> None:
    chain, levels = on_one_machine(whole, found.n_sweeps, sizes(found), sampler="grid", **settings)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


def test_a_sharded_corpus(client, folder, whole):
    found = parallel.fit(client, folder, 20, **GRID)
    same_as_a_chain(found, whole, n_topics=20)
    assert (found.sampler, found.result.sampler) == ("grid", "grid")
    # Counts go round, four times in a sweep: 3 bytes for a cell of n_vk, and offsets of words.
    n_cells = np.count_nonzero(found.to_chain().state.word_topic_counts())
    assert found.bytes_of_counts[-1] < 1.3 * 4 * (3 * n_cells + 4 * (300 + 4))
    assert 0 < found.bytes_sent < found.bytes_of_counts.max() + 30_000


@pytest.mark.parametrize("ends", [[], [300, 301, 302, 900, 1000]])
def test_shards_that_end_anywhere_and_few_topics(client, whole, ends):
    """With twelve topics all are in every list."""
    found = parallel.fit(client, cut(whole, ends), N_TOPICS, **{**GRID, "n_sweeps": 4})
    same_as_a_chain(found, whole)


def test_more_shards_than_groups(client, whole):
    """A worker joins neighbouring shards, and each has its own file of topics."""
    ends = [*range(50, whole.n_docs, 55)]
    assert len(ends) + 1 > 16
    found = parallel.fit(client, cut(whole, ends), 20, **{**GRID, "n_sweeps": 4}, max_block=3)
    same_as_a_chain(found, whole, n_topics=20, max_block=3)


def test_one_worker_has_the_draws_of_two(client, folder, whole):
    with local_cluster(1) as one, distributed.Client(one) as alone:
        fits = [parallel.fit(who, folder, 20, **GRID) for who in (client, alone)]
    assert fits[0].log_posterior.tolist() == fits[1].log_posterior.tolist()
    np.testing.assert_array_equal(*(fit.assignments() for fit in fits))


def test_two_chains_learn_their_priors_and_go_on(client, folder, whole, tmp_path):
    how = {**GRID, **LEARNED, "n_chains": 2, "init": "auto"}
    whole_run = parallel.fit(client, folder, 20, **how)
    run = tmp_path / "run"
    parallel.fit(client, folder, 20, checkpoint=run, **{**how, "n_sweeps": 4})
    found = parallel.fit(client, folder, 20, checkpoint=run, **how)
    assert found.result.log_posterior.tolist() == whole_run.result.log_posterior.tolist()
    np.testing.assert_array_equal(found.assignments(), whole_run.assignments())
    loaded = parallel.load(run)
    assert loaded.sampler == "grid"
    assert found.to_lda().get_params()["sampler"] == "grid"
    # The next sweep goes by the priors that were learned, here as on the workers.
    number = found.result.reference
    chain = found.to_chain(number)
    chain.sweep()
    more = parallel.fit(client, folder, 20, checkpoint=run, **{**how, "n_sweeps": 7})
    np.testing.assert_array_equal(more.to_chain(number).assignments(), chain.assignments())


@pytest.mark.long
def test_workers_are_killed_in_the_middle_of_sweeps(cluster, client, folder, whole, tmp_path):
    killer = Killer(cluster, tmp_path, sweeps=(0, 2, 4))
    killer.start()
    found = parallel.fit(client, folder, 20, checkpoint=tmp_path, **GRID)
    killer.join()
    client.wait_for_workers(2, timeout=60)
    same_as_a_chain(found, whole, n_topics=20)
    assert len(killer.shards_done) == 3


def test_work_that_is_lost_is_done_again(client, folder, whole, monkeypatch):
    """Workers that forget what they had in the middle of a run, as new ones do."""
    original = GridSweeps.cells_of_sweep

    def forgetful(self, sweep, key, learned):
        if sweep in (3, 5):
            client.run(forget_run, self._plan.run)
        return original(self, sweep, key, learned)

    monkeypatch.setattr(GridSweeps, "cells_of_sweep", forgetful)
    same_as_a_chain(parallel.fit(client, folder, 20, **GRID), whole, n_topics=20)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"out_of_core": True}, "not available with out_of_core=True"),
        ({"init": "annealed", "burn_in": 4}, "init='annealed' is not available with sampler="),
        ({"sampler": "sparse"}, "sampler='sparse' is no sampler for shards"),
        ({"beta": np.linspace(0.1, 1, 3 * 300).reshape(3, 300)}, "needs one number as beta"),
    ],
)
def test_what_it_cannot_do(client, folder, settings, said):
    who = None if settings.get("out_of_core") else client
    with pytest.raises(blocklda.InputError, match=said):
        parallel.fit(who, folder, 3, **{**GRID, **settings})


def test_shards_that_do_not_fit_into_memory(client, folder, monkeypatch):
    monkeypatch.setattr("blocklda.parallel.shard_memory.BYTES_OF_PROCESS", 10**15)
    with pytest.raises(blocklda.CapacityError, match="which sampler 'grid' keeps in memory"):
        parallel.fit(client, folder, 3, **GRID)


def test_a_corpus_with_too_many_tokens(client, folder, monkeypatch):
    monkeypatch.setattr("blocklda.parallel.run.MOST_TOKENS_OF_GRID", 1_000)
    with pytest.raises(blocklda.InputError, match="takes at most 1000 tokens"):
        parallel.fit(client, folder, 3, **GRID)


def test_a_plan_with_wrong_groups_of_words_is_refused(client, whole, tmp_path):
    write_shards(whole, tmp_path / "shards", 2)
    run = tmp_path / "run"
    parallel.fit(client, tmp_path / "shards", 3, checkpoint=run, **{**GRID, "n_sweeps": 4})
    spoil_header(run / "sharded-run.npz", word_groups=[0, 500, 300])
    with pytest.raises(blocklda.FileFormatError, match="groups of words"):
        parallel.load(run)


def spoil_header(path: Path, **changes: object) -> None:
    with np.load(path) as stored:
        arrays = dict(stored)
    header = json.loads(arrays["header"].tobytes()) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
