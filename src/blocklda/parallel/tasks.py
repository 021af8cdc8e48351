"""What workers do. Every task can be done again, on any worker, with the same result.

It receives the folder of the run and some numbers, and finds the rest in memory or in files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.data.empty_documents import EmptyDocuments
from blocklda.data.pieces import Piece
from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.lda.log_posterior import word_table_sum
from blocklda.models.lda.priors import padded_length
from blocklda.models.lda.samplers.partially_collapsed.documents import sweep_piece
from blocklda.models.lda.samplers.partially_collapsed.phi import (
    Phi,
    draw_gammas,
    finish_phi,
    inverse_totals,
    topics_anew,
)
from blocklda.models.lda.samplers.partially_collapsed.sweep import word_block_sizes
from blocklda.models.lda.samplers.powers import WHOLE
from blocklda.models.lda.samplers.sweep_streams import SweepKey
from blocklda.models.lda.topic_counts import FilledCells, TopicHistograms
from blocklda.parallel.first_topics import first_topics
from blocklda.parallel.open_shards import OpenShard
from blocklda.parallel.plan import Learned, ShardedPlan
from blocklda.parallel.topic_files import read_topics, remove_old_topics, write_topics
from blocklda.parallel.word_counts import WordCounts, add_up, count_topics
from blocklda.parallel.worker_memory import PhiPart, RunPlace, Span, WorkerMemory, memory_of
from blocklda.support.arrays import Floats, Int32s, Ints
from blocklda.support.errors import FileFormatError

__all__ = [
    "ReadShard",
    "ShardFacts",
    "SweepFacts",
    "WordFacts",
    "block_sizes",
    "count_words",
    "doc_lengths",
    "draw_words",
    "facts_of_words",
    "finish_words",
    "has_topics",
    "shard_facts",
    "some_documents",
    "start_shard",
    "sweep_shard",
    "together",
    "topic_totals",
    "topics_of",
    "word_facts",
    "words_of",
]


class ShardFacts(NamedTuple):
    """Report of a shard after a sweep."""

    n_steps: int
    filled: FilledCells
    """Cells of n_dk."""
    histogram: tuple[Ints, Ints] | None
    """The same by topic, where α is not the same for all."""


class WordFacts(NamedTuple):
    """What is told of the counts of some words."""

    filled: FilledCells
    """Cells of n_vk."""
    n_k: Ints
    table_sums: list[float]
    n_sent: int


class SweepFacts(NamedTuple):
    """What the client is told of a sweep."""

    shards: list[ShardFacts]
    words: list[WordFacts]


class TopicTotals(NamedTuple):
    """What turns gamma draws into φ."""

    inverse: Floats
    anew: list[int]
    drawn_anew: Floats


# --- before the first sweep


class ReadShard(NamedTuple):
    """What was found in a shard before the first sweep."""

    of_words: NDArray[Any]
    empty: EmptyDocuments


def block_sizes(folder: str, shard: int, largest: int) -> ReadShard:
    """Read a shard, which must be what its manifest says; return the largest block of each word."""
    corpus = ShardedCorpus.open(Path(folder)).read(shard)
    return ReadShard(word_block_sizes(corpus, largest), EmptyDocuments.of(corpus))


def words_of(folder: str, shard: int) -> ReadShard:
    """Read a shard in the same way; return the number of tokens of each word."""
    corpus = ShardedCorpus.open(Path(folder)).read(shard)
    return ReadShard(corpus.word_counts(), EmptyDocuments.of(corpus))


def start_shard(place: RunPlace, shard: int) -> None:
    """Draw the topics that the tokens of a shard start with: its part of the chain's stream."""
    memory = memory_of(place)
    topics = first_topics(memory.folder, memory.plan, shard)
    write_topics(memory.folder, memory.plan, shard, 0, topics, 0)
    memory.keep_topics(shard, 0, topics)


def some_documents(folder: str, shard: int, every: int) -> sparse.csr_matrix[Any]:
    """Return every so many documents of a corpus, as far as they are in a shard."""
    corpus = ShardedCorpus.open(Path(folder))
    first = -corpus.first_document(shard) % every
    return corpus.read(shard).to_matrix()[first::every]


def has_topics(place: RunPlace, shard: int, sweep: int) -> str | None:
    """Look whether a shard has its topics after a sweep; return what is wrong with them."""
    try:
        memory_of(place).topics(shard, sweep)
    except FileFormatError as error:
        return error.message
    return None


def doc_lengths(folder: str, shard: int) -> Ints:
    """Return the number of tokens of each document of a shard."""
    return ShardedCorpus.open(Path(folder)).read(shard).doc_lengths()


def topics_of(place: RunPlace, shard: int, sweep: int, tokens: Ints) -> NDArray[Any]:
    """Return the topics that some tokens of a shard have after a sweep, in the smallest type."""
    memory = memory_of(place)
    return memory.topics(shard, sweep)[tokens].astype(topic_dtype(memory.plan.n_topics))


# --- φ, in spans of words


def count_words(place: RunPlace, shard: int, sweep: int, span: Span) -> WordCounts:
    """Return the topics that words have in a shard after a sweep; who swept it has them counted."""
    memory = memory_of(place)
    while (counts := memory.take_counts(shard, sweep, span)) is None:
        corpus, topics = memory.shard(shard).corpus, memory.topics(shard, sweep)
        memory.keep_counts(shard, sweep, count_topics(corpus, topics, memory.plan.n_topics))
    return counts


def together(parts: Sequence[WordCounts], n_topics: int) -> WordCounts:
    """Add up the counts of several shards."""
    return add_up(parts, n_topics)


def draw_words(
    place: RunPlace,
    span: Span,
    key: SweepKey,
    counts: WordCounts,
    learned: Learned | None = None,
    sixteenths: int = WHOLE,
) -> Floats:
    """Draw the gamma variates of words, and return their sums by piece and topic.

    The sums travel; the draws stay here until they become φ.
    """
    memory = memory_of(place)
    rows, sums = _gammas(memory.plan, span, key, counts, learned, sixteenths)
    memory.keep_gammas(span, key, rows)
    return sums


def _gammas(
    plan: ShardedPlan,
    span: Span,
    key: SweepKey,
    counts: WordCounts,
    learned: Learned | None,
    sixteenths: int,
) -> tuple[Floats, Floats]:
    pieces = plan.words[slice(*span)]
    first = pieces[0][0]
    padded = padded_length(plan.n_topics)
    rows = counts.plus(plan.priors_at(learned), first, padded, sixteenths / WHOLE)
    sums = [
        draw_gammas(rows[piece[0] - first : piece[1] - first], plan.n_topics, key, piece)
        for piece in pieces
    ]
    return rows, np.array(sums)


def topic_totals(
    place: RunPlace, key: SweepKey, sums: Sequence[Floats], learned: Learned | None = None
) -> TopicTotals:
    """Add up the sums of all pieces, in their order."""
    plan = memory_of(place).plan
    priors = plan.priors_at(learned)
    inverse, anew = inverse_totals(np.concatenate(sums), plan.n_topics)
    return TopicTotals(inverse, anew, topics_anew(priors, plan.n_words, anew, key))


def finish_words(
    place: RunPlace,
    span: Span,
    key: SweepKey,
    counts: WordCounts,
    totals: TopicTotals,
    learned: Learned | None = None,
    sixteenths: int = WHOLE,
) -> PhiPart:
    """Turn the gamma draws of words into φ, in their place.

    A worker that does not have them draws them again, and they come out the same.
    """
    memory = memory_of(place)
    plan = memory.plan
    rows = memory.take_gammas(span, key)
    if rows is None:
        rows, _ = _gammas(plan, span, key, counts, learned, sixteenths)
    first, last = _words(plan.words, span)
    n_powers = max(1, int(plan.sizes.max(initial=1)))
    phi = Phi(rows, np.zeros((last - first, n_powers)))
    anew = totals.anew, totals.drawn_anew[:, first:last]
    priors = plan.priors_at(learned)
    finish_phi(
        phi,
        (0, last - first),
        totals.inverse,
        anew,
        priors,
        plan.sizes[first:last],
        sixteenths=sixteenths,
    )
    return PhiPart(first, phi.rows, phi.alpha_powers)


def _words(pieces: Sequence[Piece], span: Span) -> Piece:
    return pieces[span[0]][0], pieces[span[1] - 1][1]


# --- documents


def sweep_shard(
    place: RunPlace,
    shard: int,
    sweep: int,
    key: SweepKey,
    phi: Sequence[PhiPart],
    learned: Learned | None = None,
) -> ShardFacts:
    """Draw the topics of a shard given φ, and write them down.

    If that was done before, by a worker that was killed before it could say so, they are read.
    """
    memory = memory_of(place)
    opened, plan = memory.shard(shard), memory.plan
    done = _done_before(memory, shard, sweep)
    if done is None:
        done = _swept(memory, opened, shard, sweep, key, phi, learned)
        write_topics(memory.folder, plan, shard, sweep, *done)
    remove_old_topics(memory.folder, plan, shard, sweep)
    topics, n_steps = done
    # While the shard is open: it may be one that is read again in every sweep.
    memory.keep_counts(shard, sweep, count_topics(opened.corpus, topics, plan.n_topics))
    facts = shard_facts(opened.corpus, plan, topics, n_steps)
    memory.keep_topics(shard, sweep, topics)
    return facts


def _done_before(memory: WorkerMemory, shard: int, sweep: int) -> tuple[Int32s, int] | None:
    try:
        return read_topics(memory.folder, memory.plan, shard, sweep)
    except FileFormatError:
        return None  # none, or one that cannot be read: it is drawn again, and comes out the same


def _swept(
    memory: WorkerMemory,
    opened: OpenShard,
    shard: int,
    sweep: int,
    key: SweepKey,
    parts: Sequence[PhiPart],
    learned: Learned | None,
) -> tuple[Int32s, int]:
    plan = memory.plan
    phi = memory.phi(f"{sweep} {key}", parts)
    topics, priors = memory.topics(shard, sweep - 1).copy(), plan.priors_at(learned)
    n_steps = sum(
        sweep_piece(opened.corpus, piece, phi, priors, plan.largest_block, topics, key)
        for piece in opened.pieces
    )
    return topics, n_steps


def shard_facts(corpus: Corpus, plan: ShardedPlan, topics: Int32s, n_steps: int) -> ShardFacts:
    """Return what the log posterior and α need of the documents of a shard."""
    offsets, above = _native.topic_histograms(corpus.native, plan.n_topics, topics)
    is_symmetric = np.ptp(plan.priors.alpha) == 0 and plan.learning.alpha != "asymmetric"
    filled = TopicHistograms.of(offsets, above).filled()
    return ShardFacts(n_steps, filled, None if is_symmetric else (offsets, above))


def word_facts(place: RunPlace, span: Span, counts: WordCounts) -> WordFacts:
    """Return what the log posterior needs of the counts of some words."""
    plan = memory_of(place).plan
    return facts_of_words(plan, plan.words[slice(*span)], counts)


def facts_of_words(plan: ShardedPlan, pieces: Sequence[Piece], counts: WordCounts) -> WordFacts:
    """Return the same of neighbouring pieces of words."""
    topics, first = counts.topics.astype(np.int64), pieces[0][0]
    n_k = np.bincount(topics, weights=counts.counts, minlength=plan.n_topics).astype(np.int64)
    sums = []
    if not plan.priors.beta_is_symmetric:
        table = counts.table(plan.n_topics)
        sums = [
            word_table_sum(table[piece[0] - first : piece[1] - first], plan.priors, piece)
            for piece in pieces
        ]
    return WordFacts(counts.filled(), n_k, sums, counts.n_sent)
