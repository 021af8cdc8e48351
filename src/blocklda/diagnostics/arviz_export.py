"""The recorded quantities as ArviZ holds them, for its plots and summaries."""

from __future__ import annotations

import warnings
from importlib import import_module, metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.results.trace import Trace
from blocklda.support.arrays import Ints
from blocklda.support.errors import InputError

__all__ = ["to_arviz"]

DIMS = {
    "topic_size_sorted": ["rank"],
    "topic_size": ["topic"],
    "co_assignment": ["pair"],
    "alpha": ["topic"],
}
"""Dimensions beside chain and draw; what is not named has none."""


def to_arviz(trace: Trace, order: Ints) -> Any:
    """Return what was recorded as ArviZ's own data structure, group "posterior".

    With ArviZ 0.x that is an InferenceData, with ArviZ 1.x or arviz-base alone an xarray DataTree.
    Variables: ``log_posterior``; ``topic_size_sorted``, the largest first; ``topic_size``, and
    ``alpha`` if learned, with every chain's topics beside those of the first chain (``order``, from
    :func:`blocklda.results.stability.align_chains`); ``co_assignment`` of pairs of tokens;
    ``beta`` if learned. The coordinate ``draw`` holds the number of the sweep.
    """
    posterior = _variables(trace, order)
    coords = {
        "chain": np.arange(trace.n_chains),
        "draw": trace.sweeps,
        "rank": np.arange(1, trace.n_topics + 1),
        "topic": np.arange(trace.n_topics),
        "pair": np.arange(trace.co_assignment.shape[2]),
    }
    dims = {name: DIMS[name] for name in posterior if name in DIMS}
    if _major_version("arviz") == 0:
        return _arviz().from_dict(posterior=posterior, coords=coords, dims=dims)
    if _major_version("arviz-base") is not None:
        base = import_module("arviz_base")
        return base.from_dict({"posterior": posterior}, coords=coords, dims=dims)
    raise InputError(
        "to_arviz needs ArviZ, which is not installed: install the extra, "
        "pip install 'blocklda[arviz]'."
    )


def _variables(trace: Trace, order: Ints) -> dict[str, NDArray[Any]]:
    variables: dict[str, NDArray[Any]] = {
        "log_posterior": trace.log_posterior,
        "topic_size_sorted": -np.sort(-trace.topic_sizes, axis=2),
        "topic_size": trace.aligned(trace.topic_sizes, order),
        "co_assignment": trace.co_assignment,
    }
    if trace.alpha is not None:
        variables["alpha"] = trace.aligned(trace.alpha, order)
    if trace.beta is not None:
        variables["beta"] = trace.beta
    return variables


def _major_version(distribution: str) -> int | None:
    """Return the first number of an installed version, without importing what takes seconds."""
    try:
        return int(metadata.version(distribution).split(".")[0])
    except metadata.PackageNotFoundError:
        return None


def _arviz() -> Any:
    with warnings.catch_warnings():
        # ArviZ 0.x announces its successor once a day; whoever asked for this cannot act on it.
        warnings.simplefilter("ignore", FutureWarning)
        return import_module("arviz")
