"""Packages that only some users need: imported where used, with an error that names the extra."""

from __future__ import annotations

import json
import re
from importlib import import_module, metadata
from typing import Any

from blocklda.support.errors import InputError

__all__ = ["import_extra", "install_command"]

DISTRIBUTION = "blocklda"
_OF_EXTRA = re.compile(
    r"\s*(?P<requirement>[^;]+?)\s*;\s*extra\s*==\s*['\"](?P<extra>[^'\"]+)['\"]"
)


def import_extra(module: str, extra: str, who: str) -> Any:
    """Return a module of an optional dependency, or say how to install it."""
    try:
        import_module(module.partition(".")[0])
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError.of(
            "{who} needs {error.name}, which is not installed: [install it with {command}]."
        ).where(who=who, error=error, command=install_command(extra)) from error


def install_command(extra: str) -> str:
    """Return the command that installs an extra, for the way in which this package was installed.

    A package from an index brings its extras by name. One that was installed from a folder, an
    archive or a repository may be in no index, so that the packages themselves are named.
    """
    named = f"{DISTRIBUTION}[{extra}]"
    try:
        distribution = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return f"pip install '{named}'"
    pip = "uv pip" if _text(distribution, "INSTALLER") == "uv" else "pip"
    wanted = _requirements(distribution, extra) if _is_direct(distribution) else []
    return f"{pip} install " + " ".join(f"'{package}'" for package in wanted or [named])


def _requirements(distribution: metadata.Distribution, extra: str) -> list[str]:
    """Return what an extra consists of."""
    found = (_OF_EXTRA.fullmatch(line) for line in distribution.requires or ())
    return [match["requirement"] for match in found if match and match["extra"] == extra]


def _is_direct(distribution: metadata.Distribution) -> bool:
    """Return True if the package was installed from a place of its own and not from an index."""
    try:
        return bool(json.loads(_text(distribution, "direct_url.json") or "{}"))
    except ValueError:
        return False


def _text(distribution: metadata.Distribution, name: str) -> str:
    return (distribution.read_text(name) or "").strip()
