"""A limit on the time that a pattern may take for one text.

Some patterns, such as ``(?:a|a)*b``, try more ways to read a text than there is time for, and a
model from someone else contains its own pattern.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from blocklda.data.text_settings import TextSettings
from blocklda.support.errors import InputError

__all__ = ["find_in_time", "limited"]

SECONDS, SECONDS_PER_CHARACTER = 5.0, 1e-5
"""Of CPU time; usual patterns take less than a hundredth of the second."""


_OURS = TextSettings().token_pattern


def find_in_time(token_pattern: str) -> Callable[[str], list[str]] | None:
    """Return what finds the words of a text; None for our own pattern, which needs no limit."""
    if token_pattern == _OURS:
        return None
    find = re.compile(token_pattern).findall

    def found(text: str) -> list[str]:
        with limited(token_pattern, text):
            return find(text)

    return found


@contextmanager
def limited(token_pattern: str, text: str) -> Iterator[None]:
    """End a search for words in a text that takes too long.

    Patterns of ours take no time to speak of. Signals reach only the main thread, and not on
    Windows: elsewhere there is no limit.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if token_pattern == _OURS or not in_main or not hasattr(signal, "SIGVTALRM"):
        yield
        return

    def stop(*_: object) -> None:
        raise InputError.of(
            "{token_pattern=} takes too long: more than {seconds:.0f} s for a text of {n:,} "
            "characters; [give a pattern without a repeat inside a repeat]."
        ).where(token_pattern=token_pattern, seconds=seconds, n=len(text))

    seconds = SECONDS + SECONDS_PER_CHARACTER * len(text)
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
