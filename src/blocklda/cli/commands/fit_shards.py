"""``blocklda fit --scheduler``, ``--workers`` and ``--out-of-core``: fits on shards."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer

from blocklda.cli.options.input_options import Source
from blocklda.cli.terminal.echo import echo
from blocklda.cli.terminal.one_line_errors import INTERRUPTED
from blocklda.cli.terminal.output import waiting
from blocklda.formats import sharded
from blocklda.models.lda.samplers.grid.sampler import GRID
from blocklda.models.lda.samplers.partially_collapsed.sampler import PARTIALLY_COLLAPSED
from blocklda.models.lda.samplers.registry import AUTO
from blocklda.results.result import FitResult
from blocklda.support import defaults
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed, Given

__all__ = [
    "WhoSweeps",
    "are_texts_for_workers",
    "check_settings_of_shards",
    "fit_shards",
    "texts_of",
]

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/", re.ASCII)
"""How an address begins, of two letters or more: C:/ is a disk."""

ALLOWED: dict[str, tuple[Any, ...]] = {
    "sampler": (AUTO, PARTIALLY_COLLAPSED.name, GRID.name),
    "moves": (defaults.MOVES_OF_FIT, ()),
    "n_jobs": (None,),
}
"""What a fit on shards can do, of the settings that it has no parameter for."""

OUT_OF_CORE: dict[str, tuple[Any, ...]] = {
    "sampler": (AUTO, PARTIALLY_COLLAPSED.name),
    "n_jobs": (),
}
"""The same for one process, which reads every shard once in a sweep; () for anything."""


SAME = (
    "alpha",
    "beta",
    "learn_alpha",
    "learn_beta",
    "learn_how",
    "init",
    "n_chains",
    "n_sweeps",
    "max_seconds",
    "burn_in",
    "thin",
    "progress",
)
"""Settings that a fit on shards has under the names that they have here."""


@dataclass(frozen=True)
class WhoSweeps:
    """Who sweeps the shards: workers of a scheduler, processes here, or this process alone."""

    scheduler: str | None = None
    workers: int | None = None
    out_of_core: bool = False

    @property
    def on_shards(self) -> bool:
        """Return True if anybody was named."""
        return self != WhoSweeps()

    def names(self) -> list[str]:
        """Return the options that were given."""
        given = {"--scheduler": self.scheduler, "--workers": self.workers}
        found = [name for name, value in given.items() if value is not None]
        return [*found, *(["--out-of-core"] if self.out_of_core else [])]


def check_settings_of_shards(settings: dict[str, Any], who: WhoSweeps) -> None:
    """Refuse settings that a fit on shards cannot follow."""
    names = who.names()
    if len(names) > 1:
        raise InputError(f"{' and '.join(names)} exclude each other: give only one of them.")
    for name, allowed in (ALLOWED | (OUT_OF_CORE if who.out_of_core else {})).items():
        if allowed and settings[name] not in allowed:
            choices = " or ".join(one for one in allowed if isinstance(one, str))
            raise InputError.of(
                "{given} is not available with {who}: [leave it out{or_give}]."
            ).where(
                given=Given(name, settings[name], shown=_as_given(settings[name])),
                who=names[0],
                or_give=Allowed(f", or give {choices}" if choices else "", choices=allowed),
            )


def _as_given(value: Any) -> str:
    """Return a setting as the command line has it: a list of names as words."""
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def fit_shards(
    source: Source,
    settings: dict[str, Any],
    output: Path | None,
    checkpoint: Path | None,
    who: WhoSweeps,
) -> FitResult:
    """Fit on the workers of a scheduler, or on processes here, and save the model as any other.

    That needs the documents here. Without a model to save, what is said of the fit does not.
    """
    from blocklda import parallel  # noqa: PLC0415  # it takes a while to import, as Dask does

    given, texts = _input(source, is_quiet=not settings["progress"])
    seed = settings["random_state"]
    if settings["n_chains"] == 1:  # the stream that an estimator gives its only chain
        seed = np.random.SeedSequence(seed).spawn(1)[0]
    try:
        fit = parallel.fit(
            who.scheduler,
            given,
            settings["n_topics"],
            sampler=_sampler(settings["sampler"]),
            seed=seed,
            checkpoint=checkpoint,
            n_workers=who.workers,
            out_of_core=who.out_of_core,
            n_jobs=settings["n_jobs"],
            to_lda=output is not None,
            **{name: settings[name] for name in SAME},
            **texts,
        )
    except KeyboardInterrupt:
        goes_on = (
            "with --checkpoint DIR the same command would continue from there"
            if checkpoint is None
            else "the same command continues from the checkpoint"
        )
        echo(
            f"blocklda: interrupted before the first draw: there is no model to save, and "
            f"{goes_on}.",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    if output is None and not fit.fits_here():
        return replace(fit.result, seed=settings["random_state"])
    lda = fit.to_lda(keep_draws=settings["keep_draws"])
    if output is not None:
        lda.save(output)
    return lda.result_


def _sampler(name: str) -> str:
    return defaults.SAMPLER_ON_SHARDS if name == AUTO else name


def _input(source: Source, *, is_quiet: bool) -> tuple[Any, dict[str, Any]]:
    """Return shards that workers read themselves, or else the corpus that is cut for them."""
    path = source.paths[0]
    if len(source.paths) == 1 and sharded.recognises(path):
        source.refuse_options_beside_counts(f"{path} is a sharded corpus")
        return path, {}
    if are_texts_for_workers(source):
        return texts_of(source), source.of_texts()
    with waiting(f"reading {source.name}", is_wanted=not is_quiet):
        return source.read(), {}


def are_texts_for_workers(source: Source) -> bool:
    """Return True if workers can count the input: an address, several files, or a folder."""
    from blocklda.parallel.text_parts import is_folder_of_tables  # noqa: PLC0415  # as above

    if source.model is not None or Path("-") in source.paths:
        return False
    return any(map(_is_address, source.paths)) or any(map(is_folder_of_tables, source.paths))


def texts_of(source: Source) -> list[str]:
    """Return files and addresses as they were given; a path has lost one of two slashes."""
    return [
        str(path).replace(":/", "://", 1) if _is_address(path) else str(path)
        for path in source.paths
    ]


def _is_address(path: Path) -> bool:
    return _ADDRESS.match(str(path)) is not None
