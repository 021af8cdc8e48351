"""What workers do can be done again: the result does not depend on what they still have."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from blocklda import parallel
from blocklda.parallel import tasks
from blocklda.parallel.cluster_sweeps import ClusterSweeps
from blocklda.parallel.plan import read_plan
from blocklda.parallel.worker_memory import RunPlace, forget_run
from tests.parallel.clusters import N_TOPICS, SETTINGS

pytestmark = pytest.mark.xdist_group("dask")

KEY = (1, 2, 3, 4)


def test_gamma_draws_that_a_worker_has_not_are_drawn_again(client, folder, tmp_path):
    parallel.fit(client, folder, N_TOPICS, checkpoint=tmp_path, **SETTINGS)
    run = read_plan(tmp_path).run
    place, span = RunPlace(str(tmp_path), run), (0, 1)
    counts = tasks.together([tasks.count_words(place, i, 6, span) for i in range(4)], N_TOPICS)
    assert counts.counts.sum() == parallel.load(tmp_path).corpus.n_tokens
    totals = tasks.topic_totals(place, KEY, [tasks.draw_words(place, span, KEY, counts)])
    with_draws = tasks.finish_words(place, span, KEY, counts, totals)
    without = tasks.finish_words(place, span, KEY, counts, totals)
    tasks.draw_words(place, span, (5, 6, 7, 8), counts)  # those of another sweep are not taken
    of_another = tasks.finish_words(place, span, KEY, counts, totals)
    for again in (without, of_another):
        np.testing.assert_array_equal(again.rows, with_draws.rows)
        np.testing.assert_array_equal(again.alpha_powers, with_draws.alpha_powers)
    np.testing.assert_allclose(with_draws.rows[:, :N_TOPICS].sum(axis=0), 1)
    forget_run(run)


def test_the_phi_of_earlier_sweeps_is_not_kept(client, folder, monkeypatch):
    """Not even as long as it takes Python to find out that nobody needs it."""
    sweep, held = ClusterSweeps.sweep, []

    def watched(sweeps, *arguments):
        facts = sweep(sweeps, *arguments)
        held.append(sum(client.run(_parts_of_phi).values()))
        return facts

    monkeypatch.setattr(ClusterSweeps, "sweep", watched)
    # As in sweeps that take long: waiting in vain leaves futures behind in circles.
    monkeypatch.setattr("blocklda.parallel.cluster.POLL_SECONDS", 0.001)
    gc.disable()
    try:
        parallel.fit(client, folder, N_TOPICS, **SETTINGS)
    finally:
        gc.enable()
    assert len(held) == 6
    assert max(held) <= 2  # at either worker one that is about to go


def _parts_of_phi(dask_worker) -> int:
    return sum(str(key).startswith("finish_words") for key in dask_worker.data)
