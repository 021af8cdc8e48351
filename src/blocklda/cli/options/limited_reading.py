"""Reading files whose libraries may hang or crash: in a process of its own, with limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from blocklda.formats import FORMATS
from blocklda.formats.several import name_of
from blocklda.support.child import call_in_child

__all__ = ["Trusted", "read_limited"]

LIMITED = ("h5ad", "parquet", "xlsx")
"""Formats that other libraries parse."""

SECONDS, ROOM = 60.0, 6 * 2**30
"""Limits of time and address space for reading a small file. Large files may take a second more per
megabyte, and twenty times their size."""

Trusted = Annotated[
    bool,
    typer.Option(
        "--trusted",
        help="Read .h5ad, .parquet and .xlsx files without limits on time and memory.",
        rich_help_panel="How to read the input",
    ),
]

Found = TypeVar("Found")


def read_limited(
    read: Callable[..., Found],
    paths: list[Path],
    format: str,  # noqa: A002  # the word users look for
    *arguments: Any,
    trusted: bool,
    **settings: Any,
) -> Found:
    """Return what ``read`` returns for files of a format, or of that which their names tell."""
    named = [FORMATS[name] for name in LIMITED]
    is_limited = format in LIMITED or (
        format == "auto" and any(reader.recognises(path) for reader in named for path in paths)
    )
    if trusted or not is_limited:
        return read(paths, format, *arguments, **settings)
    megabytes = sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
    return call_in_child(
        read,
        paths,
        format,
        *arguments,
        what=name_of(paths),
        seconds=SECONDS + megabytes,
        n_bytes=int(ROOM + 20e6 * megabytes),
        **settings,
    )
