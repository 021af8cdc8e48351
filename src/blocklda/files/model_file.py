"""Models on disk: a folder of JSON and NPZ files, versioned, with no code in them.

`model.json` says what the model is and names the other files. It is renamed into its place after
they are all there, so the folder holds the old model or the new one, whatever happens while saving.
Every model's files have names of their own, so nobody reads some of the one and some of the other;
at worst they are removed while somebody reads, who then reads the new model instead.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from blocklda.data.corpus import Corpus
from blocklda.files.archive import open_archive, write_archive
from blocklda.files.atomic_write import cannot_write, finished_name, named_path
from blocklda.files.corpus_file import read_corpus_file, write_corpus_file
from blocklda.files.folder_lock import LOCK_NAME, locked_folder
from blocklda.files.model_manifest import MANIFEST, NAME, PARTS, Manifest, read_manifest
from blocklda.files.run_file import write_draws, write_run
from blocklda.run.run import Run
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["MANIFEST", "ModelFolder", "from_model", "require_model_or_nothing", "write_model"]

PARAMETERS_KIND, PARAMETERS_VERSION = "blocklda parameters", 1
PATIENCE_SECONDS = 60.0
"""For how long a model is read again that others replace meanwhile: on a busy machine a process
that saves again and again may be faster than one that reads many times in a row."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class ModelFolder:
    """What a model's folder holds; each file is compared with its digest before it is read."""

    manifest: Manifest

    def corpus(self) -> Corpus:
        """Read the corpus."""
        return read_corpus_file(self.manifest.located("corpus"))

    def parameters(self) -> dict[str, Any]:
        """Read the parameters of the estimator, as they were saved."""
        return _read_parameters(self.manifest.located("parameters"), self.manifest.parameters)

    def run(self) -> Path:
        """Return the file of the run."""
        return self.manifest.located("run")

    def draws(self) -> Path | None:
        """Return the file of the draws, None if the model was saved without."""
        return self.manifest.located("draws") if "draws" in self.manifest.files else None


def write_model(
    folder: Any,
    run: Run,
    parameters: Mapping[str, Any],
    facts: Mapping[str, Any],
    *,
    with_draws: bool,
) -> None:
    """Write a model: all files under new names, then the manifest that makes them the model."""
    path = named_path(folder)
    require_model_or_nothing(path)
    with locked_folder(path):
        key = secrets.token_hex(4)
        parts = PARTS if with_draws else tuple(part for part in PARTS if part != "draws")
        files = {part: f"{part}-{key}.npz" for part in parts}
        with _removed_unless_named(path, files):
            write_corpus_file(path / files["corpus"], run.corpus)
            write_run(path / files["run"], run, {}, with_draws=with_draws, is_packed=True)
            if with_draws:
                write_draws(path / files["draws"], run.draws, run.model, is_packed=True)
            plain = _write_parameters(path / files["parameters"], parameters)
            Manifest(path, run.model.kind, plain, dict(facts), files).write()
        _remove_others(path, files.values())


def from_model(folder: Any, read: Callable[[ModelFolder], Result]) -> Result:
    """Return what ``read`` makes of a model; it begins again if the model is replaced meanwhile."""
    path = named_path(folder)
    last = time.monotonic() + PATIENCE_SECONDS
    while True:
        manifest = read_manifest(path)
        try:
            return read(ModelFolder(manifest))
        except FileFormatError:
            if not manifest.was_replaced() or time.monotonic() > last:
                raise


def require_model_or_nothing(path: Path) -> None:
    """Refuse to write into a folder that holds something else."""
    if not path.exists():
        return
    if not path.is_dir():
        raise InputError(
            f"cannot write a model to {path}: it is a file. Give the name of a folder."
        )
    try:
        others = [one.name for one in path.iterdir() if not _is_ours(one.name)]
    except OSError as error:
        raise cannot_write(path, error) from error
    if others:
        raise InputError(
            f"cannot write a model to {path}: it holds other files ({others[0]!r}). Give the name "
            "of a new folder, or of one that holds a model."
        )


def _is_ours(name: str) -> bool:
    finished = finished_name(name)
    return finished in (MANIFEST, LOCK_NAME) or bool(NAME.fullmatch(finished))


@contextmanager
def _removed_unless_named(path: Path, files: Mapping[str, str]) -> Iterator[None]:
    """Remove these files if the model they are to make fails: a full disk would stay full."""
    try:
        yield
    except BaseException:
        # Ctrl-C may come when the manifest has its name already: then they are the model.
        if not _is_named(path / MANIFEST, files["run"]):
            for name in files.values():
                with suppress(OSError):
                    (path / name).unlink()
        raise


def _is_named(manifest: Path, name: str) -> bool:
    try:
        return name.encode() in manifest.read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        return True  # who knows; files too many do no harm


def _remove_others(path: Path, kept: Any) -> None:
    """Remove the files of the model before, and what killed processes left; if not, no matter."""
    with suppress(OSError):
        for one in path.iterdir():
            if one.name not in {MANIFEST, LOCK_NAME, *kept} and _is_ours(one.name):
                with suppress(OSError):
                    one.unlink()


def _write_parameters(path: Path, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Write parameters that are arrays to a file; return the others, with marks for these."""
    arrays: dict[str, NDArray[Any]] = {}
    plain: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, np.ndarray):
            arrays[name] = np.ascontiguousarray(value)
            plain[name] = {"array": name}
        else:
            plain[name] = value
    header = {"kind": PARAMETERS_KIND, "version": PARAMETERS_VERSION}
    write_archive(path, header, arrays)
    return plain


def _read_parameters(path: Path, plain: Mapping[str, Any]) -> dict[str, Any]:
    what = "the parameters of a model"
    with open_archive(path, PARAMETERS_KIND, PARAMETERS_VERSION, what) as archive:
        return {
            name: archive.any_array(name) if value == {"array": name} else value
            for name, value in plain.items()
        }
