"""Openings: which sweeps a chain begins with, and that they are ordinary sweeps of it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.opening import NO_OPENING, Opening
from blocklda.models.lda.samplers import openings
from blocklda.models.lda.samplers.powers import FIRST_SIXTEENTHS, sixteenths
from blocklda.models.lda.samplers.registry import find_sampler
from tests.files.test_chain_files import contents, rewrite
from tests.models.lda.samplers.test_resume import COUNTS, new_chain, same

COMPANIONS = {
    "nested": "single-site",
    "backward": "single-site",
    "sparse": "sparse-single-site",
}
OPENED = [("nested", "annealed", 8), ("partially-collapsed", "annealed", 8)]
OPENED += [*((name, "random", 5) for name in COMPANIONS)]


def opened(sampler: str, init: str, n_sweeps: int, **settings: object) -> blocklda.Chain:
    return new_chain(sampler, init=init, opening_sweeps=n_sweeps, **settings)


def test_blocked_samplers_and_no_others_have_a_companion():
    found = {name: find_sampler(name).companion for name in blocklda.SAMPLERS}
    assert {name: other for name, other in found.items() if other is not None} == COMPANIONS


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_a_random_start_begins_with_the_companion_by_default(sampler, monkeypatch):
    monkeypatch.setattr(openings, "COMPANION_SWEEPS", 30)
    companion = COMPANIONS.get(sampler)
    expected = NO_OPENING if companion is None else Opening(companion, 30)
    assert new_chain(sampler).state.opening == expected
    assert new_chain(sampler, opening_sweeps=0).state.opening == NO_OPENING
    for init in ("variational", new_chain(sampler).assignments()):
        assert new_chain(sampler, init=init).state.opening == NO_OPENING


def test_the_numbers_of_sweeps_outside_the_tests():
    program = """
import numpy as np, blocklda
counts = np.eye(3, dtype=int)
for init in ("random", "annealed", "variational"):
    print(blocklda.Chain(counts, 2, sampler="nested", init=init).opening_sweeps)
lda = blocklda.LDA(2, init="random", sampler="sparse", n_sweeps=2, burn_in=0, thin=1).fit(counts)
print(lda.chains_[0].opening_sweeps)
"""
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == ["30", "400", "0", "30"]


def test_the_first_sweeps_are_the_companions():
    chain = opened("nested", "random", 3)
    other = new_chain("single-site")
    chain.sweep(3)
    other.sweep(3)
    assert same(chain, other)
    assert chain.sampler == "nested"
    nested = new_chain("nested", init=other.assignments())
    nested.state.rng.bit_generator.state = other.state.rng.bit_generator.state
    chain.sweep(2)
    nested.sweep(2)
    assert np.array_equal(chain.assignments(), nested.assignments())


@pytest.mark.parametrize("n_sweeps", [8, 9, 16, 100, 480])
def test_the_power_rises_from_a_half_to_one_in_steps_of_a_sixteenth(n_sweeps):
    levels = [sixteenths(t, n_sweeps) for t in range(n_sweeps)]
    assert levels == sorted(levels)
    assert sorted(set(levels)) == list(range(FIRST_SIXTEENTHS, 16))
    lengths = np.bincount(levels)[FIRST_SIXTEENTHS:]
    assert lengths.max() - lengths.min() <= 1


@pytest.mark.parametrize(("sampler", "init", "n"), OPENED)
def test_backends_and_numbers_of_sweeps_at_once_agree(sampler, init, n):
    at_once, one_by_one = opened(sampler, init, n), opened(sampler, init, n)
    twin = opened(sampler, init, n, backend="python")
    at_once.sweep(n + 4)
    twin.sweep(n + 4)
    for _ in range(n + 4):
        one_by_one.sweep()
    assert same(at_once, one_by_one)
    assert same(at_once, twin)


@pytest.mark.parametrize("done", [0, 3, 7, 8, 9])
@pytest.mark.parametrize(("sampler", "init", "n"), OPENED)
def test_a_chain_saved_in_its_opening_goes_on_as_if_never_stopped(sampler, init, n, done, tmp_path):
    whole, first = opened(sampler, init, n), opened(sampler, init, n)
    whole.sweep(n + 4)
    first.sweep(done)
    first.save(tmp_path / "chain")
    second = blocklda.Chain.load(tmp_path / "chain", COUNTS)
    assert second.is_tempered == (init == "annealed" and done <= n)
    second.sweep(n + 4 - done)
    assert same(second, whole)


def test_an_interrupted_sweep_leaves_the_opening_where_it_was():
    chain, whole = opened("nested", "annealed", 8), opened("nested", "annealed", 8)
    chain.sweep(3)
    next_sampler = chain.model.next_sampler

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    chain.model.next_sampler = interrupted
    with pytest.raises(KeyboardInterrupt):
        chain.sweep()
    chain.model.next_sampler = next_sampler
    chain.sweep(7)
    whole.sweep(10)
    assert same(chain, whole)


def test_a_file_without_an_opening_has_none(tmp_path):
    path = tmp_path / "chain.npz"
    opened("nested", "random", 5).save(path)
    header, arrays = contents(path)
    assert header["opening"] == {"kind": "single-site", "n_sweeps": 5}
    del header["opening"]
    rewrite(path, header, arrays)
    assert blocklda.Chain.load(path, COUNTS).state.opening == NO_OPENING


@pytest.mark.parametrize(
    "opening",
    [
        {"kind": "unheard of", "n_sweeps": 5},
        {"kind": "approximate-parallel", "n_sweeps": 5},
        {"kind": "annealed", "n_sweeps": -1},
        {"kind": "annealed"},
        [],
        3,
    ],
)
def test_a_file_with_an_opening_that_is_none_is_refused(opening, tmp_path):
    path = tmp_path / "chain.npz"
    opened("nested", "random", 5).save(path)
    header, arrays = contents(path)
    rewrite(path, {**header, "opening": opening}, arrays)
    with pytest.raises(blocklda.InputError, match=r"chain\.npz"):
        blocklda.Chain.load(path, COUNTS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opening_sweeps": -1}, "opening_sweeps=-1"),
        ({"opening_sweeps": 2.5}, "opening_sweeps=2.5"),
        ({"opening_sweeps": "none"}, r"opening_sweeps='none'.*or \"auto\""),
        ({"sampler": "single-site", "opening_sweeps": 3}, r"'single-site' has none: give 0"),
        ({"init": "annealed", "opening_sweeps": 7}, r"rises in 8 steps: give at least 8"),
        ({"init": "tempered"}, "'annealed'"),
    ],
)
def test_what_cannot_be_an_opening_is_said(settings, message):
    with pytest.raises(blocklda.InputError, match=message):
        new_chain(**{"sampler": "nested", **settings})
