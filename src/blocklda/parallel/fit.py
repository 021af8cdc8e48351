"""`blocklda.parallel.fit`: one chain of the partially collapsed sampler, on shards."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda.data.text_settings import TextSettings
from blocklda.estimator.base_plan import resolved_burn_in
from blocklda.files.atomic_write import named_path
from blocklda.files.folder_lock import locked_folder
from blocklda.models.lda.prior_learning import given_priors
from blocklda.models.lda.priors import check_n_topics
from blocklda.parallel.clients import connected
from blocklda.parallel.cluster_sweeps import ClusterSweeps
from blocklda.parallel.plan import CORPUS
from blocklda.parallel.run import ShardedRun, planned, require_sharded_or_nothing, started
from blocklda.parallel.sharded_fit import ShardedFit, require_memory_for_lda
from blocklda.parallel.sources import TextOptions, sharded_corpus
from blocklda.parallel.sweep_files import SweepFiles
from blocklda.parallel.worker_memory import RunPlace, forget_run
from blocklda.run.engine import advance
from blocklda.run.progress import sweeps_progress
from blocklda.run.schedule import Schedule
from blocklda.support import defaults
from blocklda.support.checks import random_generator, whole_number
from blocklda.support.errors import InputError
from blocklda.support.messages import Given, Message, Setting

__all__ = ["fit"]


def fit(
    client: Any,
    corpus_shards: Any,
    n_topics: int,
    *,
    alpha: ArrayLike = defaults.ALPHA,
    beta: ArrayLike = defaults.BETA,
    n_sweeps: int = defaults.N_SWEEPS_ON_SHARDS,
    burn_in: int | str = defaults.BURN_IN,
    thin: int = defaults.THIN,
    seed: int | np.random.SeedSequence | None = defaults.SEED,
    init: str | ArrayLike = defaults.RANDOM_INIT,
    max_block: int | None = None,
    keep_draws: bool = True,
    to_lda: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    n_workers: int | None = None,
    vocabulary: Any = None,
    text_column: str | None = None,
    id_column: str | None = None,
    progress: bool = True,
    **text_settings: Any,
) -> ShardedFit:
    """Sample the posterior of the topics of documents that are in shards.

    The draws are those of ``Chain(corpus, n_topics, sampler="partially-collapsed", seed=seed,
    shards=[documents of each shard])`` on one machine, to the bit, whatever the workers.

    Parameters
    ----------
    client
        A ``dask.distributed.Client``, the address of a scheduler, or None for a cluster on this
        machine that ends with the fit.
    corpus_shards
        The folder of a sharded corpus, which ``blocklda convert --shards`` writes; a list of
        :class:`~blocklda.Corpus` over the same words; or texts: a folder of Parquet files, a Dask
        bag of strings or a Dask dataframe. Of these, each file or partition is a shard.
    n_topics, n_sweeps, thin, max_block
        As for :class:`~blocklda.LDA` and :class:`~blocklda.Chain`.
    alpha, beta
        As for :class:`~blocklda.Chain`. A fit on shards learns no priors: "auto" is 0.1 for alpha
        and 0.01 for beta.
    burn_in
        "auto" is 100, but at most half of n_sweeps.
    seed, init
        As for :class:`~blocklda.Chain`; ``init`` is "random" or one topic per token.
    keep_draws
        Whether the topics of kept sweeps stay in files.
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
    vocabulary, text_column, id_column, **text_settings
        For texts, as for :func:`~blocklda.read_corpus`. Without a vocabulary the words of all
        shards are counted first.
    progress
        Whether to show a bar, if standard error is a terminal or a notebook.
    """
    n_topics = check_n_topics(n_topics)
    alpha, beta = given_priors(alpha, beta)
    settings = {
        "n_topics": n_topics,
        "alpha": alpha,
        "beta": beta,
        "burn_in": burn_in,
        "thin": thin,
        "seed": seed,
        "init": init,
        "max_block": None if max_block is None else whole_number("max_block", max_block, 1),
        "keep_draws": bool(keep_draws),
    }
    schedule = Schedule.create(n_sweeps, resolved_burn_in(burn_in, n_sweeps, is_long=True), thin)
    rng = random_generator(seed)
    if isinstance(init, str) and init != "random":
        raise InputError.of(
            '{init=} is not for shards: [choose <"random", or give one topic per token>].'
        ).where(init=init)
    texts = TextOptions(
        vocabulary,
        text_column,
        id_column,
        TextSettings.from_dict(text_settings) if text_settings else None,
    )
    with ExitStack() as stack:
        folder = stack.enter_context(_folder(checkpoint))
        cluster = stack.enter_context(connected(client, n_workers))
        cluster.goes_on = _how_to_go_on(checkpoint)
        cluster.require_workers()
        cluster.require_shared(folder, is_given=checkpoint is not None)
        corpus = sharded_corpus(corpus_shards, folder / CORPUS, cluster, texts)
        if to_lda:
            require_memory_for_lda(corpus, n_topics, schedule.n_draws)
        plan = planned(folder, corpus, cluster, settings, schedule, rng)
        place = RunPlace(str(folder), plan.run)
        stack.callback(cluster.tell, forget_run, plan.run)
        sweeps = ClusterSweeps(cluster, plan, place)
        files = SweepFiles(folder, plan)
        record = started(folder, plan, sweeps, files, init)
        before, sent_before = record.n_sweeps, cluster.bytes_sent()
        shown = sweeps_progress(n_sweeps, corpus.n_tokens, before, is_wanted=progress)
        run = ShardedRun(plan, sweeps, record, stack.enter_context(shown))
        advance(run, plan.schedule, observers=[files])
        n_new = max(1, record.n_sweeps - before)
        bytes_sent = max(0, cluster.bytes_sent() - sent_before) / n_new
        if not record.kept:
            raise KeyboardInterrupt
    return ShardedFit(
        plan,
        record,
        folder,
        init=init,
        seed=seed,
        bytes_sent=bytes_sent,
        is_temporary=checkpoint is None,
    )


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
