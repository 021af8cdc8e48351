"""The recorded quantities as ArviZ holds them, for its plots and summaries."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib import import_module, metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.models.base import Role
from blocklda.results.trace import Trace
from blocklda.support.arrays import Ints
from blocklda.support.errors import InputError
from blocklda.support.extras import install_command

__all__ = ["Group", "to_arviz"]


Group = tuple[dict[str, NDArray[Any]], dict[str, list[str]], dict[str, NDArray[Any]]]
"""Variables, the dimensions that they have beside chain and draw, and coordinates."""


def to_arviz(trace: Trace, order: Ints, more: Mapping[str, Group] | None = None) -> Any:
    """Return what was recorded as ArviZ's own data structure, group "posterior".

    With ArviZ 0.x that is an InferenceData, with ArviZ 1.x or arviz-base alone an xarray DataTree.
    Variables: ``log_posterior``; ``topic_size_sorted``, the largest first; ``topic_size``, and
    ``alpha`` if learned, with every chain's topics beside those of the first chain (``order``, from
    :func:`blocklda.results.stability.align_chains`); ``co_assignment`` of pairs of tokens;
    ``beta`` if learned. The coordinate ``draw`` holds the number of the sweep. ``more`` are other
    groups by name.
    """
    variables = {"log_posterior": (trace.log_posterior, None), **_variables(trace, order)}
    posterior = {name: values for name, (values, _) in variables.items()}
    dims = {name: [dim] for name, (_, dim) in variables.items() if dim is not None}
    lengths = {dim: values.shape[2] for values, dim in variables.values() if dim is not None}
    # Ranks count from 1, everything else from 0.
    of_dims = {dim: np.arange(length) + (dim == "rank") for dim, length in lengths.items()}
    coords = {"chain": np.arange(trace.n_chains), "draw": trace.sweeps, **of_dims}
    groups: dict[str, Group] = {"posterior": (posterior, dims, coords), **(more or {})}
    if _major_version("arviz") == 0:
        return _inference_data(groups)
    if _major_version("arviz-base") is not None:
        return _data_tree(groups)
    raise InputError(
        f"to_arviz needs ArviZ, which is not installed: install it with {install_command('arviz')}."
    )


def _inference_data(groups: Mapping[str, Group]) -> Any:
    """Return the groups as ArviZ 0.x holds them; each has draws of its own."""
    arviz = _arviz()
    parts = [
        arviz.from_dict(**{name: variables}, dims=dims, coords=coords)
        for name, (variables, dims, coords) in groups.items()
    ]
    return parts[0] if len(parts) == 1 else arviz.concat(*parts)


def _data_tree(groups: Mapping[str, Group]) -> Any:
    """Return the groups as ArviZ 1.x holds them."""
    base = import_module("arviz_base")
    whole = None
    for name, (variables, dims, coords) in groups.items():
        tree = base.from_dict({name: variables}, dims=dims, coords=coords)
        if whole is None:
            whole = tree
        else:
            whole[name] = tree[name]
    return whole


def _variables(trace: Trace, order: Ints) -> dict[str, tuple[NDArray[Any], str | None]]:
    """Return every quantity under its name, with the dimension it has beside chain and draw."""
    variables: dict[str, tuple[NDArray[Any], str | None]] = {}
    for quantity in trace.quantities:
        name, values = quantity.name, trace[quantity.name]
        if quantity.role is Role.SCALAR:
            variables[name] = values, None
        elif quantity.role is Role.BY_PAIR:
            variables[name] = values, "pair"
        else:
            if quantity.summary == "ranks":
                variables[f"{name}_sorted"] = -np.sort(-np.nan_to_num(values), axis=2), "rank"
            if not np.isnan(values).any():
                variables[name] = trace.aligned(values, order), "topic"
    return variables


def _major_version(distribution: str) -> int | None:
    """Return the first number of an installed version, without importing what takes seconds."""
    try:
        return int(metadata.version(distribution).split(".")[0])
    except metadata.PackageNotFoundError:
        return None


def _arviz() -> Any:
    with warnings.catch_warnings():
        # ArviZ 0.x announces its successor once a day; callers cannot act on it.
        warnings.simplefilter("ignore", FutureWarning)
        return import_module("arviz")
