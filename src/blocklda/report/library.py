"""The chart library: Vega-Lite with Vega, taken from the installed package vl-convert-python."""

from __future__ import annotations

from functools import cache

from blocklda.support.extras import import_extra

__all__ = ["chart_library"]


@cache
def chart_library() -> str:
    """Return the script that draws charts, or say how to get it; docs/report.md says why this one.

    It takes about two seconds to be put together, once in a process.
    """
    script: str = import_extra("vl_convert", "report", "making a page").javascript_bundle()
    return script
