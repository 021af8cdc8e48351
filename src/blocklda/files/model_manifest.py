"""The manifest of a model: what it is, which files it has, and digests of all that.

Archives carry checksums of their arrays, but not of their tables of contents, and JSON has none.
The digests also tell files of one model from those of another.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blocklda.files.atomic_write import replace_file
from blocklda.files.chain_file import FIRST_MODEL
from blocklda.files.regular_file import open_regular
from blocklda.support.errors import FileFormatError

__all__ = ["MANIFEST", "NAME", "PARTS", "Manifest", "not_a_model", "read_manifest"]

KIND, VERSION = "blocklda model", 1
MANIFEST = "model.json"
MAX_MANIFEST_BYTES = 16_000_000
PARTS = ("corpus", "run", "draws", "parameters")
NAME = re.compile(r"(?:corpus|run|draws|parameters)-[0-9a-f]{8}\.npz")
OWN_DIGEST = "sha256"
"""The digest of everything else in the manifest."""


@dataclass(frozen=True)
class Manifest:
    """What `model.json` says."""

    folder: Path
    model: str
    """The kind of the model, "lda" for manifests that do not name one."""
    parameters: dict[str, Any]
    facts: dict[str, Any]
    files: dict[str, str]
    """Names by part; without "draws" if the model was saved without."""
    digests: dict[str, str] | None = None
    """SHA-256 of the files by part; models written before there were digests have none."""

    def write(self) -> None:
        """Give the folder this manifest, which makes the files it names the model."""
        content = {
            "kind": KIND,
            "version": VERSION,
            "model": self.model,
            "parameters": self.parameters,
            "facts": self.facts,
            "files": self.files,
            "digests": {part: _digest_of(self.folder / name) for part, name in self.files.items()},
        }
        content[OWN_DIGEST] = _own_digest(json.loads(json.dumps(content)))
        with replace_file(self.folder / MANIFEST) as file:
            file.write(json.dumps(content, indent=1).encode())

    def located(self, part: str) -> Path:
        """Return the path of a part after a look whether it is the file that was written."""
        path = self.folder / self.files[part]
        if self.digests is not None and _digest_of(path) != self.digests.get(part):
            raise FileFormatError(
                f"{path} is not the file that was saved with {self.folder / MANIFEST} (its SHA-256 "
                "differs): it is damaged or belongs to another model. Use another copy."
            )
        return path

    def was_replaced(self) -> bool:
        """Return True if the folder has another model by now."""
        try:
            return read_manifest(self.folder) != self
        except FileFormatError:
            return False


def read_manifest(folder: Path) -> Manifest:
    """Read what :meth:`Manifest.write` wrote; anything else is refused."""
    content = _content(folder / MANIFEST)
    try:
        manifest = Manifest(
            folder,
            model=str(content.get("model", FIRST_MODEL)),
            parameters=dict(content["parameters"]),
            facts=dict(content["facts"]),
            files=_texts(content["files"]),
            digests=_texts(content["digests"]) if "digests" in content else None,
        )
        missing = [part for part in PARTS if part != "draws" and part not in manifest.files]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise not_a_model(folder, f"its {MANIFEST} is incomplete ({error!r})") from error
    if missing:
        raise not_a_model(folder, f"its {MANIFEST} is incomplete ({missing[0]!r})")
    if not all(NAME.fullmatch(name) for name in manifest.files.values()):
        raise not_a_model(folder, f"its {MANIFEST} names unknown files")
    return manifest


def not_a_model(folder: Path, what: str) -> FileFormatError:
    """Make the error that says what is wrong with a model."""
    return FileFormatError.of(
        "{folder} is not a model that can be read: {what}. [Use another copy]."
    ).where(folder=folder, what=what)


def _content(path: Path) -> dict[str, Any]:
    try:
        with open_regular(path) as file:
            text = file.read(MAX_MANIFEST_BYTES + 1)
        if len(text) > MAX_MANIFEST_BYTES:
            raise not_a_model(path.parent, f"its {MANIFEST} is too long")
        content = json.loads(text)
    except FileNotFoundError as error:
        raise FileFormatError(
            f"{path.parent} does not hold a model: give a folder that LDA.save wrote."
        ) from error
    except OSError as error:
        raise FileFormatError(f"cannot read {path}: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise not_a_model(path.parent, f"its {MANIFEST} is not JSON") from error
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise not_a_model(path.parent, f"its {MANIFEST} is not that of a model")
    if content.get("version") != VERSION:
        raise FileFormatError(
            f"{path.parent} has version {content.get('version')!r} of the model format; this "
            f"version of blocklda reads version {VERSION}. Install the blocklda that wrote the "
            "model."
        )
    if OWN_DIGEST in content and content[OWN_DIGEST] != _own_digest(content):
        raise not_a_model(path.parent, f"its {MANIFEST} was changed or damaged after it was saved")
    return content


def _own_digest(content: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in content.items() if name != OWN_DIGEST}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _digest_of(path: Path) -> str:
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise FileFormatError(
            f"{path} does not exist: the model in {path.parent} is incomplete. Use another copy."
        ) from error
    except OSError as error:
        raise FileFormatError(f"cannot read {path}: {error.strerror or error}.") from error


def _texts(names: Any) -> dict[str, str]:
    return {str(part): str(name) for part, name in names.items()}
