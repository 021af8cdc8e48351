"""What lasts from one sweep to the next: topics in slots, and their parts of the stick."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models import base
from blocklda.models.hdp.word_prior import Beta, WordPrior, as_beta
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.lda.priors import padded_length
from blocklda.models.lda.samplers.sparse.plan import ALL_LISTED
from blocklda.models.lda.topic_counts import CellCounts, TopicCounts
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["FREE", "Levels", "State", "SweepOptions", "n_slots_for"]

FREE = -1
"""The number of a slot that no topic has."""

MORE_SLOTS = 5
"""One more slot for so many topics, for those that are born before the next sweep begins. Of KOS
with 1,000 topics 30 to 60 are. A sweep that runs out of slots is done again; free ones cost
little."""

LEAST_SLOTS = ALL_LISTED + 8
"""So many that the sparse samplers keep lists of topics, in which no empty topic stands."""


def n_slots_for(n_topics: int) -> int:
    """Return how many slots so many topics need, with some to spare."""
    return padded_length(max(LEAST_SLOTS, n_topics + max(16, n_topics // MORE_SLOTS)))


@dataclass(frozen=True, eq=False)
class Levels:
    """Concentrations and the word prior: α₀, γ, and β of all words or of each."""

    alpha0: float
    gamma: float
    beta: Beta

    def __eq__(self, other: object) -> bool:
        """Compare numbers; β of each word is an array."""
        return (
            isinstance(other, Levels)
            and (self.alpha0, self.gamma) == (other.alpha0, other.gamma)
            and np.array_equal(self.beta, other.beta)
        )

    __hash__ = None  # type: ignore[assignment]

    def word_prior(self, n_words: int) -> WordPrior:
        """Return β with what follows from it."""
        return WordPrior(self.beta, n_words)


@dataclass(frozen=True)
class SweepOptions(base.SweepOptions):
    """How a sweep is done.

    ``table_every``: one document of so many has its tables moved, in turn; 0 for none.
    ``max_block``: larger blocks are updated in random parts of this many tokens.
    """

    table_every: int = round(1 / defaults.TABLE_MOVES)
    max_block: int | None = None


@dataclass(kw_only=True)
class State(base.State, TopicCounts):
    """A point of a Markov chain over topics and their parts of the stick.

    ``topics`` holds the slot of each token's topic, grouped by entry of the corpus; the order of
    the tokens within an entry means nothing. ``tau`` has each slot's part of the stick, 0 where it
    is free, and ``numbers`` the number of its topic's birth, or FREE. ``rest`` is τ_u.
    """

    topics: Int32s
    tau: Floats
    numbers: Ints
    rest: float
    n_born: int
    levels: Levels
    random_start: bool = False
    _counted: CellCounts | None = field(default=None, init=False, repr=False, compare=False)

    changing: ClassVar[tuple[str, ...]] = ("topics", "tau", "numbers")

    @classmethod
    def create(
        cls,
        corpus: Corpus,
        rng: np.random.Generator,
        topics: Int32s,
        levels: Levels,
        *,
        random_start: bool = False,
    ) -> State:
        """Start from topics by any numbers; those without tokens are left out.

        τ is its mean if each document that has a topic seats it at one table. The first global step
        draws another.
        """
        found, places = np.unique(topics, return_inverse=True)
        n_slots = n_slots_for(len(found))
        numbers = np.full(n_slots, FREE, dtype=np.int64)
        numbers[: len(found)] = np.arange(len(found))
        state = cls(
            corpus=corpus,
            rng=rng,
            topics=places.astype(np.int32),
            tau=np.zeros(n_slots),
            numbers=numbers,
            rest=1.0,
            n_born=len(found),
            levels=levels,
            random_start=random_start,
        )
        tables = np.zeros(n_slots)
        at, level, above = state.counted().topic_histograms
        tables[at[level == 0]] = above[level == 0]
        total = float(tables.sum()) + levels.gamma
        state.tau, state.rest = tables / total, levels.gamma / total
        return state

    @property
    def n_slots(self) -> int:
        """Slots, free ones included."""
        return len(self.tau)

    @property
    def n_columns(self) -> int:
        """Columns of the count tables, which are slots."""
        return self.n_slots

    @property
    def occupied(self) -> Ints:
        """The slots that topics have, in the order of their births."""
        slots = np.flatnonzero(self.numbers != FREE)
        return slots[np.argsort(self.numbers[slots])]

    def positions(self) -> Int32s:
        """Return for each token the position of its topic among those in order of birth."""
        slots = self.occupied
        place = np.zeros(self.n_slots, dtype=np.int32)
        place[slots] = np.arange(len(slots))
        return place[self.topics]

    def counted(self) -> CellCounts:
        """Return counts that several questions about one state share; a sweep makes them old."""
        if self._counted is None:
            noted = self.noted_cells()
            self._counted = self.cells() if noted is None else CellCounts.noted(self, noted)
        return self._counted

    def noted_cells(self) -> tuple[Ints, Ints, Ints, Ints, Ints] | None:
        """Return what the kernels noted while they swept, None if they did not or topics differ."""
        kept = self.workspace
        if not isinstance(kept, _native.SparseWorkspace):
            return None
        return _native.sparse_cells(self.corpus.native, self.n_slots, self.topics, kept)

    def forget_derived(self) -> None:
        """Drop the counts: the topics are about to change."""
        self._counted = None

    def level_numbers(self) -> Floats:
        """Return τ_u, α₀ and γ as kernels take them."""
        return np.array([self.rest, self.levels.alpha0, self.levels.gamma])

    def all_level_numbers(self) -> Floats:
        """Return τ_u, α₀, γ and β, one number or one per word, as files hold them."""
        return np.append(self.level_numbers(), self.levels.beta)

    def snapshot(self) -> base.Arrays:
        """Return copies of all that a sweep changes, topics in the smallest type."""
        return {
            "topics": self.topics.astype(topic_dtype(self.n_slots)),
            "tau": self.tau.copy(),
            "numbers": self.numbers.copy(),
            "levels": self.all_level_numbers(),
            "n_born": np.array(self.n_born),
        }

    def restore(self, snapshot: base.Arrays) -> None:
        """Set all back."""
        self.topics = snapshot["topics"].astype(np.int32)
        self.tau, self.numbers = snapshot["tau"].copy(), snapshot["numbers"].copy()
        self.rest, alpha0, gamma = map(float, snapshot["levels"][:3])
        self.levels = Levels(alpha0, gamma, as_beta(snapshot["levels"][3:]))
        self.n_born = int(snapshot["n_born"])
        self.forget_derived()

    def __getstate__(self) -> dict[str, object]:
        """Leave the counts behind, which hold the compiled kernels' view of the corpus."""
        return {**super().__getstate__(), "_counted": None}

    # --- slots

    def use_slots(self, n_slots: int) -> None:
        """Have so many slots, with the topics in the first ones."""
        slots = np.flatnonzero(self.numbers != FREE)
        place = np.zeros(self.n_slots, dtype=np.int32)
        place[slots] = np.arange(len(slots))
        self.topics = place[self.topics]
        tau, numbers = np.zeros(n_slots), np.full(n_slots, FREE, dtype=np.int64)
        tau[: len(slots)], numbers[: len(slots)] = self.tau[slots], self.numbers[slots]
        self.tau, self.numbers = tau, numbers
        self.forget_derived()

    def add_slots(self, n_more: int) -> None:
        """Have so many more slots, with all topics where they are."""
        self.tau = np.concatenate([self.tau, np.zeros(n_more)])
        self.numbers = np.concatenate([self.numbers, np.full(n_more, FREE, dtype=np.int64)])
        self.forget_derived()

    def free_empty_slots(self, n_k: Ints | None = None) -> None:
        """Give the parts of topics without tokens back to the rest of the stick.

        ``n_k`` are the tokens of the slots, if they are known.
        """
        empty = (self.numbers != FREE) & ((self.topic_counts() if n_k is None else n_k) == 0)
        self.rest += float(self.tau[empty].sum())
        self.tau[empty], self.numbers[empty] = 0.0, FREE
