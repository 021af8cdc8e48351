"""What a fit on shards leaves: one chain's posterior means and draws, the latter in files."""

from __future__ import annotations

import math
import shutil
import weakref
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blocklda.data.corpus import Corpus
from blocklda.diagnostics.report import Diagnostics, diagnose
from blocklda.files.sharded_corpus import ShardedCorpus, joined
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.estimates import theta_rows
from blocklda.models.lda.memory import draw_bytes, means_bytes
from blocklda.models.lda.model import TOPIC_SIZE, LDAModel
from blocklda.models.lda.samplers.partially_collapsed.sampler import PARTIALLY_COLLAPSED
from blocklda.models.lda.state import State, SweepOptions
from blocklda.models.lda.topic_counts import TopicCounts
from blocklda.parallel.plan import ShardedPlan
from blocklda.parallel.sweep_files import SweepRecord
from blocklda.parallel.topic_files import read_topics
from blocklda.results.result import FitResult
from blocklda.results.stability import align_chains
from blocklda.results.trace import Trace
from blocklda.support.arrays import Floats, Int32s
from blocklda.support.checks import whole_number
from blocklda.support.errors import CapacityError, InputError
from blocklda.support.memory import require_memory

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["ShardedFit", "require_memory_for_lda"]


class ShardedFit:
    """A chain on shards after its last sweep.

    Made by :func:`blocklda.parallel.fit`, and again by :func:`blocklda.parallel.load`.

    Attributes
    ----------
    topic_word
        Posterior mean of the words of each topic, shape (topics, words).
    log_posterior
        The log posterior after every sweep.
    kept_sweeps, topic_sizes
        The sweeps that were kept, and how many tokens each topic had, shape (kept, topics).
    n_sweeps, n_sweeps_wanted, burn_in
        Sweeps that were done, fewer than wanted after Ctrl-C, and those before the first draw.
    seconds
        Time spent, in all sessions.
    bytes_of_counts
        The size of all counts that were added up, by sweep, whether or not they travelled.
    bytes_sent
        What workers sent to each other in a sweep, on average over this session, as they count it;
        too little if workers were lost, NaN after ``load``.
    corpus, priors
        The sharded corpus, and the priors.
    result
        The same as one :class:`~blocklda.results.result.FitResult`, which summaries take.
    folder
        Where the topics are kept; they are needed for all but the attributes above.
    """

    sampler = PARTIALLY_COLLAPSED.name

    def __init__(
        self,
        plan: ShardedPlan,
        record: SweepRecord,
        folder: Path,
        *,
        init: Any,
        seed: Any,
        bytes_sent: float = math.nan,
        is_temporary: bool = False,
    ) -> None:
        self._plan = plan
        self._record = record
        self._init = init
        self._seed = seed
        self.folder = folder
        self.result = _result(plan, record, seed)
        self.corpus = plan.corpus
        self.priors = plan.priors
        self.n_sweeps = record.n_sweeps
        self.n_sweeps_wanted = plan.schedule.n_sweeps
        self.burn_in = plan.schedule.burn_in
        self.seconds = record.seconds
        self.bytes_sent = bytes_sent
        self.topic_word = self.result.topic_word
        self.log_posterior = self.result.log_posterior[0]
        self.kept_sweeps = self.result.trace.sweeps
        self.topic_sizes = self.result.trace.topic_sizes[0]
        self.bytes_of_counts = np.array(record.n_sent, dtype=np.int64)
        if is_temporary:
            self._removal = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def __repr__(self) -> str:
        return (
            f"<ShardedFit: {len(self.corpus.shards)} shards, {self.corpus.n_tokens:,} tokens, "
            f"{self._plan.n_topics} topics, {self.n_sweeps} sweeps, {len(self.kept_sweeps)} draws>"
        )

    def assignments(self, sweep: int | None = None) -> Int32s:
        """Return one topic per token of all shards, grouped by entry, as a chain has them.

        ``sweep`` is one of those that were kept; without it, it is the last.
        """
        return np.concatenate([self._topics(i, sweep) for i in range(len(self.corpus.shards))])

    def doc_topic(self, shard: int) -> Floats:
        """Return the posterior mean of the topics of a shard's documents, (documents, topics)."""
        self._require_draws("doc_topic")
        shard = whole_number("shard", shard, 0, len(self.corpus.shards) - 1)
        corpus = self.corpus.read(shard)
        total = np.zeros((corpus.n_docs, self._plan.n_topics))
        for sweep in self._record.kept:
            counted = _Counted(corpus, self.priors, self._topics(shard, sweep))
            total += theta_rows(counted.doc_topic_counts(), self.priors)
        return total / len(self._record.kept)

    def to_chain(self) -> Chain:
        """Return the chain at its last sweep, on this machine, from where it can go on."""
        parts = [self.corpus.read(i) for i in range(len(self.corpus.shards))]
        starts = np.cumsum([0, *(part.n_docs for part in parts[:-1])])
        corpus = joined(parts, self.corpus.words)
        state = State(
            corpus=corpus,
            priors=self.priors,
            topics=self.assignments(),
            rng=np.random.Generator(np.random.PCG64()),
            n_sweeps=self.n_sweeps,
            random_start=isinstance(self._init, str),
        )
        state.rng.bit_generator.state = self._record.rng.bit_generator.state
        max_block = self._plan.settings["max_block"]
        options = SweepOptions(max_block=max_block, shards=tuple(starts.tolist()))
        model = LDAModel(corpus, self.priors)
        return Chain.of(model, state, self.sampler, "native", options, self._record.n_steps)

    def to_lda(self, *, keep_draws: bool = True) -> LDA:
        """Return an ordinary fitted estimator on this machine, which has to hold the corpus.

        With it go summaries, reports, new documents and :meth:`~blocklda.LDA.save`.
        """
        self._require_draws("to_lda")
        if self._init is None:
            raise InputError(
                "to_lda needs the topics that the run started from: call parallel.fit with the "
                "same checkpoint and init, which continues from there."
            )
        require_memory_for_lda(self.corpus, self._plan.n_topics, len(self._record.kept))
        # It needs scikit-learn, which takes a while to import.
        from blocklda.parallel.estimator import estimator_of  # noqa: PLC0415

        chain = self.to_chain()
        draws = (
            Draw(0, sweep, self._draw_topics(sweep), chain.corpus, self.priors)
            for sweep in self._record.kept
        )
        return estimator_of(
            chain, draws, self._record, self._plan, self._init, self._seed, keep_draws=keep_draws
        )

    def fits_here(self) -> bool:
        """Whether this machine has the memory for :meth:`to_lda`."""
        try:
            require_memory_for_lda(self.corpus, self._plan.n_topics, len(self._record.kept))
        except CapacityError:
            return False
        return True

    def trace(self) -> Trace:
        """Return what was recorded at the kept sweeps; pairs of tokens are not looked at."""
        return self.result.trace

    def diagnostics(self) -> Diagnostics:
        """Return effective sample sizes and a verdict in words.

        See docs/explanation/diagnostics.md.
        """
        return diagnose(self.result)

    def _draw_topics(self, sweep: int) -> NDArray[Any]:
        topics = self.assignments(sweep).astype(np.min_scalar_type(self._plan.n_topics - 1))
        topics.setflags(write=False)
        return topics

    def _topics(self, shard: int, sweep: int | None) -> Int32s:
        at = self.n_sweeps if sweep is None else sweep
        return read_topics(self.folder, self._plan, shard, at)[0]

    def _require_draws(self, who: str) -> None:
        if not self._record.kept or not self._plan.keep_draws:
            raise InputError.of(
                "{who} needs the draws: [fit with {keep_draws=True} and enough sweeps]."
            ).where(who=who)


def _result(plan: ShardedPlan, record: SweepRecord, seed: Any) -> FitResult:
    """Return the result, without what is in the files of shards: documents and draws."""
    word_topic_sum = np.zeros((0, 0)) if record.word_topic_sum is None else record.word_topic_sum
    topic_word: Floats = np.divide(word_topic_sum.T, max(1, len(record.kept)), order="C")
    kept = np.array(record.kept, dtype=np.int64)
    log_posterior = np.array(record.log_posterior)[None]
    sizes = np.array(record.topic_sizes, dtype=np.int64)
    return FitResult(
        kind=LDAModel.kind,
        corpus=plan.corpus,
        topic_word=topic_word,
        doc_topic_mean=None,
        reference=0,
        align=partial(align_chains, [topic_word]),
        trace=Trace(
            kept,
            log_posterior[:, kept - 1],
            (TOPIC_SIZE,),
            {TOPIC_SIZE.name: sizes[None]},
            record.seconds,
        ),
        log_posterior=log_posterior,
        sampler=PARTIALLY_COLLAPSED.name,
        schedule=plan.schedule,
        n_sweeps=(record.n_sweeps,),
        n_draws=len(record.kept),
        seconds=record.seconds,
        priors={"alpha": plan.priors.alpha, "beta": plan.priors.given_beta()},
        settings=plan.settings,
        seed=seed if isinstance(seed, int) else None,
    )


class _Counted(TopicCounts):
    def __init__(self, corpus: Corpus, priors: Any, topics: Int32s) -> None:
        self.corpus, self.priors, self.topics = corpus, priors, topics


def require_memory_for_lda(corpus: ShardedCorpus, n_topics: int, n_draws: int) -> None:
    """Refuse an estimator that this machine cannot hold.

    Shards are joined as matrices of int64, all of them and the whole, beside their corpora; then
    there are the topics of the last sweep and of the draws, and sums and means of θ and φ.
    """
    joining = 40 * corpus.n_entries
    topics = 8 * corpus.n_tokens + n_draws * draw_bytes(corpus.n_tokens, n_topics)
    means = 2 * means_bytes(corpus.n_docs, corpus.n_words, n_topics)
    require_memory(
        joining + topics + means,
        f"an estimator with the {corpus.n_tokens:,} tokens of all shards and {n_draws} draws",
        "leave to_lda and -o MODEL_DIR out, and use topic_word and doc_topic(shard), or "
        "blocklda topics with the checkpoint",
    )
