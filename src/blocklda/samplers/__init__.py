"""The samplers by name: one file each, one line of registration."""

from __future__ import annotations

from blocklda.errors import InputError
from blocklda.samplers.augmented import AUGMENTED
from blocklda.samplers.auto import AUTO, choose_sampler
from blocklda.samplers.backward import BACKWARD
from blocklda.samplers.base import BACKENDS, Sampler
from blocklda.samplers.nested import NESTED
from blocklda.samplers.partially_collapsed import PARTIALLY_COLLAPSED
from blocklda.samplers.single_site import SINGLE_SITE
from blocklda.samplers.sparse import SPARSE
from blocklda.samplers.sparse_single_site import SPARSE_SINGLE_SITE

__all__ = ["AUTO", "BACKENDS", "SAMPLERS", "Sampler", "choose_sampler", "find_sampler"]

_REGISTRY: dict[str, Sampler] = {
    sampler.name: sampler
    for sampler in (
        AUGMENTED,
        SINGLE_SITE,
        BACKWARD,
        NESTED,
        SPARSE,
        SPARSE_SINGLE_SITE,
        PARTIALLY_COLLAPSED,
    )
}

SAMPLERS: tuple[str, ...] = tuple(_REGISTRY)
"""The names that ``sampler=`` takes."""


def find_sampler(name: str) -> Sampler:
    """Return the sampler of a name, or say which names there are."""
    try:
        return _REGISTRY[name]
    except (KeyError, TypeError):
        choices = ", ".join(map(repr, (AUTO, *SAMPLERS)))
        raise InputError(f"sampler={name!r} is unknown: choose one of {choices}.") from None
