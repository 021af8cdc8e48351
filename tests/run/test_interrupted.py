"""Interrupted or failing sweeps leave a chain in one piece; files keep their links and modes."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest

import blocklda
from blocklda import CapacityError, InputError
from tests.run.failing_sweeps import failing

COUNTS = np.array([[2, 1, 0, 3], [0, 3, 1, 1]])


@pytest.mark.parametrize("error", [KeyboardInterrupt, blocklda.KernelError, MemoryError])
def test_a_sweep_that_does_not_return_is_undone(error):
    sampler, sweep = failing("nested")
    chain = blocklda.Chain(COUNTS, 3, sampler=sampler, seed=1)
    chain.sweep(4)
    sweep.error = error
    with pytest.raises(CapacityError if error is MemoryError else error):
        chain.sweep(3)
    sweep.error = None
    chain.sweep(3)
    other = blocklda.Chain(COUNTS, 3, seed=1)
    other.sweep(7)
    assert chain.n_sweeps == other.n_sweeps
    assert chain.n_simulation_steps == other.n_simulation_steps
    assert np.array_equal(chain.assignments(), other.assignments())


def test_priors_are_copies_that_cannot_be_changed():
    beta = np.asfortranarray(np.full((3, 4), 0.5))
    chain = blocklda.Chain(COUNTS, 3, beta=beta)
    before = chain.log_posterior()
    beta[:] = 50.0
    assert chain.log_posterior() == before
    for values in (chain.priors.alpha, chain.priors.beta, chain.priors.beta_sum):
        with pytest.raises(ValueError, match="read-only"):
            values[...] = 1.0


def test_more_topics_than_memory_are_refused_by_name():
    with pytest.raises(CapacityError, match="2,000,000,000 topics"):
        blocklda.Chain(COUNTS, 2_000_000_000)


@pytest.mark.parametrize("sampler", ["single-site", "backward", "nested"])
@pytest.mark.parametrize("backend", ["native", "python"])
def test_weights_below_the_normal_range_are_no_weights(sampler, backend):
    chain = blocklda.Chain([[1]], 7, alpha=5e-324, beta=1.0, sampler=sampler, backend=backend)
    with pytest.raises(blocklda.KernelError):
        chain.sweep(50)
    assert chain.assignments().max() < 7


@pytest.mark.skipif(os.name != "posix", reason="links and modes are those of POSIX")
def test_saving_follows_links_and_keeps_modes(tmp_path):
    chain = blocklda.Chain(COUNTS, 3)
    file, link = tmp_path / "chain", tmp_path / "link"
    chain.save(file)
    file.chmod(0o640)
    link.symlink_to(file)
    chain.sweep()
    chain.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert blocklda.Chain.load(file, COUNTS).n_sweeps == 1


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes with names elsewhere")
def test_what_is_no_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a file"):
        blocklda.Chain(COUNTS, 3).save(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("path", [None, 5, "a\0b"])
def test_what_names_no_file_is_refused(path):
    with pytest.raises(InputError, match="file"):
        blocklda.Chain(COUNTS, 3).save(path)
