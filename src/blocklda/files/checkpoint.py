"""Checkpoints: a folder from which a killed run resumes as if nothing had happened.

The folder holds two generations of the run, `run-<number>.npz`, and draws in `draws-<number>.npz`:
those since the generation before, written once. A generation counts from the moment its run file
has its name, after its draws; every file is written aside, synced and renamed. So whenever the
process is killed, the latest generation with a name is whole.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from blocklda.files.atomic_write import named_path
from blocklda.files.folder_lock import locked_folder
from blocklda.files.generations import Generations
from blocklda.files.model_file import MANIFEST
from blocklda.files.run_file import read_draws, read_run_header, write_draws, write_run
from blocklda.run.run import Run
from blocklda.run.settings import first_difference
from blocklda.support.checks import whole_number
from blocklda.support.errors import CheckpointWarning, FileFormatError, InputError, said_by
from blocklda.support.messages import Setting

__all__ = ["SHARDED_RUN", "Checkpoint", "open_checkpoint"]

GENERATIONS = 2
"""A generation that turns out to be damaged leaves the one before."""

KINDS = ("run", "draws")
"""What the names of a checkpoint's files begin with."""

SHARDED_RUN = "sharded-run.npz"
"""The file that marks the folder of a run on shards, which only such a run can resume."""


@contextmanager
def open_checkpoint(
    folder: Any, every: Any, settings: Mapping[str, Any], burn_in: int
) -> Iterator[Checkpoint]:
    """Open a folder, made if need be, that no other process may use meanwhile.

    ``settings`` is what a run is started with: it resumes only with the same. ``burn_in`` is that
    of a run that is started now.
    """
    every = whole_number("every", every, 1)
    path = named_path(folder)
    if path.exists() and not path.is_dir():
        raise InputError.of("{checkpoint=} is a file: [give the name of a folder].").where(
            checkpoint=folder
        )
    with locked_folder(path):
        if (path / MANIFEST).exists():
            raise InputError.of("{checkpoint=} holds a model: [give another folder].").where(
                checkpoint=folder
            )
        if (path / SHARDED_RUN).exists():
            raise InputError.of(
                "{checkpoint=} holds a run on shards, which blocklda.parallel.fit or fit "
                "--scheduler continues: [give another folder]."
            ).where(checkpoint=folder)
        yield Checkpoint(path, every, dict(settings), burn_in)


class Checkpoint:
    """A folder in which a run is kept while it advances: one of the run's observers."""

    def __init__(self, folder: Path, every: int, settings: dict[str, Any], burn_in: int) -> None:
        self._folder = folder
        self._files = Generations(folder, KINDS)
        self._every = every
        self._settings = settings
        self.burn_in = burn_in
        """That of the run. What "auto" stands for may change with n_sweeps, but not for a run that
        goes on."""
        self._number = 0
        self._draw_files: list[str] = []
        self._stored_until: list[int] = []
        self._sweeps_written: list[int] = []

    def next_look(self, sweep: int) -> int:
        """Return the next sweep whose state is written."""
        return (sweep // self._every + 1) * self._every

    def look(self, run: Run) -> None:
        """Write the run; if that fails the run continues, with the earlier generations."""
        if self._sweeps_written == [chain.n_sweeps for chain in run.chains]:
            return  # written already
        try:
            self.write(run)
        except InputError as error:
            warnings.warn(
                CheckpointWarning(
                    error.message, " The fit continues, and the previous checkpoint stays."
                ),
                stacklevel=2,
            )

    def write(self, run: Run) -> None:
        """Write a generation: the draws since the last one, then the run itself."""
        number = self._number + 1
        self._forget_lost_draws()
        files = list(self._draw_files)
        new = self._new_draws(run)
        if new:
            files.append(self._files.name("draws", number))
            write_draws(self._folder / files[-1], new, run.model)
        facts = {"settings": self._settings, "burn_in": self.burn_in, "draws": files}
        with_draws = bool(run.chains[0].keep_draws)
        write_run(self._files.path("run", number), run, facts, with_draws=with_draws)
        self._stands_at(number, files, run)
        runs = {self._files.name("run", number - back) for back in range(GENERATIONS)}
        self._files.tidy({*runs, *files})

    def read(self, read_run: Callable[[Path], Run]) -> Run | None:
        """Return the run of the latest generation that is whole; None if there is none at all."""
        found = self._files.latest(
            "run",
            lambda number: self._generation(number, read_run),
            passed_over=lambda found: (
                f"The previous checkpoint is used, at sweep {found.run.n_sweeps}."
            ),
            none_left=f"No checkpoint in {self._folder} can be resumed: restore a copy of it, or "
            "give another folder to restart.",
        )
        if found is None:
            return None
        self._stands_at(found.number, found.draw_files, found.run)
        self.burn_in = found.burn_in
        return found.run

    def _generation(self, number: int, read_run: Callable[[Path], Run]) -> _Generation:
        path = self._files.path("run", number)
        try:
            header = read_run_header(path)
            settings = dict(header["facts"]["settings"])
            burn_in = whole_number("burn_in", header["facts"]["burn_in"], 0)
            files = [str(name) for name in header["facts"]["draws"]]
        except (KeyError, TypeError, ValueError) as error:  # InputError is a ValueError
            raise FileFormatError(
                f"{path} is not a readable checkpoint: ", said_by(error)
            ) from error
        if not all(self._files.is_name(name) for name in files):
            raise FileFormatError(f"{path} names files of draws that do not exist.")
        self._require_same(settings)
        run = read_run(path)
        if run.chains[0].keep_draws:
            read_draws([self._folder / name for name in files], run)
        return _Generation(number, run, files, burn_in)

    def _require_same(self, settings: dict[str, Any]) -> None:
        difference = first_difference(settings, self._settings)
        if difference is not None:
            name, before, now = difference
            then = Setting(name, before, shown=before)
            raise InputError.of(
                "the checkpoint in {folder} was made with {then}, but now it is {now}: [change it "
                "back to resume, or give another folder to restart]."
            ).where(folder=self._folder, then=then, now=now, parameter=name, value=now)

    def _forget_lost_draws(self) -> None:
        """Write all draws again if a file of them was removed during the run."""
        lost = [name for name in self._draw_files if _is_gone(self._folder / name)]
        if lost and self._folder.is_dir():
            warnings.warn(
                CheckpointWarning(
                    f"{self._folder / lost[0]} is missing, so all draws so far are written again."
                ),
                stacklevel=4,
            )
            self._draw_files, self._stored_until = [], []

    def _new_draws(self, run: Run) -> list[Any]:
        """Return the draws that no earlier generation has."""
        stored = self._stored_until or [0] * len(run.chains)
        pairs = zip(run.chains, stored, strict=True)
        new = [draw for chain, sweep in pairs for draw in chain.draws if draw.sweep > sweep]
        return sorted(new, key=lambda draw: (draw.sweep, draw.chain))

    def _stands_at(self, number: int, files: list[str], run: Run) -> None:
        self._number, self._draw_files = number, files
        self._sweeps_written = [chain.n_sweeps for chain in run.chains]
        self._stored_until = [chain.n_sweeps for chain in run.chains]


def _is_gone(path: Path) -> bool:
    """Return True if there is no such file; one that cannot be looked at may be there."""
    try:
        path.stat()
    except OSError as error:
        return isinstance(error, FileNotFoundError)
    return False


class _Generation(NamedTuple):
    number: int
    run: Run
    draw_files: list[str]
    burn_in: int
