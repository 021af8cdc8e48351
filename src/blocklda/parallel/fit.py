"""`blocklda.parallel.fit`: chains on shards."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda.estimator.base_plan import (
    MAX_CHAINS,
    checked_keep_draws,
    checked_seconds,
    resolved_burn_in,
    resolved_sweeps,
)
from blocklda.estimator.plan import chain_starts, check_annealed_burn_in
from blocklda.files.atomic_write import named_path
from blocklda.files.folder_lock import locked_folder
from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.models.lda.prior_learning import PriorChoice, PriorLearning
from blocklda.models.lda.priors import check_n_topics
from blocklda.models.lda.samplers.grid.sampler import GRID
from blocklda.models.lda.samplers.openings import is_annealed
from blocklda.models.lda.starts.choose import check_start
from blocklda.parallel import tasks
from blocklda.parallel.clients import connected
from blocklda.parallel.first_topics import SampledDocuments
from blocklda.parallel.learning import LearningChain
from blocklda.parallel.machines import Machines
from blocklda.parallel.one_process import one_process
from blocklda.parallel.plan import CORPUS, GIVEN, SAMPLERS_ON_SHARDS, ShardedPlan
from blocklda.parallel.run import (
    RuleOnShards,
    ShardedChain,
    ShardedRun,
    SweptChain,
    chain_folder,
    model_of,
    planned,
    require_sharded_or_nothing,
    started,
)
from blocklda.parallel.sharded_fit import ShardedFit, require_memory_for_lda
from blocklda.parallel.sources import TextOptions, sharded_corpus
from blocklda.parallel.sweep_files import SweepFiles
from blocklda.parallel.watched import Watched
from blocklda.run.engine import Ending, advance
from blocklda.run.progress import fit_progress
from blocklda.run.schedule import Schedule
from blocklda.support import defaults
from blocklda.support.arrays import Ints
from blocklda.support.checks import random_generator, seed_sequence, whole_number
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed, Given, Message, Setting

__all__ = ["fit"]


def fit(
    client: Any,
    corpus_shards: Any,
    n_topics: int,
    *,
    alpha: ArrayLike = defaults.ALPHA,
    beta: ArrayLike = defaults.BETA,
    sampler: str = defaults.SAMPLER_ON_SHARDS,
    learn_alpha: str = "none",
    learn_beta: str | bool = "none",
    learn_how: str = defaults.LEARN_HOW,
    alpha_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS,
    beta_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS,
    n_chains: int = defaults.N_CHAINS,
    n_sweeps: int | str = defaults.N_SWEEPS_ON_SHARDS,
    burn_in: int | str = defaults.BURN_IN,
    thin: int = defaults.THIN,
    seed: int | np.random.SeedSequence | None = defaults.SEED,
    init: str | ArrayLike = defaults.RANDOM_INIT,
    max_block: int | None = None,
    max_seconds: float | None = None,
    keep_draws: bool | int = True,
    to_lda: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    n_workers: int | None = None,
    out_of_core: bool = False,
    n_jobs: int | None = None,
    vocabulary: Any = None,
    text_column: str | None = None,
    id_column: str | None = None,
    progress: bool = True,
    **text_settings: Any,
) -> ShardedFit:
    """Sample the posterior of the topics of documents that are in shards.

    The draws are those of ``Chain(corpus, n_topics, sampler=sampler, seed=seed, shards=[documents
    of each shard])`` on one machine, to the bit, whatever the workers.

    Parameters
    ----------
    client
        A ``dask.distributed.Client``, the address of a scheduler, or None for a cluster on this
        machine that ends with the fit.
    corpus_shards
        The folder of a sharded corpus, which ``blocklda convert --shards`` writes; a list of
        :class:`~blocklda.Corpus` over the same words; or texts: a folder of Parquet, CSV or JSON
        lines files, or of one text in each, which may be an address of fsspec such as
        ``s3://bucket/folder``; a Dask bag of strings or a Dask dataframe. Of these, each file or
        partition is a shard.
    n_topics, n_sweeps, thin, max_block
        As for :class:`~blocklda.LDA` and :class:`~blocklda.Chain`. With ``n_sweeps="auto"`` the fit
        ends when its answer has settled.
    alpha, beta
        As for :class:`~blocklda.Chain`: "auto" is 0.1 for alpha and 0.01 for beta.
    sampler
        "partially-collapsed" for any number of workers and a corpus of any size, or "grid": fewer
        sweeps to the same result, but all shards stay in memory, and at most 16 workers have work
        at a time. "grid" takes one number for beta, and no annealed start.
    learn_alpha, learn_beta, learn_how, alpha_prior, beta_prior
        What is learned of the priors from the counts of all shards, as for
        :class:`~blocklda.LDA`; nothing unless it is asked for. "auto" learns what was not given.
    n_chains
        Chains, which take turns at every sweep. With several of them each has the stream that
        ``LDA(random_state=seed)`` gives it; one has that of ``Chain(seed=seed)``.
    burn_in
        "auto" is 100, but at most half of n_sweeps.
    seed, init
        As for :class:`~blocklda.Chain`; with ``init="auto"`` chains start as those of
        :class:`~blocklda.LDA` do. A variational start of more than five million tokens is worked
        out from a part of the documents.
    max_seconds
        Seconds after which the fit ends with the draws it has, those of earlier calls included.
    keep_draws
        How many draws of a chain have the topics of all tokens in files, of more every second or
        fourth: True for 32, and 16 of several chains; False for none. Averages are over all.
    to_lda
        Whether :meth:`ShardedFit.to_lda` is going to be called: if this machine has not the memory
        for it, that is said before the first sweep.
    checkpoint
        A folder that all machines share. The topics of every shard are kept there after every
        sweep, and the same call again resumes the run. Without it they are in a temporary
        folder, which is for workers on this machine.
    n_workers
        For a local cluster: a number of processes; as many as there are processors if nothing is
        said.
    out_of_core
        True for this process alone, without Dask: one shard after the other is read from its file
        and swept, so that the corpus may be larger than memory. ``client`` is None then. As many
        shards as have room stay in memory.
    n_jobs
        Threads of a fit that is out of core, all cores if nothing is said.
    vocabulary, text_column, id_column, **text_settings
        For texts, as for :func:`~blocklda.read_corpus`. Without a vocabulary the words of all
        shards are counted first.
    progress
        Whether to show a bar, if standard error is a terminal or a notebook.
    """
    n_topics = check_n_topics(n_topics)
    burn_in_given = burn_in
    burn_in = resolved_burn_in(burn_in, n_sweeps, is_long=True)
    choice = PriorChoice.resolve(alpha, beta, learn_alpha, learn_beta).within(burn_in, learn_how)
    settings = {
        "n_topics": n_topics,
        "alpha": choice.alpha,
        "beta": choice.beta,
        "burn_in": burn_in_given,
        "thin": thin,
        "seed": seed,
        "init": init,
        "max_block": None if max_block is None else whole_number("max_block", max_block, 1),
        "keep_draws": keep_draws,
    }
    learning = PriorLearning.create(
        choice.learn_alpha, choice.learn_beta, learn_how, alpha_prior, beta_prior
    )
    if learning.is_active:  # runs that learn nothing have the settings of those before
        settings["learning"] = list(astuple(learning))
    sampler = _checked_sampler(sampler, init, out_of_core=out_of_core)
    if sampler != defaults.SAMPLER_ON_SHARDS:
        settings["sampler"] = sampler
    n_chains = whole_number("n_chains", n_chains, 1, MAX_CHAINS)
    if n_chains > 1:
        settings["n_chains"] = n_chains
    max_draws = checked_keep_draws(keep_draws, n_chains)
    seconds = checked_seconds(max_seconds)
    thin = whole_number("thin", thin, 1)
    n_sweeps, is_auto = resolved_sweeps(n_sweeps, burn_in, thin)
    schedule = Schedule.create(n_sweeps, burn_in, thin)
    starts = _starts(init, _seeds(seed, n_chains), burn_in)
    texts = TextOptions.of(text_settings, vocabulary, text_column, id_column)
    with ExitStack() as stack:
        folder = stack.enter_context(_folder(checkpoint))
        machines: Machines
        if out_of_core:
            machines = one_process(client, n_workers, n_jobs)
        else:
            machines = stack.enter_context(_cluster(client, n_workers, n_jobs, folder, checkpoint))
        corpus = sharded_corpus(corpus_shards, folder / CORPUS, machines, texts)
        if to_lda:
            require_memory_for_lda(corpus, n_topics, n_chains * min(schedule.n_draws, max_draws))
        plans = planned(
            folder, corpus, machines, settings, schedule, learning, max_draws, starts, sampler
        )
        for plan in plans:
            stack.callback(machines.forget, plan)
        watched = Watched.choose(corpus) if plans[0].is_watched else None
        lengths = _doc_lengths(corpus, machines) if learning.is_active else None
        swept = _swept(plans, folder, machines, watched, lengths, init)
        shown = fit_progress(schedule.n_sweeps, is_wanted=progress, is_limit=is_auto)
        run = ShardedRun(swept, model_of(plans[0], watched), stack.enter_context(shown))
        before, sent_before = run.n_sweeps, machines.bytes_sent()
        ending = _advance(run, swept, plans[0].schedule, seconds, is_auto=is_auto)
        n_new = max(1, run.n_sweeps - before)
        bytes_sent = max(0, machines.bytes_sent() - sent_before) / n_new
    return ShardedFit(
        run.chains,
        folder,
        init=init,
        seed=seed,
        ending=ending,
        bytes_sent=bytes_sent,
        is_temporary=checkpoint is None,
    )


def _swept(
    plans: Sequence[ShardedPlan],
    folder: Path,
    machines: Machines,
    watched: Watched | None,
    doc_lengths: Ints | None,
    init: Any,
) -> list[SweptChain]:
    """Return the chains at their latest sweeps, or at their starts."""
    corpus, swept = plans[0].corpus, []
    documents = SampledDocuments(
        corpus, lambda every: _of_shards(corpus, machines, tasks.some_documents, every)
    )
    for number, plan in enumerate(plans):
        place = chain_folder(folder, number)
        sweeps, files = machines.sweeps(plan, place), SweepFiles(place, plan)
        record = started(place, plan, sweeps, files, init, documents)
        chain = ShardedChain(number, plan, place, record)
        swept.append(SweptChain(chain, sweeps, files, LearningChain(plan, doc_lengths), watched))
    return swept


def _advance(
    run: ShardedRun,
    swept: Sequence[SweptChain],
    schedule: Schedule,
    max_seconds: float,
    *,
    is_auto: bool,
) -> Ending:
    """Sweep to the end of the schedule or until the answer has settled; return what ended it."""
    rules = [RuleOnShards(schedule, swept[0])] if is_auto else []
    if rules and run.n_sweeps and rules[0].look(run):
        ending = Ending.SETTLED  # the run in the folder has ended already
    else:
        ending = advance(run, schedule, observers=rules, max_seconds=max_seconds)
    if not all(chain.n_draws for chain in run.chains):
        raise KeyboardInterrupt
    for one in swept:
        one.write(run.seconds)
    return Ending.CAP if is_auto and ending is Ending.SCHEDULE else ending


def _checked_sampler(sampler: Any, init: Any, *, out_of_core: bool) -> str:
    """Return a sampler that there is for shards, and for what else was asked."""
    choices = " or ".join(map(repr, SAMPLERS_ON_SHARDS))
    if sampler not in SAMPLERS_ON_SHARDS:
        raise InputError.of("{sampler=} is no sampler for shards: [give {choices}].").where(
            sampler=sampler, choices=Allowed(choices, choices=SAMPLERS_ON_SHARDS)
        )
    other = Setting("sampler", defaults.SAMPLER_ON_SHARDS)
    if sampler == GRID.name and out_of_core:
        raise InputError.of(
            "{sampler=} visits every shard several times in a sweep, and is not available with "
            "{out_of_core=True}: [use {other}, or workers]."
        ).where(sampler=sampler, other=other)
    if sampler == GRID.name and isinstance(init, str) and is_annealed(init):
        raise InputError.of(
            "{init=} is not available with {sampler=} on shards: [give another start, or use "
            "{other}]."
        ).where(init=init, sampler=sampler, other=other)
    return str(sampler)


def _seeds(seed: Any, n_chains: int) -> list[Any]:
    """Return the seed of each chain: one chain has that of a chain, several those of a fit."""
    return [seed] if n_chains == 1 else list(seed_sequence("seed", seed).spawn(n_chains))


def _starts(init: Any, seeds: list[Any], burn_in: int) -> list[tuple[str, np.random.Generator]]:
    """Return where each chain starts, with its stream."""
    names = [one if isinstance(one, str) else GIVEN for one in chain_starts(init, len(seeds))]
    if isinstance(init, str):
        for name in names:
            check_start(name)
    if any(is_annealed(name) for name in names):
        check_annealed_burn_in(burn_in)
    return [(name, random_generator(seed)) for name, seed in zip(names, seeds, strict=True)]


def _doc_lengths(corpus: ShardedCorpus, machines: Machines) -> Ints:
    """Return the tokens of every document: with them priors are learned, 8 bytes for each."""
    return np.concatenate(_of_shards(corpus, machines, tasks.doc_lengths))


def _of_shards(
    corpus: ShardedCorpus, machines: Machines, do: Callable[..., Any], *given: Any
) -> list[Any]:
    arguments = [(str(corpus.folder), i, *given) for i in range(len(corpus.shards))]
    return machines.each(do, arguments, [shard.n_tokens for shard in corpus.shards])


@contextmanager
def _cluster(
    client: Any,
    n_workers: int | None,
    n_jobs: int | None,
    folder: Path,
    checkpoint: str | os.PathLike[str] | None,
) -> Iterator[Machines]:
    """Give a cluster that sees the folder of the run."""
    if n_jobs is not None:
        raise InputError.of(
            "{n_jobs=} is for {out_of_core=True}: [leave it out; {n_workers} are processes]."
        ).where(n_jobs=n_jobs)
    with connected(client, n_workers) as cluster:
        cluster.goes_on = _how_to_go_on(checkpoint)
        cluster.require_workers()
        cluster.require_shared(folder, is_given=checkpoint is not None)
        yield cluster


@contextmanager
def _folder(checkpoint: str | os.PathLike[str] | None) -> Iterator[Path]:
    """Give the folder of a run, which nobody else may use meanwhile.

    A temporary one stays for as long as the result does; after an error it goes.
    """
    if checkpoint is None:
        folder = Path(tempfile.mkdtemp(prefix="blocklda-")).resolve()
        try:
            with locked_folder(folder):
                yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return
    folder = named_path(checkpoint)
    if folder.exists() and not folder.is_dir():
        raise InputError.of("{given} is a file: [give the name of a folder].").where(
            given=Given("checkpoint", checkpoint, shown=repr(str(checkpoint)))
        )
    with locked_folder(folder):
        require_sharded_or_nothing(folder)
        yield folder


def _how_to_go_on(checkpoint: str | os.PathLike[str] | None) -> str:
    if checkpoint is None:
        return Message.of(
            "The sweeps are lost; with {checkpoint=} the same call would continue from the last."
        )
    given = Setting("checkpoint", checkpoint, shown=repr(str(checkpoint)))
    return Message.of("The same call with {given} continues from the last whole sweep.").where(
        given=given
    )
