"""A run: chains, the draws they left behind, and the averages over them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from blocklda.chain import Chain
from blocklda.corpus import Corpus
from blocklda.memory import require_memory
from blocklda.posterior import Posterior
from blocklda.schedule import Schedule
from blocklda.store import Draw, Store

__all__ = ["DrawCallback", "Run", "require_memory_for_run"]

DrawCallback = Callable[[Draw], object]
"""Called after each kept draw; returning True stops the run."""


class Run:
    """Chains that advance together, sweep by sweep, and what was kept of them.

    Every chain has its own stream of random numbers, so the order in which they take turns changes
    nothing but the order in which draws arrive.
    """

    def __init__(self, chains: Sequence[Chain]) -> None:
        self.chains = tuple(chains)
        self.store = Store()
        self.posterior = Posterior()
        self._traces: list[list[float]] = [[] for _ in self.chains]

    @property
    def corpus(self) -> Corpus:
        """The corpus the chains run on."""
        return self.chains[0].corpus

    @property
    def n_sweeps(self) -> int:
        """Sweeps that every chain has done."""
        return min(chain.n_sweeps for chain in self.chains)

    def advance(self, schedule: Schedule, callback: DrawCallback | None = None) -> None:
        """Go on to the end of the schedule, or until the callback returns True."""
        for sweep in range(self.n_sweeps + 1, schedule.n_sweeps + 1):
            for number, chain in enumerate(self.chains):
                if chain.n_sweeps >= sweep:
                    continue  # a stopped run left this chain ahead of the others
                chain.sweep()
                self._traces[number].append(chain.log_posterior())
                if schedule.keeps(sweep):
                    draw = chain.draw(number)
                    self.store.append(draw)
                    self.posterior.add(draw)
                    if callback is not None and _says_stop(callback(draw)):
                        return

    def log_posterior(self) -> NDArray[np.float64]:
        """Return log q after every sweep, shape (chains, sweeps).

        NaN stands for sweeps that a chain has not done because the run was stopped.
        """
        longest = max(len(trace) for trace in self._traces)
        table = np.full((len(self.chains), longest), np.nan)
        for row, trace in zip(table, self._traces, strict=True):
            row[: len(trace)] = trace
        return table

    def fork(self) -> Run:
        """Return a run at the same point; advancing it leaves this one as it is."""
        other = Run([copy.copy(chain) for chain in self.chains])
        other.store = Store(self.store)
        other.posterior = self.posterior.copy()
        other._traces = [list(trace) for trace in self._traces]
        return other


def _says_stop(answer: object) -> bool:
    """Whether a callback returned True, Python's or NumPy's; nothing else stops a run."""
    return isinstance(answer, bool | np.bool_) and bool(answer)


def require_memory_for_run(
    corpus: Corpus, n_topics: int, n_chains: int, n_draws: int, *, is_fork: bool
) -> None:
    """Refuse a run whose draws and averages will not fit, before it starts.

    The averages are θ and φ in doubles, for each chain, for the draw that is being added and for
    the result; a fork has those of the run it came from beside it.
    """
    draws = Store.bytes_needed(corpus, n_topics, n_draws)
    averages = 8 * n_topics * (corpus.n_docs + corpus.n_words)
    copies = (2 if is_fork else 1) * n_chains + 2
    require_memory(
        draws + copies * averages,
        f"a fit that keeps {n_draws:,} draws of {corpus.n_tokens:,} tokens and averages "
        f"{n_topics:,} topics over {corpus.n_docs:,} documents and {corpus.n_words:,} words",
        "keep fewer draws (larger thin, fewer n_sweeps) or use fewer topics or chains",
    )
