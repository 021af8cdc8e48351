"""`n_sweeps="auto"`: sweep until predictions and the set of reproducible topics stop changing.

The rule looks at all chains together, at sweeps that are fixed in advance; so its decision does not
depend on the number of jobs, and a resumed run takes the same one.
docs/explanation/stopping.md has its rate of
stopping too early.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from blocklda.diagnostics.settling import recent_change
from blocklda.models.base import LOG_PREDICTIVE
from blocklda.results.posterior import MeanTopics
from blocklda.results.stability import align_chains
from blocklda.results.trace import trace_of
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule

__all__ = ["StoppingRule", "topics_settled"]

FIRST_DRAWS = 25
"""Draws of each chain at the first look."""

GROWTH = 1.5
"""Each look comes after half as many draws again. The answer of the look before must still hold, so
a run has at least half as many draws more than it needed."""

CHANGED_SHARE = 0.05
"""Topics that may join or leave the reproducible ones between two looks, as a share of all; one may
in any case."""


class StoppingRule:
    """Ends a run when its answer has settled: an observer of runs.

    What it saw is kept with the run (``run.looks``), from where it continues.
    """

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule

    def next_look(self, sweep: int) -> int:
        """Return the next sweep after this one at which it looks."""
        draws = FIRST_DRAWS
        while (at := self._schedule.burn_in + draws * self._schedule.thin) <= sweep:
            draws = math.ceil(draws * GROWTH)
        return at

    def look(self, run: Run) -> bool:
        """Return whether the answer has settled; sweeps between looks change nothing."""
        sweep = run.n_sweeps
        if run.looks and run.looks[-1]["sweep"] == sweep:
            return bool(run.looks[-1]["settled"])
        if self.next_look(sweep - 1) != sweep or any(part.n_draws == 0 for part in run.chains):
            return False
        found = _found_everywhere(run)
        before = run.looks[-1]["found"] if run.looks else None
        settled = _prediction_settled(run) and topics_settled(before, found)
        run.looks.append({"sweep": sweep, "settled": settled, "found": found})
        return settled


def _prediction_settled(run: Run) -> bool:
    trace = trace_of(run)
    change = recent_change(trace[LOG_PREDICTIVE]) if LOG_PREDICTIVE in trace else None
    return change is not None and change.may_stop


def topics_settled(before: list[bool] | None, now: list[bool] | None) -> bool:
    """Return whether hardly any topic joined or left; with one chain there is nothing to ask."""
    if now is None:
        return True
    if before is None:
        return False
    n_changed = sum(was != is_now for was, is_now in zip(before, now, strict=True))
    return n_changed <= max(1, CHANGED_SHARE * len(now))


def _found_everywhere(run: Run) -> list[bool] | None:
    """Return which topics of the first chain every chain found so far, None with one chain.

    The first chain is asked, not the one that will be reported: which one that is may change, and
    the numbers of the topics with it.
    """
    means: list[Any] = [part.means for part in run.chains]
    if len(means) == 1 or any(mean is None for mean in means):
        return None
    groups = run.model.partner_groups()
    found = align_chains(MeanTopics(means), groups).found
    return [bool(is_found) for is_found in np.atleast_1d(found.all(axis=0))]
