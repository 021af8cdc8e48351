"""Wrong partially collapsed samplers: one mistake each, in the twin or in the draw of φ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from blocklda.models.lda.reference import partially_collapsed as twin
from blocklda.models.lda.reference.draw import draw_token
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.partially_collapsed import sweep as kernel
from blocklda.models.lda.samplers.partially_collapsed.phi import draw_gammas
from blocklda.models.lda.state import State, SweepOptions
from tests.models.lda.samplers.subjects import on_lists
from tests.mutants.parts import replaced


def _with(**changes: Any) -> Sweep:
    """Return the twin's sweep with other parts in the place of its own."""

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        with replaced(twin, **changes):
            return twin.sweep(state, options, n_sweeps)

    return sweep


def _phi_by(draw: Callable[..., np.ndarray]) -> Sweep:
    """Return the kernel's sweep with another draw of φ."""

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        with replaced(kernel, draw_gammas=draw):
            return kernel.run(state, options, n_sweeps)

    return sweep


def _concentrations(rows: np.ndarray, n_topics: int, key: Any, piece: Any) -> np.ndarray:
    return rows.sum(axis=0)


def _gammas_of_words_with_tokens(
    rows: np.ndarray, n_topics: int, key: Any, piece: Any
) -> np.ndarray:
    has_none = rows < 1.0
    draw_gammas(rows, n_topics, key, piece)
    rows[has_none] = 0.0
    return rows.sum(axis=0)


def _tokens_apart(document: Any, size: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    return [(document.topic_at(1, rng.random() * document.powers[0]), 1) for _ in range(size)]


def _cycles_as_long_as_can_be(
    document: Any, size: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    return [(document.topic_at(size, rng.random() * document.powers[size - 1]), size)]


def _update_with_the_block_in(
    document: Any,
    block: np.ndarray,
    phi_v: np.ndarray,
    alpha_powers: np.ndarray,
    rng: np.random.Generator,
) -> int:
    document.weigh_powers(phi_v, alpha_powers, len(block))
    for k in block:
        document.remove(int(k))
    block[:] = np.repeat(*np.array(twin.draw_cycles(document, len(block), rng)).T)
    for k in block:
        document.add(int(k))
    return 0


def _sweep_with_the_token_in(
    piece: Any, phi: Any, priors: Any, _: int, topics: np.ndarray, rng: np.random.Generator
) -> int:
    entries = np.repeat(np.arange(len(piece.counts)), piece.counts)
    docs = np.searchsorted(piece.doc_offsets, entries, side="right") - 1
    for t in rng.permutation(len(topics)):
        n_d = np.bincount(topics[docs == docs[t]], minlength=len(priors.padded[0]))
        weights = (n_d + priors.padded[0]) * phi.rows[piece.word_ids[entries[t]]]
        topics[t] = draw_token(weights, int(topics[t]), rng.random())
    return len(topics)


MUTANTS: dict[str, Sweep] = {
    "phi not drawn": _phi_by(_concentrations),
    "phi of words with tokens only": _phi_by(_gammas_of_words_with_tokens),
    "tokens of a block apart given phi": on_lists(_with(draw_cycles=_tokens_apart)),
    "one cycle for a block": on_lists(_with(draw_cycles=_cycles_as_long_as_can_be)),
    "block left in n_dk given phi": on_lists(_with(update=_update_with_the_block_in)),
    "token left in n_dk given phi": _with(sweep_tokens=_sweep_with_the_token_in),
}
