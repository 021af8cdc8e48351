"""Packages that only some users need: imported where used, with an error that names the extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from blocklda.support.errors import InputError

__all__ = ["import_extra"]


def import_extra(module: str, extra: str, who: str) -> Any:
    """Return a module of an optional dependency, or say how to install it."""
    try:
        import_module(module.partition(".")[0])
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError.of(
            "{who} needs {error.name}, which is not installed: [install the extra, pip install "
            "'blocklda[[{extra}]]']."
        ).where(who=who, error=error, extra=extra) from error
