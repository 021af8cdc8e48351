"""The memory of a fit or a chain is estimated, refused where it is short, and not exceeded."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import blocklda
from benchmarks.fit_memory import QUICK, measured
from blocklda import CapacityError, InputError
from blocklda.estimator.plan import FitPlan
from blocklda.models.lda.memory import FitSize, require_memory_for_fit
from blocklda.support import memory

COUNTS = np.random.default_rng(1).poisson(0.5, size=(40, 60))

LARGE_ENOUGH = 100 * 10**6
"""Bytes from which the interpreter, its threads and small objects no longer count."""


def make(**parameters: object) -> blocklda.LDA:
    settings = {"n_topics": 5, "n_sweeps": 12, "burn_in": 4, "random_state": 1, "progress": False}
    settings |= {"alpha": 0.1, "beta": 0.01}
    return blocklda.LDA(**{**settings, **parameters})


def size_of(lda: blocklda.LDA) -> FitSize:
    return FitPlan.create(lda, blocklda.Corpus.from_matrix(COUNTS)).size()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells the peak of a fit")
@pytest.mark.parametrize("case", QUICK, ids=str)
def test_the_peak_is_within_one_and_a_half_times_the_estimate(case):
    estimate, peak = measured(case)
    assert estimate > LARGE_ENOUGH
    assert estimate / 1.5 < peak < 1.5 * estimate


@pytest.mark.parametrize(
    "more",
    [
        {"n_topics": 10},
        {"n_sweeps": 40},
        {"n_chains": 2},
        {"beta": np.full((5, 60), 0.1)},
    ],
    ids=str,
)
def test_more_work_needs_more_memory(more):
    assert size_of(make(**more)).peak_bytes() > size_of(make()).peak_bytes()


def test_chains_at_once_need_more_than_chains_in_turn():
    settings = {"n_chains": 4, "sampler": "nested"}  # whose tables last for a sweep
    in_turn, at_once = (size_of(make(n_jobs=n, **settings)).peak_bytes() for n in (1, 4))
    assert at_once > in_turn


def test_draws_that_are_there_are_not_asked_for_again():
    size = size_of(make(thin=1))
    per_draw = size.corpus.n_tokens
    going_on = replace(size, n_kept_before=5)
    assert size.peak_bytes() - going_on.peak_bytes() == 5 * per_draw


def test_a_fit_is_refused_by_one_byte(monkeypatch):
    monkeypatch.setattr(memory, "WORTH_ASKING", 0)
    size = size_of(make(n_chains=3, n_jobs=2))
    monkeypatch.setattr(memory, "available_bytes", size.peak_bytes)
    require_memory_for_fit(size)
    monkeypatch.setattr(memory, "available_bytes", lambda: size.peak_bytes() - 1)
    with pytest.raises(CapacityError) as caught:
        require_memory_for_fit(size)
    said = str(caught.value)
    assert said.startswith("a fit of 5 topics to 40 documents, 60 words and ")
    assert "with 3 chains, 2 at once, and 6 draws kept needs " in said
    assert said.endswith("or run it anyway with allow_memory_overcommit=True.")


@pytest.fixture
def _no_memory(monkeypatch):
    monkeypatch.setattr(memory, "WORTH_ASKING", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 200)


@pytest.mark.usefixtures("_no_memory")
@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_the_override_reaches_the_threads_of_the_chains(sampler):
    with pytest.raises(CapacityError):
        make(sampler=sampler).fit(COUNTS)
    lda = make(sampler=sampler, n_chains=2, n_jobs=2, allow_memory_overcommit=True).fit(COUNTS)
    assert lda.n_sweeps_ == 12
    with pytest.raises(CapacityError):  # it was for that fit only
        make(sampler=sampler).fit(COUNTS)


@pytest.mark.usefixtures("_no_memory")
def test_the_environment_overrides_everything(monkeypatch):
    monkeypatch.setenv(memory.OVERCOMMIT_VARIABLE, "0")
    with pytest.raises(CapacityError):
        make().fit(COUNTS)
    monkeypatch.setenv(memory.OVERCOMMIT_VARIABLE, "1")
    assert make().fit(COUNTS).n_sweeps_ == 12


def test_a_run_that_goes_on_is_asked_too(tmp_path, monkeypatch):
    # Its lists take more than the pairs of tokens that are watched, which are asked for first.
    lists = {"sampler": "sparse"}
    make(**lists).fit(COUNTS, checkpoint=tmp_path / "run")
    too_few = size_of(make(**lists, n_sweeps=20)).peak_bytes() - 1
    monkeypatch.setattr(memory, "WORTH_ASKING", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: too_few)
    with pytest.raises(CapacityError, match="a fit of 5 topics"):
        make(**lists, n_sweeps=20).fit(COUNTS, checkpoint=tmp_path / "run")
    again = make(**lists, n_sweeps=20, allow_memory_overcommit=True)
    assert again.fit(COUNTS, checkpoint=tmp_path / "run").n_sweeps_ == 20


@pytest.mark.usefixtures("_no_memory")
def test_a_chain_has_the_override_as_well(tmp_path):
    with pytest.raises(CapacityError, match=r"a chain of 5 topics .* sampler='nested' needs"):
        blocklda.Chain(COUNTS, 5)
    chain = blocklda.Chain(COUNTS, 5, init="variational", allow_memory_overcommit=True)
    chain.sweep(2)
    chain.save(tmp_path / "chain.npz")
    with pytest.raises(CapacityError, match=r"a chain of 5 topics .* sampler='single-site' needs"):
        blocklda.Chain.load(tmp_path / "chain.npz", COUNTS, sampler="single-site")
    loaded = blocklda.Chain.load(tmp_path / "chain.npz", COUNTS, allow_memory_overcommit=True)
    loaded.sweep()
    assert loaded.n_sweeps == 3


def test_the_override_is_true_or_false_and_not_saved(tmp_path):
    for wrong in (1, "yes", None):
        with pytest.raises(InputError, match="allow_memory_overcommit="):
            make(allow_memory_overcommit=wrong).fit(COUNTS)
        with pytest.raises(InputError, match="allow_memory_overcommit="):
            blocklda.Chain(COUNTS, 5, allow_memory_overcommit=wrong)
    make(allow_memory_overcommit=True).fit(COUNTS).save(tmp_path / "model")
    assert blocklda.LDA.load(tmp_path / "model").allow_memory_overcommit is False
