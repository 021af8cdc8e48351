"""One fit: a run is started or gone on with, watched, and its results are gathered."""

from __future__ import annotations

import os
import warnings
from contextlib import ExitStack

from blocklda.estimator.plan import FitPlan
from blocklda.files.checkpoint import Checkpoint, open_checkpoint
from blocklda.models.lda.memory import require_memory_for_fit
from blocklda.results.result import FitResult
from blocklda.run.engine import DrawCallback
from blocklda.run.progress import fit_progress
from blocklda.run.run import Run
from blocklda.run.settings import first_difference
from blocklda.support.errors import ConvergenceWarning, InputError, InterruptedFitWarning
from blocklda.support.messages import Given, Named, Remedy, Setting

__all__ = ["forked_run", "run_fit"]


def run_fit(
    plan: FitPlan,
    earlier: Run | None,
    callback: DrawCallback | None,
    *,
    checkpoint: str | os.PathLike[str] | None,
    every: int,
    show_progress: bool,
) -> tuple[Run, FitPlan]:
    """Return a run at the end of its plan, or where the callback or Ctrl-C ended it.

    What memory cannot bear is refused before anything is read or sampled.

    A run in the checkpoint's folder is gone on with; else ``earlier`` is; else one is started. The
    plan is the one that was followed: a run in the checkpoint's folder has its own burn-in.
    """
    require_memory_for_fit(plan.size(earlier))
    with ExitStack() as stack:
        opened: Checkpoint | None = None
        run: Run | None = None
        if checkpoint is not None:
            burn_in = plan.schedule.burn_in
            opened = stack.enter_context(open_checkpoint(checkpoint, every, plan.settings, burn_in))
            run = opened.read(plan.read_run)
            plan = plan.with_burn_in(opened.burn_in)
        if run is None:
            run = plan.start() if earlier is None else earlier
            if opened is not None:
                opened.write(run)  # a folder that cannot be written shows before the first sweep
        elif plan.schedule.n_sweeps < run.n_sweeps:
            raise InputError(
                Given("n_sweeps", plan.schedule.n_sweeps),
                f" is less than the {run.n_sweeps} sweeps already done by the run in ",
                Setting("checkpoint", str(checkpoint), shown=repr(str(checkpoint))),
                ": ",
                Remedy("give a larger ", Named("n_sweeps"), ", or another folder to start anew"),
                ".",
            )
        elif earlier is not None and not run.shares_its_past_with(earlier):
            raise InputError(
                Given("checkpoint", checkpoint, shown=repr(str(checkpoint))),
                " holds another run than the fit before, and ",
                Setting("warm_start", True),
                " goes on with that: ",
                Remedy(
                    "give another folder, or set ",
                    Setting("warm_start", False),
                    " to go on with the run in this one",
                ),
                ".",
            )
        bar = fit_progress(plan.schedule.n_sweeps, is_wanted=show_progress)
        is_whole = run.advance(
            plan.schedule,
            n_workers=plan.n_workers,
            n_threads=plan.n_threads,
            callback=callback,
            observers=[] if opened is None else [opened],
            on_progress=stack.enter_context(bar),
        )
    run.release_tables()
    if not is_whole:
        _report_interrupt(run)
    return run, plan


def _report_interrupt(run: Run) -> None:
    """Say that Ctrl-C ended a fit; without a single draw there is nothing to return."""
    if run.n_draws == 0:
        raise KeyboardInterrupt
    warnings.warn(
        InterruptedFitWarning(
            f"the fit was interrupted after {run.n_sweeps} sweeps; its {run.n_draws} draws count, "
            "and ",
            Remedy(Setting("warm_start", True), " or the checkpoint goes on from there"),
            ".",
        ),
        stacklevel=4,
    )


def forked_run(before: FitResult, plan: FitPlan) -> Run:
    """Return the run of the fit before, to be continued while the old one stays as it is."""
    earlier = before.run
    if earlier is None or earlier.corpus.fingerprint != plan.corpus.fingerprint:
        raise InputError(
            f"X ({plan.corpus.n_docs} documents, {plan.corpus.n_words} words, "
            f"{plan.corpus.n_tokens} tokens) is not what the fit before had "
            f"({before.corpus.n_docs}, {before.corpus.n_words}, {before.corpus.n_tokens}, "
            "or the same numbers with other counts), and ",
            Setting("warm_start", True),
            " goes on with its chains: ",
            Remedy("pass the same X, or set ", Setting("warm_start", False), " to start anew"),
            ".",
            parameter="X",
        )
    difference = first_difference(before.settings, plan.settings)
    if difference is not None:
        name, was, now = difference
        raise InputError(
            Given(name, now, shown=now),
            f" was {was} in the fit before, and ",
            Setting("warm_start", True),
            " goes on with its chains: ",
            Remedy("set it back, or set ", Setting("warm_start", False), " to start anew"),
            ".",
        )
    n_sweeps = plan.schedule.n_sweeps
    if n_sweeps < earlier.n_sweeps:
        raise InputError(
            Given("n_sweeps", n_sweeps),
            f" is less than the {earlier.n_sweeps} sweeps already done, and ",
            Setting("warm_start", True),
            " goes on from there: ",
            Remedy(
                "give a larger ",
                Named("n_sweeps"),
                ", or set ",
                Setting("warm_start", False),
                " to start anew",
            ),
            ".",
        )
    if n_sweeps == earlier.n_sweeps:
        warnings.warn(
            ConvergenceWarning(
                "all ",
                Given("n_sweeps", n_sweeps),
                " sweeps were already done, so nothing was added; ",
                Named("n_sweeps"),
                " counts the sweeps of all fits together: ",
                Remedy("raise it to go on"),
                ".",
            ),
            stacklevel=4,
        )
    return earlier.fork()
