"""The one place where matplotlib is asked for."""

from __future__ import annotations

from types import ModuleType

from blocklda.support.extras import import_extra

__all__ = ["require_matplotlib"]


def require_matplotlib() -> ModuleType:
    """Return ``matplotlib.figure``, or say how to get it.

    Figures are made without pyplot: no window system is looked for, and nothing global is left.
    """
    figure: ModuleType = import_extra("matplotlib.figure", "plot", "drawing figures")
    return figure
