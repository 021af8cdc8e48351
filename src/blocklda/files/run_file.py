"""Runs on disk: chains and what was kept of them; draws are in files of their own."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.files.archive import (
    MAX_UNPACKED,
    Archive,
    Part,
    open_archive,
    prefixed,
    write_archive,
)
from blocklda.files.chain_file import require_model, restore_chain, store_chain
from blocklda.models.base import Arrays, Model, Quantity, Role, Stored
from blocklda.run.chain import BaseChain
from blocklda.run.chain_run import ChainRun
from blocklda.run.run import Run
from blocklda.support.checks import whole_number
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["read_draws", "read_run", "read_run_header", "write_draws", "write_run"]

RUN_KIND, RUN_VERSIONS = "blocklda run", (1, 2)
DRAWS_KIND, DRAWS_VERSIONS = "blocklda draws", (1, 2)
"""Of each, the last is written. The first had tables of sums, all draws, and nothing packed."""

A_RUN = "a blocklda run"
SOME_DRAWS = "a set of blocklda draws"

LENGTHS = "_lengths"
"""Added to the name of a quantity whose rows differ in length: how long each is."""


PACKED_FROM = 2**14
"""Bytes of an array from which packing is worth the time."""

DRAWS_TOGETHER = 16
"""Draws of a chain that are packed together, token by token: the topics that a token has in
several draws are mostly few. On KOS with 40 topics they take 3.0 bits a token, a draw by itself 4.6
and a draw and its difference from the one before 3.9 (`python -m benchmarks.around_sampling`)."""


def write_run(
    path: Path,
    run: Run,
    facts: dict[str, Any],
    *,
    with_draws: bool = True,
    is_packed: bool = False,
) -> None:
    """Write everything of a run but its draws; ``facts`` is what the caller wants back.

    ``with_draws``: :func:`write_draws` writes the draws to another file. A file that is packed is
    smaller, and takes longer to write.
    """
    headers: list[dict[str, Any]] = []
    arrays: Arrays = {}
    for part in run.chains:
        header, of_chain = store_chain(part.chain)
        headers.append(header)
        kept = _kept_arrays(part, with_draws=with_draws)
        arrays |= prefixed(f"chain{part.number}_", {**of_chain, **kept})
    header = {
        "kind": RUN_KIND,
        "version": RUN_VERSIONS[-1],
        "model": run.model.kind,
        "corpus": run.corpus.fingerprint,
        "seconds": run.seconds,
        "looks": run.looks,
        "chains": headers,
        "facts": facts,
    }
    packed = {name: array for name, array in arrays.items() if is_packed and _is_large(array)}
    rest = {name: array for name, array in arrays.items() if name not in packed}
    write_archive(path, header, rest, packed.items())


def _is_large(array: NDArray[Any]) -> bool:
    """Return True if packing pays and a reader knows how large the array may be."""
    return array.nbytes > PACKED_FROM and (array.ndim == 1 or array.nbytes <= MAX_UNPACKED)


def read_run_header(path: Path) -> dict[str, Any]:
    """Return the header of a run's file."""
    with open_archive(path, RUN_KIND, RUN_VERSIONS, A_RUN) as archive:
        return archive.header


def read_run(
    path: Path,
    model: Model,
    *,
    keep_draws: bool | int,
    restore: Callable[[Any, Stored], BaseChain] | None = None,
) -> Run:
    """Read what :func:`write_run` wrote; the draws have to be added by :func:`read_draws`.

    ``restore`` makes the model's own kind of chain, where it has one.
    """
    with open_archive(path, RUN_KIND, RUN_VERSIONS, A_RUN) as archive:
        if archive.header.get("corpus") != model.corpus.fingerprint:
            raise InputError(
                f"{path} holds a run on another corpus: give the documents and words of that run, "
                "in the same order."
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
    found, excess = look["found"], look.get("excess")
    return {
        "sweep": whole_number("sweep", look["sweep"], 0),
        "settled": look["settled"] is True,
        "found": None if found is None else [is_found is True for is_found in found],
        "excess": None if excess is None else float(excess),
    }


def _plain_chain(model: Model, stored: Stored) -> BaseChain:
    def make(
        model: Any, state: Any, sampler: Any, backend: str, options: Any, n_steps: int
    ) -> BaseChain:
        return BaseChain(model, state, model.find_sampler(sampler), backend, options, n_steps)

    return restore_chain(make, model, stored)


def _kept_arrays(part: ChainRun, *, with_draws: bool) -> Arrays:
    """Return what was kept of a chain, as arrays that begin with one row per draw."""
    arrays: Arrays = {
        "kept_draws": np.array([draw.sweep for draw in part.draws if with_draws], dtype=np.int64),
        "log_posterior": np.array(part.log_levels, dtype=np.float64),
        "sweeps": np.array(part.kept_sweeps, dtype=np.int64),
    }
    if part.model.counted:
        arrays["counts"] = np.array(part.counts, dtype=np.float64)
    for quantity in part.model.quantities:
        arrays |= _quantity_arrays(quantity, part.values[quantity.name])
    if part.means is not None:
        arrays |= part.means.to_arrays(with_draws=with_draws)
    return arrays


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
    if part.model.counted:
        part.counts = _restored_counts(stored, part.n_sweeps)
    sweeps = stored.array("sweeps", np.int64, 1)
    n = len(sweeps)
    is_ascending = (np.diff(sweeps) > 0).all() and (n == 0 or 0 < sweeps[0] <= sweeps[-1])
    if not is_ascending or (n and sweeps[-1] > part.n_sweeps):
        raise stored.damaged("the sweeps of its draws are out of order")
    part.kept_sweeps = sweeps.tolist()
    part.awaited = part.kept_sweeps
    if stored.has("kept_draws"):
        part.awaited = stored.array("kept_draws", np.int64, 1).tolist()
    if not set(part.awaited) <= set(part.kept_sweeps) or part.awaited != sorted(set(part.awaited)):
        raise stored.damaged("the sweeps of its draws are out of order")
    if n == 0:
        return
    for quantity in part.model.quantities:
        part.values[quantity.name] = _restored_quantity(quantity, n, stored)
    part.means = part.model.restore_means(stored, n, part.chain.state)


def _restored_counts(stored: Stored, n_sweeps: int) -> list[float]:
    """Return the number of topics after every sweep, NaN in files that do not have it."""
    if not stored.has("counts"):
        return [math.nan] * n_sweeps
    counts: list[float] = stored.shaped("counts", np.float64, (n_sweeps,)).tolist()
    return counts


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


def write_draws(path: Path, draws: Sequence[Any], model: Model, *, is_packed: bool = False) -> None:
    """Write draws of chains of a model."""
    arrays: Arrays = {}
    topics: list[NDArray[Any]] = []
    for i, draw in enumerate(draws):
        of_draw = model.draw_arrays(draw)
        # The first version named the topics in this way.
        if "topics" in of_draw and is_packed:
            topics.append(of_draw.pop("topics"))
        elif "topics" in of_draw:
            arrays[f"topics{i}"] = of_draw.pop("topics")
        arrays |= prefixed(f"draw{i}_", of_draw)
    header = {
        "kind": DRAWS_KIND,
        "version": DRAWS_VERSIONS[-1],
        "model": model.kind,
        "draws": [[draw.chain, draw.sweep] for draw in draws],
        "together": DRAWS_TOGETHER if topics else 0,
        **model.draws_header(),
    }
    groups = _groups([draw.chain for draw in draws], DRAWS_TOGETHER)
    packed = ((name, np.stack([topics[i] for i in places], axis=1)) for name, places in groups)
    write_archive(path, header, arrays, packed if topics else ())


def _groups(chains: Sequence[int], together: int) -> Iterator[tuple[str, list[int]]]:
    """Yield places of draws that are packed together, of one chain, and the name of their array."""
    for chain in sorted(set(chains)):
        places = [i for i, number in enumerate(chains) if number == chain]
        for first in range(0, len(places), together):
            yield f"chain{chain}_topics{first}", places[first : first + together]


def read_draws(paths: Iterable[Path], run: Run) -> None:
    """Give the draws in some files to the chains they belong to; all of them must be there.

    Draws that were kept when a file was written, and are no longer, are passed over.
    """
    found: list[dict[int, Any]] = [{} for _ in run.chains]
    for path in paths:
        opened = open_archive(path, DRAWS_KIND, DRAWS_VERSIONS, SOME_DRAWS)
        with opened as archive, archive.reading():
            require_model(archive, run.model.kind)
            wrong = run.model.check_draws_header(archive.header)
            if wrong is not None:
                raise archive.damaged(wrong)
            for draw in _stored_draws(archive, run):
                _require_taken(archive, draw, run.chains[draw.chain], found[draw.chain])
                found[draw.chain][draw.sweep] = draw
    for part, draws in zip(run.chains, found, strict=True):
        if len(draws) != len(part.awaited):
            raise FileFormatError(
                f"the draws of chain {part.number} are incomplete ({len(draws)} of "
                f"{len(part.awaited)} were found): use another copy."
            )
        part.take_back([draws[sweep] for sweep in part.awaited])


def _stored_draws(archive: Archive, run: Run) -> Iterator[Any]:
    """Yield the draws of a file that are still kept."""
    given = [
        (whole_number("chain", c, 0, len(run.chains) - 1), int(s))
        for c, s in archive.header["draws"]
    ]
    together = whole_number("together", archive.header.get("together", 0), 0)
    blocks: dict[int, _Block] = {}
    for name, places in _groups([chain for chain, _ in given], together) if together else ():
        blocks |= dict.fromkeys(places, _Block(archive, name, places))
    for i, (number, sweep) in enumerate(given):
        part = run.chains[number]
        if sweep in part.kept_sweeps and sweep not in part.awaited:
            continue
        stored = _StoredDraw(archive, i, blocks.get(i))
        yield run.model.restore_draw(stored, number, sweep, part.chain.state)


class _Block:
    """Topics of several draws, token by token; they are unpacked for the first of them."""

    def __init__(self, archive: Archive, name: str, places: Sequence[int]) -> None:
        self._archive = archive
        self._name = name
        self._places = places
        self._rows: NDArray[Any] | None = None

    def row(self, place: int, dtype: Any, max_size: int | None) -> NDArray[Any]:
        """Return the topics of a draw."""
        n = len(self._places)
        if self._rows is None:
            size = None if max_size is None else n * max_size
            block = self._archive.array(self._name, dtype, 2, size)
            if block.shape[1] != n:
                raise self._archive.damaged(f"{self._name!r} is not of {n} draws")
            self._rows = np.ascontiguousarray(block.T)
        row: NDArray[Any] = self._rows[self._places.index(place)].copy()
        if place == self._places[-1]:
            self._rows = None
        return row


class _StoredDraw(Part):
    """The part of a file that belongs to a draw; its topics have a name of their own."""

    def __init__(self, archive: Archive, i: int, block: _Block | None) -> None:
        super().__init__(archive, f"draw{i}_", archive.header)
        self._i = i
        self._block = block

    def array(self, name: str, dtype: Any, ndim: int, max_size: int | None = None) -> NDArray[Any]:
        """Return an array that must have this type and number of dimensions."""
        if name != "topics":
            return super().array(name, dtype, ndim, max_size)
        if self._block is not None:
            return self._block.row(self._i, dtype, max_size)
        return self._archive.array(f"topics{self._i}", dtype, ndim, max_size)


def _require_taken(archive: Archive, draw: Any, part: ChainRun, found: Container[int]) -> None:
    """Refuse a draw that the chain has not taken: its quantities tell."""
    place = bisect_left(part.kept_sweeps, draw.sweep)
    is_taken = (
        draw.sweep in part.awaited
        and draw.sweep not in found
        and all(
            np.array_equal(quantity.measure(draw), part.values[quantity.name][place])
            for quantity in part.model.quantities[:1]
        )
    )
    if not is_taken:
        raise archive.damaged(
            f"its draw of chain {draw.chain} at sweep {draw.sweep} is not the next one of the run"
        )
