"""Files that commands write, checked before the work that leads to them."""

from __future__ import annotations

from pathlib import Path

from blocklda.errors import InputError
from blocklda.files.atomic_write import named_path

__all__ = ["require_folder_of"]


def require_folder_of(path: Path) -> None:
    """Refuse a file whose folder is not there."""
    folder = named_path(path).parent
    if not folder.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {folder}. Make it first.")
