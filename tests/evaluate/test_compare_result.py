"""What a comparison says about curves that are known."""

from __future__ import annotations

import json

import numpy as np
import pytest

from blocklda import InputError
from blocklda.evaluate import Comparison


def made_up() -> Comparison:
    """Two samplers, three starts, six sweeps: the first takes 1 s a sweep, the second 2 s.

    From the start r both begin at −100 + r. The first gains 10 a sweep and ends at −40 + r; the
    second gains 20 a sweep up to −20 + r.
    """
    sweeps = np.arange(7)
    starts = np.arange(3)[:, None]
    slow = -100 + starts + 10.0 * sweeps
    fast = -100 + starts + 20.0 * np.minimum(sweeps, 4)
    seconds = np.array([np.tile(1.0 * sweeps, (3, 1)), np.tile(2.0 * sweeps, (3, 1))])
    perplexity = np.arange(18, dtype=float).reshape(2, 3, 3)[:, :, ::-1]
    return Comparison(
        samplers=("slow", "fast"),
        n_topics=4,
        n_train_tokens=90,
        n_heldout_tokens=10,
        n_heldout_docs=2,
        window=2,
        seconds=seconds,
        log_posterior=np.array([slow, fast]),
        perplexity=perplexity,
    )


def test_rows_are_medians_over_starts() -> None:
    slow, fast = made_up().rows()
    assert (slow.sampler, slow.sweep, slow.log_posterior, slow.perplexity) == ("slow", 6, -39.0, 3)
    assert (fast.log_posterior, fast.perplexity) == (-19.0, 12)
    assert (slow.seconds, slow.seconds_per_sweep) == (6.0, 1.0)
    assert (fast.seconds, fast.seconds_per_sweep) == (12.0, 2.0)


def test_rows_after_some_sweeps_know_no_later_window() -> None:
    first, third = made_up().rows(1)[0], made_up().rows(3)[0]
    assert np.isnan(first.perplexity)
    assert (first.log_posterior, first.seconds) == (-89.0, 1.0)
    assert third.perplexity == 5
    with pytest.raises(InputError, match="sweep=7"):
        made_up().rows(7)
    with pytest.raises(InputError, match="sweep=0"):
        made_up().rows(0)


def test_the_common_level_is_the_lowest_final_mean() -> None:
    """Over two sweeps: slow ends at −45 + r, fast has −50 + r after 3 and −30 + r after 4."""
    result = made_up()
    assert result.sweeps_to_common_level().tolist() == [[6, 6, 6], [4, 4, 4]]
    assert result.seconds_to_common_level().tolist() == [[6.0] * 3, [8.0] * 3]


def test_the_reading_names_all_in_order_of_seconds_and_warns_of_chance() -> None:
    assert made_up().reading() == (
        "Until the log posterior that all samplers reached (medians of 3 starts): slow 6 sweeps, "
        "6 s; fast 4 sweeps, 8 s. With 3 starts, the order may be due to chance: where a chain "
        "ends depends on its start."
    )


def test_with_many_starts_the_warning_is_gone() -> None:
    few = made_up()
    many = Comparison(
        **{
            **few.__dict__,
            **{
                name: np.concatenate([getattr(few, name)] * 4, axis=1)
                for name in ("seconds", "log_posterior", "perplexity")
            },
        }
    )
    assert many.n_starts == 12
    assert many.reading().endswith("fast 4 sweeps, 8 s.")


def test_json_holds_everything_and_no_nan() -> None:
    result = made_up()
    values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert values["samplers"] == ["slow", "fast"]
    assert values["window_ends"] == [2, 4, 6]
    np.testing.assert_array_equal(values["seconds"], result.seconds)
    np.testing.assert_array_equal(values["log_posterior"], result.log_posterior)
    np.testing.assert_array_equal(values["perplexity"], result.perplexity)
    assert [row["sampler"] for row in values["rows"]] == ["slow", "fast"]
    assert values["reading"] == result.reading()


def test_printed_it_is_a_table() -> None:
    header, slow, fast, empty, reading = str(made_up()).splitlines()
    assert header.split() == ["log", "posterior", "perplexity", "ms", "per", "sweep"]
    assert slow.split() == ["slow", "-39", "3.0", "1,000"]
    assert fast.split()[0] == "fast"
    assert (empty, reading) == ("", made_up().reading())
    assert repr(made_up()) == "<Comparison: slow, fast; starts: 3, sweeps: 6>"
