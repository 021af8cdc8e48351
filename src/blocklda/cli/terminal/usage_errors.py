"""What is said of options that are missing or have a value that cannot be read."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer

__all__ = ["WHEN_MISSING", "said_of"]

WHEN_MISSING = {
    "n_topics": "give -k; 10 to 50 is a usual first try, and blocklda search "
    "compares several (docs/how-to/choosing-k.md)",
    "output": "give the file to write, for example -o report.html",
}
"""What to do about a missing option, by the name of its parameter."""

# Typer does not hand out this class of Click's, of which some versions carry a copy within.
_MissingParameter = import_module(typer.BadParameter.__module__).MissingParameter

NUMBERS = {"int": "a whole number", "float": "a number"}


def said_of(error: Any) -> str:
    """Return the sentence for a mistake that Typer found: it knows nothing of what is meant."""
    # Some versions of Typer read values with Pydantic, which has a name for every kind of error.
    errors = getattr(error.__cause__, "errors", None)
    found = {} if errors is None else errors()[0]
    if "error" in found.get("ctx", {}):
        error.message = str(found["ctx"]["error"])  # as it was raised, without Pydantic's words
    message = str(error.format_message())
    parameter = getattr(error, "param", None)
    if parameter is None or parameter.param_type_name != "option":
        return message
    advice = WHEN_MISSING.get(parameter.name)
    if advice is not None and isinstance(error, _MissingParameter):
        return f"{message.rstrip('.')}: {advice}."
    # Of numbers Pydantic does not say what was given.
    kind = NUMBERS.get(str(found.get("type", "")).split("_")[0])
    if kind is None:
        return message
    return f"{max(parameter.opts, key=len)} {found['input']!r:.40} is not allowed: give {kind}."
