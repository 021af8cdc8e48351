"""`n_sweeps="auto"`: sweep until predictions and the set of reproducible topics stop changing.

The rule looks at all chains together, at sweeps that are fixed in advance; so its decision does not
depend on the number of jobs, and a resumed run takes the same one.
docs/explanation/stopping.md has its rate of
stopping too early.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from blocklda.diagnostics.settling import recent_change
from blocklda.models.base import LOG_PREDICTIVE
from blocklda.results.posterior import MeanTopics
from blocklda.results.stability import STABLE_BELOW, align_chains
from blocklda.results.trace import trace_of
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule
from blocklda.support.arrays import Floats

__all__ = ["Since", "StoppingRule", "excess_of", "found_since", "topics_settled"]

FIRST_DRAWS = 25
"""Draws of each chain at the first look."""

GROWTH = 1.5
"""Each look comes after half as many draws again. The answer of the look before must still hold, so
a run has at least half as many draws more than it needed."""

CHANGED_SHARE = 0.05
"""Topics that may join or leave the reproducible ones between two looks, as a share of all; one may
in any case."""

APPROACH = 0.001
"""How far the chains' topics may come closer to each other between two looks, or drift apart: the
mean of what distances of matched topics exceed the limit of stable ones by. How many topics were
found in all chains is a small number that moves by chance; this mean shows long before that chains
still approach each other. From one look to the next it falls by less than 0.0005 on bars and
simulated corpora, by about 0.001 on docstrings, and by 0.006 to 0.012 on KOS and NIPS, where it
does not slow down within 1,000 sweeps (`python -m benchmarks.settling`)."""


class Since(NamedTuple):
    """How many topics of the first chain every chain found, after a sweep and now."""

    sweep: int
    n_then: int
    n_now: int


class StoppingRule:
    """Ends a run when its answer has settled: an observer of runs.

    What it saw is kept with the run (``run.looks``), from where it continues. A run with a given
    number of sweeps is looked at as well, but not ended: the verdict says what more sweeps brought.
    """

    def __init__(self, schedule: Schedule, *, ends_runs: bool = True) -> None:
        self._schedule = schedule
        self._ends_runs = ends_runs

    def next_look(self, sweep: int) -> int:
        """Return the next sweep after this one at which it looks."""
        draws = FIRST_DRAWS
        while (at := self._schedule.burn_in + draws * self._schedule.thin) <= sweep:
            draws = math.ceil(draws * GROWTH)
        return at

    def look(self, run: Run) -> bool:
        """Return whether the run may end here; sweeps between looks change nothing."""
        has_settled = self._has_settled(run)
        return has_settled and self._ends_runs

    def _has_settled(self, run: Run) -> bool:
        sweep = run.n_sweeps
        if run.looks and run.looks[-1]["sweep"] == sweep:
            return bool(run.looks[-1]["settled"])
        if self.next_look(sweep - 1) != sweep or any(part.n_draws == 0 for part in run.chains):
            return False
        now = _topics_now(run)
        before = run.looks[-1] if run.looks else None
        settled = _prediction_settled(run) and topics_settled(before, now)
        run.looks.append({"sweep": sweep, "settled": settled, **now})
        return settled


def _prediction_settled(run: Run) -> bool:
    trace = trace_of(run)
    change = recent_change(trace[LOG_PREDICTIVE]) if LOG_PREDICTIVE in trace else None
    return change is not None and change.may_stop


def topics_settled(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> bool:
    """Return whether hardly any topic joined or left, and chains no longer approach each other.

    Both are what a look saw; with one chain there is nothing to ask.
    """
    if now["found"] is None:
        return True
    # Looks of older versions have no excess.
    if before is None or before["found"] is None or before.get("excess") is None:
        return False
    pairs = zip(before["found"], now["found"], strict=True)
    n_changed = sum(was != is_now for was, is_now in pairs)
    may_change = max(1, CHANGED_SHARE * len(now["found"]))
    approach: float = abs(now["excess"] - before["excess"])
    return n_changed <= may_change and approach <= APPROACH


def found_since(run: Run) -> Since | None:
    """Compare a run with what the rule saw when it had at most half as many sweeps.

    None where the rule did not look, or where topics cannot be compared.
    """
    looks = [look for look in run.looks if 2 * look["sweep"] <= run.n_sweeps]
    if not looks or looks[-1]["found"] is None:
        return None
    now = _topics_now(run)["found"]
    if now is None or len(now) != len(looks[-1]["found"]):
        return None
    return Since(looks[-1]["sweep"], sum(looks[-1]["found"]), sum(now))


def _topics_now(run: Run) -> dict[str, Any]:
    """Return which topics of the first chain every chain found so far, and how far others are off.

    None with one chain. The first chain is asked, not the one that will be reported: which one that
    is may change, and the numbers of the topics with it.
    """
    means: list[Any] = [part.means for part in run.chains]
    if len(means) == 1 or any(mean is None for mean in means):
        return {"found": None, "excess": None}
    alignment = align_chains(MeanTopics(means), run.model.partner_groups())
    return {
        "found": [bool(is_found) for is_found in np.atleast_1d(alignment.found.all(axis=0))],
        "excess": excess_of(alignment.distances),
    }


def excess_of(distances: Floats) -> float:
    """Return the mean of what distances of matched topics exceed the limit of stable ones by.

    The first row is that of the chain to which the others are matched.
    """
    return float(np.maximum(distances[1:] - STABLE_BELOW, 0.0).mean())
