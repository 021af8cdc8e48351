"""Models on disk: a folder of JSON and NPZ files, versioned, with no code in them.

`model.json` says what the model is and names the other files. It is renamed into its place after
they are all there, so the folder holds the old model or the new one, whatever happens while saving.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.corpus import Corpus
from blocklda.errors import FileFormatError, InputError
from blocklda.files.archive import open_archive, write_archive
from blocklda.files.atomic_write import cannot_write, finished_name, named_path, replace_file
from blocklda.files.corpus_file import read_corpus_file, write_corpus_file
from blocklda.files.folder_lock import LOCK_NAME, locked_folder
from blocklda.files.regular_file import open_regular
from blocklda.files.run_file import write_draws, write_run
from blocklda.fitting.run import Run

__all__ = ["MANIFEST", "ModelFolder", "read_model", "require_model_or_nothing", "write_model"]

KIND, VERSION = "blocklda model", 1
MANIFEST = "model.json"
MAX_MANIFEST_BYTES = 16_000_000
PARTS = ("corpus", "run", "draws", "parameters")
NAME = re.compile(r"(?:corpus|run|draws|parameters)-[0-9a-f]{8}\.npz")
PARAMETERS_KIND, PARAMETERS_VERSION = "blocklda parameters", 1


@dataclass(frozen=True)
class ModelFolder:
    """What a model's folder holds, checked as far as can be without the run."""

    corpus: Corpus
    parameters: dict[str, Any]
    facts: dict[str, Any]
    run: Path
    draws: Path | None


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
            write_run(path / files["run"], run, {})
            if with_draws:
                learned = run.plan.learning.is_active
                write_draws(path / files["draws"], list(run.store), with_priors=learned)
            plain = _write_parameters(path / files["parameters"], parameters)
            manifest = {
                "kind": KIND,
                "version": VERSION,
                "parameters": plain,
                "facts": dict(facts),
                "files": files,
            }
            with replace_file(path / MANIFEST) as file:
                file.write(json.dumps(manifest, indent=1).encode())
        _remove_others(path, files.values())


def read_model(folder: Any) -> ModelFolder:
    """Read what :func:`write_model` wrote; anything else is refused."""
    path = named_path(folder)
    manifest = _manifest(path / MANIFEST)
    try:
        files = {str(part): str(name) for part, name in manifest["files"].items()}
        parameters, facts = dict(manifest["parameters"]), dict(manifest["facts"])
        located = {part: path / files[part] for part in PARTS if part != "draws"}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, f"its {MANIFEST} is incomplete ({error!r})") from error
    if not all(NAME.fullmatch(name) for name in files.values()):
        raise _damaged(path, f"its {MANIFEST} names files that no model has")
    return ModelFolder(
        corpus=read_corpus_file(located["corpus"]),
        parameters=_read_parameters(located["parameters"], parameters),
        facts=facts,
        run=located["run"],
        draws=path / files["draws"] if "draws" in files else None,
    )


def require_model_or_nothing(path: Path) -> None:
    """Refuse to write into a folder that holds something else."""
    if not path.exists():
        return
    if not path.is_dir():
        raise InputError(f"cannot write a model to {path}: it is a file. Give a folder's name.")
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
    return manifest.is_file() and name.encode() in manifest.read_bytes()


def _remove_others(path: Path, kept: Any) -> None:
    """Remove the files of the model before, and what killed processes left."""
    for one in path.iterdir():
        if one.name not in {MANIFEST, LOCK_NAME, *kept} and _is_ours(one.name):
            with suppress(OSError):
                one.unlink()


def _manifest(path: Path) -> dict[str, Any]:
    try:
        with open_regular(path) as file:
            content = file.read(MAX_MANIFEST_BYTES + 1)
        if len(content) > MAX_MANIFEST_BYTES:
            raise _damaged(path.parent, f"its {MANIFEST} is too long")
        manifest = json.loads(content)
    except FileNotFoundError as error:
        raise FileFormatError(
            f"{path.parent} holds no model: give a folder that LDA.save wrote."
        ) from error
    except OSError as error:
        raise FileFormatError(f"cannot read {path}: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise _damaged(path.parent, f"its {MANIFEST} is not JSON") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
        raise _damaged(path.parent, f"its {MANIFEST} is not that of a model")
    if manifest.get("version") != VERSION:
        raise FileFormatError(
            f"{path.parent} has version {manifest.get('version')!r} of the model format; this "
            f"blocklda reads version {VERSION}. Install the blocklda that wrote it."
        )
    return manifest


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


def _damaged(path: Path, what: str) -> FileFormatError:
    return FileFormatError(f"{path} is not a model that can be read: {what}. Use another copy.")
