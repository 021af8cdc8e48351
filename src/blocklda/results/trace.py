"""What is recorded of every chain at its kept draws, for diagnostics and summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.models.base import Quantity, Role
from blocklda.run.run import Run
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["Trace", "trace_of"]


@dataclass(frozen=True, eq=False)
class Trace:
    """A few numbers of every kept draw of every chain; all chains kept the same sweeps.

    Attributes
    ----------
    sweeps
        Which sweeps were kept, shape (draws,).
    log_posterior
        The log posterior up to a constant, shape (chains, draws).
    quantities
        What the model records, each with its name and role.
    values
        Their values by name, shape (chains, draws) for a scalar and (chains, draws, topics or
        pairs) for the others, each chain's topics in its own numbering. Where the number of topics
        varies, NaN stands for topics that a draw does not have.
    seconds
        Wall-clock time spent sampling, all chains together.
    """

    sweeps: Ints
    log_posterior: Floats
    quantities: tuple[Quantity, ...] = ()
    values: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    seconds: float = float("nan")

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        if self.log_posterior.ndim != 2:
            raise InputError(
                f"log_posterior has the shape {self.log_posterior.shape}: give (chains, draws)."
            )
        chains, draws = self.log_posterior.shape
        if self.sweeps.shape != (draws,):
            raise InputError(f"sweeps has the shape {self.sweeps.shape}: it must be ({draws},).")
        for quantity in self.quantities:
            shape = self.values[quantity.name].shape
            n_axes = 2 if quantity.role is Role.SCALAR else 3
            if len(shape) != n_axes or shape[:2] != (chains, draws):
                raise InputError(
                    f"{quantity.name} has the shape {shape}: since log_posterior has the shape "
                    f"{(chains, draws)}, it must have {n_axes} axes and the same first two "
                    "lengths."
                )

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.values[name]

    def __contains__(self, name: object) -> bool:
        return name in self.values

    def of_role(self, role: Role) -> Iterator[tuple[Quantity, NDArray[Any]]]:
        """Yield the quantities of a role, with their values."""
        for quantity in self.quantities:
            if quantity.role is role:
                yield quantity, self.values[quantity.name]

    @property
    def n_chains(self) -> int:
        """How many chains there are."""
        return len(self.log_posterior)

    @property
    def n_draws(self) -> int:
        """How many draws of each chain were kept."""
        return int(self.log_posterior.shape[1])

    @property
    def topic_sizes(self) -> NDArray[Any]:
        """How many tokens each topic has, shape (chains, draws, topics)."""
        return self.values["topic_size"]

    @property
    def n_topics(self) -> int:
        """The largest number of topics that a draw has."""
        return int(self.topic_sizes.shape[2])

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus; every draw has a topic for each."""
        return int(np.nansum(self.topic_sizes[0, 0])) if self.n_draws else 0

    def aligned(self, values: NDArray[Any], order: Ints) -> NDArray[Any]:
        """Return ``values`` (chains, draws, topics) with every chain's topics put in ``order``.

        Topic ``order[c, k]`` of chain c is the partner of topic k of the first chain; −1 stands
        for none, whose values are NaN.
        """
        if len(order) != self.n_chains or order.shape[1] > values.shape[2]:
            raise InputError(
                f"order has the shape {order.shape}: give (chains, topics), that is "
                f"({self.n_chains}, {self.n_topics})."
            )
        partners = np.take_along_axis(values, np.maximum(order, 0)[:, None, :], axis=2)
        is_alone = np.broadcast_to((order < 0)[:, None, :], partners.shape)
        return np.where(is_alone, np.nan, partners) if is_alone.any() else partners


def trace_of(run: Run) -> Trace:
    """Return the kept values of all chains, up to the last draw that every chain has."""
    n = min(chain.n_draws for chain in run.chains)
    sweeps = np.array(run.chains[0].kept_sweeps[:n], dtype=np.int64)
    quantities = tuple(one for one in run.model.quantities if one.is_diagnosed)
    return Trace(
        sweeps=sweeps,
        log_posterior=run.log_levels()[:, sweeps - 1] if n else np.zeros((len(run.chains), 0)),
        quantities=quantities,
        values={
            quantity.name: _table(
                [chain.values[quantity.name][:n] for chain in run.chains], quantity
            )
            for quantity in quantities
        },
        seconds=run.seconds,
    )


def _table(chains: Sequence[Sequence[Any]], quantity: Quantity) -> NDArray[Any]:
    """Return values of draws as one array; of ragged rows the missing ends are NaN."""
    n_chains, n_draws = len(chains), len(chains[0])
    if quantity.role is Role.SCALAR:
        return np.array(chains, dtype=quantity.dtype).reshape(n_chains, n_draws)
    rows = [np.asarray(row) for chain in chains for row in chain]
    lengths = {len(row) for row in rows}
    if len(lengths) <= 1:
        width = lengths.pop() if lengths else 0
        return np.array(rows, dtype=quantity.dtype).reshape(n_chains, n_draws, width)
    table = np.full((len(rows), max(lengths)), np.nan)
    for place, row in zip(table, rows, strict=True):
        place[: len(row)] = row
    return table.reshape(n_chains, n_draws, -1)
