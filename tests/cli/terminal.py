"""The command line as if in a plain terminal of a known width."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from blocklda.cli import app

# What makes Rich and Typer believe in a terminal, or doubt one, outside of these tests.
PLAIN = dict.fromkeys(
    ["FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "GITHUB_ACTIONS", "LINES"]
)


def run(
    *arguments: object, columns: int = 80, charset: str = "utf-8", **environment: str
) -> Result:
    runner = CliRunner(env={**PLAIN, "COLUMNS": str(columns), **environment}, charset=charset)
    return runner.invoke(app, [str(argument) for argument in arguments])
