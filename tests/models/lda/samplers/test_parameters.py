"""Wrong parameters get one sentence that names them."""

from __future__ import annotations

import os

import numpy as np
import pytest

import blocklda
from blocklda import InputError
from blocklda.support.checks import n_workers

COUNTS = np.array([[2, 1, 0], [0, 3, 1]])
GOOD = {"n_topics": 2}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n_topics": 0}, "n_topics=0"),
        ({"n_topics": -1}, "n_topics=-1"),
        ({"n_topics": 1.5}, r"n_topics=1\.5"),
        ({"n_topics": True}, "n_topics=True"),
        ({"n_topics": "ten"}, "n_topics='ten'"),
        ({"n_topics": 2**40}, "n_topics="),
        ({"alpha": 0}, r"alpha=0\.0"),
        ({"alpha": -1}, r"alpha=-1\.0"),
        ({"alpha": np.nan}, "alpha=nan"),
        ({"alpha": np.inf}, "alpha=inf"),
        ({"alpha": [0.1, 0.2, 0.3]}, "alpha has the shape"),
        ({"alpha": [0.1, -0.2]}, r"alpha\[1\]=-0\.2"),
        ({"alpha": "auto"}, "alpha='auto'"),
        ({"alpha": "0.1"}, "alpha='0.1' is not a number"),
        ({"alpha": True}, "alpha=True is not a number"),
        ({"alpha": [True, True]}, r"alpha=\[True, True\] is not a number"),
        ({"alpha": ["0.1", "0.2"]}, r"alpha=\['0\.1', '0\.2'\] is not a number"),
        ({"alpha": np.array(["0.1", 0.2], dtype=object)}, "is not a number"),
        ({"alpha": 1j}, "alpha=1j is not a number"),
        ({"alpha": None}, "alpha=None is not a number"),
        ({"beta": 0}, r"beta=0\.0"),
        ({"beta": "0.01"}, "beta='0.01' is not a number"),
        ({"beta": [0.1, 0.2]}, "beta has the shape"),
        ({"beta": np.zeros((2, 3))}, r"beta\[0, 0\]=0\.0"),
        ({"beta": np.ones((3, 2))}, "beta has the shape"),
        ({"sampler": "fast"}, "sampler='fast'"),
        ({"sampler": None}, "sampler=None"),
        ({"sampler": ["nested"]}, "sampler="),
        ({"backend": "gpu"}, "backend='gpu'"),
        ({"convolution": "slow"}, "convolution='slow'"),
        ({"max_block": 0}, "max_block=0"),
        ({"max_block": 2.0}, r"max_block=2\.0"),
        ({"n_threads": 0}, "n_threads=0"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 0.5}, r"seed=0\.5"),
        ({"init": "warm"}, "init='warm'"),
        ({"init": [0, 1]}, "init has the shape"),
        ({"init": [0, 1, 0, 1, 0, 1, 2]}, r"init\[6\]=2"),
        ({"init": [0, 1, 0, 1, 0, 1, -1]}, r"init\[6\]=-1"),
        ({"init": [0.0] * 7}, "init has the dtype"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_value(wrong, said):
    with pytest.raises(InputError, match=said):
        blocklda.Chain(COUNTS, **{**GOOD, **wrong})


@pytest.mark.parametrize("n", [-1, 1.0, "two", True])
def test_a_wrong_number_of_sweeps_is_named(n):
    with pytest.raises(InputError, match="n="):
        blocklda.Chain(COUNTS, 2).sweep(n)


def test_seeds_of_every_kind_are_taken():
    for seed in (0, 2**70, np.int64(3), np.random.SeedSequence(1), None):
        blocklda.Chain(COUNTS, 2, seed=seed).sweep()


def test_same_seed_same_draws():
    one, other = (blocklda.Chain(COUNTS, 2, seed=9) for _ in range(2))
    one.sweep(20)
    other.sweep(20)
    assert np.array_equal(one.assignments(), other.assignments())


@pytest.mark.parametrize(
    ("n_jobs", "n"), [(None, 1), (1, 1), (np.int64(3), 3), (-1, 4), (-2, 3), (-9, 1)]
)
def test_jobs_are_counted_as_scikit_learn_counts_them(n_jobs, n, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(4)), raising=False)
    assert n_workers(n_jobs) == n


@pytest.mark.parametrize("n_jobs", [0, 1.0, "all", True])
def test_jobs_that_are_no_number_are_refused(n_jobs):
    with pytest.raises(blocklda.InputError, match=r"n_jobs=.*is not allowed: give a whole number"):
        n_workers(n_jobs)
