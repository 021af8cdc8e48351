"""With which sweeps a chain begins, given its start and its sampler."""

from __future__ import annotations

from typing import Any

from blocklda.models.lda.opening import NO_OPENING, Opening
from blocklda.models.lda.samplers.annealed import ANNEALED
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.partially_collapsed.annealed import ANNEALED_GIVEN_PHI
from blocklda.models.lda.samplers.partially_collapsed.sampler import PARTIALLY_COLLAPSED
from blocklda.models.lda.samplers.powers import N_LEVELS
from blocklda.models.lda.samplers.registry import SAMPLERS, find_sampler
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError, not_allowed

__all__ = [
    "ANNEALED_SWEEPS",
    "AUTO_OPENING",
    "COMPANION_SWEEPS",
    "OPENINGS",
    "choose_opening",
    "find_opening",
    "is_annealed",
]

AUTO_OPENING = "auto"

COMPANION_SWEEPS = 30
"""Sweeps of its companion with which a blocked sampler begins a random start. Blocks decide too
soon which topics are about what: `docs/explanation/starts.md` has the figures of the bars."""

ANNEALED_SWEEPS = 400
"""Annealed sweeps of a single chain. On KOS, K = 32, 150 were too few and 1000 no better."""

_ANNEALED = {one.name: one for one in (ANNEALED, ANNEALED_GIVEN_PHI)}

OPENINGS: tuple[str, ...] = (*_ANNEALED, *SAMPLERS)
"""The kinds of openings that a file may name."""


def find_opening(kind: str) -> Sampler:
    """Return what does the sweeps of an opening."""
    return _ANNEALED[kind] if kind in _ANNEALED else find_sampler(kind)


def is_annealed(init: Any) -> bool:
    """Return True for the start that annealed sweeps follow."""
    return isinstance(init, str) and init == ANNEALED.name


def choose_opening(init: Any, sampler: Sampler, opening_sweeps: Any = AUTO_OPENING) -> Opening:
    """Return the opening of a chain, or say what is wrong with its number of sweeps."""
    if isinstance(opening_sweeps, str):
        if opening_sweeps != AUTO_OPENING:
            raise not_allowed("opening_sweeps", opening_sweeps, 'a whole number, or "auto"')
        n_sweeps = None
    else:
        n_sweeps = whole_number("opening_sweeps", opening_sweeps, 0)
    if is_annealed(init):
        given_phi = sampler.name == PARTIALLY_COLLAPSED.name
        kind = ANNEALED_GIVEN_PHI if given_phi else ANNEALED
        return Opening(kind.name, _annealed_sweeps(n_sweeps))
    if n_sweeps is None:
        is_random = isinstance(init, str) and init == "random"
        n_sweeps = COMPANION_SWEEPS if is_random and sampler.companion is not None else 0
    if n_sweeps == 0:
        return NO_OPENING
    if sampler.companion is None:
        raise InputError.of(
            "{opening_sweeps=} needs another sampler to begin with, but {name!r} has none: [give "
            '<0 or "auto">].'
        ).where(opening_sweeps=n_sweeps, name=sampler.name)
    return Opening(sampler.companion, n_sweeps)


def _annealed_sweeps(n_sweeps: int | None) -> int:
    if n_sweeps is None:
        return ANNEALED_SWEEPS
    if n_sweeps < N_LEVELS:
        raise InputError.of(
            "{opening_sweeps=} is too few for {init='annealed'}, whose power rises in {n_levels} "
            "steps: [give <at least {n_levels}>]."
        ).where(opening_sweeps=n_sweeps, n_levels=N_LEVELS)
    return n_sweeps
