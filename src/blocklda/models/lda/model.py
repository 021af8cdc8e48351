"""LDA as a model: what the layers around it ask of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blocklda.data.corpus import Corpus
from blocklda.models import base
from blocklda.models.base import LOG_PREDICTIVE, Arrays, Model, Quantity, Role, Stored
from blocklda.models.lda.draw import Draw, topic_dtype
from blocklda.models.lda.log_posterior import log_joint, log_posterior
from blocklda.models.lda.moves.registry import AUTO_MOVE, check_moves, find_move
from blocklda.models.lda.opening import Opening
from blocklda.models.lda.prior_learning import NOTHING_LEARNED, PriorLearning
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.convolution import check_convolution
from blocklda.models.lda.samplers.openings import OPENINGS, find_opening
from blocklda.models.lda.samplers.registry import Sampler, choose_sampler, find_sampler
from blocklda.models.lda.starts.choose import check_start, check_topics, start_topics
from blocklda.models.lda.state import State, SweepOptions
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.models.lda.topic_means import TopicMeans
from blocklda.models.lda.watched_words import WatchedWords
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError, OtherModelError
from blocklda.support.messages import Setting

__all__ = ["TOPIC_SIZE", "LDAModel", "topic_groups"]


TOPIC_SIZE = Quantity(
    "topic_size",
    Role.BY_TOPIC,
    Draw.topic_counts,
    title="size",
    summary="ranks",
    dtype=np.int64,
    stored_as="topic_sizes",
)
"""How many tokens each topic has."""


class LDAModel(Model):
    """Latent Dirichlet allocation with θ and φ integrated out.

    ``priors`` are those that chains start with; ``learning`` may change them between sweeps.
    ``pairs`` are pairs of tokens whose shared topics are recorded, and ``watched`` are words whose
    predictions are; none unless they are given.
    """

    kind: ClassVar[str] = "lda"
    draw_order: ClassVar[int] = 6

    def __init__(
        self,
        corpus: Corpus,
        priors: Priors,
        learning: PriorLearning = NOTHING_LEARNED,
        pairs: TokenPairs | None = None,
        watched: WatchedWords | None = None,
    ) -> None:
        self.corpus = corpus
        self.priors = priors
        self.learning = learning
        self.pairs = TokenPairs.choose(corpus, 0) if pairs is None else pairs
        self.watched = watched

    # --- what is recorded: a new quantity is one more entry here

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Sizes of topics, pairs of tokens that share one, and priors where they are learned."""
        return (
            self._sizes(),
            Quantity(
                "co_assignment",
                Role.BY_PAIR,
                partial(_co_assignment, self.pairs),
                title="co-assignment",
                length=len(self.pairs),
                check=_check_shares,
            ),
            *self._predictions(),
            *self._learned_priors(),
        )

    def _sizes(self) -> Quantity:
        return replace(
            TOPIC_SIZE,
            length=self.priors.n_topics,
            check=partial(_check_sizes, self.corpus.n_tokens),
        )

    def _predictions(self) -> list[Quantity]:
        """Return the quantity that shows when predictions have settled, if words are watched."""
        if self.watched is None:
            return []
        return [
            Quantity(
                LOG_PREDICTIVE,
                Role.SCALAR,
                partial(_log_predictive, self.watched),
                title="log predictive",
                if_missing=math.nan,
            )
        ]

    def _learned_priors(self) -> list[Quantity]:
        """Return α and β; optimised ones stand still while draws are kept."""
        learning, found = self.learning, []
        if learning.alpha != "none":
            found.append(
                Quantity(
                    "alpha",
                    Role.BY_TOPIC,
                    _alpha,
                    summary="sum",
                    length=self.priors.n_topics,
                    stored_as="alpha_draws",
                    is_diagnosed=learning.samples_alpha,
                    check=_check_priors,
                )
            )
        if learning.beta != "none":
            found.append(
                Quantity(
                    "beta",
                    Role.SCALAR,
                    _beta,
                    stored_as="beta_draws",
                    is_diagnosed=learning.samples_beta,
                    check=_check_priors,
                )
            )
        return found

    # --- sampling

    def start(self, init: Any, rng: np.random.Generator, backend: str) -> State:
        """Return topics drawn at random or after variational passes, or as given."""
        is_random = isinstance(init, str) and init in ("random", "annealed")
        return State(
            corpus=self.corpus,
            priors=self.priors,
            topics=start_topics(init, self.corpus, self.priors, rng, backend),
            rng=rng,
            random_start=is_random,
            random_order_at=0 if is_random else None,
        )

    def check_start(self, init: Any) -> None:
        """Refuse a start that is neither a name nor one topic per token."""
        if isinstance(init, str):
            check_start(init)
        else:
            check_topics(init, self.corpus, self.priors.n_topics)

    def find_sampler(self, name: str | Sampler) -> Sampler:
        """Return the sampler of a name; "auto" chooses one, and a sampler is its own."""
        if isinstance(name, Sampler):
            return name
        return find_sampler(choose_sampler(name, self.priors.n_topics, self.corpus))

    def moves(self, options: SweepOptions) -> tuple[Callable[[State], int], ...]:
        """Return the moves that the options name."""
        return tuple(find_move(name).attempt for name in options.moves)

    def next_sampler(self, state: State, sampler: base.Sampler) -> tuple[base.Sampler, int | None]:
        """Return what does the next sweeps, and how many of them: the opening, then the sampler."""
        n_left = state.opening.n_left(state.n_sweeps)
        return (find_opening(state.opening.kind), n_left) if n_left > 0 else (sampler, None)

    def between_sweeps(self, state: State, burn_in: int) -> None:
        """Try the move of the burn-in, and learn the priors, where these are due.

        Sampled priors are drawn from the chain's stream. Topics of an annealed sweep are not of the
        posterior, so nothing is learned from them.
        """
        if state.opening.is_tempered(state.n_sweeps):
            return
        if state.n_sweeps <= state.opening.n_merge_splits:
            AUTO_MOVE.attempt(state)
        if self.learning.is_due(state.n_sweeps, burn_in):
            state.priors = self.learning.updated(state, state.rng, state.counted())

    def log_level(self, state: State) -> float:
        """Return the log posterior up to a constant, which must not hold what is learned."""
        if not self.learning.is_active:
            return log_posterior(state, state.counted())
        return log_joint(state, state.counted()) + self.learning.log_density(state.priors)

    # --- draws

    def draw(self, state: State, chain: int) -> Draw:
        """Return the topics and priors as a draw."""
        return Draw.create(state, chain, state.n_sweeps, state.counted().topic_totals)

    def first_means(self, draw: Draw) -> TopicMeans:
        """Return θ and φ of one draw, to which others are added."""
        return TopicMeans.of([draw])

    def partner_groups(self) -> Ints | None:
        """Return which topics were given the same priors, or None if all were.

        Where α is learned, what was given is only where it starts, and tells no topics apart.
        """
        return topic_groups(self.priors, with_alpha=self.learning.alpha == "none")

    def mean_priors(self, state: State, values: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """Return α, one number per topic, and β, a number or a matrix (topics, words).

        What is not learned is what was given.
        """
        alpha, beta = values.get("alpha"), values.get("beta")
        return {
            "alpha": np.mean(alpha, axis=0) if alpha else state.priors.alpha.copy(),
            "beta": float(np.mean(beta)) if beta else state.priors.given_beta(),
        }

    # --- files

    def state_parts(self, state: State) -> tuple[dict[str, Any], Arrays]:
        """Return topics and priors."""
        arrays = {"topics": state.topics, **state.priors.to_arrays()}
        header = {
            "random_start": state.random_start,
            "random_order": state.is_in_random_order,
            "opening": state.opening.to_header(),
        }
        return header, arrays

    def restore_state(self, stored: Stored, rng: np.random.Generator, n_sweeps: int) -> State:
        """Return the state, if it has this model's number of topics."""
        priors = Priors.restore(stored, self.corpus.n_words)
        if priors.n_topics != self.priors.n_topics:
            raise OtherModelError.of("its run has {priors.n_topics} topics, but {wanted}").where(
                priors=priors, wanted=Setting("n_topics", self.priors.n_topics)
            )
        topics = stored.array("topics", np.int32, 1, self.corpus.n_tokens)
        return State(
            corpus=self.corpus,
            priors=priors,
            topics=check_topics(topics, self.corpus, priors.n_topics),
            rng=rng,
            n_sweeps=n_sweeps,
            random_start=stored.header.get("random_start") is True,
            random_order_at=n_sweeps if stored.header.get("random_order") is True else None,
            opening=Opening.restore(stored.header, OPENINGS),
        )

    def restore_options(self, header: Mapping[str, Any]) -> SweepOptions:
        """Return the options of sweeps that a header holds."""
        max_block = header["max_block"]
        return SweepOptions(
            max_block=None if max_block is None else whole_number("max_block", max_block, 1),
            convolution=check_convolution(header["convolution"]),
            n_threads=whole_number("n_threads", header["n_threads"], 1),
            shards=self._restored_shards(header.get("shards", ())),
            moves=check_moves(header.get("moves", ())),
        )

    def _restored_shards(self, starts: Any) -> tuple[int, ...]:
        checked = tuple(whole_number("shards", start, 0, self.corpus.n_docs) for start in starts)
        if list(checked) != sorted(set(checked)):
            raise InputError("its shards are out of order")
        return checked

    def draws_header(self) -> dict[str, Any]:
        """Say whether draws have priors of their own; else they are those of the chain."""
        return {"with_priors": self.learning.is_active}

    def check_draws_header(self, header: Mapping[str, Any]) -> str | None:
        """Refuse draws without priors where these were learned, and the other way round."""
        if header["with_priors"] is self.learning.is_active:
            return None
        return "its draws and its run do not both have learned priors"

    def draw_arrays(self, draw: Draw) -> Arrays:
        """Return the topics, and the priors where they are learned."""
        priors = draw.priors.to_arrays() if self.learning.is_active else {}
        return {"topics": draw.topics, **priors}

    def restore_draw(self, stored: Stored, chain: int, sweep: int, state: State) -> Draw:
        """Return a draw of a chain at ``state``."""
        n_topics = state.priors.n_topics
        dtype = topic_dtype(n_topics)
        topics = stored.array("topics", dtype, 1, self.corpus.n_tokens)
        check_topics(topics, self.corpus, n_topics)
        topics.setflags(write=False)
        priors = state.priors
        if self.learning.is_active:
            priors = Priors.restore(stored, self.corpus.n_words)
            if priors.n_topics != n_topics:
                raise stored.damaged("its priors are those of another number of topics")
        return Draw(chain, sweep, topics, self.corpus, priors)

    def restore_means(self, stored: Stored, n_draws: int, state: State) -> TopicMeans:
        """Return the sums of θ and φ, if they can be such."""
        return TopicMeans.restore(stored, n_draws, self.corpus, state.priors)


def topic_groups(priors: Priors, *, with_alpha: bool = True) -> Ints | None:
    """Return which topics have the same priors, or None if all have."""
    of_topics = np.vstack([priors.alpha, priors.beta]) if with_alpha else priors.beta
    kinds, groups = np.unique(of_topics, axis=1, return_inverse=True)
    return groups.astype(np.int64) if kinds.shape[1] > 1 else None


# Functions by name, since models and their quantities are pickled with estimators.


def _co_assignment(pairs: TokenPairs, draw: Draw) -> Floats:
    return pairs.co_assignment(draw.topics)


def _log_predictive(watched: WatchedWords, draw: Draw) -> float:
    return watched.log_predictive(draw)


def _alpha(draw: Draw) -> Floats:
    return draw.priors.alpha


def _beta(draw: Draw) -> float:
    return float(draw.priors.beta.flat[0])


def _check_sizes(n_tokens: int, sizes: NDArray[Any]) -> str | None:
    is_right = (sizes >= 0).all() and (sizes.sum(axis=1) == n_tokens).all()
    return None if is_right else "the sizes of its topics do not add up"


def _check_shares(values: NDArray[Any]) -> str | None:
    is_right = ((values >= 0) & (values <= 1 + 1e-9)).all()
    return None if is_right else "its co-assignments are not probabilities"


def _check_priors(values: NDArray[Any]) -> str | None:
    is_right = (np.isfinite(values) & (values > 0)).all()
    return None if is_right else "the priors of its draws are not positive numbers"
