"""Runs on disk: chains and what was kept of them; draws are in files of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.files.archive import Archive, Part, open_archive, prefixed, write_archive
from blocklda.files.chain_file import require_model, restore_chain, store_chain
from blocklda.models.base import Arrays, Model, Quantity, Role, Stored
from blocklda.run.chain import BaseChain
from blocklda.run.chain_run import ChainRun
from blocklda.run.run import Run
from blocklda.support.checks import whole_number
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["read_draws", "read_run", "read_run_header", "write_draws", "write_run"]

RUN_KIND, RUN_VERSION = "blocklda run", 1
DRAWS_KIND, DRAWS_VERSION = "blocklda draws", 1
A_RUN = "a blocklda run"
SOME_DRAWS = "a set of blocklda draws"

LENGTHS = "_lengths"
"""Added to the name of a quantity whose rows differ in length: how long each is."""


def write_run(path: Path, run: Run, facts: dict[str, Any]) -> None:
    """Write everything of a run but its draws; ``facts`` is what the caller wants back."""
    headers: list[dict[str, Any]] = []
    arrays: Arrays = {}
    for part in run.chains:
        header, of_chain = store_chain(part.chain)
        headers.append(header)
        arrays |= prefixed(f"chain{part.number}_", {**of_chain, **_kept_arrays(part)})
    header = {
        "kind": RUN_KIND,
        "version": RUN_VERSION,
        "model": run.model.kind,
        "corpus": run.corpus.fingerprint,
        "seconds": run.seconds,
        "looks": run.looks,
        "chains": headers,
        "facts": facts,
    }
    write_archive(path, header, arrays)


def read_run_header(path: Path) -> dict[str, Any]:
    """Return the header of a run's file."""
    with open_archive(path, RUN_KIND, RUN_VERSION, A_RUN) as archive:
        return archive.header


def read_run(
    path: Path,
    model: Model,
    *,
    keep_draws: bool,
    restore: Callable[[Any, Stored], BaseChain] | None = None,
) -> Run:
    """Read what :func:`write_run` wrote; the draws have to be added by :func:`read_draws`.

    ``restore`` makes the model's own kind of chain, where it has one.
    """
    with open_archive(path, RUN_KIND, RUN_VERSION, A_RUN) as archive:
        if archive.header.get("corpus") != model.corpus.fingerprint:
            raise InputError(
                f"{path} holds a run on another corpus: give the documents and words it ran on, in "
                "the same order."
            )
        require_model(archive, model.kind)
        with archive.reading():
            parts = []
            for number, header in enumerate(archive.header["chains"]):
                stored = Part(archive, f"chain{number}_", header)
                chain = (restore or _plain_chain)(model, stored)
                part = ChainRun(number, chain, keep_draws=keep_draws)
                _restore_kept(part, stored)
                parts.append(part)
            if not parts:
                raise archive.damaged("it has no chains")
            run = Run(parts, float(archive.header["seconds"]))
            run.looks = [_restored_look(look) for look in archive.header.get("looks", ())]
            return run


def _restored_look(look: Any) -> dict[str, Any]:
    found = look["found"]
    return {
        "sweep": whole_number("sweep", look["sweep"], 0),
        "settled": look["settled"] is True,
        "found": None if found is None else [is_found is True for is_found in found],
    }


def _plain_chain(model: Model, stored: Stored) -> BaseChain:
    def make(
        model: Any, state: Any, sampler: Any, backend: str, options: Any, n_steps: int
    ) -> BaseChain:
        return BaseChain(model, state, model.find_sampler(sampler), backend, options, n_steps)

    return restore_chain(make, model, stored)


def _kept_arrays(part: ChainRun) -> Arrays:
    """Return what was kept of a chain, as arrays that begin with one row per draw."""
    arrays: Arrays = {
        "log_posterior": np.array(part.log_levels, dtype=np.float64),
        "sweeps": np.array(part.kept_sweeps, dtype=np.int64),
    }
    for quantity in part.model.quantities:
        arrays |= _quantity_arrays(quantity, part.values[quantity.name])
    return arrays if part.means is None else {**arrays, **part.means.to_arrays()}


def _quantity_arrays(quantity: Quantity, values: Sequence[Any]) -> Arrays:
    """Return the values of a quantity; rows of different lengths one after the other."""
    name, dtype = quantity.file_name, quantity.dtype
    if quantity.role is Role.SCALAR or not values:
        shape = (0,) if quantity.role is Role.SCALAR else (0, 0)
        return {name: np.array(values, dtype=dtype) if values else np.empty(shape, dtype=dtype)}
    lengths = [len(row) for row in values]
    if len(set(lengths)) == 1:
        return {name: np.array(values, dtype=dtype)}
    joined = np.concatenate(values).astype(dtype)
    return {name: joined, name + LENGTHS: np.array(lengths, dtype=np.int64)}


def _restore_kept(part: ChainRun, stored: Stored) -> None:
    """Give a chain what was kept of it, after a look whether it can be that."""
    levels = stored.shaped("log_posterior", np.float64, (part.n_sweeps,))
    part.log_levels = levels.tolist()
    sweeps = stored.array("sweeps", np.int64, 1)
    n = len(sweeps)
    is_ascending = (np.diff(sweeps) > 0).all() and (n == 0 or 0 < sweeps[0] <= sweeps[-1])
    if not is_ascending or (n and sweeps[-1] > part.n_sweeps):
        raise stored.damaged("the sweeps of its draws are out of order")
    part.kept_sweeps = sweeps.tolist()
    if n == 0:
        return
    for quantity in part.model.quantities:
        part.values[quantity.name] = _restored_quantity(quantity, n, stored)
    part.means = part.model.restore_means(stored, n, part.chain.state)


def _restored_quantity(quantity: Quantity, n: int, stored: Stored) -> list[Any]:
    name, dtype = quantity.file_name, quantity.dtype
    if quantity.if_missing is not None and not stored.has(name):
        return _missing_rows(quantity, quantity.if_missing, n)
    if stored.has(name + LENGTHS):
        rows = _restored_rows(quantity, n, stored)
    else:
        values = stored.array(name, dtype, 1 if quantity.role is Role.SCALAR else 2)
        wanted = values.shape[1:] if quantity.length is None else (quantity.length,)
        if values.shape != (n, *wanted):
            raise stored.damaged(f"{name!r} has the shape {values.shape}, not {(n, *wanted)}")
        rows = values.tolist() if quantity.role is Role.SCALAR else list(values)
    wrong = None if quantity.check is None else _first_wrong(quantity.check, rows)
    if wrong is not None:
        raise stored.damaged(wrong)
    return rows


def _missing_rows(quantity: Quantity, value: float, n: int) -> list[Any]:
    """Return ``value`` for every draw; without a fixed length a draw has no numbers."""
    if quantity.role is Role.SCALAR:
        return [value] * n
    return list(np.full((n, quantity.length or 0), value, dtype=quantity.dtype))


def _restored_rows(quantity: Quantity, n: int, stored: Stored) -> list[NDArray[Any]]:
    name = quantity.file_name
    lengths = stored.shaped(name + LENGTHS, np.int64, (n,))
    if (lengths < 0).any():
        raise stored.damaged(f"{name!r} has rows of negative length")
    joined = stored.shaped(name, quantity.dtype, (int(lengths.sum()),))
    return np.split(joined, np.cumsum(lengths)[:-1])


def _first_wrong(
    check: Callable[[NDArray[Any]], str | None], rows: Sequence[NDArray[Any]]
) -> str | None:
    """Return what a check finds, looking at all rows at once where they are of one length."""
    if len({np.shape(row) for row in rows}) == 1:
        return check(np.array(rows))
    return next((wrong for row in rows if (wrong := check(row[None])) is not None), None)


def write_draws(path: Path, draws: Sequence[Any], model: Model) -> None:
    """Write draws of chains of a model."""
    arrays: Arrays = {}
    for i, draw in enumerate(draws):
        of_draw = model.draw_arrays(draw)
        # The first version named the topics in this way.
        topics = {f"topics{i}": of_draw.pop("topics")} if "topics" in of_draw else {}
        arrays |= {**topics, **prefixed(f"draw{i}_", of_draw)}
    header = {
        "kind": DRAWS_KIND,
        "version": DRAWS_VERSION,
        "model": model.kind,
        "draws": [[draw.chain, draw.sweep] for draw in draws],
        **model.draws_header(),
    }
    write_archive(path, header, arrays)


def read_draws(paths: Iterable[Path], run: Run) -> None:
    """Give the draws in some files to the chains they belong to; all of them must be there."""
    for path in paths:
        opened = open_archive(path, DRAWS_KIND, DRAWS_VERSION, SOME_DRAWS)
        with opened as archive, archive.reading():
            require_model(archive, run.model.kind)
            wrong = run.model.check_draws_header(archive.header)
            if wrong is not None:
                raise archive.damaged(wrong)
            for i, (number, sweep) in enumerate(archive.header["draws"]):
                part = run.chains[whole_number("chain", number, 0, len(run.chains) - 1)]
                draw = run.model.restore_draw(
                    _StoredDraw(archive, i), part.number, int(sweep), part.chain.state
                )
                _require_next(archive, draw, part)
                part.draws.append(draw)
                part.last_draw = draw
    for part in run.chains:
        if len(part.draws) != part.n_draws:
            raise FileFormatError(
                f"the draws of chain {part.number} are not complete ({len(part.draws)} of "
                f"{part.n_draws} were found): use another copy."
            )


class _StoredDraw(Part):
    """The part of a file that belongs to a draw; its topics have a name of their own."""

    def __init__(self, archive: Archive, i: int) -> None:
        super().__init__(archive, f"draw{i}_", archive.header)
        self._topics = f"topics{i}"

    def array(self, name: str, dtype: Any, ndim: int) -> NDArray[Any]:
        """Return an array that must have this type and number of dimensions."""
        if name == "topics":
            return self._archive.array(self._topics, dtype, ndim)
        return super().array(name, dtype, ndim)


def _require_next(archive: Archive, draw: Any, part: ChainRun) -> None:
    """Refuse a draw that is not the one which the chain has next: its quantities tell."""
    place = len(part.draws)
    is_next = (
        place < part.n_draws
        and draw.sweep == part.kept_sweeps[place]
        and all(
            np.array_equal(quantity.measure(draw), part.values[quantity.name][place])
            for quantity in part.model.quantities[:1]
        )
    )
    if not is_next:
        raise archive.damaged(
            f"its draw of chain {draw.chain} at sweep {draw.sweep} is not the next one of the run"
        )
