"""A run on shards: planned or found in its folder, started, and advanced sweep by sweep."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from blocklda.files.atomic_write import finished_name
from blocklda.files.chain_file import restore_generator
from blocklda.files.checkpoint import KINDS, SHARDED_RUN
from blocklda.files.generations import Generations
from blocklda.files.sharded_corpus import Shard, ShardedCorpus
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.partially_collapsed.phi import Phi
from blocklda.models.lda.samplers.partially_collapsed.sweep import largest_block
from blocklda.models.lda.samplers.sweep_streams import sweep_key
from blocklda.models.lda.starts.choose import check_topics
from blocklda.parallel import tasks
from blocklda.parallel.added_cells import log_posterior_of
from blocklda.parallel.cluster import Cluster
from blocklda.parallel.cluster_sweeps import ClusterSweeps
from blocklda.parallel.plan import ShardedPlan, read_plan, read_settings, write_plan
from blocklda.parallel.sweep_files import SweepFiles, SweepRecord
from blocklda.parallel.topic_files import write_topics
from blocklda.run.interrupts import StopFlag
from blocklda.run.schedule import Schedule
from blocklda.run.settings import described, first_difference
from blocklda.support.arrays import Int32s, Ints
from blocklda.support.errors import InputError
from blocklda.support.messages import Setting

__all__ = ["ShardedRun", "planned", "require_sharded_or_nothing", "started", "worker_bytes"]

BYTES_PER_ENTRY, BYTES_PER_TOKEN, BYTES_PER_DOC = 36, 8, 16
"""A shard in memory: words and counts, the same by word, the pieces with their orders; topics
before and after a sweep. docs/explanation/scaling.md compares the measured peak of workers with
100 million tokens with this estimate."""

BYTES_OF_PROCESS = 120 * 10**6
"""A worker that has imported what it needs and done nothing yet."""


def require_sharded_or_nothing(folder: Path) -> None:
    """Refuse a folder of a fit on one machine, and remove what was left unfinished."""
    of_one_machine = Generations(folder, KINDS)
    for path in folder.iterdir():
        if of_one_machine.is_name(path.name):
            raise InputError(f"{folder} holds a run without shards: give another folder.")
        if finished_name(path.name) != path.name and path.is_file():
            path.unlink(missing_ok=True)


def planned(
    folder: Path,
    corpus: ShardedCorpus,
    cluster: Cluster,
    settings: dict[str, Any],
    schedule: Schedule,
    rng: np.random.Generator,
) -> ShardedPlan:
    """Return the plan of the run in a folder, if it is the same, or a new one."""
    _require_enough_tokens(settings["n_topics"], corpus)
    priors = Priors.create(
        settings["n_topics"], corpus.words.n_words, settings["alpha"], settings["beta"]
    )
    _require_memory(cluster, corpus, settings["n_topics"])
    plain = described(settings)
    if (folder / SHARDED_RUN).exists():
        _require_same(folder, corpus, plain)
        before = read_plan(folder, corpus)
        burn_in = before.schedule.burn_in
        plan = replace(before, schedule=Schedule.create(schedule.n_sweeps, burn_in, schedule.thin))
    else:
        largest = largest_block(settings["max_block"])
        plan = ShardedPlan(
            run=uuid.uuid4().hex,
            corpus=corpus,
            priors=priors,
            largest_block=largest,
            sizes=_block_sizes(corpus, cluster, largest),
            schedule=schedule,
            keep_draws=settings["keep_draws"],
            generator=dict(rng.bit_generator.state),
            settings=plain,
        )
    write_plan(folder, plan)
    return plan


def _block_sizes(corpus: ShardedCorpus, cluster: Cluster, largest: int) -> Int32s:
    """Return the largest block of each word; every shard is read and checked for it."""
    folder = str(corpus.folder)

    def attempt() -> list[Int32s]:
        cluster.place_shards([shard.n_tokens for shard in corpus.shards])
        names = [f"block_sizes-{i}-{uuid.uuid4().hex}" for i in range(len(corpus.shards))]
        return cluster.results(
            [
                cluster.submit(name, tasks.block_sizes, (folder, i, largest), cluster.worker_of(i))
                for i, name in enumerate(names)
            ]
        )

    sizes: Int32s = np.maximum.reduce(cluster.again_if_lost(attempt))
    return sizes


def _require_enough_tokens(n_topics: int, corpus: ShardedCorpus) -> None:
    if n_topics > corpus.n_tokens:
        raise InputError.of(
            "{n_topics=} is more than the {corpus.n_tokens} tokens of all shards: [give fewer "
            "topics or more documents]."
        ).where(n_topics=n_topics, corpus=corpus)


def worker_bytes(corpus: ShardedCorpus, n_topics: int, n_workers: int) -> int:
    """Return what a worker needs: itself, φ in one table, its parts as they came, and shards."""
    n_shards = -(-len(corpus.shards) // n_workers)
    of_shard = max(map(_shard_bytes, corpus.shards))
    phi = Phi.bytes_needed(corpus.n_words, n_topics)
    return BYTES_OF_PROCESS + 2 * phi + n_shards * of_shard


def _require_memory(cluster: Cluster, corpus: ShardedCorpus, n_topics: int) -> None:
    n_workers = max(1, len(cluster.workers()))
    n_shards = -(-len(corpus.shards) // n_workers)
    cluster.require_memory(
        worker_bytes(corpus, n_topics, n_workers),
        f"φ of {corpus.n_words:,} words and {n_topics:,} topics and {n_shards} shards",
    )


def _shard_bytes(shard: Shard) -> int:
    return (
        BYTES_PER_ENTRY * shard.n_entries
        + BYTES_PER_TOKEN * shard.n_tokens
        + BYTES_PER_DOC * shard.n_docs
    )


def _require_same(folder: Path, corpus: ShardedCorpus, settings: dict[str, Any]) -> None:
    before, fingerprint = read_settings(folder)
    if fingerprint != corpus.fingerprint:
        raise InputError.of(
            "{folder} holds a run on other shards: [give the same documents and words, in the same "
            "shards, or another {checkpoint=} to restart]."
        ).where(folder=folder)
    difference = first_difference(before, settings)
    if difference is not None:
        name, was, now = difference
        then = Setting(name, was, shown=str(was))
        raise InputError.of(
            "the run in {folder} was made with {then}, and now it is {now}: [set it back to "
            "continue, or give another {checkpoint=} to restart]."
        ).where(folder=folder, then=then, now=now, parameter=name, value=now)


class ShardedRun:
    """A chain on shards, which :func:`blocklda.run.engine.advance` advances."""

    def __init__(
        self,
        plan: ShardedPlan,
        sweeps: ClusterSweeps,
        record: SweepRecord,
        on_sweep: Callable[[int, Sequence[float]], None] | None = None,
    ) -> None:
        self.record = record
        self._plan = plan
        self._sweeps = sweeps
        self._on_sweep = on_sweep

    @property
    def n_sweeps(self) -> int:
        """Sweeps that were done."""
        return self.record.n_sweeps

    @property
    def seconds(self) -> float:
        """Time spent, in all sessions."""
        return self.record.seconds

    @seconds.setter
    def seconds(self, value: float) -> None:
        self.record.seconds = value

    def latest_draws(self) -> list[Any]:
        """Return nothing: the draws are in files of the shards."""
        return []

    @contextmanager
    def at_work(self, schedule: Schedule, stop: StopFlag) -> Iterator[Callable[[int], None]]:
        """Give a function that sweeps all shards up to a sweep."""

        def advance_to(until: int) -> None:
            while self.n_sweeps < until and not stop.is_set():
                self._sweep(schedule)

        yield advance_to

    def _sweep(self, schedule: Schedule) -> None:
        record = self.record
        sweep = record.n_sweeps + 1
        facts = self._sweeps.sweep(sweep, sweep_key(record.rng))
        record.n_sweeps = sweep
        record.n_steps += sum(shard.n_steps for shard in facts.shards)
        record.log_posterior.append(log_posterior_of(self._plan, facts))
        record.n_sent.append(sum(words.n_sent for words in facts.words))
        if schedule.keeps(sweep):
            self._keep(np.sum([words.n_k for words in facts.words], axis=0))
        if self._on_sweep is not None:
            self._on_sweep(sweep, record.log_posterior)

    def _keep(self, n_k: Ints) -> None:
        """Add φ̂ = (n_vk + β_kv) / (n_k + Σ_v β_kv) to the sums."""
        plan, record = self._plan, self.record
        if record.word_topic_sum is None:
            record.word_topic_sum = np.zeros((plan.n_words, plan.n_topics))
        totals = n_k + plan.priors.beta_sum
        for first, counts in self._sweeps.counts(record.n_sweeps):
            rows = counts.plus(plan.priors, first, plan.n_topics)
            record.word_topic_sum[first : first + len(rows)] += np.divide(rows, totals, out=rows)
        record.kept.append(record.n_sweeps)
        record.topic_sizes.append(n_k)


def started(
    folder: Path, plan: ShardedPlan, sweeps: ClusterSweeps, files: SweepFiles, init: Any
) -> SweepRecord:
    """Return the latest sweep that is whole in the folder, or the start of a run."""
    found = files.latest(
        sweeps.missing,
        lambda record: f"The sweep before it is used, sweep {record.n_sweeps}.",
    )
    if found is None:
        return _start(folder, plan, sweeps, files, init)
    if found.n_sweeps > plan.schedule.n_sweeps:
        raise InputError.of(
            "{n_sweeps=} is less than the {found.n_sweeps} sweeps already done by the run in "
            "{folder}: [give a larger {n_sweeps}, or another folder to restart]."
        ).where(n_sweeps=plan.schedule.n_sweeps, found=found, folder=folder)
    return found


def _start(
    folder: Path, plan: ShardedPlan, sweeps: ClusterSweeps, files: SweepFiles, init: Any
) -> SweepRecord:
    record = SweepRecord(restore_generator(plan.generator))
    if isinstance(init, str):
        sweeps.start()
        record.rng.bit_generator.advance(plan.corpus.n_tokens)  # type: ignore[attr-defined]
    else:
        topics = check_topics(init, plan.corpus, plan.n_topics)
        for i, shard in enumerate(plan.corpus.shards):
            first = plan.first_token(i)
            write_topics(folder, plan, i, 0, topics[first : first + shard.n_tokens], 0)
    files.write(record)
    return record
