"""Several samplers from the same starts on one corpus: the paper's section 4 on any data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda.data.corpus import Corpus
from blocklda.data.split import split_tokens
from blocklda.evaluate.compare_result import Comparison
from blocklda.evaluate.compare_start import StartCurves, StartRun, Turn
from blocklda.evaluate.document_completion import WINDOW
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.priors import check_n_topics
from blocklda.models.lda.samplers.openings import COMPANION_SWEEPS
from blocklda.models.lda.samplers.registry import AUTO, choose_sampler, find_sampler
from blocklda.support import defaults
from blocklda.support.checks import seed_sequence, whole_number
from blocklda.support.errors import InputError, not_allowed

__all__ = ["ComparisonPlan", "checked_samplers", "compare_samplers"]


def compare_samplers(
    X: Any,
    samplers: Iterable[str] = ("single-site", "backward", "nested", "sparse"),
    n_topics: int = defaults.N_TOPICS,
    *,
    alpha: ArrayLike = defaults.GIVEN_ALPHA,
    beta: ArrayLike = defaults.GIVEN_BETA,
    n_sweeps: int = 100,
    n_starts: int = 3,
    heldout_docs: Any = 0.125,
    window: int = WINDOW,
    seed: Any = defaults.SEED,
    on_turn: Callable[[Turn], None] | None = None,
) -> Comparison:
    """Run samplers from the same random starts and record log posterior, perplexity and time.

    Half of the tokens of some documents are held out, the same for all samplers. Every start is one
    random assignment of topics to the other tokens, and each sampler continues from it. Samplers
    take turns sweep by sweep, so that other load affects all of them equally; only the time
    within sweeps counts. See docs/how-to/comparing-samplers.md.

    Parameters
    ----------
    X
        A Corpus, or anything `Corpus.from_matrix` takes.
    samplers
        Names in ``blocklda.SAMPLERS``, or "auto", which is replaced by the sampler it chooses.
    n_topics, alpha, beta
        K and the priors, as in :class:`blocklda.Chain`.
    n_sweeps
        Sweeps from each start.
    n_starts
        Number of starts. A single start says little: chains from other starts end elsewhere.
    heldout_docs
        Documents of which half of the tokens are held out: a share, for the last documents, or
        documents as in :func:`blocklda.split_tokens`.
    window
        Sweeps over which predictions are averaged for one perplexity.
    seed
        A whole number gives the same numbers every time, except for the seconds. The result of a
        sampler does not depend on the others.
    on_turn
        A function that is called after every round of sweeps with the progress.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> comparison = blocklda.evaluate.compare_samplers(
    ...     corpus, ["single-site", "nested"], n_topics=6, n_sweeps=20, n_starts=2
    ... )
    >>> comparison.log_posterior.shape  # samplers, starts, sweeps and the start
    (2, 2, 21)
    """
    plan = ComparisonPlan.create(
        X,
        samplers,
        n_topics,
        alpha=alpha,
        beta=beta,
        n_sweeps=n_sweeps,
        n_starts=n_starts,
        heldout_docs=heldout_docs,
        window=window,
        seed=seed,
    )
    return plan.joined([plan.run_start(r, on_turn) for r in range(len(plan.start_seeds))])


@dataclass(frozen=True)
class ComparisonPlan:
    """A comparison whose starts can be run one by one, here or elsewhere, in any order."""

    samplers: tuple[str, ...]
    n_topics: int
    alpha: ArrayLike
    beta: ArrayLike
    n_sweeps: int
    window: int
    train: Corpus
    heldout: Corpus
    start_seeds: tuple[np.random.SeedSequence, ...]
    opened: tuple[str, ...] = ()
    """Of the samplers, those that are there once more, after sweeps of their companion."""

    @classmethod
    def create(
        cls,
        X: Any,
        samplers: Iterable[str],
        n_topics: int,
        *,
        alpha: ArrayLike,
        beta: ArrayLike,
        n_sweeps: int,
        n_starts: int,
        heldout_docs: Any,
        window: int,
        seed: Any,
        opened: tuple[str, ...] = (),
    ) -> ComparisonPlan:
        """Check everything, split the corpus, and give each start its seed."""
        corpus = Corpus.from_matrix(X)
        n_topics = check_n_topics(n_topics)
        names = checked_samplers(samplers, n_topics, corpus)
        n_sweeps = whole_number("n_sweeps", n_sweeps, 1)
        n_starts = whole_number("n_starts", n_starts, 1)
        window = min(whole_number("window", window, 1), n_sweeps)
        split_seed, starts_seed = seed_sequence("seed", seed).spawn(2)
        train, heldout = split_tokens(corpus, _chosen_docs(corpus, heldout_docs), split_seed)
        _check_parts(train, heldout)
        seeds = tuple(starts_seed.spawn(n_starts))
        return cls(names, n_topics, alpha, beta, n_sweeps, window, train, heldout, seeds, opened)

    @property
    def contenders(self) -> dict[str, tuple[str, int]]:
        """The samplers by the names they have here, each with the sweeps of its opening."""
        plain = {name: (name, 0) for name in self.samplers}
        opened = {opened_name(name): (name, COMPANION_SWEEPS) for name in self.opened}
        return plain | opened

    def start(self, r: int) -> StartRun:
        """Return start r: every sampler at one random assignment of topics."""
        # Spawned again, so that a start that is run twice is the same twice.
        seed = self.start_seeds[r]
        init_seed, sweep_seed = (
            np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, i)) for i in range(2)
        )
        init = self._chain(seed=init_seed).assignments()
        chains = {
            name: self._chain(sampler=sampler, seed=sweep_seed, init=init, opening_sweeps=sweeps)
            for name, (sampler, sweeps) in self.contenders.items()
        }
        return StartRun(r, chains, self.heldout, self.n_sweeps, self.window)

    def run_start(self, r: int, on_turn: Callable[[Turn], None] | None = None) -> StartCurves:
        """Run every sampler from start r, in turns."""
        start = self.start(r)
        for _ in range(self.n_sweeps):
            turn = start.turn()
            if on_turn is not None:
                on_turn(turn)
        return start.curves()

    @property
    def curve_shapes(self) -> dict[str, tuple[int, int]]:
        """The shapes of what a start records, by name."""
        n_windows = -(-self.n_sweeps // self.window)
        per_sweep = (len(self.contenders), self.n_sweeps + 1)
        return {
            "seconds": per_sweep,
            "log_posterior": per_sweep,
            "perplexity": (len(self.contenders), n_windows),
        }

    def joined(self, starts: Sequence[StartCurves]) -> Comparison:
        """Return the curves of starts as one comparison."""
        stacked = StartCurves(*(np.stack(curves, axis=1) for curves in zip(*starts, strict=True)))
        return Comparison(
            samplers=tuple(self.contenders),
            n_topics=self.n_topics,
            n_train_tokens=self.train.n_tokens,
            n_heldout_tokens=self.heldout.n_tokens,
            n_heldout_docs=int(np.count_nonzero(self.heldout.doc_lengths())),
            window=self.window,
            seconds=stacked.seconds,
            log_posterior=stacked.log_posterior,
            perplexity=stacked.perplexity,
        )

    def _chain(self, **settings: Any) -> Chain:
        return Chain(self.train, self.n_topics, self.alpha, self.beta, **settings)


def opened_name(sampler: str) -> str:
    """Return what a sampler is called that begins with sweeps of its companion."""
    return f"{sampler} after {COMPANION_SWEEPS} {find_sampler(sampler).companion}"


def checked_samplers(samplers: Any, n_topics: int, corpus: Corpus | None = None) -> tuple[str, ...]:
    """Check the names of samplers, and replace "auto" by the sampler it chooses.

    Before the corpus is read, "auto" stays as it is.
    """
    if isinstance(samplers, str) or not isinstance(samplers, Iterable):
        raise not_allowed("samplers", samplers, 'several names, such as ("single-site", "nested")')
    given = list(samplers)
    if not given:
        raise InputError.of(
            'samplers is empty: [give names, such as ("single-site", "nested")].'
        ).where(parameter="samplers", value=given)
    if corpus is None:
        names = [name if name == AUTO else find_sampler(name).name for name in given]
    else:
        names = [find_sampler(choose_sampler(name, n_topics, corpus)).name for name in given]
    for name in names:
        if names.count(name) > 1:
            known = f" ({AUTO!r} is {name!r} with {n_topics} topics)" if AUTO in given else ""
            raise InputError.of(
                "samplers has {name!r} more than once{known}: [give each once]."
            ).where(name=name, known=known, parameter="samplers", value=given)
    return tuple(names)


def _chosen_docs(corpus: Corpus, docs: Any) -> Any:
    """Return documents as `split_tokens` takes them: the user's, or the last ones for a share."""
    if not isinstance(docs, float | np.floating):
        return docs
    if not 0 < docs < 1:
        raise not_allowed(
            "heldout_docs", float(docs), "a share between 0 and 1, or document numbers"
        )
    return slice(corpus.n_docs - max(1, round(docs * corpus.n_docs)), None)


def _check_parts(train: Corpus, heldout: Corpus) -> None:
    if heldout.n_tokens == 0:
        raise InputError.of(
            "there are no documents to hold out tokens from, or they are empty: [choose others, "
            "or a larger share, with {heldout_docs}]."
        ).where(parameter="heldout_docs")
    if train.n_tokens == 0:
        raise InputError(
            f"all {heldout.n_tokens} tokens would be held out, and none would be left to sample: "
            "give more documents."
        )
