"""``blocklda fit --scheduler`` and ``--workers``: the same model, fitted on shards."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import typer

from blocklda.cli.options.input_options import Source
from blocklda.cli.terminal.echo import echo
from blocklda.cli.terminal.one_line_errors import INTERRUPTED
from blocklda.cli.terminal.output import waiting
from blocklda.formats import sharded
from blocklda.models.lda.samplers.partially_collapsed.sampler import PARTIALLY_COLLAPSED
from blocklda.models.lda.samplers.registry import AUTO
from blocklda.results.result import FitResult
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed, Given

__all__ = ["check_settings_of_shards", "fit_shards"]

ALLOWED: dict[str, tuple[Any, ...]] = {
    "sampler": (AUTO, PARTIALLY_COLLAPSED.name),
    "moves": ((),),
    "init": ("auto", "random"),
    "n_chains": (1,),
    "n_jobs": (1,),
    "learn_alpha": ("auto", "none"),
    "learn_beta": ("auto", "none"),
}
"""What a fit on shards can do, of the settings that it has no parameter for."""


def check_settings_of_shards(
    settings: dict[str, Any], scheduler: str | None, workers: int | None
) -> None:
    """Refuse settings that a fit on shards cannot follow."""
    if scheduler is not None and workers is not None:
        raise InputError.of(
            "{scheduler=} has workers of its own, and {workers=} starts some here: [leave one of "
            "the two out]."
        ).where(scheduler=scheduler, workers=workers)
    for name, allowed in ALLOWED.items():
        if settings[name] not in allowed:
            choices = " or ".join(map(str, allowed))
            raise InputError.of(
                "{given} is not for a fit with --scheduler or --workers: [leave it out, or give "
                "{allowed}]."
            ).where(
                given=Given(name, settings[name], shown=str(settings[name])),
                allowed=Allowed(choices, choices=allowed),
            )


def fit_shards(
    source: Source,
    settings: dict[str, Any],
    output: Path | None,
    checkpoint: Path | None,
    scheduler: str | None,
    workers: int | None,
) -> FitResult:
    """Fit on the workers of a scheduler, or on processes here, and save the model as any other.

    That needs the documents here. Without a model to save, what is said of the fit does not.
    """
    from blocklda import parallel  # noqa: PLC0415  # it takes a while to import, as Dask does

    given, texts = _input(source, is_quiet=not settings["progress"])
    # The stream that an estimator with this random_state gives its only chain.
    seed = np.random.SeedSequence(settings["random_state"]).spawn(1)[0]
    same = ("alpha", "beta", "n_sweeps", "burn_in", "thin", "progress")
    try:
        fit = parallel.fit(
            scheduler,
            given,
            settings["n_topics"],
            seed=seed,
            checkpoint=checkpoint,
            n_workers=workers,
            to_lda=output is not None,
            **{name: settings[name] for name in same},
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


def _input(source: Source, *, is_quiet: bool) -> tuple[Any, dict[str, Any]]:
    """Return shards that workers read themselves, or else the corpus that is cut for them."""
    path = source.paths[0]
    if len(source.paths) > 1:
        with waiting(f"reading {source.name}", is_wanted=not is_quiet):
            return source.read(), {}
    if sharded.recognises(path):
        source.refuse_options_beside_counts(f"{path} is a sharded corpus")
        return path, {}
    if os.path.isdir(path) and any(path.glob("*.parquet")):
        return path, source.of_texts()
    with waiting(f"reading {path}", is_wanted=not is_quiet):
        return source.read(), {}
