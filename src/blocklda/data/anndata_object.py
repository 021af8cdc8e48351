"""AnnData objects in memory, without the package: cells × genes with names on both sides."""

from __future__ import annotations

from typing import Any

from blocklda.support.errors import InputError, InputTypeError
from blocklda.support.messages import Allowed

__all__ = ["check_anndata", "counts_of_anndata", "is_anndata"]


def is_anndata(X: Any) -> bool:
    """Return True for an AnnData object, or one that looks like it."""
    return all(hasattr(X, name) for name in ("X", "obs_names", "var_names", "obsm", "layers"))


def check_anndata(data: Any) -> None:
    """Refuse anything that does not look like an AnnData object."""
    if not is_anndata(data):
        raise InputTypeError(
            f"a {type(data).__name__} was given, not an AnnData object: give the object, or count "
            "a matrix with Corpus.from_matrix and a file with read_corpus."
        )


def counts_of_anndata(data: Any, layer: str | None) -> Any:
    """Return the matrix of counts: ``X``, or the layer that is named."""
    check_anndata(data)
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
