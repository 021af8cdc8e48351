"""What the shell completes beside options and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["one_of"]


def one_of(*names: str | Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes one of these names, and those in iterables."""
    known = [one for name in names for one in ([name] if isinstance(name, str) else name)]

    def complete(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return complete
