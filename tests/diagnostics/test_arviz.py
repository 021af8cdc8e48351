"""ArviZ gets the same numbers, in its old form and in its new one."""

from __future__ import annotations

import re
import warnings
from importlib import import_module, metadata
from typing import Any

import numpy as np
import pytest

from blocklda.diagnostics.arviz_export import to_arviz
from blocklda.support.errors import InputError
from blocklda.support.extras import install_command
from tests.results.traces import lda_trace

RNG = np.random.default_rng(0)
TRACE = lda_trace(
    sweeps=np.arange(10, 90, 2),
    log_posterior=RNG.normal(size=(2, 40)),
    topic_size=RNG.integers(1, 100, size=(2, 40, 3)),
    co_assignment=RNG.random((2, 40, 5)),
    alpha=RNG.gamma(2, size=(2, 40, 3)),
    beta=RNG.gamma(2, size=(2, 40)),
    seconds=1.0,
)
ORDER = np.array([[0, 1, 2], [2, 0, 1]])


def only(monkeypatch: pytest.MonkeyPatch, **versions: int) -> None:
    """Let only these distributions seem to be installed."""

    def version(name: str) -> str:
        try:
            return f"{versions[name.replace('-', '_')]}.1.0"
        except KeyError:
            raise metadata.PackageNotFoundError(name) from None

    for package in ("arviz", "arviz_base"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_module(package)  # packages ask for versions themselves while they are imported
    monkeypatch.setattr(metadata, "version", version)


@pytest.mark.parametrize(
    ("versions", "form"),
    [
        ({"arviz": 0}, "InferenceData"),
        ({"arviz": 0, "arviz_base": 0}, "InferenceData"),
        ({"arviz": 1, "arviz_base": 1}, "DataTree"),
        ({"arviz_base": 0}, "DataTree"),
    ],
)
def test_both_forms_hold_the_trace(
    versions: dict[str, int], form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, **versions)
    data = to_arviz(TRACE, ORDER)
    assert type(data).__name__ == form
    check(data["posterior"])


def check(posterior: Any) -> None:
    aligned = np.stack([TRACE.topic_sizes[c][:, ORDER[c]] for c in range(2)])
    learned = np.stack([TRACE["alpha"][c][:, ORDER[c]] for c in range(2)])
    expected = {
        "log_posterior": ((), TRACE.log_posterior),
        "topic_size_sorted": (("rank",), np.sort(TRACE.topic_sizes, axis=2)[..., ::-1]),
        "topic_size": (("topic",), aligned),
        "co_assignment": (("pair",), TRACE["co_assignment"]),
        "alpha": (("topic",), learned),
        "beta": ((), TRACE["beta"]),
    }
    assert set(posterior.data_vars) == set(expected)
    for name, (dims, values) in expected.items():
        assert posterior[name].dims == ("chain", "draw", *dims)
        np.testing.assert_array_equal(posterior[name].values, values)
    np.testing.assert_array_equal(posterior["draw"].values, TRACE.sweeps)
    np.testing.assert_array_equal(posterior["rank"].values, [1, 2, 3])


def test_what_is_not_learned_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, arviz_base=0)
    trace = lda_trace(
        TRACE.sweeps,
        TRACE.log_posterior,
        seconds=1.0,
        topic_size=TRACE.topic_sizes,
        co_assignment=TRACE["co_assignment"],
    )
    assert not {"alpha", "beta"} & set(to_arviz(trace, ORDER)["posterior"].data_vars)


def test_what_is_installed_is_found_out() -> None:
    assert type(to_arviz(TRACE, ORDER)).__name__ in ("InferenceData", "DataTree")


def test_without_arviz_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    with pytest.raises(InputError, match=re.escape(install_command("arviz"))):
        to_arviz(TRACE, ORDER)
