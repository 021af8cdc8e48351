"""A fit through one of its two doors, the library and the command line, and its folders."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from torture.fits import command, contents
from torture.processes import Victim, untouched
from torture.victim import Suffering

DOORS = ("library", "command line")


@dataclass(frozen=True)
class Case:
    """What is fitted, how, and where one run of it has its checkpoint and its model."""

    fit: str
    door: str
    corpus: Path
    folder: Path

    def __str__(self) -> str:
        return f"{self.fit}, {self.door}"

    @property
    def checkpoint(self) -> Path:
        return self.folder / "run"

    @property
    def model(self) -> Path:
        return self.folder / "model"

    @property
    def task(self) -> list[str]:
        if self.door == "library":
            places = (self.corpus, self.checkpoint, self.model)
            return ["library", self.fit, *map(str, places)]
        return command(self.fit, self.corpus, self.checkpoint, self.model)

    def elsewhere(self, name: str) -> Case:
        """Return the same fit in another folder beside this one."""
        return replace(self, folder=self.folder.with_name(name))

    def start(self, suffering: Suffering | None = None) -> Victim:
        self.folder.mkdir(parents=True, exist_ok=True)
        return Victim(self.task, self.folder / "log", suffering)

    def never_disturbed(self) -> dict[str, str]:
        """Return the contents of the model that a fresh process makes which nobody touches."""
        self.folder.mkdir(parents=True, exist_ok=True)
        done = untouched(self.task)
        if done.returncode != 0 or done.stderr:
            raise RuntimeError(f"{self} failed without any trouble: {done.stderr}")
        return contents(self.model)

    def numbers(self, kind: str) -> list[int]:
        """Return the numbers of the files of a kind, "run" or "draws", in the checkpoint."""
        names = [path.name for path in self.checkpoint.glob("*.npz")]
        found = [re.fullmatch(rf"{kind}-(\d{{6}})\.npz", name) for name in names]
        return sorted(int(match[1]) for match in found if match)
