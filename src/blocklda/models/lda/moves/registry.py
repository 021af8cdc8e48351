"""The moves by name: one file each, one line of registration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from blocklda.data.corpus import Corpus
from blocklda.models.lda.moves.base import Move
from blocklda.models.lda.moves.merge_split import MERGE_SPLIT
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.state import SweepOptions
from blocklda.support.errors import InputError, unknown_choice
from blocklda.support.messages import Allowed, Given

__all__ = [
    "AUTO_MOVE",
    "MOVES",
    "are_auto",
    "check_moves",
    "find_move",
    "moves_bytes",
    "splits_in_burn_in",
]

AUTO = "auto"

AUTO_MOVE: Move = MERGE_SPLIT
"""What "auto" tries."""

AUTO_UP_TO_WORDS = 4_000
"""Words up to which "auto" tries a move in the burn-in. With small vocabularies more chains then
leave local modes, all of them on the bars, and a fit takes 1.1 to 1.2 times as long; on texts,
which have more words, it did not help. docs/explanation/moves.md has the figures."""

_REGISTRY: dict[str, Move] = {move.name: move for move in (MERGE_SPLIT,)}

MOVES: tuple[str, ...] = tuple(_REGISTRY)
"""The names that ``moves=`` takes."""


def find_move(name: str) -> Move:
    """Return the move of a name, or say which names there are."""
    try:
        return _REGISTRY[name]
    except (KeyError, TypeError):
        raise unknown_choice("moves", name, MOVES) from None


def are_auto(moves: Any) -> bool:
    """Return whether moves are to be chosen by the corpus."""
    return isinstance(moves, str) and moves == AUTO


def splits_in_burn_in(moves: Any, corpus: Corpus) -> bool:
    """Return whether merge-split is tried in the burn-in, where moves were left to "auto"."""
    return are_auto(moves) and corpus.n_words <= AUTO_UP_TO_WORDS


def check_moves(moves: Any) -> tuple[str, ...]:
    """Return the names of moves as a tuple; a name that is there twice is tried twice a sweep."""
    if isinstance(moves, str) or not isinstance(moves, Iterable):
        raise InputError.of("{given} is not a sequence of names: [give {allowed}].").where(
            given=Given("moves", moves),
            allowed=Allowed(f"a tuple of names, each one of {', '.join(map(repr, MOVES))}"),
        )
    return tuple(find_move(name).name for name in moves)


def moves_bytes(corpus: Corpus, priors: Priors, options: SweepOptions) -> int:
    """Return what the largest of the moves takes: they come one after the other."""
    return max((find_move(name).memory(corpus, priors) for name in options.moves), default=0)
