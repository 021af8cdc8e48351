"""One fit: a run is started or resumed, watched, and its results are gathered."""

from __future__ import annotations

import os
import warnings
from contextlib import ExitStack
from typing import TypeVar

from blocklda.estimator.base_plan import BasePlan
from blocklda.files.chain_file import warn_of_draw_order
from blocklda.files.checkpoint import Checkpoint, open_checkpoint
from blocklda.results.result import FitResult
from blocklda.run.engine import DrawCallback, Ending, Observer
from blocklda.run.progress import fit_progress
from blocklda.run.run import Run
from blocklda.run.settings import first_difference
from blocklda.summaries.topics_so_far import topics_so_far
from blocklda.support.errors import ConvergenceWarning, InputError, InterruptedFitWarning
from blocklda.support.messages import Given

__all__ = ["forked_run", "run_fit"]


Planned = TypeVar("Planned", bound=BasePlan)


def run_fit(
    plan: Planned,
    earlier: Run | None,
    callback: DrawCallback | None,
    *,
    checkpoint: str | os.PathLike[str] | None,
    every: int,
    show_progress: bool,
) -> tuple[Run, Planned, Ending]:
    """Return a run at the end of its plan, or where something ended it before, and what did.

    What memory cannot bear is refused before anything is read or sampled.

    A run in the checkpoint's folder is continued; else ``earlier`` is; else one is started. The
    plan is the one that was followed: a run in the checkpoint's folder has its own burn-in.
    """
    plan.require_memory(earlier)
    with ExitStack() as stack:
        opened: Checkpoint | None = None
        run: Run | None = None
        if checkpoint is not None:
            burn_in = plan.schedule.burn_in
            opened = stack.enter_context(open_checkpoint(checkpoint, every, plan.settings, burn_in))
            run = opened.read(plan.read_run)
            plan = plan.with_burn_in(opened.burn_in)
        is_resumed = run is not None
        if run is None:
            run = plan.start() if earlier is None else earlier
            plan = plan.continued(run.n_sweeps)
            if opened is not None:
                opened.write(run)  # a folder that cannot be written shows before the first sweep
        elif plan.schedule.n_sweeps < run.n_sweeps:
            raise InputError.of(
                "{n_sweeps=} is less than the {run.n_sweeps} sweeps already done by the run in "
                "{checkpoint=!r}: [give a larger {n_sweeps}, or another folder to restart]."
            ).where(n_sweeps=plan.schedule.n_sweeps, run=run, checkpoint=str(checkpoint))
        elif earlier is not None and not run.shares_its_past_with(earlier):
            raise InputError.of(
                "{given} holds a different run from the previous fit, which {warm_start=True} "
                "continues: [give another folder, or set {warm_start=False} to continue the run "
                "in this folder]."
            ).where(given=Given("checkpoint", checkpoint, shown=repr(str(checkpoint))))
        warn_of_draw_order((part.chain for part in run.chains), stacklevel=3)
        # The rule looks first: what it saw is then in the checkpoint of the same sweep.
        rule = plan.stopping_rule()
        observers: tuple[Observer[Run], ...] = (rule,) if opened is None else (rule, opened)
        if is_resumed and run.n_sweeps and rule.look(run):
            return run, plan, Ending.SETTLED  # the run in the folder has ended already
        bar = fit_progress(
            plan.schedule.n_sweeps,
            is_wanted=show_progress,
            is_limit=plan.stops_when_settled,
            lines_below=topics_so_far,
        )
        ending = run.advance(
            plan.schedule,
            n_workers=plan.n_workers,
            n_threads=plan.n_threads,
            callback=callback,
            observers=observers,
            on_progress=stack.enter_context(bar),
            max_seconds=plan.max_seconds,
        )
    run.release_tables()
    if ending is Ending.INTERRUPT:
        _report_interrupt(run)
    if ending is Ending.SCHEDULE and plan.stops_when_settled:
        ending = Ending.CAP
    return run, plan, ending


def _report_interrupt(run: Run) -> None:
    """Say that Ctrl-C ended a fit; without a single draw there is nothing to return."""
    if run.n_draws == 0:
        raise KeyboardInterrupt
    warnings.warn(
        InterruptedFitWarning.of(
            "the fit was interrupted after {run.n_sweeps} sweeps; its {run.n_draws} draws are "
            "kept, and [{warm_start=True} or the checkpoint continues from there]."
        ).where(run=run),
        stacklevel=4,
    )


def forked_run(before: FitResult, plan: BasePlan) -> Run:
    """Return the run of the fit before, to be continued while the old one stays as it is."""
    earlier = before.run
    if earlier is None or earlier.corpus.fingerprint != plan.corpus.fingerprint:
        raise InputError.of(
            "X ({plan.corpus.n_docs} documents, {plan.corpus.n_words} words, "
            "{plan.corpus.n_tokens} tokens) is not that of the previous fit "
            "({before.corpus.n_docs}, {before.corpus.n_words}, {before.corpus.n_tokens}, or the "
            "same numbers with other counts), and {warm_start=True} continues its chains: [pass "
            "the same X, or set {warm_start=False} to restart]."
        ).where(plan=plan, before=before, parameter="X")
    difference = first_difference(before.settings, plan.settings)
    if difference is not None:
        name, was, now = difference
        raise InputError.of(
            "{given} was {was} in the previous fit, and {warm_start=True} continues its chains: "
            "[set it back, or set {warm_start=False} to restart]."
        ).where(given=Given(name, now, shown=now), was=was)
    if plan.stops_when_settled:
        return earlier.fork()
    n_sweeps = plan.schedule.n_sweeps
    if n_sweeps < earlier.n_sweeps:
        raise InputError.of(
            "{n_sweeps=} is less than the {earlier.n_sweeps} sweeps already done, and "
            "{warm_start=True} continues from there: [give a larger {n_sweeps}, or set "
            "{warm_start=False} to restart]."
        ).where(n_sweeps=n_sweeps, earlier=earlier)
    if n_sweeps == earlier.n_sweeps:
        warnings.warn(
            ConvergenceWarning.of(
                "all {n_sweeps=} sweeps were already done, so nothing was added; {n_sweeps} is "
                "the total over all fits: [increase it to continue]."
            ).where(n_sweeps=n_sweeps),
            stacklevel=4,
        )
    return earlier.fork()
