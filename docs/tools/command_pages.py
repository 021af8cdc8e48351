"""The reference of the command line, made from the commands themselves."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import typer

from blocklda.cli import app

TITLE = "# Commands and options\n\nThis page is generated from `blocklda --help` of each command.\n"


def commands_page() -> str:
    """Return a page in Markdown with every command, its options and its examples."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return "\n".join([TITLE, *(_section(name, commands[name]) for name in commands)])


def _section(name: str, command: Any) -> str:
    context = command.make_context(f"blocklda {name}", [], resilient_parsing=True)
    usage = command.get_usage(context).removeprefix("Usage: ")
    parts = [f"## blocklda {name}", f"```text\n{usage}\n```", _plain(command.help)]
    for panel, rows in _panels(command, context).items():
        parts += [f"**{panel}**", _table(rows)]
    examples = _examples(command.epilog or "")
    if examples:
        parts += ["**Examples**", "```text\n" + "\n".join(examples) + "\n```"]
    return "\n\n".join(parts) + "\n"


def _panels(command: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    """Return names and texts of the parameters, under the headings of the help."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            is_argument = parameter.param_type_name == "argument"
            panel = getattr(parameter, "rich_help_panel", None)
            panels.setdefault(panel or ("Arguments" if is_argument else "Options"), []).append(
                record
            )
    return panels


def _table(rows: list[tuple[str, str]]) -> str:
    lines = ["| name | meaning |", "|---|---|"]
    lines += [f"| `{name.strip()}` | {_cell(text)} |" for name, text in rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    """Return text for a cell of a table; options and defaults are set as code."""
    shown = escape(_plain(text), quote=False).replace("|", "\\|").replace("\n", " ")
    shown = re.sub(r"(?<![\w`-])(--?[a-z][a-z-]*)", r"`\1`", shown)
    return re.sub(r"\[default: ([^\]]+)\]", r"Default: `\1`.", shown).replace(
        "[required]", "Required."
    )


def _plain(text: str) -> str:
    """Return text without the marks for bold and colours of a terminal."""
    return re.sub(r"\[/?(?:bold|dim|italic|cyan)\]", "", text)


def _examples(epilog: str) -> list[str]:
    lines = (line.strip() for line in _plain(epilog).splitlines())
    return [line for line in lines if line.startswith("blocklda ")]
