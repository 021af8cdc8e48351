"""Wrong draws of what all documents share, strong enough to show in the ranks of a few truths."""

from __future__ import annotations

from collections.abc import Callable

from blocklda.models.hdp.global_step import GlobalStep
from blocklda.models.mixture.state import State
from tests.mutants import mixture


class TablesOfOne(GlobalStep):
    """Every token sits at a table of its own."""

    def tables(self, state):
        return state.topic_counts().astype(float)


HDP_STEP_MUTANTS: dict[str, type[GlobalStep]] = {"tables of one": TablesOfOne}

MIXTURE_STEP_MUTANTS: dict[str, Callable[[State], float]] = {
    "one component too few": mixture.CONCENTRATION_MUTANTS["one component too few"]
}
