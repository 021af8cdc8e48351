"""The options of ``blocklda fit``, named like the estimator's parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from blocklda.cli.options.shared import one_of
from blocklda.models.lda.moves.registry import MOVES
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS, AUTO
from blocklda.support.defaults import (
    LONG_BURN_IN,
    MOVES_OF_FIT,
    N_CHAINS_OF_COMMAND,
    QUICK_SWEEPS,
    SHORT_BURN_IN,
)

__all__ = [
    "AUTO_MOVES",
    "AllowMemoryOvercommit",
    "Alpha",
    "AlphaOrAuto",
    "Beta",
    "BetaOrAuto",
    "BurnInSweeps",
    "Chains",
    "Checkpoint",
    "Every",
    "FitJobs",
    "Init",
    "Jobs",
    "KeepDraws",
    "LearnAlpha",
    "LearnBeta",
    "LearnHow",
    "Model",
    "Moves",
    "Output",
    "Quiet",
    "Sampler",
    "Scheduler",
    "Seed",
    "SeedWords",
    "Sweeps",
    "Thin",
    "Topics",
    "TopicsIfAny",
    "Workers",
    "chosen_moves",
]

_PRIORS = "Priors"
_SAMPLING = "Sampling"
_FILES = "Files and output"
_MACHINES = "Several processes or machines"

Topics = Annotated[int, typer.Option("--topics", "-k", metavar="K", help="Number of topics.")]
TopicsIfAny = Annotated[
    int | None,
    typer.Option(
        "--topics",
        "-k",
        metavar="K",
        help="Number of topics. Not for hdp; optional for mixture.",
        show_default=False,
    ),
]
Model = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The model: lda; hdp, which infers the number of topics; or mixture, in which every "
        "document has one topic.",
        autocompletion=one_of("lda", "hdp", "mixture"),
    ),
]

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="MODEL_DIR",
        help="Save the model to this folder, replacing a model that it holds.",
        rich_help_panel=_FILES,
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Save the run to this folder as it proceeds; run the same command again to resume.",
        rich_help_panel=_FILES,
    ),
]
Every = Annotated[
    int,
    typer.Option(metavar="N", help="Sweeps between two checkpoints.", rich_help_panel=_FILES),
]
KeepDraws = Annotated[
    bool,
    typer.Option(
        "--draws/--no-draws",
        help="Save draws, or only their averages, which takes less space.",
        rich_help_panel=_FILES,
    ),
]
AllowMemoryOvercommit = Annotated[
    bool,
    typer.Option(
        "--allow-memory-overcommit",
        help="Run even if the estimated memory exceeds what is free; the system may kill the run.",
        rich_help_panel=_FILES,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Do not show progress or a summary.", rich_help_panel=_FILES
    ),
]

Alpha = Annotated[
    float,
    typer.Option(metavar="X", help="Prior for the topics of a document.", rich_help_panel=_PRIORS),
]
Beta = Annotated[
    float,
    typer.Option(metavar="X", help="Prior for the words of a topic.", rich_help_panel=_PRIORS),
]
AlphaOrAuto = Annotated[
    str,
    typer.Option(
        metavar="X",
        help="Prior for the topics of a document; auto learns one number per topic.",
        autocompletion=one_of("auto"),
        rich_help_panel=_PRIORS,
    ),
]
BetaOrAuto = Annotated[
    str,
    typer.Option(
        metavar="X",
        help="Prior for the words of a topic; auto learns one number.",
        autocompletion=one_of("auto"),
        rich_help_panel=_PRIORS,
    ),
]
LearnAlpha = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="How to learn alpha: none, symmetric (one number), asymmetric (one per topic); auto "
        "is asymmetric, or none if --alpha is given.",
        autocompletion=one_of("auto", "none", "symmetric", "asymmetric"),
        rich_help_panel=_PRIORS,
    ),
]
LearnBeta = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="How to learn beta: none or symmetric; auto is symmetric, or none if --beta is given.",
        autocompletion=one_of("auto", "none", "symmetric"),
        rich_help_panel=_PRIORS,
    ),
]
LearnHow = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="How to update learned priors: sampled, after every sweep; or optimised, during the "
        "burn-in.",
        autocompletion=one_of("sampled", "optimised"),
        rich_help_panel=_PRIORS,
    ),
]

SeedWords = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A file of seed words, one topic per line: 'crime: murder police court'.",
        rich_help_panel=_PRIORS,
    ),
]

Sampler = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"The sampler: {AUTO}, {', '.join(ALL_SAMPLERS)}.",
        autocompletion=one_of(AUTO, ALL_SAMPLERS),
        rich_help_panel=_SAMPLING,
    ),
]
AUTO_MOVES, NO_MOVES = (MOVES_OF_FIT,), ("none",)


def chosen_moves(given: Sequence[str]) -> str | tuple[str, ...]:
    """Return moves as the library takes them: "auto" and "none" stand alone."""
    if tuple(given) == AUTO_MOVES:
        return MOVES_OF_FIT
    return () if tuple(given) == NO_MOVES else tuple(given)


Moves = Annotated[
    list[str],
    typer.Option(
        "--moves",
        metavar="NAME",
        help=f"A move to try after each sweep; can be repeated: {', '.join(MOVES)}. auto: "
        "merge-split in the burn-in, if there are at most 4,000 words; none: no move.",
        autocompletion=one_of(*AUTO_MOVES, *NO_MOVES, MOVES),
        rich_help_panel=_SAMPLING,
    ),
]
Init = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="How chains start: auto, variational, random, annealed.",
        autocompletion=one_of("auto", "variational", "random", "annealed"),
        rich_help_panel=_SAMPLING,
    ),
]
Sweeps = Annotated[
    str | None,
    typer.Option(
        "--sweeps",
        metavar="N",
        help="Sweeps of each chain, including the burn-in. The default, auto, stops when the "
        f"result has settled; {QUICK_SWEEPS} with --quick.",
        autocompletion=one_of("auto"),
        rich_help_panel=_SAMPLING,
    ),
]
BurnInSweeps = Annotated[
    str,
    typer.Option(
        metavar="N",
        help=f"Sweeps to discard at the start; auto is {SHORT_BURN_IN}, or {LONG_BURN_IN} "
        "with several chains or learned priors, but at most half of the sweeps.",
        autocompletion=one_of("auto"),
        rich_help_panel=_SAMPLING,
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help="End the fit after S seconds, and keep the draws so far.",
        rich_help_panel=_SAMPLING,
    ),
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick",
        help=f"A first look: 1 chain, {QUICK_SWEEPS} sweeps.",
        rich_help_panel=_SAMPLING,
    ),
]
Thin = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Keep every N-th sweep after the burn-in.",
        rich_help_panel=_SAMPLING,
    ),
]
Chains = Annotated[
    int | None,
    typer.Option(
        "--chains",
        metavar="N",
        help="Number of independent chains; several chains show which topics are reproducible. "
        f"Default: {N_CHAINS_OF_COMMAND}; 1 with --quick.",
        rich_help_panel=_SAMPLING,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="Number of threads; -1 for all cores.",
        rich_help_panel=_SAMPLING,
    ),
]
FitJobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="Number of threads; default: all cores. Does not change the result.",
        rich_help_panel=_SAMPLING,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        help="Seed of the random numbers; the same seed gives the same result.",
        rich_help_panel=_SAMPLING,
    ),
]

Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Fit on the workers of a Dask scheduler (tcp://host:8786); see "
        "docs/how-to/parallel.md.",
        rich_help_panel=_MACHINES,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Fit on N processes of this machine, with Dask.",
        rich_help_panel=_MACHINES,
    ),
]
OutOfCore = Annotated[
    bool,
    typer.Option(
        "--out-of-core",
        help="Fit in this process, one shard after another, for a corpus larger than memory.",
        rich_help_panel=_MACHINES,
    ),
]
