"""AnnData objects in memory, without the package: cells × genes with names on both sides."""

from __future__ import annotations

from typing import Any

from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed

__all__ = ["counts_of_anndata", "is_anndata"]


def is_anndata(X: Any) -> bool:
    """Return True for an AnnData object, or one that looks like it."""
    return all(hasattr(X, name) for name in ("X", "obs_names", "var_names", "obsm", "layers"))


def counts_of_anndata(data: Any, layer: str | None) -> Any:
    """Return the matrix of counts: ``X``, or the layer that is named."""
    if layer is None:
        if data.X is None:
            raise InputError.of(
                "this AnnData object has no X: [name a layer of counts with {layer=}]."
            )
        return data.X
    if layer not in data.layers:
        known = ", ".join(map(repr, data.layers)) or "none"
        raise InputError.of("there is no {layer=}: [give one of {allowed}].").where(
            layer=layer, allowed=Allowed(known, choices=list(data.layers))
        )
    return data.layers[layer]
