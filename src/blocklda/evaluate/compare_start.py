"""All samplers from one start, in turns; between windows a start can be put aside."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blocklda.data.corpus import Corpus
from blocklda.evaluate.document_completion import CompletionWindows
from blocklda.files.archive import Archive, Part, prefixed
from blocklda.files.chain_file import store_chain
from blocklda.models.lda.chain import Chain
from blocklda.support.arrays import Floats

__all__ = ["StartCurves", "StartRun", "Turn"]


class Turn(NamedTuple):
    """How far a comparison is: every sampler has done ``sweep`` sweeps from this start."""

    start: int
    sweep: int
    log_posterior: dict[str, float]


class StartCurves(NamedTuple):
    """What the samplers did from one start: seconds and log posterior (samplers, sweeps + 1)."""

    seconds: Floats
    log_posterior: Floats
    perplexity: Floats
    """Shape (samplers, windows)."""


class StartRun:
    """Chains of several samplers at the same start, which take turns sweep by sweep."""

    def __init__(
        self,
        number: int,
        chains: Mapping[str, Chain],
        heldout: Corpus,
        n_sweeps: int,
        window: int,
    ) -> None:
        self.number = number
        self.n_sweeps = n_sweeps
        self._window = window
        self._names = tuple(chains)
        self._chains = list(chains.values())
        self._windows = [CompletionWindows(heldout, n_sweeps, window) for _ in chains]
        self._seconds = np.zeros((len(chains), n_sweeps + 1))
        self._log_posterior = np.full(self._seconds.shape, self._chains[0].log_posterior())

    @property
    def n_done(self) -> int:
        """Sweeps that every sampler has done."""
        return self._chains[0].n_sweeps

    @property
    def is_between_windows(self) -> bool:
        """Return True if no perplexity is half averaged: only here a start can be put aside."""
        return self.n_done % self._window == 0

    def turn(self) -> Turn:
        """Let every sampler sweep once and be judged; only the sweep is timed."""
        t = self.n_done + 1
        for s, (chain, windows) in enumerate(zip(self._chains, self._windows, strict=True)):
            begin = time.perf_counter()
            chain.sweep()
            self._seconds[s, t] = self._seconds[s, t - 1] + time.perf_counter() - begin
            windows.add(chain.draw())
            self._log_posterior[s, t] = chain.log_posterior()
        levels = self._log_posterior[:, t].tolist()
        return Turn(self.number, t, dict(zip(self._names, levels, strict=True)))

    def curves(self) -> StartCurves:
        """Return what was recorded."""
        perplexities = np.array([windows.perplexities for windows in self._windows])
        return StartCurves(self._seconds, self._log_posterior, perplexities)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the part of a header and the arrays that :meth:`go_on_from` needs."""
        headers, arrays = [], dict(self.curves()._asdict())
        for s, chain in enumerate(self._chains):
            header, of_chain = store_chain(chain)
            headers.append(header)
            arrays |= prefixed(f"chain{s}_", of_chain)
        return {"chains": headers}, arrays

    def go_on_from(self, archive: Archive) -> None:
        """Take the place of a start that was put aside: the rest is the same to the bit.

        If the archive does not hold one of the same samplers, this start stays where it is.
        """
        headers = archive.header["chains"]
        shape = self._seconds.shape
        chains = [
            Chain.restored(self._chains[0].model, Part(archive, f"chain{s}_", header))
            for s, header in enumerate(headers)
        ]
        seconds = archive.shaped("seconds", np.float64, shape)
        log_posterior = archive.shaped("log_posterior", np.float64, shape)
        n_done = {chain.n_sweeps for chain in chains}
        if len(n_done) != 1 or max(n_done) > self.n_sweeps or max(n_done) % self._window:
            raise archive.damaged(f"its chains are at the sweeps {sorted(n_done)!s:.80}")
        n_windows = max(n_done) // self._window
        perplexity = archive.shaped("perplexity", np.float64, (len(chains), n_windows))
        if [_kind(chain) for chain in chains] != [_kind(chain) for chain in self._chains]:
            raise archive.damaged("its samplers are others")
        self._chains = chains
        self._seconds, self._log_posterior = seconds, log_posterior
        for windows, perplexities in zip(self._windows, perplexity, strict=True):
            windows.go_on_after(perplexities.tolist())


def _kind(chain: Chain) -> tuple[str, int]:
    return chain.sampler, chain.opening_sweeps
