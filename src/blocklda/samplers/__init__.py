"""The samplers by name: one file each, one line of registration."""

from __future__ import annotations

from blocklda.errors import InputError
from blocklda.samplers.approximate_parallel import APPROXIMATE_PARALLEL
from blocklda.samplers.augmented import AUGMENTED
from blocklda.samplers.auto import AUTO, choose_sampler
from blocklda.samplers.backward import BACKWARD
from blocklda.samplers.base import BACKENDS, Sampler
from blocklda.samplers.grid import GRID
from blocklda.samplers.nested import NESTED
from blocklda.samplers.partially_collapsed import PARTIALLY_COLLAPSED
from blocklda.samplers.single_site import SINGLE_SITE
from blocklda.samplers.sparse import SPARSE
from blocklda.samplers.sparse_single_site import SPARSE_SINGLE_SITE

__all__ = [
    "ALL_SAMPLERS",
    "APPROXIMATE_SAMPLERS",
    "AUTO",
    "BACKENDS",
    "SAMPLERS",
    "Sampler",
    "choose_sampler",
    "find_sampler",
]

_EXACT = (
    AUGMENTED,
    SINGLE_SITE,
    BACKWARD,
    NESTED,
    SPARSE,
    SPARSE_SINGLE_SITE,
    PARTIALLY_COLLAPSED,
    GRID,
)
_APPROXIMATE = (APPROXIMATE_PARALLEL,)
_REGISTRY: dict[str, Sampler] = {sampler.name: sampler for sampler in (*_EXACT, *_APPROXIMATE)}

SAMPLERS: tuple[str, ...] = tuple(sampler.name for sampler in _EXACT)
"""The names that ``sampler=`` takes, of samplers whose stationary law is the posterior."""

APPROXIMATE_SAMPLERS: tuple[str, ...] = tuple(sampler.name for sampler in _APPROXIMATE)
"""The names that ``sampler=`` takes, too, of samplers whose stationary law is another one."""

ALL_SAMPLERS: tuple[str, ...] = tuple(_REGISTRY)


def find_sampler(name: str) -> Sampler:
    """Return the sampler of a name, or say which names there are."""
    try:
        return _REGISTRY[name]
    except (KeyError, TypeError):
        choices = ", ".join(map(repr, (AUTO, *ALL_SAMPLERS)))
        raise InputError(f"sampler={name!r} is unknown: choose one of {choices}.") from None
