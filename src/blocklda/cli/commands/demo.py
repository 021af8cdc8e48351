"""``blocklda demo``: examples that need no data."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from blocklda.cli.options.fit_options import chosen_moves
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.bars_demo import bars_as_dict, show_bars
from blocklda.cli.terminal.output import print_json, progress_console, result_console, waiting
from blocklda.cli.terminal.progress import sweep_with_progress
from blocklda.cli.terminal.stdlib_demo import show_stdlib, stdlib_as_dict
from blocklda.cli.terminal.tables import print_line
from blocklda.demo.bars import run_bars
from blocklda.demo.stdlib import run_stdlib, save_stdlib_texts
from blocklda.models.lda.moves.registry import MOVES
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["EXAMPLES", "demo_command"]

EXAMPLES = examples(
    "blocklda demo",
    "blocklda demo bars --docs 500 --sampler backward",
    "blocklda demo bars --moves none",
    "blocklda demo stdlib --topics 30",
    "blocklda demo stdlib --texts stdlib.csv",
)


class Example(StrEnum):
    """Names of the examples."""

    BARS = "bars"
    STDLIB = "stdlib"


DEFAULTS: dict[Example, dict[str, Any]] = {
    # Seeds 0 to 19 all find all bars. Without the move some are caught in a local mode, 1 is.
    Example.BARS: {
        "docs": 2000,
        "sampler": "nested",
        "moves": ("merge-split",),
        "seed": 1,
        "sweeps": 300,
    },
    # With seeds 0 to 5 both chains find 8 to 13 of the 20 topics; 8 with this one (Python 3.11).
    Example.STDLIB: {"topics": 20, "sampler": "auto", "seed": 1, "sweeps": 400},
}
"""The options of each example, and their defaults."""


def _shown(name: str) -> str:
    """Return the default of an option, as the help shows it."""
    values = {example: taken[name] for example, taken in DEFAULTS.items() if name in taken}
    if len(set(values.values())) == 1:
        value = next(iter(values.values()))
        return ", ".join(value) if isinstance(value, tuple) else str(value)
    return ", ".join(f"{example} {value}" for example, value in values.items())


def demo_command(
    example: Annotated[Example, typer.Argument(help="The example to run.")] = Example.BARS,
    *,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Seed of the random numbers.", show_default=_shown("seed")),
    ] = None,
    sweeps: Annotated[
        int | None,
        typer.Option(metavar="N", help="Sweeps of a chain.", show_default=_shown("sweeps")),
    ] = None,
    docs: Annotated[
        int | None,
        typer.Option(metavar="N", help="bars: documents to simulate.", show_default=_shown("docs")),
    ] = None,
    topics: Annotated[
        int | None,
        typer.Option(
            "--topics",
            "-k",
            metavar="K",
            help="stdlib: number of topics.",
            show_default=_shown("topics"),
        ),
    ] = None,
    sampler: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"The sampler: auto, {', '.join(ALL_SAMPLERS)}.",
            show_default=_shown("sampler"),
        ),
    ] = None,
    moves: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"bars: moves after each sweep, {', '.join(MOVES)} or none.",
            show_default=_shown("moves"),
        ),
    ] = None,
    texts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="stdlib: only write its texts to a table, as input for other commands.",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Run an example; no data needed.

    bars: simulate documents from ten topics, the rows and columns of a 5 by 5
    grid of words, and recover the topics from the counts.

    stdlib: fit topics to the documentation of Python's standard library.
    """
    for name, value, least in [
        ("docs", docs, 1),
        ("topics", topics, 1),
        ("seed", seed, 0),
        ("sweeps", sweeps, 1),
    ]:
        if value is not None:
            whole_number(name, value, least)
    given = {
        "docs": docs,
        "topics": topics,
        "sampler": sampler,
        "moves": chosen_moves(moves) if moves else None,
        "seed": seed,
        "sweeps": sweeps,
    }
    if texts is not None:
        _save_texts(example, texts, given, as_json=as_json)
        return
    chosen = _settings(example, given)
    watched = progress_console()
    result: dict[str, Any]
    show: Callable[[Console], None]
    if example is Example.BARS:
        bars = run_bars(
            chosen["docs"],
            chosen["sweeps"],
            chosen["sampler"],
            chosen["moves"],
            chosen["seed"],
            lambda chain, n, total: sweep_with_progress(chain, n, watched, total=total),
        )
        result, show = bars_as_dict(bars), partial(show_bars, bars)
    else:
        stdlib = run_stdlib(
            chosen["topics"],
            chosen["sweeps"],
            chosen["sampler"],
            chosen["seed"],
            progress=watched.is_interactive,
            while_gathering=waiting("reading the documentation of the standard library"),
        )
        result, show = stdlib_as_dict(stdlib), partial(show_stdlib, stdlib)
    if as_json:
        print_json(result)
    else:
        show(result_console())


def _save_texts(example: Example, path: Path, given: dict[str, Any], *, as_json: bool) -> None:
    if example is not Example.STDLIB:
        raise InputError(f"--texts is for the example stdlib, not for {example}: leave it out.")
    for name, value in given.items():
        if value is not None:
            raise InputError(f"--texts only writes the texts and fits nothing: leave --{name} out.")
    n = save_stdlib_texts(path)
    if as_json:
        print_json({"example": example, "documents": n, "output": path})
        return
    print_line(f"{n:,} texts are in {path}, columns name and text. Next:")
    print_line(f"  blocklda fit {shlex.quote(str(path))} --id-column name -k 20 -o model")


def _settings(example: Example, given: dict[str, Any]) -> dict[str, Any]:
    """Return what was given over the example's defaults, or say what it has no use for."""
    settings = {**DEFAULTS[example]}
    for name, value in given.items():
        if value is None:
            continue
        if name not in settings:
            others = " and ".join(one for one, known in DEFAULTS.items() if name in known)
            raise InputError(
                f"--{name} is for the example {others}, not for {example}: leave it out."
            )
        settings[name] = value
    return settings
