"""Times for people."""

from __future__ import annotations

__all__ = ["duration"]


def duration(seconds: float) -> str:
    """Return a time for people."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
