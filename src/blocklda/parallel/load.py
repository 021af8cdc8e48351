"""`blocklda.parallel.load`: what a run on shards has left in its folder, without a cluster."""

from __future__ import annotations

import os

from blocklda.files.atomic_write import named_path
from blocklda.files.checkpoint import SHARDED_RUN
from blocklda.files.sharded_corpus import MANIFEST, ShardedCorpus
from blocklda.models.lda.starts.choose import INITS
from blocklda.parallel.plan import CORPUS, read_plan, read_settings
from blocklda.parallel.run import ShardedChain, chain_folder
from blocklda.parallel.sharded_fit import ShardedFit
from blocklda.parallel.sweep_files import SweepFiles
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["load"]


def load(checkpoint: str | os.PathLike[str]) -> ShardedFit:
    """Return the fit whose run is in a folder, at its last sweep that can be read.

    ``checkpoint`` is the folder that :func:`blocklda.parallel.fit` was given. The documents of the
    shards are not read before they are asked for.
    """
    folder = named_path(checkpoint)
    if not (folder / SHARDED_RUN).is_file():
        raise InputError(
            f"{str(checkpoint)!r} holds no run on shards: give the checkpoint folder of "
            "parallel.fit or of blocklda fit --scheduler."
        )
    # Shards that were made for the run are in its folder, wherever that is by now.
    own = folder / CORPUS
    plan = read_plan(folder, ShardedCorpus.open(own) if (own / MANIFEST).is_file() else None)
    if read_settings(folder)[1] != plan.corpus.fingerprint:
        raise FileFormatError(
            f"the shards in {plan.corpus.folder} are not those of the run in {folder}: put the "
            "documents back that it was made with."
        )
    chains = []
    for number in range(int(plan.settings.get("n_chains", 1))):
        place = chain_folder(folder, number)
        of_chain = plan if number == 0 else read_plan(place, plan.corpus)
        found = SweepFiles(place, of_chain).latest()
        if found is None or not found.kept:
            raise InputError(f"the run in {folder} has no draw yet: continue its fit first.")
        chains.append(ShardedChain(number, of_chain, place, found))
    init, seed = plan.settings["init"], plan.settings["seed"]
    return ShardedFit(
        chains,
        folder,
        init=init if init in ("auto", *INITS) else None,
        seed=seed if isinstance(seed, int) else None,
    )
