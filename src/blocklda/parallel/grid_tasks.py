"""What workers do in a sweep of `grid`: cells of one group of shards, one group of words each.

The topics of a group of shards change from cell to cell, in one array that belongs to one attempt
at one sweep. A task that finds no such array, or finds it at another step, says that work was lost;
then the sweep is done again from the files of the one before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blocklda import _native
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.lda.samplers.sparse.plan import largest_part, sequential_from, sequential_part
from blocklda.models.lda.samplers.sparse.sampler import raise_if_failed_at
from blocklda.models.lda.samplers.sweep_streams import CELLS, SweepKey, piece_stream
from blocklda.parallel.cluster import WorkersLost
from blocklda.parallel.first_topics import first_topics
from blocklda.parallel.grid_memory import AtWork, GridMemory, grid_memory_of
from blocklda.parallel.plan import Learned
from blocklda.parallel.tasks import ShardFacts, WordFacts, facts_of_words, shard_facts
from blocklda.parallel.topic_files import read_topics, remove_old_topics, write_topics
from blocklda.parallel.word_counts import WordCounts, count_topics
from blocklda.parallel.worker_memory import RunPlace, Span
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import FileFormatError

__all__ = [
    "CellFacts",
    "CellOfSweep",
    "count_group",
    "has_topics",
    "kept_counts",
    "last_cell",
    "start_shard",
    "sweep_cell",
    "topics_of",
]


class CellOfSweep(NamedTuple):
    """Which cell is to be swept, and how."""

    sweep: int
    attempt: str
    """A name that no other attempt at the sweep has."""
    step: int
    group: int
    """Of shards."""
    words: int
    """The group of words."""
    key: SweepKey
    one_by_one: float
    beta_sum: Floats
    masses: Floats
    learned: Learned | None


class CellFacts(NamedTuple):
    """What is told when the last cell of a group of shards is done."""

    shards: ShardFacts
    words: WordFacts


# --- before the first sweep


def start_shard(place: RunPlace, shard: int) -> None:
    """Draw the topics that the tokens of a shard start with: its part of the chain's stream."""
    memory = grid_memory_of(place)
    topics = first_topics(memory.folder, memory.plan, shard)
    write_topics(memory.folder, memory.plan, shard, 0, topics, 0)


def has_topics(place: RunPlace, shard: int, sweep: int) -> str | None:
    """Look whether a shard has its topics after a sweep; return what is wrong with them."""
    memory = grid_memory_of(place)
    try:
        read_topics(memory.folder, memory.plan, shard, sweep)
    except FileFormatError as error:
        return error.message
    return None


def topics_of(place: RunPlace, shard: int, sweep: int, tokens: Ints) -> NDArray[Any]:
    """Return the topics that some tokens of a shard have after a sweep, in the smallest type."""
    memory = grid_memory_of(place)
    group = memory.group_of(shard)
    own = memory.group(group).slices[shard - memory.plan.shard_groups[group].start]
    topics = memory.topics(group, sweep)
    return topics[own][tokens].astype(topic_dtype(memory.plan.n_topics))


# --- counts


def count_group(place: RunPlace, group: int, sweep: int, span: Span) -> WordCounts:
    """Return the topics that words have in a group of shards after a sweep."""
    memory = grid_memory_of(place)
    while (counts := memory.take_counts(group, sweep, span)) is None:
        corpus, topics = memory.group(group).corpus, memory.topics(group, sweep)
        memory.keep_counts(group, sweep, count_topics(corpus, topics, memory.plan.n_topics))
    return counts


def kept_counts(place: RunPlace, words: int, sweep: int) -> WordCounts:
    """Return the counts of a group of words that the last cell of a sweep left here."""
    counts = grid_memory_of(place).last_counts(words, sweep)
    if counts is None:
        raise WorkersLost("the counts of a group of words are gone")
    return counts


# --- cells


def sweep_cell(place: RunPlace, cell: CellOfSweep, counts: WordCounts, before: Any) -> WordCounts:
    """Sweep a cell given the counts of its words; return what they are now.

    ``before`` is the result of the cell before, which says no more than that it is done.
    """
    return _swept(grid_memory_of(place), cell, counts)[0]


def last_cell(place: RunPlace, cell: CellOfSweep, counts: WordCounts, before: Any) -> CellFacts:
    """Sweep the last cell of a group of shards, and write the topics of all its shards down."""
    memory = grid_memory_of(place)
    counts, at_work = _swept(memory, cell, counts)
    plan, opened, topics = memory.plan, memory.group(cell.group), at_work.topics
    for shard, own in zip(plan.shard_groups[cell.group], opened.slices, strict=True):
        n_steps = at_work.n_steps if own.start == 0 else 0  # they are counted by group
        write_topics(memory.folder, plan, shard, cell.sweep, topics[own], n_steps)
        remove_old_topics(memory.folder, plan, shard, cell.sweep)
    facts = CellFacts(
        shard_facts(opened.corpus, plan, topics, at_work.n_steps),
        facts_of_words(plan, [plan.words[cell.words]], counts),
    )
    memory.keep_last_counts(cell.words, cell.sweep, counts)
    memory.keep_topics(cell.group, at_work)
    return facts


def _swept(memory: GridMemory, cell: CellOfSweep, counts: WordCounts) -> tuple[WordCounts, AtWork]:
    plan, opened = memory.plan, memory.group(cell.group)
    at_work = memory.work(cell.group, cell.sweep, cell.attempt, cell.step)
    number = cell.group * len(plan.words) + cell.words
    stream = piece_stream(cell.key, CELLS, number).bit_generator
    max_block = plan.settings["max_block"]
    n_steps, failed, offsets, topics, in_cells = _native.sweep_cell(
        opened.corpus.native,
        plan.priors_at(cell.learned).native,
        at_work.topics,
        stream.capsule,
        first_word=plan.words[cell.words][0],
        list_offsets=counts.offsets.astype(np.int64),
        list_topics=counts.topics.astype(np.int32),
        list_counts=counts.counts.astype(np.int32),
        group_beta_sum=cell.beta_sum.copy(),  # aligned, which is not certain of what has travelled
        masses=cell.masses.copy(),
        max_block=largest_part(plan.n_topics, max_block),
        one_by_one=cell.one_by_one,
        sequential_block=sequential_part(max_block),
        sequential_from=sequential_from(),
    )
    raise_if_failed_at(opened.corpus, failed, by_word=False)
    at_work.done(cell.step, n_steps)
    n_sent = counts.n_sent + counts.nbytes
    return WordCounts.of_cells(offsets, topics, in_cells, plan.n_topics, n_sent), at_work
