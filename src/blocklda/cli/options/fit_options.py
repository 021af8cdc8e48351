"""The options of ``blocklda fit``, under the names that the estimator's parameters have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from blocklda.cli.options.shared import one_of
from blocklda.models.lda.moves.registry import MOVES
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS, AUTO
from blocklda.support.defaults import (
    LONG_BURN_IN,
    N_CHAINS_OF_COMMAND,
    N_SWEEPS_ON_SHARDS,
    QUICK_SWEEPS,
    SHORT_BURN_IN,
)

__all__ = [
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
]

_PRIORS = "Priors"
_SAMPLING = "Sampling"
_FILES = "Files and output"
_MACHINES = "Several processes or machines"

Topics = Annotated[
    int, typer.Option("--topics", "-k", metavar="K", help="How many topics to look for.")
]
TopicsIfAny = Annotated[
    int | None,
    typer.Option(
        "--topics",
        "-k",
        metavar="K",
        help="How many topics to look for. An HDP has no fixed number, and a mixture need not.",
        show_default=False,
    ),
]
Model = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="What is fitted: lda; hdp, whose number of topics is not given; or mixture, in which "
        "every document has one topic.",
        autocompletion=one_of("lda", "hdp", "mixture"),
    ),
]

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="MODEL_DIR",
        help="Save the model to this folder; a model that is there is replaced.",
        rich_help_panel=_FILES,
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Keep the run in this folder meanwhile; the same command again resumes it.",
        rich_help_panel=_FILES,
    ),
]
Every = Annotated[
    int,
    typer.Option(
        metavar="N", help="Sweeps from one checkpoint to the next.", rich_help_panel=_FILES
    ),
]
KeepDraws = Annotated[
    bool,
    typer.Option(
        "--draws/--no-draws",
        help="Keep every draw, or only averages over them, which takes less room.",
        rich_help_panel=_FILES,
    ),
]
AllowMemoryOvercommit = Annotated[
    bool,
    typer.Option(
        "--allow-memory-overcommit",
        help="Try it even if it seems to need more memory than is free; the system may kill it.",
        rich_help_panel=_FILES,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Show no progress and no summary.", rich_help_panel=_FILES),
]

Alpha = Annotated[
    float,
    typer.Option(metavar="X", help="Prior of the topics of a document.", rich_help_panel=_PRIORS),
]
Beta = Annotated[
    float,
    typer.Option(metavar="X", help="Prior of the words of a topic.", rich_help_panel=_PRIORS),
]
AlphaOrAuto = Annotated[
    str,
    typer.Option(
        metavar="X",
        help="Prior of the topics of a document; auto learns one number per topic.",
        autocompletion=one_of("auto"),
        rich_help_panel=_PRIORS,
    ),
]
BetaOrAuto = Annotated[
    str,
    typer.Option(
        metavar="X",
        help="Prior of the words of a topic; auto learns one number.",
        autocompletion=one_of("auto"),
        rich_help_panel=_PRIORS,
    ),
]
LearnAlpha = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Learn alpha: none, symmetric (one number), asymmetric (one per topic); auto is "
        "asymmetric, and none if --alpha is given.",
        autocompletion=one_of("auto", "none", "symmetric", "asymmetric"),
        rich_help_panel=_PRIORS,
    ),
]
LearnBeta = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Learn beta: none or symmetric; auto is symmetric, and none if --beta is given.",
        autocompletion=one_of("auto", "none", "symmetric"),
        rich_help_panel=_PRIORS,
    ),
]
LearnHow = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="sampled, after every sweep; or optimised, during the burn-in.",
        autocompletion=one_of("sampled", "optimised"),
        rich_help_panel=_PRIORS,
    ),
]

SeedWords = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Lead topics to words: a line each, 'crime: murder police court'.",
        rich_help_panel=_PRIORS,
    ),
]

Sampler = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"{AUTO}, {', '.join(ALL_SAMPLERS)}.",
        autocompletion=one_of(AUTO, ALL_SAMPLERS),
        rich_help_panel=_SAMPLING,
    ),
]
Moves = Annotated[
    list[str],
    typer.Option(
        "--moves",
        metavar="NAME",
        help=f"A move to try after each sweep, several by giving it again: {', '.join(MOVES)}.",
        autocompletion=one_of(MOVES),
        rich_help_panel=_SAMPLING,
    ),
]
Init = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Where chains start: auto, variational, random, annealed.",
        autocompletion=one_of("auto", "variational", "random", "annealed"),
        rich_help_panel=_SAMPLING,
    ),
]
Sweeps = Annotated[
    str | None,
    typer.Option(
        "--sweeps",
        metavar="N",
        help="Sweeps of each chain, burn-in included; auto, the default, ends when the answer has "
        f"settled. With --quick {QUICK_SWEEPS}, on shards {N_SWEEPS_ON_SHARDS}.",
        autocompletion=one_of("auto"),
        rich_help_panel=_SAMPLING,
    ),
]
BurnInSweeps = Annotated[
    str,
    typer.Option(
        metavar="N",
        help=f"Sweeps at the start that are not kept; auto is {SHORT_BURN_IN}, and {LONG_BURN_IN} "
        "with several chains or learned priors, but at most half of the sweeps.",
        autocompletion=one_of("auto"),
        rich_help_panel=_SAMPLING,
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help="End the fit after S seconds, with the draws it has.",
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
        help="Independent chains; several show which topics are reproducible. "
        f"{N_CHAINS_OF_COMMAND} unless given; 1 with --quick and on shards.",
        rich_help_panel=_SAMPLING,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", metavar="N", help="Threads; -1 for all cores.", rich_help_panel=_SAMPLING
    ),
]
FitJobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="Threads; all cores unless given. The result does not depend on it.",
        rich_help_panel=_SAMPLING,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        help="Of the random numbers; the same seed gives the same result.",
        rich_help_panel=_SAMPLING,
    ),
]

Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Fit on workers of a Dask scheduler (tcp://host:8786); see docs/how-to/parallel.md.",
        rich_help_panel=_MACHINES,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Fit on so many processes of this machine, in the same way.",
        rich_help_panel=_MACHINES,
    ),
]
OutOfCore = Annotated[
    bool,
    typer.Option(
        "--out-of-core",
        help="Fit in this process, one shard after the other from its file: for a corpus larger "
        "than memory.",
        rich_help_panel=_MACHINES,
    ),
]
