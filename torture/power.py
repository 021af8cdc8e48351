"""Power cuts: what a process wrote and did not sync is lost, all of it or some at random.

The shim `power.c`, preloaded, notes what syncs made durable. After a kill the folders of the
process are put into a state that a disk may be in then: each file has the content of its last sync,
and each folder the entries of its last sync. Without luck nothing else survives; with some luck a
new entry does, or new content, whole or its first part.
"""

from __future__ import annotations

import ctypes
import os
import random
import shutil
import subprocess
from pathlib import Path

__all__ = ["VARIABLE", "Power", "compile_shim"]

VARIABLE = "BLOCKLDA_DURABLE"
SOURCE = Path(__file__).with_name("power.c")


def compile_shim(folder: Path) -> Path:
    """Return the shim, compiled."""
    shim = folder / "power.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", str(shim), str(SOURCE), "-ldl"], check=True
    )
    return shim


class Power:
    """The durable content of some folders, as the shim noted it in ``durable``."""

    def __init__(self, shim: Path, durable: Path, roots: list[Path]) -> None:
        self.durable = durable
        self._roots = roots
        self._shim = ctypes.CDLL(str(shim), use_errno=True)

    def folders(self) -> list[Path]:
        """Return the folders that there are; that a new one is lost is not tried."""
        found = [root for root in self._roots if root.is_dir()]
        return found + [path for root in found for path in root.rglob("*") if path.is_dir()]

    def settle(self) -> None:
        """Make all that is there durable, as after a while."""
        shutil.rmtree(self.durable, ignore_errors=True)
        self.durable.mkdir(parents=True)
        os.environ[VARIABLE] = str(self.durable)
        try:
            for folder in self.folders():
                for path in (*(one for one in folder.iterdir() if one.is_file()), folder):
                    handle = os.open(path, os.O_RDONLY)
                    if self._shim.fsync(handle) != 0:
                        raise OSError(ctypes.get_errno(), f"cannot sync {path}")
                    os.close(handle)
        finally:
            del os.environ[VARIABLE]

    def cut(self, rng: random.Random, luck: float) -> int:
        """Let the power fail; return how many files are other than they were."""
        n_changed = sum(self._cut_folder(folder, rng, luck) for folder in self.folders())
        self.settle()
        return n_changed

    def _cut_folder(self, folder: Path, rng: random.Random, luck: float) -> int:
        now = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        then = self._durable_entries(folder)
        after: dict[str, bytes] = {}
        for name in now.keys() | then.keys():
            survives = rng.random() < luck
            content = now.get(name) if survives else then.get(name)
            if survives and content is not None and now[name] != then.get(name):
                content = self._some_of(now[name], then.get(name, b""), rng)
            if content is not None:
                after[name] = content
        n_changed = sum(now.get(name) != after.get(name) for name in now.keys() | after.keys())
        for name in now.keys() - after.keys():
            (folder / name).unlink()
        for name, content in after.items():
            if now.get(name) != content:
                (folder / name).write_bytes(content)
        return n_changed

    def _some_of(self, new: bytes, synced: bytes, rng: random.Random) -> bytes:
        """Return what an entry that survives may hold: if its content was synced, that alone."""
        if any(path.read_bytes() == new for path in self.durable.glob("file-*")):
            return new
        return rng.choice((new, b"", new[: rng.randrange(len(new) + 1)], synced, b"\0" * len(new)))

    def _durable_entries(self, folder: Path) -> dict[str, bytes]:
        for path in self.durable.glob("folder-*"):
            of, *lines = path.read_text().splitlines()
            if of == str(folder.resolve()):
                found = {}
                for line in lines:
                    key, _, name = line.partition(" ")
                    content = self.durable / f"file-{key}"
                    found[name] = content.read_bytes() if content.exists() else b""
                return found
        return {}
