"""What a comparison of samplers found: curves, a row per sampler, JSON, and how to read it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed, Given

__all__ = ["X_LABELS", "Y_LABELS", "Comparison", "SamplerRow", "curves", "lowest_shown"]

FEW_STARTS = 10
"""Below this many starts a median says more about the starts than about the samplers: on the bars
six of twenty chains end in a local mode, and do so from some starts only."""


@dataclass(frozen=True)
class SamplerRow:
    """One sampler after a number of sweeps, medians over starts.

    Attributes
    ----------
    sampler
        Its name.
    sweep
        After how many sweeps.
    log_posterior
        The paper's log q, up to a constant that is the same for all samplers.
    perplexity
        Of the held-out tokens, by the last window that was complete by then; NaN before the first.
    seconds
        Time within sweeps.
    seconds_per_sweep
        The median over all sweeps of all starts up to then.
    """

    sampler: str
    sweep: int
    log_posterior: float
    perplexity: float
    seconds: float
    seconds_per_sweep: float

    @property
    def milliseconds(self) -> str:
        """A sweep's time in three digits or more."""
        value = 1e3 * self.seconds_per_sweep
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The result of :func:`blocklda.evaluate.compare_samplers`; print it to see its table.

    Attributes
    ----------
    samplers
        Their names, in the order of the first axis of all arrays.
    n_topics
        K.
    n_train_tokens, n_heldout_tokens, n_heldout_docs
        Tokens that were sampled, tokens that were predicted, and documents these are from.
    window
        Sweeps averaged for one perplexity.
    seconds
        Time within sweeps since the start, shape (samplers, starts, sweeps + 1), from 0.
    log_posterior
        The paper's log q, shape (samplers, starts, sweeps + 1); the first is that of the start.
    perplexity
        Of the held-out tokens, shape (samplers, starts, windows); window i ends with sweep
        ``window_ends[i]``.
    """

    samplers: tuple[str, ...]
    n_topics: int
    n_train_tokens: int
    n_heldout_tokens: int
    n_heldout_docs: int
    window: int
    seconds: Floats
    log_posterior: Floats
    perplexity: Floats

    @property
    def n_starts(self) -> int:
        """Starts of every sampler."""
        return int(self.seconds.shape[1])

    @property
    def n_sweeps(self) -> int:
        """Sweeps from every start."""
        return int(self.seconds.shape[2]) - 1

    @property
    def window_ends(self) -> Ints:
        """The sweep with which each window ends, shape (windows,)."""
        whole = self.window * np.arange(1, self.perplexity.shape[2] + 1)
        ends: Ints = np.minimum(whole, self.n_sweeps)
        return ends

    def rows(self, sweep: int | None = None) -> list[SamplerRow]:
        """Return one row per sampler, after ``sweep`` sweeps or at the end."""
        last = self.n_sweeps
        t = last if sweep is None else whole_number("sweep", sweep, 1, last)
        done = int(np.count_nonzero(self.window_ends <= t))
        per_sweep = np.diff(self.seconds[:, :, : t + 1], axis=2)
        return [
            SamplerRow(
                sampler=name,
                sweep=t,
                log_posterior=float(np.median(self.log_posterior[s, :, t])),
                perplexity=float(np.median(self.perplexity[s, :, done - 1])) if done else np.nan,
                seconds=float(np.median(self.seconds[s, :, t])),
                seconds_per_sweep=float(np.median(per_sweep[s])),
            )
            for s, name in enumerate(self.samplers)
        ]

    def sweeps_to_common_level(self) -> Ints:
        """Return the sweeps that each sampler needed from each start, (samplers, starts).

        The common level is the lowest of the samplers' final log posteriors from that start.
        Single values fluctuate by more than a sweep gains, so means over the last ``window``
        sweeps are compared, and no sampler needs fewer sweeps than that.
        """
        smooth = _trailing_means(self.log_posterior[:, :, 1:], self.window)
        level = smooth[:, :, -1].min(axis=0)
        first: Ints = np.argmax(smooth >= level[:, None], axis=2)
        return self.window + first

    def seconds_to_common_level(self) -> Floats:
        """Return the same in seconds within sweeps."""
        sweeps = self.sweeps_to_common_level()
        return np.take_along_axis(self.seconds, sweeps[:, :, None], axis=2)[:, :, 0]

    def reading(self) -> str:
        """Describe how soon each sampler reached the common level, with a caution."""
        sweeps = np.median(self.sweeps_to_common_level(), axis=1)
        seconds = np.median(self.seconds_to_common_level(), axis=1)
        order = np.argsort(seconds, kind="stable")
        each = "; ".join(
            f"{self.samplers[s]} {sweeps[s]:.0f} sweeps, {seconds[s]:.3g} s" for s in order
        )
        starts = "1 start" if self.n_starts == 1 else f"{self.n_starts} starts"
        caution = (
            f" With {starts}, the order may be due to chance: where a chain ends depends on its "
            "start."
            if self.n_starts < FEW_STARTS
            else ""
        )
        return (
            f"Until the log posterior that all samplers reached (medians of {starts}): "
            f"{each}.{caution}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and numbers for JSON; None stands for no number."""
        return {
            "samplers": list(self.samplers),
            "n_topics": self.n_topics,
            "n_train_tokens": self.n_train_tokens,
            "n_heldout_tokens": self.n_heldout_tokens,
            "n_heldout_docs": self.n_heldout_docs,
            "n_starts": self.n_starts,
            "n_sweeps": self.n_sweeps,
            "window": self.window,
            "window_ends": self.window_ends.tolist(),
            "rows": [asdict(row) for row in self.rows()],
            "sweeps_to_common_level": self.sweeps_to_common_level().tolist(),
            "seconds_to_common_level": self.seconds_to_common_level().tolist(),
            "reading": self.reading(),
            "seconds": self.seconds.tolist(),
            "log_posterior": self.log_posterior.tolist(),
            "perplexity": self.perplexity.tolist(),
        }

    def __str__(self) -> str:
        lines = [f"{'':<20}{'log posterior':>16}{'perplexity':>12}{'ms per sweep':>14}"]
        lines += [
            f"{row.sampler:<20}{row.log_posterior:>16,.0f}{row.perplexity:>12,.1f}"
            f"{row.milliseconds:>14}"
            for row in self.rows()
        ]
        return "\n".join([*lines, "", self.reading()])

    def __repr__(self) -> str:
        names = ", ".join(self.samplers)
        return f"<Comparison: {names}; starts: {self.n_starts}, sweeps: {self.n_sweeps}>"


def _trailing_means(values: Floats, window: int) -> Floats:
    """Return means over each run of ``window`` values along the last axis."""
    means: Floats = sliding_window_view(values, window, axis=-1).mean(axis=-1)
    return means


X_LABELS = {"sweeps": "sweeps", "seconds": "seconds within sweeps"}
Y_LABELS = {"log_posterior": "log posterior", "perplexity": "held-out perplexity"}

SHOWN_FROM = 0.05
"""The log posterior is shown from where half of the chains are after this share of the sweeps: the
climb from a random start is so steep that nothing else would be seen."""


def curves(comparison: Comparison, x: str, y: str) -> tuple[Floats, Floats]:
    """Return both coordinates, shape (samplers, starts, points), from the first sweep on."""
    _check("x", x, X_LABELS)
    _check("y", y, Y_LABELS)
    values: Floats = getattr(comparison, y)
    sweeps = comparison.window_ends
    if y == "log_posterior":
        values = values[:, :, 1:]
        sweeps = np.arange(1, comparison.n_sweeps + 1)
    if x == "seconds":
        return comparison.seconds[:, :, sweeps], values
    return np.broadcast_to(sweeps.astype(np.float64), values.shape), values


def lowest_shown(log_posterior: Floats) -> float:
    """Return the log posterior that a picture of these curves begins at."""
    first = int(SHOWN_FROM * log_posterior.shape[2])
    return min(float(np.median(log_posterior[:, :, first])), float(log_posterior[:, :, -1].min()))


def _check(name: str, value: str, allowed: dict[str, str]) -> None:
    if value not in allowed:
        choices = " or ".join(map(repr, allowed))
        raise InputError.of("{given} is unknown: [choose {allowed}].").where(
            given=Given(name, value), allowed=Allowed(choices, choices=allowed)
        )
