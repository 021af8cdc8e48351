"""The one place where matplotlib is asked for."""

from __future__ import annotations

from types import ModuleType

from blocklda.errors import InputError

__all__ = ["require_matplotlib"]


def require_matplotlib() -> ModuleType:
    """Return ``matplotlib.figure``, or say how to get it.

    Figures are made without pyplot: no window system is looked for, and nothing global is left.
    """
    try:
        from matplotlib import figure  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            "figures need matplotlib, which is not installed: pip install 'blocklda[plot]'."
        ) from error
    return figure
