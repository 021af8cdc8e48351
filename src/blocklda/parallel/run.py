"""A run on shards: planned or found in its folder, started, and advanced sweep by sweep."""

from __future__ import annotations

import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from blocklda.data.empty_documents import EmptyDocuments
from blocklda.diagnostics.stopping import StoppingRule
from blocklda.estimator.plan import annealed_sweeps
from blocklda.files.atomic_write import finished_name
from blocklda.files.chain_file import restore_generator
from blocklda.files.checkpoint import KINDS, SHARDED_RUN
from blocklda.files.generations import Generations
from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.models.base import Quantity
from blocklda.models.lda.model import TOPIC_SIZE, LDAModel
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.grid.sampler import GRID
from blocklda.models.lda.samplers.grid.shards import cut_words, group_shards, require_shared_beta
from blocklda.models.lda.samplers.openings import is_annealed
from blocklda.models.lda.samplers.partially_collapsed.sampler import PARTIALLY_COLLAPSED
from blocklda.models.lda.samplers.partially_collapsed.sweep import largest_block
from blocklda.models.lda.samplers.sweep_streams import sweep_key
from blocklda.models.lda.starts.choose import check_topics
from blocklda.models.lda.token_pairs import NO_PAIRS
from blocklda.parallel import tasks
from blocklda.parallel.first_topics import START, SampledDocuments, write_variational_start
from blocklda.parallel.learning import LearningChain
from blocklda.parallel.machines import Machines, Sweeps
from blocklda.parallel.plan import (
    GIVEN,
    Learned,
    ShardedPlan,
    read_plan,
    read_settings,
    write_plan,
)
from blocklda.parallel.sweep_files import SweepFiles, SweepRecord
from blocklda.parallel.topic_files import write_topics
from blocklda.parallel.watched import Watched
from blocklda.run.interrupts import StopFlag
from blocklda.run.schedule import Schedule
from blocklda.run.settings import described, first_difference
from blocklda.support.arrays import Floats, Int32s, Ints
from blocklda.support.errors import DataWarning, InputError
from blocklda.support.messages import Setting

__all__ = [
    "RuleOnShards",
    "ShardedChain",
    "ShardedRun",
    "SweptChain",
    "chain_folder",
    "levels_of",
    "model_of",
    "planned",
    "require_sharded_or_nothing",
    "started",
]


MOST_TOKENS_OF_GRID = 2**31 - 1
"""Counts of a group of words have 32 bits."""


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
    machines: Machines,
    settings: dict[str, Any],
    schedule: Schedule,
    learning: PriorLearning,
    max_draws: int,
    starts: Sequence[tuple[str, np.random.Generator]],
    sampler: str = PARTIALLY_COLLAPSED.name,
) -> list[ShardedPlan]:
    """Return the plans of the chains of the run in a folder, if it is the same, or new ones.

    ``starts`` are where each chain starts, and its stream. The first chain is in the folder itself,
    others in folders of their own within it.
    """
    _require_enough_tokens(settings["n_topics"], corpus)
    priors = Priors.create(
        settings["n_topics"], corpus.words.n_words, settings["alpha"], settings["beta"]
    )
    learning.check(priors)
    learning.check_burn_in(schedule.burn_in)
    if sampler == GRID.name:
        _check_grid(corpus, priors)
    machines.require_memory_for(corpus, settings["n_topics"], sampler, len(starts))
    plain = described(settings)
    if (folder / SHARDED_RUN).exists():
        _require_same(folder, corpus, plain)
    largest = largest_block(settings["max_block"])
    of_words: _OfWords | None = None
    plans: list[ShardedPlan] = []
    for number, (init, rng) in enumerate(starts):
        place = chain_folder(folder, number)
        place.mkdir(exist_ok=True)
        if (place / SHARDED_RUN).exists():
            before = read_plan(place, corpus)
            kept = Schedule.create(schedule.n_sweeps, before.schedule.burn_in, schedule.thin)
            plan = replace(before, schedule=kept)
            of_words = _OfWords(plan.sizes, plan.word_groups)
        else:
            of_words = of_words or _of_words(corpus, machines, sampler, largest)
            plan = ShardedPlan(
                run=uuid.uuid4().hex,
                corpus=corpus,
                priors=priors,
                largest_block=largest,
                sizes=of_words.sizes,
                schedule=schedule,
                max_draws=max_draws,
                generator=dict(rng.bit_generator.state),
                settings=plain,
                learning=learning,
                is_watched=True,
                init=init,
                annealed_sweeps=annealed_sweeps(schedule.burn_in) if is_annealed(init) else 0,
                sampler=sampler,
                word_groups=of_words.groups,
            )
        write_plan(place, plan)
        plans.append(plan)
    return plans


def chain_folder(folder: Path, number: int) -> Path:
    """Return where the files of a chain are."""
    return folder if number == 0 else folder / f"chain-{number + 1}"


class _OfWords(NamedTuple):
    """What a plan has to know of the words in all shards."""

    sizes: Int32s
    groups: tuple[int, ...]


def _of_words(corpus: ShardedCorpus, machines: Machines, sampler: str, largest: int) -> _OfWords:
    """Return the largest block of each word, or groups of words; every shard is read for it."""
    n_tokens, numbers = [one.n_tokens for one in corpus.shards], range(len(corpus.shards))
    if sampler == GRID.name:
        given = [(str(corpus.folder), i) for i in numbers]
        read = machines.each(tasks.words_of, given, n_tokens)
        _warn_of_empty_documents(corpus, read)
        counts = np.sum([one.of_words for one in read], axis=0)
        n_groups = len(group_shards(n_tokens, corpus.n_words)) - 1
        groups = tuple(cut_words(counts, n_groups).tolist())
        return _OfWords(np.zeros(corpus.n_words, dtype=np.int32), groups)
    arguments = [(str(corpus.folder), i, largest) for i in numbers]
    read = machines.each(tasks.block_sizes, arguments, n_tokens)
    _warn_of_empty_documents(corpus, read)
    return _OfWords(np.maximum.reduce([one.of_words for one in read]), ())


def _warn_of_empty_documents(corpus: ShardedCorpus, shards: Sequence[tasks.ReadShard]) -> None:
    """Say once that documents without words have nothing but the prior."""
    found = [(i, one.empty) for i, one in enumerate(shards) if one.empty.number]
    if found:
        number, first = found[0]
        n_empty = sum(empty.number for _, empty in found)
        row = corpus.first_document(number) + first.row
        said = EmptyDocuments(n_empty, row, first.name).said(corpus.n_docs)
        warnings.warn(DataWarning(said), stacklevel=5)


def _check_grid(corpus: ShardedCorpus, priors: Priors) -> None:
    require_shared_beta(priors)
    if corpus.n_tokens > MOST_TOKENS_OF_GRID:
        raise InputError.of(
            "{sampler} takes at most {most} tokens, and the shards have {corpus.n_tokens}: [use "
            "{other}]."
        ).where(
            sampler=Setting("sampler", GRID.name),
            most=MOST_TOKENS_OF_GRID,
            corpus=corpus,
            other=Setting("sampler", PARTIALLY_COLLAPSED.name),
        )


def _require_enough_tokens(n_topics: int, corpus: ShardedCorpus) -> None:
    if n_topics > corpus.n_tokens:
        raise InputError.of(
            "{n_topics=} is more than the {corpus.n_tokens} tokens of all shards: [give fewer "
            "topics or more documents]."
        ).where(n_topics=n_topics, corpus=corpus)


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


@dataclass
class ShardedChain:
    """One chain on shards, and what was kept of it; see ``run/chain_run.py`` for its attributes."""

    number: int
    plan: ShardedPlan
    folder: Path
    record: SweepRecord

    @property
    def n_sweeps(self) -> int:
        """Sweeps that were done."""
        return self.record.n_sweeps

    @property
    def log_levels(self) -> list[float]:
        """The log posterior after every sweep."""
        return self.record.log_posterior

    @property
    def kept_sweeps(self) -> list[int]:
        """Sweeps that were kept."""
        return self.record.kept

    @property
    def n_draws(self) -> int:
        """How many these are."""
        return len(self.record.kept)

    @property
    def values(self) -> dict[str, list[Any]]:
        """The quantities that were recorded at these, by name."""
        return {TOPIC_SIZE.name: list(self.record.topic_sizes), **self.record.values}

    @property
    def priors(self) -> Priors:
        """The priors after the last sweep."""
        return self.plan.priors_at(self.record.learned)

    @property
    def topic_word(self) -> Floats:
        """The mean of φ over the kept sweeps, shape (topics, words)."""
        sums = self.record.word_topic_sum
        if sums is None:
            return np.zeros((0, 0))
        mean: Floats = np.divide(sums.T, self.n_draws, order="C")
        return mean

    @property
    def means(self) -> ShardedChain | None:
        """What has the mean of φ; None before the first draw."""
        return self if self.n_draws else None

    @property
    def stored_draws(self) -> list[int]:
        """The numbers of the draws, from 0 on, whose topics are in files."""
        plan = self.plan
        found = enumerate(self.kept_sweeps)
        return [i for i, sweep in found if plan.keeps_topics(sweep, self.n_sweeps)]

    def kept_levels(self) -> Floats:
        """Return the log posterior at the kept sweeps."""
        return np.array([self.log_levels[sweep - 1] for sweep in self.kept_sweeps])

    def priors_of_draw(self, number: int) -> Priors:
        """Return the priors that the draw with this number has."""
        alpha, beta = (self.record.values.get(name) for name in ("alpha", "beta"))
        if alpha is None and beta is None:
            return self.plan.priors
        learned = Learned(
            self.plan.priors.alpha if alpha is None else np.asarray(alpha[number]),
            None if beta is None else float(beta[number]),
        )
        return self.plan.priors_at(learned)


class SweptChain:
    """A chain with those who sweep it."""

    def __init__(
        self,
        chain: ShardedChain,
        sweeps: Sweeps,
        files: SweepFiles,
        between: LearningChain,
        watched: Watched | None,
    ) -> None:
        self.chain = chain
        self._sweeps = sweeps
        self._files = files
        self._between = between
        self._watched = watched

    def sweep(self, quantities: Sequence[Quantity]) -> None:
        """Sweep all shards once, learn from them what is learned, keep what is kept."""
        plan, record = self.chain.plan, self.chain.record
        sweep = record.n_sweeps + 1
        facts = self._sweeps.sweep(sweep, sweep_key(record.rng), record.learned)
        record.n_sweeps = sweep
        record.n_steps += sum(shard.n_steps for shard in facts.shards)
        priors, level = self._between.after(sweep, facts, self.chain.priors, record.rng)
        record.learned = plan.learned(priors)
        record.log_posterior.append(level)
        record.n_sent.append(sum(words.n_sent for words in facts.words))
        if plan.schedule.keeps(sweep):
            self._keep(np.sum([words.n_k for words in facts.words], axis=0), priors, quantities)

    def _keep(self, n_k: Ints, priors: Priors, quantities: Sequence[Quantity]) -> None:
        """Add φ̂ = (n_vk + β_kv) / (n_k + Σ_v β_kv) to the sums, and record quantities."""
        plan, record = self.chain.plan, self.chain.record
        if record.word_topic_sum is None:
            record.word_topic_sum = np.zeros((plan.n_words, plan.n_topics))
        totals = n_k + priors.beta_sum
        for first, counts in self._sweeps.counts(record.n_sweeps):
            rows = counts.plus(priors, first, plan.n_topics)
            record.word_topic_sum[first : first + len(rows)] += np.divide(rows, totals, out=rows)
        record.kept.append(record.n_sweeps)
        record.topic_sizes.append(n_k)
        if self._watched is not None:
            topics = self._sweeps.topics_of(record.n_sweeps, self._watched.by_shard)
            draw = self._watched.draw(topics, priors, n_k)
            for one in quantities:
                if one.name != TOPIC_SIZE.name:
                    record.values.setdefault(one.name, []).append(one.measure(draw))

    def write(self, seconds: float) -> None:
        """Write where the chain is."""
        self.chain.record.seconds = seconds
        self._files.write(self.chain.record)


class ShardedRun:
    """Chains on shards, which :func:`blocklda.run.engine.advance` advances.

    It has what stopping rule, trace and progress ask of a :class:`~blocklda.run.run.Run`.
    """

    def __init__(
        self,
        swept: Sequence[SweptChain],
        model: LDAModel,
        on_sweep: Callable[[Any], None] | None = None,
    ) -> None:
        self.chains = tuple(one.chain for one in swept)
        self.model = model
        self.looks = self.chains[0].record.looks
        self._swept = swept
        self._on_sweep = on_sweep
        self._since = time.perf_counter() - self.chains[0].record.seconds

    @property
    def corpus(self) -> Any:
        """What is known of all shards together."""
        return self.model.corpus

    @property
    def n_sweeps(self) -> int:
        """Sweeps that all chains have done."""
        return min(chain.n_sweeps for chain in self.chains)

    @property
    def seconds(self) -> float:
        """Time spent, in all sessions."""
        return self.chains[0].record.seconds

    @seconds.setter
    def seconds(self, value: float) -> None:
        for chain in self.chains:
            chain.record.seconds = value

    def latest_draws(self) -> list[Any]:
        """Return nothing: the draws are in files of the shards."""
        return []

    def log_levels(self) -> Floats:
        """Return the log posterior after every sweep, shape (chains, sweeps)."""
        return levels_of(self.chains)

    @contextmanager
    def at_work(self, schedule: Schedule, stop: StopFlag) -> Iterator[Callable[[int], None]]:
        """Give a function that sweeps all shards up to a sweep, one chain after the other."""

        def advance_to(until: int) -> None:
            while self.n_sweeps < until and not stop.is_set():
                for one in self._swept:
                    if one.chain.n_sweeps == self.n_sweeps and not stop.is_set():
                        self._sweep(one)

        yield advance_to

    def _sweep(self, one: SweptChain) -> None:
        one.sweep(self.model.quantities)
        one.write(time.perf_counter() - self._since)
        if self._on_sweep is not None:
            self._on_sweep(self)


def levels_of(chains: Sequence[ShardedChain]) -> Floats:
    """Return the log posterior after every sweep, shape (chains, sweeps); NaN for one not done."""
    table = np.full((len(chains), max(one.n_sweeps for one in chains)), np.nan)
    for row, chain in zip(table, chains, strict=True):
        row[: chain.n_sweeps] = chain.log_levels
    return table


class RuleOnShards:
    """The rule of ``n_sweeps="auto"``, which writes down what it saw with the first chain."""

    def __init__(self, schedule: Schedule, first: SweptChain) -> None:
        self._rule = StoppingRule(schedule)
        self._first = first

    def next_look(self, sweep: int) -> int:
        """Return the next sweep after this one at which it looks."""
        return self._rule.next_look(sweep)

    def look(self, run: Any) -> bool:
        """Return whether the answer has settled."""
        before = len(run.looks)
        settled = self._rule.look(run)
        if len(run.looks) > before:
            self._first.write(run.seconds)
        return settled


def model_of(plan: ShardedPlan, watched: Watched | None) -> LDAModel:
    """Return the model, whose corpus is what is known of all shards together."""
    corpus: Any = plan.corpus
    pairs = NO_PAIRS if watched is None else watched.pairs
    words = None if watched is None else watched.words
    return LDAModel(corpus, plan.priors, plan.learning, pairs, words)


def started(
    folder: Path,
    plan: ShardedPlan,
    sweeps: Sweeps,
    files: SweepFiles,
    init: Any,
    documents: SampledDocuments,
) -> SweepRecord:
    """Return the latest sweep that is whole in the folder, or the start of a run.

    ``init`` are the topics to start with, where they were given; ``documents`` are those that a
    variational start is worked out from.
    """
    found = files.latest(
        sweeps.missing,
        lambda record: f"The sweep before it is used, sweep {record.n_sweeps}.",
    )
    if found is None:
        record = _start(folder, plan, sweeps, init, documents)
        files.write(record)
        (folder / START).unlink(missing_ok=True)
        return record
    if found.n_sweeps > plan.schedule.n_sweeps:
        raise InputError.of(
            "{n_sweeps=} is less than the {found.n_sweeps} sweeps already done by the run in "
            "{folder}: [give a larger {n_sweeps}, or another folder to restart]."
        ).where(n_sweeps=plan.schedule.n_sweeps, found=found, folder=folder)
    return found


def _start(
    folder: Path, plan: ShardedPlan, sweeps: Sweeps, init: Any, documents: SampledDocuments
) -> SweepRecord:
    record = SweepRecord(restore_generator(plan.generator))
    record.learned = plan.learned(plan.priors)
    if plan.init == GIVEN:
        topics = check_topics(init, plan.corpus, plan.n_topics)
        for i, shard in enumerate(plan.corpus.shards):
            first = plan.first_token(i)
            write_topics(folder, plan, i, 0, topics[first : first + shard.n_tokens], 0)
        return record
    if plan.init == "variational":
        write_variational_start(folder, plan, documents, record.rng)
    sweeps.start()
    record.rng.bit_generator.advance(plan.corpus.n_tokens)  # type: ignore[attr-defined]
    return record
