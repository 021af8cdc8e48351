"""What a model is: what runs, files and diagnostics ask of whatever is sampled.

A model says how a state starts, which samplers move it, what happens between sweeps, what is
recorded of it, what one draw says, and which arrays a file holds. Everything else (the loop over
sweeps, threads, interrupts, checkpoints, results) knows no model but this interface.
"""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from blocklda.data.corpus import Corpus
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import FileFormatError

__all__ = [
    "LOG_PREDICTIVE",
    "Arrays",
    "Draw",
    "Means",
    "Model",
    "Quantity",
    "Role",
    "Sampler",
    "State",
    "Stored",
    "SweepOptions",
    "VaryingTopics",
]

Arrays = dict[str, NDArray[Any]]
"""Arrays by the names they have in a file."""

LOG_PREDICTIVE = "log_predictive"
"""The name of the quantity that says how well one draw predicts words: mean log probability in
nats. Whether a fit is finished is judged by it, where a model records it."""


@dataclass(kw_only=True)
class State:
    """A point of a Markov chain, and the generator that moves it on.

    A model's own state adds what a sweep changes.
    """

    corpus: Corpus
    rng: np.random.Generator
    n_sweeps: int = 0
    """Sweeps done so far."""
    workspace: Any = field(default=None, repr=False, compare=False)
    """Tables that a sampler may keep between its calls. They follow from the rest."""
    alone: Any = field(default_factory=threading.Lock, repr=False, compare=False)
    """What a chain holds while it sweeps: of two threads with one state, one has to wait."""

    changing: ClassVar[tuple[str, ...]] = ()
    """The names of the arrays that a sweep changes."""

    def copy(self) -> Self:
        """Return a state with arrays and a generator of its own."""
        own = {name: getattr(self, name).copy() for name in self.changing}
        rng = copy.deepcopy(self.rng)
        return replace(self, rng=rng, workspace=None, alone=threading.Lock(), **own)

    def snapshot(self) -> Arrays:
        """Return copies of the arrays that a sweep changes."""
        return {name: getattr(self, name).copy() for name in self.changing}

    def restore(self, snapshot: Arrays) -> None:
        """Set the arrays back to what :meth:`snapshot` returned."""
        for name, values in snapshot.items():
            setattr(self, name, values)

    def forget_derived(self) -> None:
        """Drop what was computed from the arrays and kept; a chain calls this when they change."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave the workspace behind: a copy in another process makes its own."""
        return {**self.__dict__, "workspace": None, "alone": None}

    def __setstate__(self, values: dict[str, Any]) -> None:
        """Restore a state from another process."""
        self.__dict__.update(values, alone=threading.Lock())


@dataclass(frozen=True)
class SweepOptions:
    """How a sampler sweeps; a sampler ignores what it has no use for."""

    n_threads: int = 1


class Sampler(Protocol):
    """A Markov kernel of a model."""

    @property
    def name(self) -> str:
        """The name that files and users know it by."""

    def sweep(self, backend: str) -> Callable[[Any, Any, int], int]:
        """Return the function that advances a state in place, given options and a number of sweeps.

        It returns the number of simulation steps that it took.
        """


class Draw(Protocol):
    """One state that a chain passed through, which later sweeps leave as it is."""

    @property
    def chain(self) -> int:
        """The number of the chain, from 0."""

    @property
    def sweep(self) -> int:
        """Sweeps the chain had done."""

    @property
    def n_bytes(self) -> int:
        """What keeping the draw costs."""


class Means(Protocol):
    """Running means of a model's estimates over the draws of one chain."""

    @property
    def n_draws(self) -> int:
        """How many draws the means are over."""

    def add(self, draw: Any) -> None:
        """Take one more draw into the means."""

    def settle(self, draws: Sequence[Any]) -> None:
        """Forget draws that are in the means and are no longer kept."""

    def hold(self, draws: Sequence[Any], n_draws: int) -> None:
        """Take the kept draws again, after means over ``n_draws`` were read without them."""

    def copy(self) -> Self:
        """Return means that further draws do not change."""

    def to_arrays(self, *, with_draws: bool) -> Arrays:
        """Return the arrays that hold the means in a file; ``with_draws``: another has the draws.

        What follows from the kept draws need not be in the arrays then.
        """


@runtime_checkable
class VaryingTopics(Protocol):
    """What stands for the draws of a chain in which topics come and go.

    It has a number for each topic of one draw. Other draws are seen through these: tokens in topics
    that the one draw lacks are in "everything else", which has the last number.
    """

    @property
    def draws(self) -> tuple[Any, ...]:
        """The draws that it stands for."""

    @property
    def has_rest(self) -> bool:
        """Return True if there may be anything else; of a finite mixture there is nothing."""

    def topic_word(self) -> Floats:
        """Return φ, shape (topics, words), without everything else."""

    def doc_topic(self) -> Floats:
        """Return θ, shape (documents, topics), everything else included."""

    def renumbered(self, draw: Any) -> Any:
        """Return a draw as one of LDA whose topics have these numbers."""


class Role(StrEnum):
    """What a quantity has one number for."""

    SCALAR = "scalar"
    BY_TOPIC = "by topic"
    BY_PAIR = "by pair"


@dataclass(frozen=True)
class Quantity:
    """Something that is recorded of every kept draw, under a name.

    Attributes
    ----------
    name
        Its name in traces and for ArviZ.
    role
        Whether a draw has one number, one per topic or one per pair.
    measure
        Returns it for a draw.
    title
        What tables call it, as in "alpha of topic 3".
    summary
        What no renumbering of topics changes: "ranks" sorts the topics by it, "sum" adds them up.
    length
        How many numbers a draw has of it, None for a scalar or where that varies.
    stored_as
        The name of its array in files, if that is another.
    is_diagnosed
        False for what stands still while draws are kept: recorded, but not in the trace.
    check
        Returns what is wrong with values from a file, None if nothing is.
    if_missing
        The value in files written before it was recorded, NaN for example. None refuses such files.
    is_count
        True for a number of topics, in one sense or another, that varies between draws.
    """

    name: str
    role: Role
    measure: Callable[[Any], Any]
    title: str = ""
    summary: str | None = None
    length: int | None = None
    dtype: type[np.generic] = np.float64
    stored_as: str = ""
    is_diagnosed: bool = True
    check: Callable[[NDArray[Any]], str | None] | None = None
    if_missing: float | None = None
    is_count: bool = False

    @property
    def label(self) -> str:
        """Its name in tables."""
        return self.title or self.name

    @property
    def file_name(self) -> str:
        """The name of its array in files."""
        return self.stored_as or self.name


class Stored(Protocol):
    """The part of a file that belongs to one chain or draw: a header, and named arrays."""

    @property
    def header(self) -> Mapping[str, Any]:
        """The part of the header."""

    def array(self, name: str, dtype: Any, ndim: int, max_size: int | None = None) -> NDArray[Any]:
        """Return an array that must have this type and number of dimensions.

        A packed one that is large must not have more than ``max_size`` numbers.
        """

    def shaped(self, name: str, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return an array that must have this type and shape."""

    def has(self, name: str) -> bool:
        """Return True if there is an array of this name."""

    def damaged(self, reason: str) -> FileFormatError:
        """Make the error that says what is wrong with the file."""

    def reading(self) -> AbstractContextManager[None]:
        """Turn what goes wrong with the contents into errors that name the file."""


class Model(ABC):
    """A distribution over states, given a corpus.

    States and draws are the model's own classes; the layers around it pass them through.
    """

    kind: ClassVar[str]
    """What files and the command line call it."""

    draw_order: ClassVar[int] = 1
    """Raised when a seed comes to give other draws. Files carry it: a chain that is resumed under
    another number continues, but not to the bit."""

    counted: ClassVar[str] = ""
    """What a model whose number of topics varies calls them, in the plural; else empty."""

    corpus: Corpus

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """What is recorded of every kept draw."""
        return ()

    # --- sampling

    @abstractmethod
    def start(self, init: Any, rng: np.random.Generator, backend: str) -> Any:
        """Return the state before the first sweep."""

    def check_start(self, init: Any) -> None:  # noqa: B027  # a model need not have a choice
        """Refuse what :meth:`start` would refuse, without making a state."""

    @abstractmethod
    def find_sampler(self, name: Any) -> Sampler:
        """Return the sampler of a name, or say which names there are."""

    def moves(self, options: Any) -> tuple[Callable[[Any], int], ...]:
        """Return what a chain tries after every sweep: each moves a state and counts its steps."""
        return ()

    def next_sampler(self, state: Any, sampler: Sampler) -> tuple[Sampler, int | None]:
        """Return what does the next sweeps of a chain, and how many; None is all that follow.

        It may depend on the number of sweeps done, never on what they found.
        """
        return sampler, None

    def between_sweeps(self, state: Any, burn_in: int) -> None:
        """Do what is due after a sweep, before it is recorded, in place; nothing by default."""
        return

    @abstractmethod
    def log_level(self, state: Any) -> float:
        """Return the log joint density up to a constant, recorded after every sweep."""

    def count(self, state: Any) -> int:
        """Return how many topics a state has, where that varies: recorded after every sweep."""
        return 0

    # --- draws

    @abstractmethod
    def draw(self, state: Any, chain: int) -> Any:
        """Return the state as a draw that later sweeps leave as it is."""

    def first_means(self, draw: Any) -> Means | None:
        """Return means over one draw; None for a model without any."""
        return None

    def estimates(self, draws: Sequence[Any]) -> Any:
        """Return what stands for the draws of a chain of a model without means over them.

        ``draws`` are those that were kept, or the last one. What is returned has the methods
        ``topic_word`` and ``doc_topic``; a draw has them. With the other methods of
        :class:`VaryingTopics` everything that needs the same topics in all draws works too.
        """
        return draws[-1]

    def partner_groups(self) -> Ints | None:
        """Return kinds of topics, one number per topic: partners are of one kind. None for one."""
        return None

    def support(self, log_levels: Floats, values: Mapping[str, Sequence[Any]]) -> float:
        """Return how well a chain's draws explain the corpus: the chain with most is reported.

        ``log_levels`` and recorded ``values`` are those of its kept draws. Log joint densities of
        different numbers of topics are not comparable: a model whose number varies overrides this.
        """
        return float(np.mean(log_levels)) if len(log_levels) else -np.inf

    def mean_priors(self, state: Any, values: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """Return the priors of a chain by name, means over its draws where they were learned."""
        return {}

    # --- files

    @abstractmethod
    def state_parts(self, state: Any) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of a state beside sweeps and generator: header and arrays."""

    @abstractmethod
    def restore_state(self, stored: Stored, rng: np.random.Generator, n_sweeps: int) -> Any:
        """Return the state that :meth:`state_parts` was given, checked."""

    def restore_options(self, header: Mapping[str, Any]) -> Any:
        """Return the options of sweeps that a header holds."""
        return SweepOptions(whole_number("n_threads", header["n_threads"], 1))

    def check_draws_header(self, header: Mapping[str, Any]) -> str | None:
        """Return why draws with this header are not of this model's runs, None if they are."""
        return None

    def draws_header(self) -> dict[str, Any]:
        """Return what a file of draws says of all of them."""
        return {}

    @abstractmethod
    def draw_arrays(self, draw: Any) -> Arrays:
        """Return the arrays that hold a draw."""

    @abstractmethod
    def restore_draw(self, stored: Stored, chain: int, sweep: int, state: Any) -> Any:
        """Return the draw that :meth:`draw_arrays` was given; ``state`` is its chain's."""

    def restore_means(self, stored: Stored, n_draws: int, state: Any) -> Means | None:
        """Return the means that :meth:`Means.to_arrays` was called on."""
        return None


def options_header(options: Any) -> dict[str, Any]:
    """Return the options of sweeps as a header holds them."""
    return {one.name: getattr(options, one.name) for one in fields(options)}
