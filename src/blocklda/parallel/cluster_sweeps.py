"""A sweep on a cluster: which tasks, in which order, and again if workers were lost.

    counts (of the sweep before)  →  gamma draws  →  totals  →  φ  →  every shard given φ
    topics of every shard (in files by now)  →  counts, added up as a tree  →  facts

Lost results are made again by Dask from those before them. These go back to the files of the sweep
before, and no further.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from numpy.typing import NDArray

from blocklda.models.lda.samplers.sweep_streams import SweepKey
from blocklda.parallel import tasks
from blocklda.parallel.cluster import Cluster
from blocklda.parallel.plan import Learned, ShardedPlan
from blocklda.parallel.tasks import ShardFacts, SweepFacts
from blocklda.parallel.word_counts import WordCounts
from blocklda.parallel.worker_memory import RunPlace
from blocklda.support.arrays import Ints

__all__ = ["ClusterSweeps"]

ADDED_AT_ONCE = 8
"""Counts of so many shards are added up by one task."""

MOST_SPANS = 16
"""A sweep has a task for each shard and span of words, and Dask takes its time for every task. So
many workers draw the gamma variates of a large φ in less than they take to sweep a shard."""

Result = TypeVar("Result")


class ClusterSweeps:
    """Sweeps of a run, one after the other."""

    def __init__(self, cluster: Cluster, plan: ShardedPlan, place: RunPlace) -> None:
        self._cluster = cluster
        self._plan = plan
        self._place = place
        self._shards = range(len(plan.corpus.shards))
        n_spans = self._n_spans()
        ends = [len(plan.words) * i // n_spans for i in range(n_spans + 1)]
        self._spans = list(pairwise(ends))
        self._counts: tuple[int, list[Any]] | None = None
        self._counted_on: dict[str, int] = {}
        self._asked_for: list[Any] = []

    def _n_spans(self) -> int:
        """Return how many spans words are divided into."""
        return min(len(self._plan.words), MOST_SPANS, max(1, len(self._cluster.workers())))

    def start(self) -> None:
        """Draw the topics of all shards before the first sweep."""
        self._again_if_lost(lambda: self._of_shards(tasks.start_shard))

    def missing(self, sweep: int) -> str | None:
        """Return what is wrong with the files of a sweep, None if all shards have theirs."""
        wrong = self._again_if_lost(lambda: self._of_shards(tasks.has_topics, sweep))
        return next((one for one in wrong if one is not None), None)

    def sweep(self, sweep: int, key: SweepKey, learned: Learned | None) -> SweepFacts:
        """Go from the sweep before to this one; its topics are in files when this returns."""
        return self._again_if_lost(lambda: self._sweep(sweep, key, learned))

    def topics_of(self, sweep: int, tokens: Sequence[Ints]) -> Sequence[NDArray[Any]]:
        """Return the topics of some tokens of the first shards after a sweep."""
        return self._again_if_lost(
            lambda: self._cluster.results(
                [
                    self._submit(
                        tasks.topics_of,
                        i,
                        self._place,
                        i,
                        sweep,
                        own,
                        near=self._worker_of(i),
                    )
                    for i, own in enumerate(tokens)
                ]
            )
        )

    def counts(self, sweep: int) -> Iterable[tuple[int, WordCounts]]:
        """Yield the first words of spans, and n_vk of the words from there after a sweep."""
        for number, (first, _) in enumerate(self._spans):

            def of_span(number: int = number) -> WordCounts:
                found: WordCounts = self._cluster.results([self._counted(sweep)[number]])[0]
                return found

            yield self._plan.words[first][0], self._again_if_lost(of_span)

    def _sweep(self, sweep: int, key: SweepKey, learned: Learned | None) -> SweepFacts:
        phi = self._phi(sweep, key, learned)
        of_shards: list[ShardFacts] = self._of_shards(tasks.sweep_shard, sweep, key, phi, learned)
        # Counts that depended on tasks of a sweep would drag all sweeps before it along.
        self._forget_counts()
        words = self._of_spans(tasks.word_facts, self._counted(sweep))
        return SweepFacts(of_shards, self._cluster.results(words))

    def _phi(self, sweep: int, key: SweepKey, learned: Learned | None) -> list[Any]:
        """Return φ given the topics of the sweep before, one future per span."""
        counts = self._counted(sweep - 1)
        keys, priors = [key] * len(counts), [learned] * len(counts)
        levels = [self._plan.sixteenths(sweep)] * len(counts)
        sums = self._of_spans(tasks.draw_words, keys, counts, priors, levels)
        totals = [self._submit(tasks.topic_totals, 0, self._place, key, sums, learned)]
        return self._of_spans(
            tasks.finish_words, keys, counts, totals * len(counts), priors, levels
        )

    def _of_spans(self, do: Callable[..., Any], *arguments: Sequence[Any]) -> list[Any]:
        """Ask for a task of every span of words, each at the worker that has its gamma draws."""
        near = self._cluster.spread(len(self._spans))
        return [
            self._submit(do, i, self._place, self._spans[i], *own, near=near[i])
            for i, own in enumerate(zip(*arguments, strict=True))
        ]

    def _counted(self, sweep: int) -> list[Any]:
        """Return the counts of all shards together, one future per span, kept for the next use."""
        if self._counts is None or self._counts[0] != sweep:
            self._counts = (sweep, [self._counts_of(sweep, i) for i in range(len(self._spans))])
            self._counted_on = self._cluster.placed_on
        return self._counts[1]

    def _counts_of(self, sweep: int, number: int) -> Any:
        """Return the counts of a span of words; those of one worker are added up first."""
        parts, level = self._parts_of(sweep, number), 0
        while level == 0 or len(parts) > 1:
            groups = [parts[i : i + ADDED_AT_ONCE] for i in range(0, len(parts), ADDED_AT_ONCE)]
            # The last goes to where the words are drawn.
            near = self._cluster.spread(len(self._spans))[number] if len(groups) == 1 else None
            together = [
                self._submit(
                    tasks.together,
                    f"{number}-{level}-{i}",
                    group,
                    self._plan.n_topics,
                    near=near,
                    priority=1,
                )
                for i, group in enumerate(groups)
            ]
            for part in parts:
                part.release()  # gone when it has been added up
            parts = together
            level += 1
        return parts[0]

    def _parts_of(self, sweep: int, number: int) -> list[Any]:
        """Return the counts of a span of words in each shard."""
        span, worker_of = self._spans[number], self._worker_of
        return [
            self._submit(
                tasks.count_words,
                f"{number}-{i}",
                self._place,
                i,
                sweep,
                span,
                near=worker_of(i),
            )
            for i in sorted(self._shards, key=lambda i: (worker_of(i) or "", i))
        ]

    def _worker_of(self, shard: int) -> str | None:
        """Return the worker that has a shard."""
        return self._cluster.worker_of(shard)

    def _of_shards(self, do: Callable[..., Any], *arguments: Any) -> list[Any]:
        return self._cluster.results(
            [
                self._submit(do, i, self._place, i, *arguments, near=self._worker_of(i))
                for i in self._shards
            ]
        )

    def _submit(
        self,
        do: Callable[..., Any],
        name: object,
        *arguments: Any,
        near: str | None = None,
        priority: int = 0,
        only_there: bool = False,
    ) -> Any:
        """Ask for a task under a name that no other has, near a worker if it is still there."""
        key = f"{do.__name__}-{name}-{uuid.uuid4().hex}"
        future = self._cluster.submit(key, do, arguments, near, priority, only_there=only_there)
        self._asked_for.append(future)
        return future

    def _again_if_lost(self, attempt: Callable[[], Result]) -> Result:
        sizes = [shard.n_tokens for shard in self._plan.corpus.shards]

        def placed() -> Result:
            self._cluster.place_shards(sizes)
            if self._counted_on != self._cluster.placed_on:
                # Counts that are to be made again near a worker that is gone would never come: it
                # may have been lost in a sweep of another chain.
                self._forget_counts()
            return attempt()

        try:
            return self._cluster.again_if_lost(placed, self._forget_counts)
        finally:
            self._release()

    def _forget_counts(self) -> None:
        self._counts = None
        self._release()

    def _release(self) -> None:
        """Let workers drop all results but the counts.

        Python would find out that nobody needs them, but in its own time: φ of several sweeps
        would pile up until then.
        """
        kept = [] if self._counts is None else self._counts[1]
        for future in self._asked_for:
            if not any(future is one for one in kept):
                future.release()
        self._asked_for = list(kept)
