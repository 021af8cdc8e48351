"""Numbered files in a folder, of which the latest that is whole counts: for every kind of run."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from blocklda.files.atomic_write import finished_name
from blocklda.support.errors import CheckpointWarning, FileFormatError, InputError

__all__ = ["Generations"]

Read = TypeVar("Read")


class Generations:
    """Files `<kind>-<number>.npz`, each written whole before it has its name.

    A file that turns out to be damaged leaves the one before.
    """

    def __init__(self, folder: Path, kinds: Collection[str]) -> None:
        self.folder = folder
        self._name = re.compile(rf"({'|'.join(map(re.escape, kinds))})-(\d{{6,12}})\.npz")

    @staticmethod
    def name(kind: str, number: int) -> str:
        """Return the name of a file."""
        return f"{kind}-{number:06d}.npz"

    def path(self, kind: str, number: int) -> Path:
        """Return where a file is."""
        return self.folder / self.name(kind, number)

    def is_name(self, name: str) -> bool:
        """Return True if a file of this name is one of these."""
        return self._name.fullmatch(name) is not None

    def numbers(self, kind: str) -> list[int]:
        """Return the numbers of all files of a kind, the latest first."""
        try:
            matches = [self._name.fullmatch(path.name) for path in self.folder.iterdir()]
        except OSError as error:
            raise InputError(f"cannot read {self.folder}: {error.strerror or error}.") from error
        return sorted((int(m[2]) for m in matches if m and m[1] == kind), reverse=True)

    def latest(
        self,
        kind: str,
        read: Callable[[int], Read],
        *,
        passed_over: Callable[[Read], str] | None = None,
        none_left: str = "",
        stacklevel: int = 2,
    ) -> Read | None:
        """Return what ``read`` makes of the latest file that is whole; None if there is no file.

        ``passed_over`` words the warning that an older one is used, after the reason, and
        ``none_left`` the error that none can be.
        """
        reason: FileFormatError | None = None
        for number in self.numbers(kind):
            try:
                found = read(number)
            except FileFormatError as error:
                reason = reason or error
                continue
            if reason is not None and passed_over is not None:
                warnings.warn(
                    CheckpointWarning(reason.message, f" {passed_over(found)}"),
                    stacklevel=stacklevel + 1,
                )
            return found
        if reason is not None:
            rest = [f" {none_left}"] if none_left else []
            raise FileFormatError(reason.message, *rest) from reason
        return None

    def tidy(self, kept: Collection[str]) -> None:
        """Remove other files of these, and what killed processes left; it may fail without harm."""
        with suppress(OSError):
            for path in self.folder.iterdir():
                if self.is_name(finished_name(path.name)) and path.name not in kept:
                    with suppress(OSError):
                        path.unlink()
