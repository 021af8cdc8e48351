"""Resident memory of this process: now, and the most since the last reset."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path

if sys.platform != "win32":
    import resource


def resident() -> int:
    """Return the resident bytes, or 0 where the system does not tell."""
    return _status("VmRSS")


def peak() -> int:
    """Return the most resident bytes since the last `reset_peak`, or ever."""
    found = _status("VmHWM")
    if found or sys.platform == "win32":
        return found
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def reset_peak() -> None:
    """Reset the peak, as Linux allows."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _status(field: str) -> int:
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    match = re.search(rf"^{field}:\s*(\d+) kB", text, re.M)
    return int(match[1]) * 1024 if match else 0
