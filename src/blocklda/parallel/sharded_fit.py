"""What a fit on shards leaves: posterior means of its chains, and draws, which are in files."""

from __future__ import annotations

import math
import os
import shutil
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.diagnostics.report import Diagnostics, diagnose
from blocklda.files.sharded_corpus import ShardedCorpus, joined
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.draw import Draw, topic_dtype
from blocklda.models.lda.estimates import theta_rows
from blocklda.models.lda.memory import draw_bytes, means_bytes
from blocklda.models.lda.model import LDAModel
from blocklda.models.lda.new_documents import infer_doc_topics
from blocklda.models.lda.opening import NO_OPENING, Opening
from blocklda.models.lda.state import State, SweepOptions
from blocklda.models.lda.topic_counts import TopicCounts
from blocklda.parallel.plan import ShardedPlan
from blocklda.parallel.run import ShardedChain, levels_of, model_of
from blocklda.parallel.topic_files import read_topics
from blocklda.parallel.watched import Watched
from blocklda.results.posterior import Posterior
from blocklda.results.result import FitResult
from blocklda.results.trace import Trace, trace_of
from blocklda.run.engine import Ending
from blocklda.support.arrays import Floats, Int32s
from blocklda.support.checks import whole_number
from blocklda.support.errors import CapacityError, InputError
from blocklda.support.memory import require_memory

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["ShardedFit", "require_memory_for_lda"]


class ShardedFit:
    """Chains on shards after their last sweep.

    Made by :func:`blocklda.parallel.fit`, and again by :func:`blocklda.parallel.load`.

    Attributes
    ----------
    topic_word
        Posterior mean of the words of each topic, shape (topics, words), in the chain that is
        reported: of several, the one with the highest log posterior. ``result.stable`` says which
        of its topics all chains found.
    log_posterior
        That of the chain after every sweep; ``result.log_posterior`` has all chains.
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
    corpus, priors, sampler
        The sharded corpus, the priors of the chain after its last sweep, and its sampler.
    result
        The same as one :class:`~blocklda.results.result.FitResult`, which summaries take.
    folder
        Where the topics are kept; they are needed for all but the attributes above.
    """

    def __init__(
        self,
        chains: Sequence[ShardedChain],
        folder: Path,
        *,
        init: Any,
        seed: Any,
        ending: Ending = Ending.SCHEDULE,
        bytes_sent: float = math.nan,
        is_temporary: bool = False,
    ) -> None:
        self.chains = tuple(chains)
        self._init = init
        self._seed = seed
        self.folder = folder
        self.result = _result(self.chains, seed, ending)
        shown = self.chains[self.result.reference]
        self._shown, self._plan, self._record = shown, shown.plan, shown.record
        self.corpus = shown.plan.corpus
        self.sampler = shown.plan.sampler
        self.priors = shown.priors
        self.n_sweeps = shown.n_sweeps
        self.n_sweeps_wanted = shown.plan.schedule.n_sweeps
        self.burn_in = shown.plan.schedule.burn_in
        self.seconds = self.result.seconds
        self.bytes_sent = bytes_sent
        self.topic_word = self.result.topic_word
        self.log_posterior = np.array(shown.log_levels)
        self.kept_sweeps = self.result.trace.sweeps
        self.topic_sizes = self.result.trace.topic_sizes[self.result.reference]
        self.bytes_of_counts = np.array(shown.record.n_sent, dtype=np.int64)
        if is_temporary:
            self._removal = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def __repr__(self) -> str:
        chains = "" if len(self.chains) == 1 else f"{len(self.chains)} chains, "
        return (
            f"<ShardedFit: {len(self.corpus.shards)} shards, {self.corpus.n_tokens:,} tokens, "
            f"{self._plan.n_topics} topics, {chains}{self.n_sweeps} sweeps, "
            f"{len(self.kept_sweeps)} draws>"
        )

    def assignments(self, sweep: int | None = None) -> Int32s:
        """Return one topic per token of all shards, grouped by entry, as a chain has them.

        ``sweep`` is one of those that were kept; without it, it is the last.
        """
        return np.concatenate([self._topics(i, sweep) for i in range(len(self.corpus.shards))])

    def doc_topic(self, shard: int) -> Floats:
        """Return the posterior mean of the topics of a shard's documents, (documents, topics).

        It is the mean over the draws that are in files.
        """
        self._require_draws("doc_topic")
        shard = whole_number("shard", shard, 0, len(self.corpus.shards) - 1)
        corpus = self.corpus.read(shard)
        total, stored = np.zeros((corpus.n_docs, self._plan.n_topics)), self._shown.stored_draws
        for number in stored:
            priors = self._shown.priors_of_draw(number)
            counted = _Counted(corpus, priors, self._topics(shard, self._record.kept[number]))
            total += theta_rows(counted.doc_topic_counts(), priors)
        return total / len(stored)

    def transform(self, documents: Any) -> Floats:
        """Return the topics of new documents given the mean topics, shape (documents, topics).

        ``documents`` is a :class:`~blocklda.Corpus` or a matrix with the words of the fit. They
        are answered here, without the shards and without the draws, so an answer leaves out what
        is uncertain about the topics; ``to_lda().transform`` does not.

        Examples
        --------
        >>> import blocklda
        >>> corpus = blocklda.simulate.bars(n_docs=40, seed=1).corpus
        >>> fit = blocklda.parallel.fit(None, corpus, 3, n_sweeps=4, out_of_core=True)
        >>> fit.transform(corpus).shape
        (40, 3)
        """
        alpha = np.asarray(self.result.priors["alpha"])
        return infer_doc_topics(documents, self.topic_word, alpha)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a model folder, as :meth:`~blocklda.LDA.save` does, if this machine can hold it.

        Where it cannot, the folder of the run is what is saved: see :func:`blocklda.parallel.load`.

        Examples
        --------
        >>> import blocklda
        >>> corpus = blocklda.simulate.bars(n_docs=40, seed=1).corpus
        >>> fit = blocklda.parallel.fit(None, corpus, 3, n_sweeps=4, out_of_core=True)
        >>> fit.save("model")
        >>> blocklda.LDA.load("model").components_.shape
        (3, 25)
        """
        self.to_lda().save(folder)

    def to_chain(self, number: int | None = None) -> Chain:
        """Return a chain at its last sweep, on this machine, from where it can go on.

        It is the one that is reported, or that with the ``number``.
        """
        one = self._shown
        if number is not None:
            one = self.chains[whole_number("number", number, 0, len(self.chains) - 1)]
        parts = [self.corpus.read(i) for i in range(len(self.corpus.shards))]
        starts = np.cumsum([0, *(part.n_docs for part in parts[:-1])])
        corpus = joined(parts, self.corpus.words)
        state = State(
            corpus=corpus,
            priors=one.priors,
            topics=_topics_of(one, one.n_sweeps),
            rng=np.random.Generator(np.random.PCG64()),
            n_sweeps=one.n_sweeps,
            random_start=one.plan.init in ("random", "annealed"),
            opening=_opening(one.plan),
        )
        state.rng.bit_generator.state = one.record.rng.bit_generator.state
        max_block = self._plan.settings["max_block"]
        options = SweepOptions(max_block=max_block, shards=tuple(starts.tolist()))
        model = LDAModel(corpus, one.plan.priors, one.plan.learning)
        return Chain.of(model, state, self.sampler, "native", options, one.record.n_steps)

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
        require_memory_for_lda(self.corpus, self._plan.n_topics, self._n_stored())
        # It needs scikit-learn, which takes a while to import.
        from blocklda.parallel.estimator import estimator_of  # noqa: PLC0415

        parts = [_ChainHere(one, self.to_chain(one.number)) for one in self.chains]
        return estimator_of(
            parts, self._init, self._seed, self.result.ending, keep_draws=keep_draws
        )

    def fits_here(self) -> bool:
        """Whether this machine has the memory for :meth:`to_lda`."""
        try:
            require_memory_for_lda(self.corpus, self._plan.n_topics, self._n_stored())
        except CapacityError:
            return False
        return True

    def trace(self) -> Trace:
        """Return what was recorded at the kept sweeps."""
        return self.result.trace

    def diagnostics(self) -> Diagnostics:
        """Return effective sample sizes and a verdict in words.

        See docs/explanation/diagnostics.md.
        """
        return diagnose(self.result)

    def _n_stored(self) -> int:
        return sum(len(one.stored_draws) for one in self.chains)

    def _topics(self, shard: int, sweep: int | None) -> Int32s:
        at = self.n_sweeps if sweep is None else sweep
        return read_topics(self._shown.folder, self._plan, shard, at)[0]

    def _require_draws(self, who: str) -> None:
        if not self._shown.stored_draws:
            raise InputError.of(
                "{who} needs the draws: [fit with {keep_draws=True} and enough sweeps]."
            ).where(who=who)


def _opening(plan: ShardedPlan) -> Opening:
    kind = Opening.ANNEALED_GIVEN_PHI
    return Opening(kind, plan.annealed_sweeps) if plan.annealed_sweeps else NO_OPENING


class _ChainHere:
    """A chain that was brought to this machine, and its draws."""

    def __init__(self, part: ShardedChain, chain: Chain) -> None:
        self.part = part
        self.chain = chain

    def draws(self) -> Iterator[Draw]:
        """Yield the draws that are in files, each read when it is asked for."""
        for number in self.part.stored_draws:
            sweep = self.part.kept_sweeps[number]
            topics = _topics_of(self.part, sweep).astype(topic_dtype(self.part.plan.n_topics))
            topics.setflags(write=False)
            priors = self.part.priors_of_draw(number)
            yield Draw(self.part.number, sweep, topics, self.chain.corpus, priors)


def _topics_of(part: ShardedChain, sweep: int) -> Int32s:
    shards = range(len(part.plan.corpus.shards))
    return np.concatenate([read_topics(part.folder, part.plan, i, sweep)[0] for i in shards])


def _result(chains: Sequence[ShardedChain], seed: Any, ending: Ending) -> FitResult:
    """Return the result, without what is in the files of shards: documents and draws."""
    plan = chains[0].plan
    watched = Watched.choose(plan.corpus) if plan.is_watched else None
    model = model_of(plan, watched)
    log_posterior = levels_of(chains)
    seconds = chains[0].record.seconds
    support = [model.support(chain.kept_levels(), chain.values) for chain in chains]
    posterior = Posterior(chains, support, model.partner_groups())
    shown: Any = chains[posterior.reference]
    looked_at: Any = _Looked(chains, model, log_posterior, seconds)
    return FitResult(
        kind=model.kind,
        corpus=plan.corpus,
        topic_word_mean=posterior.topic_word(),
        doc_topic_mean=None,
        reference=posterior.reference,
        align=posterior.align,
        trace=trace_of(looked_at),
        log_posterior=log_posterior,
        sampler=plan.sampler,
        schedule=plan.schedule,
        n_sweeps=tuple(chain.n_sweeps for chain in chains),
        n_draws=sum(chain.n_draws for chain in chains),
        seconds=seconds,
        priors=model.mean_priors(shown, shown.values),
        settings=plan.settings,
        seed=seed if isinstance(seed, int) else None,
        ending=ending,
    )


@dataclass(frozen=True)
class _Looked:
    """What a trace asks of a run."""

    chains: Sequence[ShardedChain]
    model: LDAModel
    levels: Floats
    seconds: float

    def log_levels(self) -> Floats:
        return self.levels


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
