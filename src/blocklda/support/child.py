"""Call a function in a separate process with limits: C libraries may hang or crash on bad files."""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from blocklda.support.errors import BlockldaError, BlockldaWarning, FileFormatError

__all__ = ["call_in_child"]

Result = TypeVar("Result")


def call_in_child(
    call: Callable[..., Result],
    *arguments: Any,
    what: str,
    seconds: float,
    n_bytes: int,
    **settings: Any,
) -> Result:
    """Return the result of a call in a process with limits on time and memory.

    Errors and warnings of ours are raised here. The limit of memory is that of the address space,
    on systems that have one.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(
        target=_answer, args=(theirs, n_bytes, call, arguments, settings), daemon=True
    )
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise FileFormatError.of(
                "{what}: it was not read within {seconds:,.0f} s, so the file may be damaged; "
                "[save it again, or give {trusted=True} if you trust the file]."
            ).where(what=what, seconds=seconds)
        warned, error, result = ours.recv()
    except EOFError:
        process.join()
        raise FileFormatError(
            f"{what}: the library that reads such files crashed with exit code {process.exitcode}, "
            "so the file may be damaged; save it again."
        ) from None
    finally:
        process.kill()
        process.join()
        ours.close()
    for warning in warned:
        warnings.warn_explicit(warning, type(warning), __file__, 1)
    if error is not None:
        raise error
    found: Result = result
    return found


def _answer(
    answer: Connection,
    n_bytes: int,
    call: Callable[..., Any],
    arguments: tuple[Any, ...],
    settings: dict[str, Any],
) -> None:
    """Make the call, and send warnings, an error of ours, and what it returned."""
    _limit_memory(n_bytes)
    # C libraries print messages about a file, which are of no use here.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    result, failure = None, None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = call(*arguments, **settings)
        except BlockldaError as error:
            failure = error
        except MemoryError:
            failure = FileFormatError.of(
                "the file needs more than {gib:,.0f} GiB of memory to be read, so it may be "
                "damaged; [save it again, or give {trusted=True} if you trust the file]."
            ).where(gib=n_bytes / 2**30)
    ours = [one.message for one in warned if isinstance(one.message, BlockldaWarning)]
    answer.send((ours, failure, result))
    answer.close()


def _limit_memory(n_bytes: int) -> None:
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  # there is none on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = n_bytes if hard == resource.RLIM_INFINITY else min(n_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
