"""The samplers by name: one file each, one line of registration."""

from __future__ import annotations

from blocklda.models.lda.samplers.augmented import AUGMENTED
from blocklda.models.lda.samplers.auto import AUTO, choose_sampler
from blocklda.models.lda.samplers.backward import BACKWARD
from blocklda.models.lda.samplers.base import BACKENDS, Sampler
from blocklda.models.lda.samplers.grid.approximate_parallel import APPROXIMATE_PARALLEL
from blocklda.models.lda.samplers.grid.sampler import GRID
from blocklda.models.lda.samplers.nested import NESTED
from blocklda.models.lda.samplers.partially_collapsed.sampler import PARTIALLY_COLLAPSED
from blocklda.models.lda.samplers.single_site import SINGLE_SITE
from blocklda.models.lda.samplers.sparse.sampler import SPARSE
from blocklda.models.lda.samplers.sparse.single_site import SPARSE_SINGLE_SITE
from blocklda.support.errors import unknown_choice

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
"""The names that ``sampler=`` takes, of samplers whose stationary distribution is the posterior."""

APPROXIMATE_SAMPLERS: tuple[str, ...] = tuple(sampler.name for sampler in _APPROXIMATE)
"""The names that ``sampler=`` takes, too, of samplers with another stationary distribution."""

ALL_SAMPLERS: tuple[str, ...] = tuple(_REGISTRY)


def find_sampler(name: str) -> Sampler:
    """Return the sampler of a name, or say which names there are."""
    try:
        return _REGISTRY[name]
    except (KeyError, TypeError):
        raise unknown_choice("sampler", name, (AUTO, *ALL_SAMPLERS)) from None
