"""Folders of models and checkpoints on the command line: recognised, loaded, checked in advance."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

import blocklda
from blocklda.files.atomic_write import named_path
from blocklda.files.checkpoint import KINDS, SHARDED_RUN
from blocklda.files.folder_lock import LOCK_NAME, locked_folder
from blocklda.files.generations import Generations
from blocklda.files.model_file import MANIFEST, require_model_or_nothing
from blocklda.files.model_manifest import read_manifest
from blocklda.files.run_file import read_run_header
from blocklda.support import defaults
from blocklda.support.errors import FileFormatError, InputError

__all__ = [
    "ESTIMATORS",
    "LDA_ONLY",
    "ModelArgument",
    "estimator_of",
    "folder_for_a_model",
    "holds_a_run",
    "holds_a_run_on_shards",
    "is_model",
    "load",
    "sweeps_done",
]

ESTIMATORS = {"lda": "LDA", "hdp": "HDP", "mixture": "DPMixture"}
"""The estimators by the kinds of their models."""

LDA_ONLY = ("lda",)

ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Folder of a model, written by blocklda fit.")
]


def is_model(path: Path) -> bool:
    """Return True if a path names the folder of a model."""
    # Unlike the method of a path, it takes names that none can have and folders that are closed.
    return os.path.isfile(path / MANIFEST)


def estimator_of(model: str) -> Any:
    """Return the estimator of a kind of model. scikit-learn takes a while to import."""
    return getattr(blocklda, ESTIMATORS[model])


def load(
    folder: Path, n_jobs: int = defaults.N_JOBS, models: tuple[str, ...] = tuple(ESTIMATORS)
) -> Any:
    """Load a model of one of these kinds."""
    path = named_path(folder)  # refuses what may not be looked at
    if path.is_file():
        raise InputError(
            f"{folder} is a file, not a model: give the folder that blocklda fit -o wrote."
        )
    if not path.exists():
        raise InputError(
            f"{folder} does not exist: give the folder of a model, as written by blocklda fit -o."
        )
    if not is_model(path) and holds_a_run_on_shards(path):
        return _of_shards(folder, n_jobs)
    if not is_model(path) and holds_a_run(path):
        raise InputError(
            f"{folder} holds a checkpoint, not a model: to get the model, run the same fit command "
            "again with -o MODEL_DIR."
        )
    if not is_model(path):
        raise InputError(
            f"{folder} does not hold a model: give a folder that blocklda fit -o wrote."
        )
    kind = read_manifest(path).model
    if kind not in models:
        raise InputError(
            f"{folder} holds a model of kind {kind!r}, and this command reads only "
            f"{' and '.join(map(repr, models))}: give such a model (to_lda() of an HDP returns "
            "one)."
        )
    estimator = estimator_of(kind).load(folder)
    estimator.n_jobs = n_jobs
    return estimator


def _of_shards(folder: Path, n_jobs: int) -> Any:
    """Return the model of a run on shards, if this machine can hold it."""
    from blocklda import parallel  # noqa: PLC0415  # it takes a while to import

    estimator = parallel.load(folder).to_lda()
    estimator.n_jobs = n_jobs
    return estimator


@contextmanager
def folder_for_a_model(folder: Path | None) -> Iterator[None]:
    """Make sure that a model can be written to a folder, before the run that leads to one.

    If there is no model in the end, what was made for it, folders and a lock, is removed again.
    """
    if folder is None:
        yield
        return
    path = named_path(folder)
    require_model_or_nothing(path)
    made = [parent for parent in (path, *path.parents) if not parent.exists()]
    had_lock = (path / LOCK_NAME).exists()
    try:
        with locked_folder(path):
            pass
        yield
    finally:
        if not had_lock and not is_model(path):
            with suppress(OSError):
                (path / LOCK_NAME).unlink(missing_ok=True)
                for parent in made:
                    parent.rmdir()


def holds_a_run(folder: Path) -> bool:
    """Return True if a folder holds a run that a fit with --checkpoint keeps."""
    return bool(_runs(folder)) or holds_a_run_on_shards(folder)


def holds_a_run_on_shards(folder: Path) -> bool:
    """Return True if a folder holds the run of a fit on shards."""
    # A name that no file can have is not a model; opening it raises the error.
    return os.path.exists(folder / SHARDED_RUN)


def sweeps_done(folder: Path | None) -> int | None:
    """Return the sweeps of the run in a folder, None if there is none or nothing was done yet.

    As when a fit is resumed, the latest file that can be read is used.
    """
    if folder is None:
        return None
    if holds_a_run_on_shards(folder):
        return _sharded_sweeps_done(folder)
    for number in _runs(folder):
        try:
            chains = read_run_header(folder / Generations.name("run", number))["chains"]
            return min(int(chain["n_sweeps"]) for chain in chains) or None
        except (FileFormatError, KeyError, TypeError, ValueError):
            continue  # the fit itself says what is wrong with it
    return None


def _sharded_sweeps_done(folder: Path) -> int | None:
    return max(Generations(folder, ("sweep",)).numbers("sweep"), default=0) or None


def _runs(folder: Path) -> list[int]:
    """Return the numbers of the runs in a folder, the latest first."""
    try:
        return Generations(folder, KINDS).numbers("run")
    except (InputError, ValueError):  # no folder, or a name that none can have
        return []
