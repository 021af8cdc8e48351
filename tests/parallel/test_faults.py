"""Killed workers, a lost scheduler, runs that go on, damaged files: the same bits at the end."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import dask
import distributed
import numpy as np
import pytest

import blocklda
from blocklda import parallel
from blocklda.formats.sharded import write_shards
from blocklda.parallel.clients import local_cluster
from blocklda.parallel.sweep_files import SweepFiles
from tests.parallel.clusters import (
    N_TOPICS,
    SETTINGS,
    Killer,
    Stopper,
    cut,
    on_one_machine,
    scheduler,
    worker,
)

pytestmark = pytest.mark.xdist_group("dask")


TWO_CHAINS = {
    **SETTINGS,
    "n_chains": 2,
    "init": "auto",
    "learn_alpha": "asymmetric",
    "learn_beta": "symmetric",
}
"""A variational and a random start, and priors that are learned."""


def same_as_one_process(found: parallel.ShardedFit, folder: Path) -> None:
    expected = parallel.fit(None, folder, N_TOPICS, out_of_core=True, **TWO_CHAINS)
    np.testing.assert_array_equal(found.result.log_posterior, expected.result.log_posterior)
    np.testing.assert_array_equal(found.assignments(), expected.assignments())
    np.testing.assert_array_equal(found.result.priors["alpha"], expected.result.priors["alpha"])


@pytest.mark.long
def test_workers_are_killed_in_the_middle_of_starts_and_sweeps(cluster, client, folder, tmp_path):
    """Three of them; `python -m torture.workers` kills ten."""
    killer = Killer(cluster, tmp_path, sweeps=(0, 2, 4))
    killer.start()
    found = parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **TWO_CHAINS)
    killer.join()
    client.wait_for_workers(2, timeout=60)  # they come back
    same_as_one_process(found, folder)
    assert len(killer.shards_done) == 3


def test_a_slow_worker(client, folder, tmp_path):
    """One that does nothing for a while is waited for."""
    stopper = Stopper(client, tmp_path, sweep=2, seconds=1.0)
    stopper.start()
    found = parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **TWO_CHAINS)
    stopper.join()
    same_as_one_process(found, folder)


def test_workers_that_write_all_results_to_disk(folder):
    """As they do when memory is short."""
    share = {f"distributed.worker.memory.{when}": 1e-5 for when in ("target", "spill")}
    with dask.config.set(share), local_cluster(2) as small, distributed.Client(small) as client:
        found = parallel.fit(client, folder, N_TOPICS, **TWO_CHAINS)
    same_as_one_process(found, folder)


def test_a_shard_that_goes_missing_or_bad_is_named(client, whole, tmp_path):
    """Also between the start of a run and the next session."""
    write_shards(whole, tmp_path / "shards", 3)
    few = {**SETTINGS, "n_sweeps": 4, "checkpoint": tmp_path / "run"}
    parallel.fit(client, tmp_path / "shards", N_TOPICS, **few)
    damaged = tmp_path / "shards" / "shard-000003.npz"
    content = damaged.read_bytes()
    damaged.write_bytes(content[: len(content) // 2])
    with pytest.raises(blocklda.FileFormatError, match=r"shard-000003\.npz"):
        parallel.fit(client, tmp_path / "shards", N_TOPICS, **{**few, "n_sweeps": 6})
    damaged.unlink()
    with pytest.raises(blocklda.FileFormatError, match=r"shard-000003\.npz"):
        parallel.fit(client, tmp_path / "shards", N_TOPICS, **{**few, "n_sweeps": 6})
    damaged.write_bytes(content)
    found = parallel.fit(client, tmp_path / "shards", N_TOPICS, **{**few, "n_sweeps": 6})
    assert found.log_posterior.tolist() == on_one_machine(whole, 6)[1]


@pytest.mark.parametrize("name", ["write", "gather"])
def test_a_worker_that_is_killed_when_nobody_waits_for_it(
    cluster, client, folder, whole, tmp_path, monkeypatch, name
):
    """Between two sweeps, and when results are about to be fetched."""
    place = client if name == "gather" else SweepFiles
    original, calls = getattr(place, name), []

    def disturbed(*arguments, **options):
        before = original(*arguments, **options) if name == "write" else None
        calls.append(name)
        if len(calls) == 4:
            pid = next(iter(client.run(os.getpid).values()))
            os.kill(pid, signal.SIGKILL)
            time.sleep(0.5)  # the scheduler has noticed
        return original(*arguments, **options) if name == "gather" else before

    monkeypatch.setattr(place, name, disturbed)
    settings = {**SETTINGS, "thin": 1, "burn_in": 0}
    found = parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **settings)
    client.wait_for_workers(2, timeout=60)
    chain, levels = on_one_machine(whole, 6)
    assert len(calls) > 4
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


def test_a_lost_scheduler_is_told_and_the_run_goes_on_elsewhere(
    folder, whole, tmp_path, client, monkeypatch
):
    monkeypatch.setattr("blocklda.parallel.cluster.CONNECT_SECONDS", 1)
    run = tmp_path / "run"
    long = {**SETTINGS, "n_sweeps": 200}
    with (
        scheduler(tmp_path) as (process, address),
        worker(address),
        distributed.Client(address, timeout=30, set_as_default=False) as lost,
    ):
        lost.wait_for_workers(1, timeout=60)
        threading.Thread(target=_kill_after, args=(process, run, 3), daemon=True).start()
        with pytest.raises(blocklda.ClusterError, match=r"went away.*continues from the last"):
            parallel.fit(lost, folder, N_TOPICS, checkpoint=run, **long)
    done = max(int(path.stem.split("-")[1]) for path in run.glob("sweep-*.npz"))
    assert 2 <= done < 200
    found = parallel.fit(
        client, folder, N_TOPICS, checkpoint=run, **{**SETTINGS, "n_sweeps": done + 2}
    )
    chain, levels = on_one_machine(whole, done + 2)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


def _kill_after(process, run: Path, sweep: int) -> None:
    while not list(run.glob(f"topics-*-{sweep:06d}.npz")):
        time.sleep(0.02)
    process.kill()


def test_a_run_goes_on_with_other_workers_and_more_sweeps(client, folder, whole, tmp_path):
    first = {**SETTINGS, "n_sweeps": 5}
    before = parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **first)
    assert before.kept_sweeps.tolist() == [4]
    found = parallel.fit(
        None, folder, N_TOPICS, checkpoint=tmp_path, n_workers=1, **{**SETTINGS, "n_sweeps": 8}
    )
    chain, levels = on_one_machine(whole, 8)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels
    whole_run = parallel.fit(client, folder, N_TOPICS, **{**SETTINGS, "n_sweeps": 8})
    np.testing.assert_array_equal(found.topic_word, whole_run.topic_word)
    np.testing.assert_array_equal(found.doc_topic(2), whole_run.doc_topic(2))


@pytest.mark.parametrize("name", ["sweep-000005.npz", "topics-000002-000005.npz"])
def test_a_damaged_file_leaves_the_sweep_before(client, folder, whole, tmp_path, name):
    parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **{**SETTINGS, "n_sweeps": 5})
    path = tmp_path / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = b"x" * (len(content) - len(content) // 2)
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=f"{name}.*sweep 4"):
        found = parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **SETTINGS)
    np.testing.assert_array_equal(found.assignments(), on_one_machine(whole, 6)[0].assignments())


def test_only_what_is_needed_stays(client, folder, tmp_path):
    parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **{**SETTINGS, "n_sweeps": 9})
    of_first = sorted(int(path.stem[-6:]) for path in tmp_path.glob("topics-000001-*.npz"))
    assert of_first == [4, 6, 7, 8, 9]  # the draws, and three generations
    assert sorted(path.name for path in tmp_path.glob("s*-*.npz")) == [
        "sharded-run.npz",
        "sums-000008.npz",
        "sweep-000008.npz",
        "sweep-000009.npz",
    ]


def test_other_settings_do_not_go_on(client, folder, whole, tmp_path):
    parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **SETTINGS)

    def refused(shards=folder, n_topics=N_TOPICS, **settings) -> str:
        with pytest.raises(blocklda.InputError) as caught:
            parallel.fit(client, shards, n_topics, checkpoint=tmp_path, **{**SETTINGS, **settings})
        return str(caught.value)

    assert "alpha=0.1, and now it is 0.2" in refused(alpha=0.2)
    assert "seed=3, and now it is 4" in refused(seed=4)
    assert "already done" in refused(n_sweeps=5)
    assert "other shards" in refused(shards=cut(whole, [10]))
    with pytest.raises(blocklda.InputError, match="holds a run on shards"):
        blocklda.LDA(3).fit(np.eye(5, dtype=int), checkpoint=tmp_path)


def test_the_folder_of_another_kind_of_run(client, folder, tmp_path):
    blocklda.LDA(3, n_sweeps=10, random_state=0).fit(np.eye(5, dtype=int), checkpoint=tmp_path)
    with pytest.raises(blocklda.InputError, match="holds a run without shards"):
        parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **SETTINGS)
