"""The result of a fit: one frozen object, which everything downstream takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from blocklda.results.labels import topic_names
from blocklda.results.posterior import ChainEstimates, Posterior
from blocklda.results.stability import Alignment, alike_topics, stable_topics
from blocklda.results.trace import Trace, trace_of
from blocklda.run.chain_run import ChainRun
from blocklda.run.engine import Ending
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule
from blocklda.support.arrays import Bools, Floats
from blocklda.support.errors import InputError

__all__ = ["FitResult", "require_draws", "result_of", "result_of_run"]


@dataclass(frozen=True, eq=False)
class FitResult:
    """What a fit led to: draws, means over them, matched topics, the trace, and how it was made.

    Attributes
    ----------
    kind
        The model's name, "lda" for example.
    corpus
        The training corpus; of a fit on shards, what is known of all of them together.
    topic_word_mean
        The posterior mean of φ (topics, words) over the draws of the reference chain, or a function
        that makes it. See :attr:`topic_word`.
    doc_topic_mean
        The posterior mean of θ (documents, topics) over the same draws, or a function that makes
        it; None for a fit on shards. See :attr:`doc_topic`.
    reference
        The chain whose topics are reported.
    align
        Matches the topics of the other chains to those of the reference; see :attr:`alignment`.
    trace
        What was recorded at the kept draws. It has none if an interrupt left a chain without.
    log_posterior
        After every sweep, shape (chains, sweeps); NaN where an interrupt left a chain behind.
    priors
        The model's priors by name: means over the reference chain's draws where they were learned.
    draws
        The kept draws that every chain has; empty if the fit did not keep them.
    chain_means
        The means over the draws of each chain, None for a chain without draws; or what stands for
        its draws in a model that has no means.
    sampler, schedule, settings, seed
        How it was made: the sampler, which sweeps were kept, and the parameters.
    n_sweeps
        Sweeps that each chain has done.
    n_draws, seconds
        Draws of all chains together, and the time spent sampling.
    run
        The chains at their last sweep, from which a further fit continues; None for shards.
    counts
        The number of topics after every sweep, shape (chains, sweeps), where it varies, else None.
    counted
        What these are called, "topics" or "components"; empty if their number is given.
    ending
        What ended the run.
    labels
        Names that people gave to topics, by their numbers.
    """

    kind: str
    corpus: Any
    topic_word_mean: Floats | Callable[[], Floats]
    doc_topic_mean: Floats | Callable[[], Floats] | None
    reference: int
    align: Callable[[], Alignment] = field(repr=False)
    trace: Trace
    log_posterior: Floats
    sampler: str
    schedule: Schedule
    n_sweeps: tuple[int, ...]
    n_draws: int
    seconds: float
    priors: Mapping[str, Any] = field(default_factory=dict)
    draws: tuple[Any, ...] = ()
    chain_means: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    run: Run | None = None
    counts: Floats | None = None
    counted: str = ""
    ending: Ending = Ending.SCHEDULE
    labels: Mapping[int, str] = field(default_factory=dict)

    @property
    def topic_names(self) -> list[str]:
        """The labels of the topics; ``topic_3`` for one without."""
        return topic_names(self.labels, self.n_topics)

    @cached_property
    def alignment(self) -> Alignment:
        """Which topic of each chain is the partner of one of the reference chain.

        It is computed when it is first asked for: it takes the mean topics of every chain.
        """
        return self.align()

    @property
    def reference_draws(self) -> tuple[Any, ...]:
        """The kept draws of the reference chain, whose topics are numbered as reported."""
        return tuple(draw for draw in self.draws if draw.chain == self.reference)

    @property
    def words(self) -> tuple[str, ...]:
        """The words. One without a name is called by the number of its column."""
        return self.corpus.vocabulary or tuple(map(str, range(self.corpus.n_words)))

    @property
    def n_topics(self) -> int:
        """K."""
        return len(self.topic_word)

    @property
    def n_chains(self) -> int:
        """How many chains there are."""
        return len(self.n_sweeps)

    @property
    def burn_in(self) -> int:
        """Sweeps before the first draw."""
        return self.schedule.burn_in

    @property
    def stable(self) -> Bools | None:
        """Which topics were found in every chain; None with one chain, or one without draws."""
        return stable_topics(self.alignment.distances)

    @cached_property
    def n_alike(self) -> int:
        """How many topics of the reference chain lie close to another one of the same chain.

        0 with one chain, whose topics are not compared, and where the model finds their number.
        """
        if self.n_chains == 1 or self.counted:
            return 0
        return int(np.count_nonzero(alike_topics(self.topic_word)))

    @property
    def topic_word(self) -> Floats:
        """The posterior mean of φ, shape (topics, words)."""
        return self.topic_word_mean() if callable(self.topic_word_mean) else self.topic_word_mean

    @property
    def doc_topic(self) -> Floats:
        """The posterior mean of θ, shape (documents, topics)."""
        if self.doc_topic_mean is None:
            raise InputError(
                "the documents of this fit are in shards: call doc_topic(shard) for one of them, "
                "or get an estimator with to_lda()."
            )
        return self.doc_topic_mean() if callable(self.doc_topic_mean) else self.doc_topic_mean

    def require_trace(self) -> Trace:
        """Return the trace; refuse if an interrupt left a chain without a draw."""
        if self.trace.n_draws == 0:
            raise InputError.of(
                "a chain of this fit has no draw, since the fit was interrupted: [continue "
                "with {warm_start=True}]."
            )
        return self.trace

    def last_log_posterior(self) -> list[float]:
        """Return the log posterior of every chain after its own last sweep, NaN without any."""
        rows = [row[~np.isnan(row)] for row in self.log_posterior]
        return [float(row[-1]) if len(row) else math.nan for row in rows]


def result_of_run(
    run: Run,
    schedule: Schedule,
    settings: Mapping[str, Any],
    seed: int | None = None,
    ending: Ending = Ending.SCHEDULE,
) -> FitResult:
    """Return what a run led to; the run must not be advanced any further, but forked."""
    parts, trace = run.chains, trace_of(run)
    posterior = _estimates(run)
    shown = parts[posterior.reference]
    last = trace.sweeps[-1] if trace.n_draws else 0
    return FitResult(
        kind=run.model.kind,
        corpus=run.corpus,
        topic_word_mean=posterior.topic_word,
        doc_topic_mean=posterior.doc_topic,
        reference=posterior.reference,
        align=posterior.align,
        trace=trace,
        log_posterior=run.log_levels(),
        sampler=parts[0].chain.sampler,
        schedule=schedule,
        n_sweeps=tuple(part.n_sweeps for part in parts),
        n_draws=run.n_draws,
        seconds=run.seconds,
        priors=run.model.mean_priors(shown.chain.state, shown.values),
        draws=_common_draws(run, last),
        chain_means=posterior.of_chains,
        settings=settings,
        seed=seed,
        run=run,
        counts=run.counts(),
        counted=run.model.counted,
        ending=ending,
    )


def _common_draws(run: Run, last: int) -> tuple[Any, ...]:
    """Return the kept draws that every chain has: an interrupted one may be a draw behind."""
    kept = [{draw.sweep for draw in part.draws} for part in run.chains]
    common = {sweep for sweep in set.intersection(*kept) if sweep <= last}
    return tuple(draw for draw in run.draws if draw.sweep in common)


def _estimates(run: Run) -> Posterior | ChainEstimates:
    """Return means over draws, or for a model without running means what one draw of each says."""
    support = [run.model.support(part.kept_levels(), part.values) for part in run.chains]
    groups = run.model.partner_groups()
    with_draws = [part for part in run.chains if part.n_draws]
    if with_draws and all(part.means is None for part in run.chains):
        found = [
            run.model.estimates(part.draws or [_last_draw(part)]) if part.n_draws else None
            for part in run.chains
        ]
        return ChainEstimates(found, support, groups)
    return Posterior([part.means for part in run.chains], support, groups)


def _last_draw(part: ChainRun) -> Any:
    """Return the last draw of a chain; of a file without draws the state that it ended in."""
    return part.chain.draw(part.number) if part.last_draw is None else part.last_draw


def result_of(fit: Any) -> FitResult:
    """Return the result that an estimator or a fit on shards holds, or a result itself.

    An estimator that is not fitted raises scikit-learn's error.
    """
    if isinstance(fit, FitResult):
        return fit
    if hasattr(fit, "result"):
        result: FitResult = fit.result
        return result
    if not hasattr(fit, "result_"):
        # scikit-learn takes long to import, and is already imported if there is an estimator.
        from sklearn.utils.validation import check_is_fitted  # noqa: PLC0415

        check_is_fitted(fit)
    result = fit.result_
    return result


def require_draws(draws: Sized, who: str) -> None:
    """Refuse a fit without draws, and say how to have some."""
    if len(draws) == 0:
        raise InputError.of(
            "{who} needs draws, but this fit has none: [fit with {keep_draws=True}, and save with "
            "draws=True]."
        ).where(who=who)
