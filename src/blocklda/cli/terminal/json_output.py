"""``--json``: one JSON document on standard output, and nothing else there."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import typer

__all__ = ["JsonFlag", "plain", "print_json"]

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def print_json(result: Any) -> None:
    """Print a result; what is no finite number becomes null."""
    typer.echo(json.dumps(plain(result), allow_nan=False))


def plain(value: Any) -> Any:
    """Return what JSON can hold."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({one.name: getattr(value, one.name) for one in dataclasses.fields(value)})
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value
