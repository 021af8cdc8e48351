"""A sweep of `grid` on a cluster: groups of shards stay, and groups of words go round.

    masses, drawn here from the totals of all groups of words
    step s: group i of shards sweeps the words of group i + s, and hands their counts on

A cell waits for the cell before of its shards, and for the counts of its words from its neighbour.
A sweep in which a worker was lost is done again from the files of the one before.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.models.lda.samplers.grid.word_masses import WordGroups
from blocklda.models.lda.samplers.sparse.plan import one_by_one_shares
from blocklda.models.lda.samplers.sweep_streams import MASSES, SweepKey, piece_stream
from blocklda.parallel import grid_tasks, tasks
from blocklda.parallel.cluster_sweeps import ClusterSweeps
from blocklda.parallel.grid_tasks import CellFacts, CellOfSweep
from blocklda.parallel.plan import Learned
from blocklda.parallel.tasks import SweepFacts
from blocklda.support.arrays import Ints
from blocklda.support.defaults import RANDOM_INIT

__all__ = ["GridSweeps"]


class GridSweeps(ClusterSweeps):
    """Sweeps of a chain of `grid`, one after the other."""

    _kept: tuple[int, dict[str, int]] | None = None
    """The sweep whose last counts workers have in memory, and who these workers are."""
    _totals: tuple[int, Ints] | None = None
    """n_k of every group of words after a sweep."""

    def _n_spans(self) -> int:
        return len(self._plan.words)

    def start(self) -> None:
        """Draw the topics of all shards before the first sweep."""
        self._again_if_lost(lambda: self._of_shards(grid_tasks.start_shard))

    def missing(self, sweep: int) -> str | None:
        """Return what is wrong with the files of a sweep, None if all shards have theirs."""
        wrong = self._again_if_lost(lambda: self._of_shards(grid_tasks.has_topics, sweep))
        return next((one for one in wrong if one is not None), None)

    def topics_of(self, sweep: int, tokens: Sequence[Ints]) -> Sequence[NDArray[Any]]:
        """Return the topics of some tokens of the first shards after a sweep."""

        def attempt() -> list[NDArray[Any]]:
            asked = [
                self._submit(
                    grid_tasks.topics_of, i, self._place, i, sweep, own, near=self._worker_of(i)
                )
                for i, own in enumerate(tokens)
            ]
            return self._cluster.results(asked)

        return self._again_if_lost(attempt)

    def _sweep(self, sweep: int, key: SweepKey, learned: Learned | None) -> SweepFacts:
        n_groups = len(self._plan.words)
        cells = self.cells_of_sweep(sweep, key, learned)
        counts: list[Any] = self._counted(sweep - 1)
        before: list[Any] = [None] * n_groups
        for step in range(n_groups):
            do: Callable[..., Any] = grid_tasks.sweep_cell
            if step == n_groups - 1:
                do = grid_tasks.last_cell
            for i in range(n_groups):
                cell = cells[i][step]
                before[i] = self._submit(
                    do,
                    f"{i}-{cell.words}",
                    self._place,
                    cell,
                    counts[cell.words],
                    before[i],
                    near=self._worker_of_group(i),
                    only_there=True,
                )
            counts = [before[(j - step) % n_groups] for j in range(n_groups)]
        found: list[CellFacts] = self._cluster.results(before)
        words = [found[(j + 1) % n_groups].words for j in range(n_groups)]
        self._forget_counts()
        self._kept = sweep, self._cluster.placed_on
        self._totals = sweep, np.array([one.n_k for one in words])
        return SweepFacts([one.shards for one in found], words)

    def cells_of_sweep(
        self, sweep: int, key: SweepKey, learned: Learned | None
    ) -> list[list[CellOfSweep]]:
        """Return what each cell of a sweep is to do, by groups of shards and steps."""
        plan, attempt = self._plan, uuid.uuid4().hex
        n_groups = len(plan.words)
        priors = plan.priors_at(learned)
        words = WordGroups(np.array(plan.word_groups), priors)
        words.totals[:, : plan.n_topics] = self._totals_after(sweep - 1)
        words.draw(piece_stream(key, MASSES, 0))
        shares = one_by_one_shares(plan.n_topics, plan.init == RANDOM_INIT, sweep - 1, 1)

        def cell(group: int, step: int) -> CellOfSweep:
            j = (group + step) % n_groups
            beta_sum, masses = words.beta_sum[j], words.masses[j]
            share = float(shares[0])
            return CellOfSweep(
                sweep, attempt, step, group, j, key, share, beta_sum, masses, learned
            )

        return [[cell(i, step) for step in range(n_groups)] for i in range(n_groups)]

    def _totals_after(self, sweep: int) -> Ints:
        if self._totals is None or self._totals[0] != sweep:
            facts = self._of_spans(tasks.word_facts, self._counted(sweep))
            n_k = [one.n_k for one in self._cluster.results(facts)]
            self._totals = sweep, np.array(n_k)
        return self._totals[1]

    # --- counts, and who has them

    def _counted(self, sweep: int) -> list[Any]:
        if self._counts is None and self._kept == (sweep, self._cluster.placed_on):
            n_groups = len(self._plan.words)
            kept = [
                self._submit(
                    grid_tasks.kept_counts,
                    j,
                    self._place,
                    j,
                    sweep,
                    near=self._worker_of_group((j + 1) % n_groups),
                    only_there=True,
                )
                for j in range(n_groups)
            ]
            self._counts, self._counted_on = (sweep, kept), self._cluster.placed_on
        return super()._counted(sweep)

    def _parts_of(self, sweep: int, number: int) -> list[Any]:
        span = self._spans[number]
        return [
            self._submit(
                grid_tasks.count_group,
                f"{number}-{i}",
                self._place,
                i,
                sweep,
                span,
                near=self._worker_of_group(i),
            )
            for i in range(len(self._plan.words))
        ]

    def _forget_counts(self) -> None:
        self._kept = None
        super()._forget_counts()

    def _worker_of(self, shard: int) -> str | None:
        groups = self._plan.shard_groups
        return self._worker_of_group(next(i for i, own in enumerate(groups) if shard in own))

    def _worker_of_group(self, group: int) -> str | None:
        """Return the worker that has a group of shards: neighbours have the same, if they can."""
        workers = sorted(self._cluster.placed_on)
        if not workers:
            return None
        return workers[group * len(workers) // len(self._plan.words)]
