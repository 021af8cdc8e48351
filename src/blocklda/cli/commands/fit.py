"""``blocklda fit``: from texts or counts to a model."""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from blocklda.cli.commands.fit_hdp import hdp_settings
from blocklda.cli.commands.fit_mixture import mixture_settings
from blocklda.cli.commands.fit_shards import WhoSweeps, check_settings_of_shards, fit_shards
from blocklda.cli.options import fit_options as option
from blocklda.cli.options.folders import estimator_of, folder_for_a_model, sweeps_done
from blocklda.cli.options.input_options import Source, reads_input
from blocklda.cli.options.seeds import seed_settings
from blocklda.cli.options.shared import JsonFlag, examples, number_or_text
from blocklda.cli.terminal.echo import echo
from blocklda.cli.terminal.fit_report import FitReport
from blocklda.cli.terminal.logging import log_on_stderr
from blocklda.cli.terminal.one_line_errors import INTERRUPTED
from blocklda.cli.terminal.output import print_json, waiting
from blocklda.cli.terminal.usage_errors import WHEN_MISSING
from blocklda.files.atomic_write import named_path
from blocklda.formats.seed_file import read_seed_file
from blocklda.models.lda.moves.registry import are_auto, check_moves
from blocklda.models.lda.prior_learning import PriorChoice, PriorLearning
from blocklda.models.lda.priors import check_n_topics
from blocklda.models.lda.samplers.registry import AUTO, find_sampler
from blocklda.run.interrupts import EndOnSigterm
from blocklda.support import defaults
from blocklda.support.checks import n_workers, whole_number
from blocklda.support.defaults import LONG_BURN_IN, MAX_SWEEPS_KEPT
from blocklda.support.durations import duration
from blocklda.support.errors import ConvergenceWarning, InputError, unknown_choice

__all__ = ["EXAMPLES", "fit_command"]

EXAMPLES = examples(
    "blocklda fit reviews.csv --text-column body -k 50 -o model/",
    "blocklda fit docword.kos.txt.gz -k 32 --chains 4 --jobs 2 -o model/",
    "blocklda fit titles.csv --text-column title --model mixture -o model/",
    "blocklda fit docword.kos.txt.gz --model hdp -o model/",
    "blocklda fit texts/ -k 100 --sweeps 2000 --checkpoint run/ -o model/",
    "blocklda fit shards/ -k 500 --scheduler tcp://host:8786 --checkpoint /shared/run -o model/",
    "blocklda fit shards/ -k 500 --out-of-core --checkpoint run/",
)


LDA_MODEL, HDP_MODEL, MIXTURE = "lda", "hdp", "mixture"
MODELS = (LDA_MODEL, HDP_MODEL, MIXTURE)
"""What can be fitted, the default first."""

TOKENS_PER_SECOND = 5e6
"""Tokens per core and second, roughly, at 20 to 200 topics (docs/explanation/benchmarks.md)."""

LONG_SECONDS = 60.0
"""A fit that may take longer is announced."""

TERMINATED = 128 + signal.SIGTERM
"""What shells expect of a program ended by SIGTERM."""


@reads_input
def fit_command(
    source: Source,
    *,
    n_topics: option.TopicsIfAny = None,
    model: option.Model = MODELS[0],
    output: option.Output = None,
    checkpoint: option.Checkpoint = None,
    every: option.Every = defaults.EVERY,
    keep_draws: option.KeepDraws = True,
    as_json: JsonFlag = False,
    quiet: option.Quiet = False,
    n_sweeps: option.Sweeps = None,
    max_seconds: option.MaxSeconds = None,
    quick: option.Quick = False,
    burn_in: option.BurnInSweeps = defaults.BURN_IN,
    thin: option.Thin = defaults.THIN,
    n_chains: option.Chains = None,
    n_jobs: option.FitJobs = None,
    random_state: option.Seed = 0,
    sampler: option.Sampler = AUTO,
    moves: option.Moves = option.AUTO_MOVES,  # type: ignore[assignment]  # typer makes it a list
    init: option.Init = defaults.INIT,
    alpha: option.AlphaOrAuto = defaults.ALPHA,
    beta: option.BetaOrAuto = defaults.BETA,
    learn_alpha: option.LearnAlpha = defaults.LEARN_ALPHA,
    learn_beta: option.LearnBeta = defaults.LEARN_BETA,
    learn_how: option.LearnHow = defaults.LEARN_HOW,
    seed_words: option.SeedWords = None,
    scheduler: option.Scheduler = None,
    workers: option.Workers = None,
    out_of_core: option.OutOfCore = False,
    allow_memory_overcommit: option.AllowMemoryOvercommit = False,
) -> None:
    """Fit a topic model to texts or counts, show its topics, and save it.

    Ctrl-C ends the fit after the current sweep; the model then has the draws so far.
    """
    who = WhoSweeps(scheduler, workers, out_of_core=out_of_core)
    on_shards = who.on_shards
    settings: dict[str, Any] = {
        "n_topics": n_topics,
        "alpha": number_or_text(alpha),
        "beta": number_or_text(beta),
        "learn_alpha": learn_alpha,
        "learn_beta": learn_beta,
        "learn_how": learn_how,
        "sampler": sampler,
        "moves": option.chosen_moves(moves),
        "init": init,
        **_how_much(n_sweeps, n_chains, n_jobs, is_quick=quick, on_shards=on_shards),
        "max_seconds": max_seconds,
        "burn_in": _number_or_word(burn_in),
        "thin": thin,
        "keep_draws": keep_draws,
        "random_state": random_state,
        "progress": not quiet,
        "allow_memory_overcommit": allow_memory_overcommit,
    }
    _check_model(model, n_topics, seed_words, on_shards=on_shards)
    seeds = None if seed_words is None else read_seed_file(seed_words)
    if seeds is not None:
        settings |= seed_settings(seeds, settings)
    settings = _settings_of_model(model, settings, n_sweeps, on_shards=on_shards)
    _check_before_reading(settings, every, output, checkpoint)
    if model == LDA_MODEL:
        _check_lda_before_reading(settings)
    if on_shards:
        check_settings_of_shards(settings, who)
    if quiet and not as_json and output is None and checkpoint is None:
        raise InputError(
            "--quiet without --output would discard the fit: give -o MODEL_DIR to save the model, "
            "or --json to print its topics."
        )
    with _sigterm_like_ctrl_c(), log_on_stderr(is_wanted=not (quiet or is_watched())):
        with folder_for_a_model(output):
            went_on_from = sweeps_done(checkpoint)
            if on_shards:
                result = fit_shards(source, settings, output, checkpoint, who)
            else:
                with waiting(f"reading {source.name}", is_wanted=not quiet):
                    corpus = source.read()
                if not quiet and is_watched():
                    _say_how_long(corpus, settings, is_quick=quick)
                estimator = _fitted(model, corpus, settings, checkpoint, every)
                if seeds is not None:
                    estimator.set_topic_labels(seeds.labels)
                if output is not None:
                    estimator.save(output)
                result = estimator.result_
        report = FitReport(result, source, output, checkpoint, went_on_from)
        if as_json:
            print_json(report.to_dict())
        elif not quiet:
            report.show()
        if report.is_interrupted:
            report.say_interrupted()
            raise typer.Exit(INTERRUPTED)


def _settings_of_model(
    model: str, settings: dict[str, Any], n_sweeps: str | None, *, on_shards: bool
) -> dict[str, Any]:
    """Return the parameters of the model's estimator."""
    if model == HDP_MODEL:
        return hdp_settings(settings, n_sweeps, on_shards=on_shards)
    if model == MIXTURE:
        return mixture_settings(settings, on_shards=on_shards)
    return settings


def _how_much(
    n_sweeps: str | None,
    n_chains: int | None,
    n_jobs: int | None,
    *,
    is_quick: bool,
    on_shards: bool,
) -> dict[str, Any]:
    """Return sweeps, chains and jobs: as given, or what suits the kind of fit."""
    sweeps: int | str = defaults.N_SWEEPS
    chains = defaults.N_CHAINS_OF_COMMAND
    jobs: int | None = defaults.N_JOBS_OF_COMMAND
    if on_shards:
        jobs = None
    if is_quick:
        sweeps, chains = defaults.QUICK_SWEEPS, 1
    return {
        "n_sweeps": sweeps if n_sweeps is None else _number_or_word(n_sweeps),
        "n_chains": chains if n_chains is None else n_chains,
        "n_jobs": jobs if n_jobs is None else n_jobs,
    }


def is_watched() -> bool:
    """Return whether a person may read what is said before the fit."""
    return sys.stderr.isatty()


def _say_how_long(corpus: Any, settings: dict[str, Any], *, is_quick: bool) -> None:
    """Say on standard error how long a fit may take, if that is long."""
    n_sweeps = settings["n_sweeps"]
    sweeps = (
        (LONG_BURN_IN, LONG_BURN_IN + MAX_SWEEPS_KEPT) if n_sweeps == "auto" else (n_sweeps,) * 2
    )
    at_once = min(settings["n_chains"], n_workers(settings["n_jobs"]))
    tokens = corpus.n_tokens * -(-settings["n_chains"] // at_once)
    least, most = (tokens * n / TOKENS_PER_SECOND for n in sweeps)
    if most < LONG_SECONDS:
        return
    hint = "" if is_quick else " --quick gives a first look; Ctrl-C ends it with the draws so far."
    often = "" if least == most else f" {duration(least)} to"
    echo(
        f"blocklda: about{often} {duration(most)} for {settings['n_chains']} chains on this "
        f"corpus.{hint}",
        err=True,
    )


def _number_or_word(given: str) -> int | str:
    """Return an option that is a number or "auto"; what is neither is refused later."""
    return int(given) if given.lstrip("+-").isdecimal() else given


def _check_before_reading(
    settings: dict[str, Any], every: int, output: Path | None, checkpoint: Path | None
) -> None:
    """Refuse what is wrong whatever the input holds; the rest is checked once it is read."""
    for name in ("thin", "n_chains"):
        whole_number(name, settings[name], 1)
    if settings["n_sweeps"] != "auto":
        whole_number("n_sweeps", settings["n_sweeps"], 1)
    whole_number("random_state", settings["random_state"], 0)
    whole_number("every", every, 1)
    if settings["n_jobs"] is not None:
        n_workers(settings["n_jobs"])
    if None not in (output, checkpoint) and named_path(output) == named_path(checkpoint):
        raise InputError.of(
            "{output=} and {checkpoint=} are the same folder: [give two, one for the model and one "
            "for the run]."
        ).where(output=output, checkpoint=checkpoint)


def _check_model(
    model: str, n_topics: int | None, seed_words: Path | None, *, on_shards: bool
) -> None:
    """Refuse an unknown model, LDA without a number of topics, and seed words of other models."""
    if model not in MODELS:
        raise unknown_choice("model", model, MODELS)
    if model == LDA_MODEL and n_topics is None:
        raise InputError(f"the number of topics is missing: {WHEN_MISSING['n_topics']}.")
    if model != LDA_MODEL and seed_words is not None:
        raise InputError.of("{seed_words=} is only for LDA: [leave it out].").where(
            seed_words=str(seed_words)
        )
    if on_shards and seed_words is not None:
        raise InputError.of(
            "{seed_words=} is not available for fits on shards, whose topics share one prior for "
            "words: [leave it out, or fit on this machine alone]."
        ).where(seed_words=str(seed_words))


def _check_lda_before_reading(settings: dict[str, Any]) -> None:
    check_n_topics(settings["n_topics"])
    if settings["sampler"] != AUTO:
        find_sampler(settings["sampler"])
    if not are_auto(settings["moves"]):
        check_moves(settings["moves"])
    choice = PriorChoice.resolve(
        *(settings[name] for name in ("alpha", "beta", "learn_alpha", "learn_beta"))
    )
    PriorLearning.create(
        choice.learn_alpha,
        choice.learn_beta,
        settings["learn_how"],
        defaults.PRIOR_OF_PRIORS,
        defaults.PRIOR_OF_PRIORS,
    )


def _fitted(
    model: str, corpus: Any, settings: dict[str, Any], checkpoint: Path | None, every: int
) -> Any:
    # scikit-learn takes a while to import, so mistakes are reported before that.
    estimator = estimator_of(model)(**settings)
    with warnings.catch_warnings():
        # Its advice is for Python; the report says the same for the command line.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return estimator.fit(corpus, checkpoint=checkpoint, every=every)
        except KeyboardInterrupt:
            echo(_why_no_model(estimator, corpus, checkpoint), err=True)
            raise typer.Exit(INTERRUPTED) from None


def _why_no_model(estimator: Any, corpus: Any, checkpoint: Path | None) -> str:
    schedule = estimator.plan(corpus).schedule
    done = sweeps_done(checkpoint)
    at = "" if done is None else f"at sweep {done:,}, "
    if checkpoint is None:
        goes_on = "with --checkpoint DIR the same command would continue from there"
    else:
        goes_on = "the same command continues from the checkpoint"
    return (
        f"blocklda: interrupted {at}before the first draw, which comes at sweep "
        f"{schedule.next_kept(0):,}, after a burn-in of {schedule.burn_in:,}: there is no model to "
        f"save yet, and {goes_on}."
    )


@contextmanager
def _sigterm_like_ctrl_c() -> Iterator[None]:
    """Let SIGTERM end a fit as Ctrl-C does, after its sweep, with an exit code of its own."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    handler = EndOnSigterm()
    signal.signal(signal.SIGTERM, handler)
    try:
        yield
    except typer.Exit as ending:
        if handler.arrived and ending.exit_code == INTERRUPTED:
            raise typer.Exit(TERMINATED) from None
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
