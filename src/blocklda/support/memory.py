"""How much memory this process can still use, asked before large allocations."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from blocklda.support.errors import CapacityError

if sys.platform != "win32":
    import resource

__all__ = [
    "OVERCOMMIT_VARIABLE",
    "WORTH_ASKING",
    "available_bytes",
    "available_under",
    "overcommit_allowed",
    "require_memory",
    "return_freed_memory",
]

OVERCOMMIT_VARIABLE = "BLOCKLDA_ALLOW_MEMORY_OVERCOMMIT"
"""The environment variable that, set to 1, lets everything try for which memory looks too small."""

_is_allowed: ContextVar[bool] = ContextVar("blocklda_memory_overcommit", default=False)

WORTH_ASKING = 2**20
"""Bytes up to which the free memory is not looked up: that takes longer than to use so few."""

# What "no limit" is in version 1: the largest page-aligned 64-bit number; nothing real comes near.
_CGROUP_V1_UNLIMITED = 2**60


def available_bytes() -> int | None:
    """Return how many bytes this process can still allocate, or None if the system does not say.

    The smallest of what the machine has free, what each enclosing control group (a container, a
    batch job) leaves, and what the address-space limit of the process leaves.
    """
    return available_under(Path("/"))


def require_memory(n_bytes: int, what: str, remedy: str) -> None:
    """Raise CapacityError if `n_bytes` are more than is available; `what` needs them."""
    if n_bytes <= WORTH_ASKING or _is_allowed.get() or os.environ.get(OVERCOMMIT_VARIABLE) == "1":
        return
    available = available_bytes()
    if available is not None and n_bytes > available:
        raise CapacityError.of(
            "{what} needs {needed} of memory, but {free} are available; [{remedy}]."
        ).where(what=what, needed=_human(n_bytes), free=_human(available), remedy=remedy)


@contextmanager
def overcommit_allowed(is_allowed: bool) -> Iterator[None]:
    """Within this, in this thread, refuse nothing if the user said so."""
    token = _is_allowed.set(is_allowed or _is_allowed.get())
    try:
        yield
    finally:
        _is_allowed.reset(token)


def available_under(root: Path) -> int | None:
    """Return the same from the system files below a folder."""
    figures = [*_meminfo(root), *_control_groups(root), *_address_space(root)]
    if not figures:
        figures = [*_physical_memory()]
    return max(0, min(figures)) if figures else None


def _meminfo(root: Path) -> Iterator[int]:
    """Yield what the kernel estimates it can hand out without swapping."""
    for line in _read(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024


def _control_groups(root: Path) -> Iterator[int]:
    """Yield what each control group around the process leaves, versions 1 and 2."""
    base = root / "sys/fs/cgroup"
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            for mount in (base, base / "unified"):
                yield from _group_chain(
                    mount, path, "memory.max", "memory.current", "inactive_file"
                )
        elif "memory" in controllers.split(","):
            yield from _group_chain(
                base / "memory",
                path,
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            )


def _group_chain(mount: Path, path: str, limit: str, usage: str, cache: str) -> Iterator[int]:
    """Yield what the group at `path` and every group above it leave.

    Inside a container the path may be the host's and absent here; its parents still are asked.
    """
    group = mount / path.lstrip("/")
    for folder in (group, *group.parents):
        left = _group_left(folder, limit, usage, cache)
        if left is not None:
            yield left
        if folder == mount:
            return


def _group_left(folder: Path, limit: str, usage: str, cache: str) -> int | None:
    allowed, used = _read(folder / limit).strip(), _read(folder / usage).strip()
    if not allowed.isdigit() or not used.isdigit() or int(allowed) >= _CGROUP_V1_UNLIMITED:
        return None
    return int(allowed) - int(used) + _file_cache(folder, cache)


def _file_cache(folder: Path, field: str) -> int:
    """Return the bytes of file pages, which count as used and are given back on demand."""
    for line in _read(folder / "memory.stat").splitlines():
        name, _, value = line.partition(" ")
        if name == field:
            return int(value)
    return 0


def _address_space(root: Path) -> Iterator[int]:
    """Yield what `ulimit -v` leaves, where it is set."""
    if sys.platform == "win32":
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    sizes = _read(root / "proc/self/statm").split()
    if limit != resource.RLIM_INFINITY and sizes:
        yield limit - int(sizes[0]) * resource.getpagesize()


def _physical_memory() -> Iterator[int]:
    """Yield all memory of the machine, where the system does not tell what is free."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return
    if pages > 0 and size > 0:
        yield pages * size


def _read(path: Path) -> str:
    """Return the text of a system file; empty where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _human(n_bytes: int) -> str:
    size = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.4g} PiB"


def return_freed_memory() -> None:
    """Make the C library return freed memory to the system, if it can."""
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
