"""What is said of options that are missing or have a value that cannot be read."""

from __future__ import annotations

from typing import Any

__all__ = ["said_of"]

WHEN_MISSING = {
    "n_topics": "say how many topics to look for; 10 to 50 is a usual first try, and "
    "blocklda.evaluate.search_n_topics compares several (docs/choosing-k.md)",
    "output": "say where the page is to be written, -o report.html, say",
}
"""What to do about a missing option, by the name of its parameter."""

NUMBERS = {"int": "a whole number", "float": "a number"}


def said_of(error: Any) -> str:
    """Return the sentence for a mistake that Typer found: it knows nothing of what is meant."""
    # Some versions of Typer read values with Pydantic, which has a name for every kind of error.
    message = str(error.format_message()).replace(": Value error, ", ": ")
    parameter = getattr(error, "param", None)
    if parameter is None or parameter.param_type_name != "option":
        return message
    advice = WHEN_MISSING.get(parameter.name)
    if advice is not None and message.startswith("Missing"):
        return f"{message.rstrip('.')}: {advice}."
    # Of numbers Pydantic does not say what was given.
    errors = getattr(error.__cause__, "errors", None)
    if errors is None:
        return message
    first = errors()[0]
    kind = NUMBERS.get(str(first["type"]).split("_")[0])
    if kind is None:
        return message
    return f"{max(parameter.opts, key=len)} {first['input']!r:.40} is not allowed: give {kind}."
