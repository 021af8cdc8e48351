"""What a study has measured so far, in files: one for each piece of work that can stand alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.files.archive import Archive, open_archive, write_archive
from blocklda.support.arrays import Floats
from blocklda.support.errors import InputError

__all__ = ["RunFiles"]

KIND, VERSION = "blocklda study", 1


class RunFiles:
    """A folder of arrays, each written whole when its piece is done; a piece is done once."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self._folder = folder
        self._settings = json.loads(json.dumps(settings))  # as they are read from a file

    def prepare(self) -> None:
        """Make the folder, or say why that is not possible."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError.of(
                "cannot make the folder {folder} ({error.strerror}): [name another with {out=}]."
            ).where(folder=self._folder, error=error) from error

    def has(self, piece: str) -> bool:
        """Return True if a piece is done."""
        return self._path(piece).exists()

    def write(
        self, piece: str, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any] | None = None
    ) -> None:
        """Keep what a piece of work measured, or where it stands; ``facts`` go into its header."""
        header = {"kind": KIND, "version": VERSION, "settings": self._settings, **(facts or {})}
        write_archive(self._path(piece), header, arrays)

    def read(self, piece: str, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Floats]:
        """Return the arrays of a piece, which must have these shapes and its settings be ours."""
        with self.opened(piece) as archive:
            return {name: archive.shaped(name, np.float64, shape) for name, shape in shapes.items()}

    @contextmanager
    def opened(self, piece: str) -> Iterator[Archive]:
        """Open the file of a piece, if it was made with the same settings."""
        path = self._path(piece)
        with open_archive(path, KIND, VERSION, "a part of a study") as archive:
            if archive.header.get("settings") != self._settings:
                raise InputError.of(
                    "{path} was made with other settings: [name another folder with {out=}, or "
                    "remove {folder}]."
                ).where(path=path, folder=self._folder)
            with archive.reading():
                yield archive

    def remove(self, piece: str) -> None:
        """Remove the file of a piece, if there is one."""
        self._path(piece).unlink(missing_ok=True)

    def _path(self, piece: str) -> Path:
        return self._folder / f"{piece}.npz"
