"""φ_k ~ Dirichlet(n_·k + β) for all topics: gamma draws in pieces of words, then their totals.

    g_kv ~ Gamma(n_kv + β_kv),     φ_kv = g_kv / Σ_v g_kv.

All K × V numbers are drawn: of a topic's words with no tokens some get a share that matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda import _native
from blocklda.data.pieces import Piece
from blocklda.models.lda.priors import Priors, padded_length
from blocklda.models.lda.samplers.powers import WHOLE, power
from blocklda.models.lda.samplers.sweep_streams import (
    EMPTY_TOPIC,
    WORDS,
    SweepKey,
    piece_stream,
)
from blocklda.support.arrays import Floats, Int32s

__all__ = [
    "LARGEST_BLOCK",
    "Phi",
    "draw_gammas",
    "finish_phi",
    "inverse_totals",
    "topics_anew",
    "weakened",
]


LARGEST_BLOCK = 16
"""The most tokens that are drawn at once; larger blocks are cut into random parts."""

SMALLEST_TOTAL = 1e-200
"""Below this the gamma draws of a topic may have lost digits at the end of the range of doubles.
Only an empty topic with a tiny β gets there."""


@dataclass(frozen=True)
class Phi:
    """φ by rows of words, padded to whole lanes, and Σ_k α_k φ_kv^j by j from 1 on."""

    rows: Floats
    alpha_powers: Floats

    @classmethod
    def empty(cls, n_words: int, n_topics: int, largest_block: int) -> Phi:
        """Return the room for φ; what pads the rows is zero and stays so."""
        rows = np.zeros((n_words, padded_length(n_topics)))
        return cls(rows, np.zeros((n_words, max(1, largest_block))))

    @staticmethod
    def bytes_needed(n_words: int, n_topics: int) -> int:
        """Return the memory that φ takes."""
        return 8 * n_words * (padded_length(n_topics) + LARGEST_BLOCK)


def weakened(n_vk: NDArray[Any], sixteenths: int, beta: Floats) -> Floats:
    """Return the concentrations b n_vk + β_kv of a piece of words; b n is exact."""
    found: Floats = n_vk * (sixteenths / WHOLE) + beta
    return found


def draw_gammas(rows: Floats, n_topics: int, key: SweepKey, piece: Piece) -> Floats:
    """Put gamma draws in the place of the concentrations n_kv + β_kv of a piece of words.

    Returns their sum by topic. NumPy's own code draws, in the order of the rows.
    """
    stream = piece_stream(key, WORDS, piece[0])
    shapes = np.ascontiguousarray(rows[:, :n_topics])
    rows[:, :n_topics] = stream.standard_gamma(shapes)
    return np.asarray(rows.sum(axis=0))


def inverse_totals(sums: Iterable[Floats], n_topics: int) -> tuple[Floats, list[int]]:
    """Return 1 / Σ_v g_kv, adding up the pieces in their order, and the topics to draw again."""
    total = np.zeros(0)
    for of_piece in sums:
        total = total + of_piece if total.size else of_piece.copy()
    anew = np.flatnonzero(total[:n_topics] < SMALLEST_TOTAL).tolist()
    total[anew] = 1.0
    total[n_topics:] = 1.0
    return 1.0 / total, anew


def topics_anew(priors: Priors, n_words: int, topics: list[int], key: SweepKey) -> Floats:
    """Draw φ_k of topics whose gamma draws added up to next to nothing, shape (topics, V).

    Such a topic has no token, so its concentrations are β alone. The shares of gamma draws do not
    depend on their total, so it may decide which are drawn again; NumPy's Dirichlet draw stays
    exact for tiny concentrations.
    """
    beta = np.broadcast_to(priors.beta, (n_words, priors.n_topics))
    drawn = np.empty((len(topics), n_words))
    for row, k in zip(drawn, topics, strict=True):
        row[:] = piece_stream(key, EMPTY_TOPIC, k).dirichlet(beta[:, k])
    return drawn


Finish = Callable[[Floats, Floats, Priors, Int32s, Floats], None]


def _finish_natively(
    rows: Floats, inverse: Floats, priors: Priors, sizes: Int32s, alpha_powers: Floats
) -> None:
    _native.phi_rows(rows, inverse, priors.native, sizes, alpha_powers)


def finish_phi(
    phi: Phi,
    piece: Piece,
    inverse: Floats,
    anew: tuple[list[int], Floats],
    priors: Priors,
    sizes: Int32s,
    finish: Finish = _finish_natively,
    sixteenths: int = WHOLE,
) -> None:
    """Turn the gamma draws of a piece of words into φ, with the sums over topics it is used with.

    ``sizes`` are the largest blocks of all words. With fewer than 16 ``sixteenths`` it becomes a
    power of φ.
    """
    first, last = piece
    rows = phi.rows[first:last]
    if anew[0]:
        rows[:, anew[0]] = anew[1][:, first:last].T
    powers = phi.alpha_powers[first:last]
    # Numbers that came over a network may lie anywhere in memory, which kernels do not take.
    inverse = np.require(inverse, requirements="A")
    if sixteenths < WHOLE:
        rows[:] = power(rows * inverse, sixteenths)
        inverse = np.ones_like(inverse)
    finish(rows, inverse, priors, sizes[first:last], powers)
