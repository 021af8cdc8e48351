"""The hierarchical Dirichlet process as a model: what the layers around it ask of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.base import LOG_PREDICTIVE, Arrays, Model, Quantity, Role, Stored
from blocklda.models.hdp.counts import SHARES, exp_entropy, n_large, topics_holding
from blocklda.models.hdp.draw import Draw
from blocklda.models.hdp.global_step import GlobalStep, Learning
from blocklda.models.hdp.log_joint import log_joint
from blocklda.models.hdp.sampler import Sampler, find_sampler
from blocklda.models.hdp.starts import check_start, start_topics
from blocklda.models.hdp.state import FREE, Levels, State, SweepOptions
from blocklda.models.hdp.summary import Summary
from blocklda.models.hdp.word_prior import restored_beta
from blocklda.models.lda.priors import MAX_TOPICS
from blocklda.models.lda.starts.choose import check_topics
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.models.lda.watched_words import WatchedWords
from blocklda.support import defaults
from blocklda.support.arrays import Floats
from blocklda.support.checks import real_numbers, whole_number
from blocklda.support.errors import InputError, not_allowed

__all__ = ["HDPModel", "check_corpus", "check_level", "restored_levels"]


def check_corpus(corpus: Corpus) -> Corpus:
    """Return a corpus that has tokens."""
    if corpus.n_tokens == 0:
        raise InputError("the corpus has no tokens: an HDP needs at least one document with words.")
    return corpus


def check_level(name: str, value: Any) -> float:
    """Return a concentration or prior, a positive number."""
    number = real_numbers(value)
    if number is None or number.ndim or not (np.isfinite(number) and number > 0):
        raise not_allowed(name, value, "a number above 0")
    return float(number)


class HDPModel(Model):
    """LDA with infinitely many topics: τ ~ GEM(γ), θ_d ~ DP(α₀, τ), φ_k ~ Dir(β).

    θ and φ are integrated out. ``levels`` are those that chains start with; ``learning`` says which
    of them are sampled. ``pairs`` and ``watched`` are as LDA has them.
    """

    kind: ClassVar[str] = "hdp"
    counted: ClassVar[str] = "topics"

    def __init__(
        self,
        corpus: Corpus,
        levels: Levels,
        learning: Learning,
        *,
        initial_topics: int = defaults.INITIAL_TOPICS,
        pairs: TokenPairs | None = None,
        watched: WatchedWords | None = None,
    ) -> None:
        self.corpus = corpus
        self.levels = levels
        self.learning = learning
        self.initial_topics = initial_topics
        self.pairs = TokenPairs.choose(corpus, 0) if pairs is None else pairs
        self.watched = watched

    # --- what is recorded

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """How many topics there are in several senses, concentrations, pairs and predictions."""
        counts: dict[str, tuple[Callable[[Any], float], str]] = {
            "n_topics": (_n_topics, "topics"),
            **{
                f"n_topics_{share}": (
                    partial(_n_holding, share / 100),
                    f"topics with {share} % of the tokens",
                )
                for share in SHARES
            },
            "n_large_topics": (_n_large, "topics above 1 %"),
            "effective_topics": (_effective, "exp(entropy)"),
        }
        scalars = [
            *(
                Quantity(name, Role.SCALAR, measure, title, is_count=True)
                for name, (measure, title) in counts.items()
            ),
            Quantity("alpha0", Role.SCALAR, _alpha0, is_diagnosed=self.learning.alpha0),
            Quantity("gamma", Role.SCALAR, _gamma, is_diagnosed=self.learning.gamma),
        ]
        if isinstance(self.levels.beta, float):
            scalars.append(
                Quantity("beta", Role.SCALAR, _beta, is_diagnosed=self.learning.beta),
            )
        pairs = Quantity(
            "co_assignment",
            Role.BY_PAIR,
            partial(_co_assignment, self.pairs),
            title="co-assignment",
            length=len(self.pairs),
        )
        return (*scalars, pairs, *self._predictions())

    def _predictions(self) -> list[Quantity]:
        if self.watched is None:
            return []
        measure = partial(_log_predictive, self.watched)
        return [
            Quantity(LOG_PREDICTIVE, Role.SCALAR, measure, "log predictive", if_missing=math.nan)
        ]

    # --- sampling

    def start(self, init: Any, rng: np.random.Generator, backend: str) -> State:
        """Return topics drawn at random or after variational passes, or as given."""
        return self.start_from(init, self.initial_topics, rng, backend)

    def check_start(self, init: Any) -> None:
        """Refuse a start that is neither a name nor one topic per token."""
        check_start(init, self.corpus)

    def start_from(self, init: Any, n_topics: int, rng: np.random.Generator, backend: str) -> State:
        """Return the same with another number of topics."""
        topics = start_topics(init, self.corpus, self.levels, n_topics, rng, backend)
        is_random = isinstance(init, str) and init == "random"
        return State.create(self.corpus, rng, topics, self.levels, random_start=is_random)

    def find_sampler(self, name: str) -> Sampler:
        """Return the sampler of a name."""
        return find_sampler(name, GlobalStep(self.learning))

    def log_level(self, state: State) -> float:
        """Return log p(z, w | τ, α₀, β)."""
        return log_joint(state)

    def count(self, state: State) -> int:
        """Return K."""
        return int((state.numbers != FREE).sum())

    # --- draws

    def draw(self, state: State, chain: int) -> Draw:
        """Return topics, sticks and concentrations as a draw."""
        return Draw.of(state, chain)

    def estimates(self, draws: Sequence[Draw]) -> Summary:
        """Return the topics of a representative draw, averaged over those in which they live."""
        return Summary(draws)

    def support(self, log_levels: Floats, values: Mapping[str, Sequence[Any]]) -> float:
        """Return the mean log predictive probability of a chain's draws.

        Log joint densities of different numbers of topics are not comparable.
        """
        seen = [value for value in values.get(LOG_PREDICTIVE, ()) if math.isfinite(value)]
        with np.errstate(over="ignore"):  # values of a file may be as large as numbers can be
            return float(np.mean(seen)) if seen else super().support(log_levels, values)

    def mean_priors(self, state: State, values: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """Return α₀, γ and β, means over the draws of a chain."""
        levels = state.levels
        return {
            name: float(np.mean(values[name])) if values.get(name) else getattr(levels, name)
            for name in ("alpha0", "gamma", "beta")
        }

    # --- files

    def state_parts(self, state: State) -> tuple[dict[str, Any], Arrays]:
        """Return topics, sticks and levels."""
        header: dict[str, Any] = {
            "random_start": state.random_start,
            "n_born": state.n_born,
            "learning": self.learning.to_header(),
        }
        arrays: Arrays = {
            "topics": state.topics,
            "tau": state.tau,
            "numbers": state.numbers,
            "levels": state.all_level_numbers(),
        }
        return header, arrays

    def restore_state(self, stored: Stored, rng: np.random.Generator, n_sweeps: int) -> State:
        """Return the state, if all its parts fit each other."""
        tau = stored.array("tau", np.float64, 1, MAX_TOPICS)
        numbers = stored.shaped("numbers", np.int64, tau.shape)
        rest, levels = restored_levels(stored, self.corpus.n_words)
        topics = stored.array("topics", np.int32, 1, self.corpus.n_tokens)
        topics = check_topics(topics, self.corpus, max(1, len(tau)))
        n_born = whole_number("n_born", stored.header["n_born"], 0)
        used = numbers != FREE
        are_right = (
            len(tau) % 8 == 0
            and len(tau) > 16
            and (numbers >= FREE).all()
            and (numbers < n_born).all()
            and len(np.unique(numbers[used])) == used.sum()
            and (np.isfinite(tau) & (tau <= 1)).all()
            and ((tau > 0) == used).all()
            and used[topics].all()
            and (np.bincount(topics, minlength=len(tau)) > 0)[used].all()
        )
        if not are_right:
            raise stored.damaged("its topics and their weights do not match")
        return State(
            corpus=self.corpus,
            rng=rng,
            n_sweeps=n_sweeps,
            topics=topics,
            tau=tau,
            numbers=numbers,
            rest=rest,
            n_born=n_born,
            levels=levels,
            random_start=stored.header.get("random_start") is True,
        )

    def restore_options(self, header: Mapping[str, Any]) -> SweepOptions:
        """Return the options of sweeps that a header holds."""
        max_block = header["max_block"]
        return SweepOptions(
            n_threads=whole_number("n_threads", header["n_threads"], 1),
            table_every=whole_number("table_every", header["table_every"], 0),
            max_block=None if max_block is None else whole_number("max_block", max_block, 1),
        )

    def draw_arrays(self, draw: Draw) -> Arrays:
        """Return topics, sticks, births and levels; β of each word is that of the chain."""
        levels = draw.levels
        beta = [levels.beta] if isinstance(levels.beta, float) else []
        return {
            "topics": draw.topics,
            "tau": draw.tau,
            "numbers": draw.numbers,
            "levels": np.array([levels.alpha0, levels.gamma, *beta]),
        }

    def restore_draw(self, stored: Stored, chain: int, sweep: int, state: State) -> Draw:
        """Return a draw of a chain."""
        tau = stored.array("tau", np.float64, 1, self.corpus.n_tokens + 1)
        n_topics = len(tau) - 1
        numbers = stored.shaped("numbers", np.int64, (n_topics,))
        beta = state.levels.beta
        is_equal = isinstance(beta, float)
        levels = stored.shaped("levels", np.float64, (3 if is_equal else 2,))
        if not (np.isfinite(levels) & (levels > 0)).all() or not (tau > 0).all():
            raise stored.damaged("the weights of its topics are not positive numbers")
        if n_topics < 1 or (np.diff(numbers) <= 0).any():
            raise stored.damaged("its topics are out of order")
        topics = stored.array("topics", Draw.dtype_for(n_topics), 1, self.corpus.n_tokens)
        check_topics(topics, self.corpus, n_topics)
        restored = Levels(
            float(levels[0]), float(levels[1]), float(levels[2]) if is_equal else beta
        )
        return Draw.made(chain, sweep, topics, state, (numbers, tau), restored)


def restored_levels(stored: Stored, n_words: int) -> tuple[float, Levels]:
    """Return τ_u and the levels of a state in a file."""
    numbers = stored.array("levels", np.float64, 1, 3 + n_words)
    if len(numbers) < 4 or not (np.isfinite(numbers[:3]) & (numbers[:3] > 0)).all():
        raise stored.damaged("its concentrations are not positive numbers")
    rest, alpha0, gamma = map(float, numbers[:3])
    return rest, Levels(alpha0, gamma, restored_beta(numbers[3:], n_words, stored))


# Functions by name, since models and their quantities are pickled with estimators.


def _n_topics(draw: Draw) -> float:
    return float(draw.n_topics)


def _n_holding(share: float, draw: Draw) -> float:
    return float(topics_holding(draw.sizes(), share))


def _n_large(draw: Draw) -> float:
    return float(n_large(draw.sizes()))


def _effective(draw: Draw) -> float:
    return exp_entropy(draw.sizes())


def _alpha0(draw: Draw) -> float:
    return draw.levels.alpha0


def _gamma(draw: Draw) -> float:
    return draw.levels.gamma


def _beta(draw: Draw) -> float:
    return float(draw.levels.beta)


def _co_assignment(pairs: TokenPairs, draw: Draw) -> Floats:
    return pairs.co_assignment(draw.topics)


def _log_predictive(watched: WatchedWords, draw: Draw) -> float:
    return watched.log_predictive(draw)
