"""Pieces of work in several threads. The kernels and NumPy's draws release Python's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

__all__ = ["Threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Threads:
    """A pool that is there for as long as some sweeps take; one thread is the caller's own."""

    def __init__(self, n: int) -> None:
        self._pool = ThreadPoolExecutor(n) if n > 1 else None

    def map(self, do: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Return ``do`` of every item, in the order of the items."""
        if self._pool is None:
            return [do(item) for item in items]
        return list(self._pool.map(do, items))

    def __enter__(self) -> Threads:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Wait until no thread is at work: after Ctrl-C, too, nothing is written any more."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
