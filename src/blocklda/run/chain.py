"""A Markov chain over the states of any model: the only loop over sweeps there is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from blocklda.data.corpus import Corpus
from blocklda.models.base import Model, Sampler, SweepOptions
from blocklda.support import defaults
from blocklda.support.checks import whole_number
from blocklda.support.errors import CapacityError
from blocklda.support.memory import overcommit_allowed

__all__ = ["BaseChain"]

TOKENS_PER_CALL = 200_000
"""Small corpora are swept several times per kernel call, large ones once, so that Ctrl-C is
answered after about this many tokens or one sweep."""


class BaseChain:
    """A chain whose stationary distribution is the posterior of a model.

    A chain is for one thread at a time: of two that call :meth:`sweep` one waits, and nothing else
    is guarded. Several chains may run in several threads.
    """

    model: Model
    state: Any
    options: Any

    options_type: type = SweepOptions
    """How its sampler may sweep; without arguments, the defaults."""

    def __init__(
        self,
        model: Model,
        state: Any,
        sampler: Sampler,
        backend: str = defaults.BACKEND,
        options: SweepOptions | None = None,
        n_steps: int = 0,
    ) -> None:
        self.model = model
        self.state = state
        self.options = self.options_type() if options is None else options
        self._sampler = sampler
        self._backend = backend
        sampler.sweep(backend)  # says now what is wrong with the backend
        self._moves = model.moves(self.options)
        self._n_steps = n_steps
        self._may_overcommit = False
        self.draw_order = model.draw_order
        """That of the sweeps so far; a file may be from before it changed."""

    @classmethod
    def of(
        cls,
        model: Any,
        state: Any,
        sampler: Any,
        backend: str = defaults.BACKEND,
        options: Any = None,
        n_steps: int = 0,
    ) -> Self:
        """Return a chain at a state of a model, whatever constructor its class has for users."""
        chain = cls.__new__(cls)
        found = model.find_sampler(sampler)
        BaseChain.__init__(chain, model, state, found, backend, options, n_steps)
        return chain

    def sweep(self, n: int = 1) -> None:
        """Advance the chain by ``n`` sweeps; a sweep visits every block once."""
        left = whole_number("n", n, 0)
        with self.state.alone, overcommit_allowed(self._may_overcommit):
            self._sweep_times(left)

    def _sweep_times(self, left: int) -> None:
        state = self.state
        # Moves come after every single sweep, however many sweeps are asked for at once.
        most = 1 if self._moves else TOKENS_PER_CALL // max(1, self.corpus.n_tokens)
        per_call = max(1, most)
        while left > 0:
            sampler, n_own = self.model.next_sampler(state, self._sampler)
            now = min(left, per_call, left if n_own is None else n_own)
            sweep = sampler.sweep(self._backend)
            before, generator = state.snapshot(), state.rng.bit_generator.state
            state.forget_derived()
            try:
                steps = sweep(state, self.options, now)
                steps += sum(move(state) for move in self._moves)
                self._n_steps, state.n_sweeps = self._n_steps + steps, state.n_sweeps + now
            except BaseException as error:
                # Ctrl-C or an error: back to the last whole sweep, so that all parts fit again.
                state.restore(before)
                state.rng.bit_generator.state = generator
                if isinstance(error, MemoryError) and not isinstance(error, CapacityError):
                    raise self._too_large() from error
                raise
            left -= now

    def _too_large(self) -> CapacityError:
        return CapacityError(
            f"there is not enough memory for a sweep over {self.corpus.n_tokens:,} tokens; use a "
            "smaller model or fewer documents."
        )

    def use_threads(self, n_threads: int) -> None:
        """Continue in this many threads; the draws do not depend on them."""
        threads = whole_number("n_threads", n_threads, 1)
        self.options = replace(self.options, n_threads=threads)

    @property
    def corpus(self) -> Corpus:
        """The corpus the chain runs on."""
        corpus: Corpus = self.state.corpus
        return corpus

    @property
    def sampler(self) -> str:
        """The name of the sampler."""
        return self._sampler.name

    @property
    def backend(self) -> str:
        """The backend in use, "native" or "python"."""
        return self._backend

    @property
    def n_sweeps(self) -> int:
        """Sweeps done since the start, over all sessions."""
        n_sweeps: int = self.state.n_sweeps
        return n_sweeps

    @property
    def n_simulation_steps(self) -> int:
        """Simulation steps done, as the paper counts them: one per discrete draw.

        At most K − 1 a block for ``backward`` and C ⌈log₂ K⌉ a block for ``nested``.
        """
        return self._n_steps

    def draw(self, chain: int = 0) -> Any:
        """Return the present state as a draw that later sweeps leave as it is.

        ``chain`` is the number it carries among several chains.
        """
        return self.model.draw(self.state, chain)

    def __copy__(self) -> Self:
        """Return a chain at the same state: both continue alike, and neither moves the other."""
        other = self.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.state = self.state.copy()
        return other
