"""``blocklda fit``: from texts or counts to a model."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from blocklda.cli.commands.fit_shards import check_settings_of_shards, fit_shards
from blocklda.cli.options import fit_options as option
from blocklda.cli.options.folders import folder_for_a_model, sweeps_done
from blocklda.cli.options.input_options import Source, reads_input
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.fit_report import FitReport
from blocklda.cli.terminal.one_line_errors import INTERRUPTED
from blocklda.cli.terminal.output import print_json, waiting
from blocklda.files.atomic_write import named_path
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.priors import check_n_topics
from blocklda.models.lda.samplers.registry import AUTO, find_sampler
from blocklda.run.interrupts import EndOnSigterm
from blocklda.support import defaults
from blocklda.support.checks import n_workers, whole_number
from blocklda.support.errors import InputError, InterruptedFitWarning

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["EXAMPLES", "fit_command"]

EXAMPLES = examples(
    "blocklda fit reviews.csv --text-column body -k 50 -o model/",
    "blocklda fit docword.kos.txt.gz -k 32 --chains 4 --jobs 2 -o model/",
    "blocklda fit texts/ -k 100 --sweeps 2000 --checkpoint run/ -o model/",
    "blocklda fit shards/ -k 500 --scheduler tcp://host:8786 --checkpoint /shared/run -o model/",
)


TERMINATED = 128 + signal.SIGTERM
"""What shells expect of a program ended by SIGTERM."""


@reads_input
def fit_command(
    source: Source,
    *,
    n_topics: option.Topics,
    output: option.Output = None,
    checkpoint: option.Checkpoint = None,
    every: option.Every = defaults.EVERY,
    keep_draws: option.KeepDraws = True,
    as_json: JsonFlag = False,
    quiet: option.Quiet = False,
    n_sweeps: option.Sweeps = defaults.N_SWEEPS,
    burn_in: option.BurnInSweeps = defaults.BURN_IN,
    thin: option.Thin = defaults.THIN,
    n_chains: option.Chains = defaults.N_CHAINS,
    n_jobs: option.Jobs = defaults.N_JOBS,
    random_state: option.Seed = 0,
    sampler: option.Sampler = AUTO,
    init: option.Init = defaults.INIT,
    alpha: option.Alpha = defaults.ALPHA,
    beta: option.Beta = defaults.BETA,
    learn_alpha: option.LearnAlpha = defaults.LEARN_ALPHA,
    learn_beta: option.LearnBeta = defaults.LEARN_BETA,
    learn_how: option.LearnHow = defaults.LEARN_HOW,
    scheduler: option.Scheduler = None,
    workers: option.Workers = None,
    allow_memory_overcommit: option.AllowMemoryOvercommit = False,
) -> None:
    """Fit a topic model to texts or counts, show its topics, and save it.

    Ctrl-C ends the fit after the present sweep; the model then has the draws so far.
    """
    settings: dict[str, Any] = {
        "n_topics": n_topics,
        "alpha": alpha,
        "beta": beta,
        "learn_alpha": learn_alpha,
        "learn_beta": learn_beta,
        "learn_how": learn_how,
        "sampler": sampler,
        "init": init,
        "n_sweeps": n_sweeps,
        "burn_in": int(burn_in) if burn_in.lstrip("+-").isdecimal() else burn_in,
        "thin": thin,
        "n_chains": n_chains,
        "n_jobs": n_jobs,
        "keep_draws": keep_draws,
        "random_state": random_state,
        "progress": not quiet,
        "allow_memory_overcommit": allow_memory_overcommit,
    }
    on_shards = scheduler is not None or workers is not None
    _check_before_reading(settings, every, output, checkpoint)
    if on_shards:
        check_settings_of_shards(settings, scheduler, workers)
    if quiet and not as_json and output is None and checkpoint is None:
        raise InputError(
            "--quiet without --output would leave nothing of the fit: give -o MODEL_DIR to save "
            "the model, or --json to print its topics."
        )
    with _sigterm_like_ctrl_c():
        with folder_for_a_model(output):
            went_on_from = sweeps_done(checkpoint)
            if on_shards:
                result = fit_shards(source, settings, output, checkpoint, scheduler, workers)
            else:
                with waiting(f"reading {source.path}", is_wanted=not quiet):
                    corpus = source.read()
                lda = _fitted(corpus, settings, checkpoint, every)
                if output is not None:
                    lda.save(output)
                result = lda.result_
        report = FitReport(result, source, output, checkpoint, went_on_from)
        if as_json:
            print_json(report.to_dict())
        elif not quiet:
            report.show()
        if report.is_interrupted:
            report.say_interrupted()
            raise typer.Exit(INTERRUPTED)


def _check_before_reading(
    settings: dict[str, Any], every: int, output: Path | None, checkpoint: Path | None
) -> None:
    """Refuse what is wrong whatever the input holds; the rest is checked once it is read."""
    check_n_topics(settings["n_topics"])
    for name in ("n_sweeps", "thin", "n_chains"):
        whole_number(name, settings[name], 1)
    whole_number("random_state", settings["random_state"], 0)
    whole_number("every", every, 1)
    n_workers(settings["n_jobs"])
    if settings["sampler"] != AUTO:
        find_sampler(settings["sampler"])
    learned = {name: settings[name] for name in ("learn_alpha", "learn_beta", "learn_how")}
    of_priors = dict.fromkeys(("alpha_prior", "beta_prior"), defaults.PRIOR_OF_PRIORS)
    PriorLearning.create(**learned, **of_priors)
    if None not in (output, checkpoint) and named_path(output) == named_path(checkpoint):
        raise InputError.of(
            "{output=} and {checkpoint=} are the same folder: [give two, one for the model and one "
            "for the run]."
        ).where(output=output, checkpoint=checkpoint)


def _fitted(corpus: Any, settings: dict[str, Any], checkpoint: Path | None, every: int) -> LDA:
    # scikit-learn takes a while to import: nobody waits for it to be told of a mistake.
    from blocklda.estimator.lda import LDA  # noqa: PLC0415

    lda = LDA(**settings)
    with warnings.catch_warnings():
        # Its advice is for Python; the report says the same for the command line.
        warnings.simplefilter("ignore", InterruptedFitWarning)
        try:
            return lda.fit(corpus, checkpoint=checkpoint, every=every)
        except KeyboardInterrupt:
            typer.echo(_why_no_model(lda, corpus, checkpoint), err=True)
            raise typer.Exit(INTERRUPTED) from None


def _why_no_model(lda: LDA, corpus: Any, checkpoint: Path | None) -> str:
    from blocklda.estimator.plan import FitPlan  # noqa: PLC0415

    schedule = FitPlan.create(lda, corpus).schedule
    done = sweeps_done(checkpoint)
    at = "" if done is None else f"at sweep {done:,}, "
    if checkpoint is None:
        goes_on = "with --checkpoint DIR the same command would continue from there"
    else:
        goes_on = "the same command continues from the checkpoint"
    return (
        f"blocklda: interrupted {at}before the first draw, which comes at sweep "
        f"{schedule.next_kept(0):,} after {schedule.burn_in:,} of burn-in: there is no model to "
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
