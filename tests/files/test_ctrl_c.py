"""Ctrl-C and SIGTERM finish the sweep and keep the draws; a second one breaks in."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from blocklda.run.interrupts import EndOnSigterm
from tests.files.fits import COUNTS, assert_same, make


@pytest.fixture(autouse=True)
def usual_handler():
    """Fits take Ctrl-C over only from Python's own handler, and give it back."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def press_at(sweep: int, times: int = 1, number: signal.Signals = signal.SIGINT):
    def callback(draw):
        if (draw.chain, draw.sweep) == (0, sweep):
            for _ in range(times):
                signal.raise_signal(number)

    return callback


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_draws_are_kept_and_the_fit_can_go_on(n_jobs):
    lda = make("three chains", n_jobs=n_jobs, warm_start=True, callback=press_at(20))
    with pytest.warns(UserWarning, match="interrupted after 20 sweeps; its 9 draws are kept"):
        lda.fit(COUNTS)
    assert len(lda.draws_) == 9
    lda.set_params(callback=None).fit(COUNTS)
    assert_same(lda, make("three chains").fit(COUNTS))


def test_a_fit_of_any_length_ends_soon_wherever_it_is(tmp_path):
    """From another thread, at any moment: chains may have stopped at different sweeps."""
    lda = make("three chains", n_sweeps=10**6, n_jobs=2, warm_start=True, keep_draws=False)
    presser = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    presser.start()
    start = time.perf_counter()
    with pytest.warns(UserWarning, match="interrupted after"):
        lda.fit(COUNTS, checkpoint=tmp_path, every=500)
    assert time.perf_counter() - start < 60
    done = lda.n_sweeps_
    assert 5 < done < 10**6
    until = 5 * (done // 5 + 2)
    whole = make("three chains", n_sweeps=until, keep_draws=False).fit(COUNTS)
    resumed = make("three chains", n_sweeps=until, keep_draws=False)
    assert_same(resumed.fit(COUNTS, checkpoint=tmp_path), whole)
    assert_same(lda.set_params(n_sweeps=until).fit(COUNTS), whole)


def test_without_a_draw_ctrl_c_is_what_it_always_is(tmp_path):
    lda = make("one chain", n_sweeps=10**6, burn_in=999_000)
    presser = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        lda.fit(COUNTS, checkpoint=tmp_path, every=10**6)
    with pytest.raises(NotFittedError):
        check_is_fitted(lda)
    assert (tmp_path / "run-000002.npz").exists(), "what was done is in the checkpoint"


def test_a_second_ctrl_c_breaks_in():
    lda = make("one chain", callback=press_at(20, times=2))
    with pytest.raises(KeyboardInterrupt):
        lda.fit(COUNTS)
    assert not hasattr(lda, "components_")


def test_a_program_with_a_handler_of_its_own_keeps_it():
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    try:
        lda = make("one chain", callback=press_at(20)).fit(COUNTS)
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressed == [1]
    assert_same(lda, make("one chain").fit(COUNTS))


def test_fits_run_in_other_threads_than_the_main_one():
    found = []
    thread = threading.Thread(target=lambda: found.append(make("three chains").fit(COUNTS)))
    thread.start()
    thread.join()
    assert_same(found[0], make("three chains").fit(COUNTS))
    assert np.isfinite(found[0].log_posterior_).all()


# --- SIGTERM


def test_the_library_leaves_sigterm_alone():
    """Whoever calls it might otherwise go on after being told to end."""
    seen = []
    lda = make("one chain", callback=lambda _: seen.append(signal.getsignal(signal.SIGTERM)))
    lda.fit(COUNTS)
    assert set(seen) == {signal.SIG_DFL}


def test_a_program_ends_after_its_sweep_and_at_once_when_told_twice():
    handler = EndOnSigterm()
    signal.signal(signal.SIGTERM, handler)
    try:
        lda = make("three chains", n_jobs=2, callback=press_at(20, number=signal.SIGTERM))
        with pytest.warns(UserWarning, match="interrupted after 20 sweeps; its 9 draws are kept"):
            lda.fit(COUNTS)
        assert handler.arrived
        assert signal.getsignal(signal.SIGTERM) is handler
        twice = make("one chain", callback=press_at(20, times=2, number=signal.SIGTERM))
        with pytest.raises(SystemExit) as ending:
            twice.fit(COUNTS)
        assert ending.value.code == 143
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
