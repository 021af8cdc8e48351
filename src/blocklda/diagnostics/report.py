"""Do the chains agree? R-hat and effective sample sizes of what topics' numbers do not change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.diagnostics.mixing import Mixing, drift, measure
from blocklda.diagnostics.verdict import R_HAT_LIMIT, Evidence, judge
from blocklda.models.base import Role
from blocklda.results.stability import stable_topics
from blocklda.results.trace import Trace
from blocklda.support.arrays import Bools, Floats, Ints
from blocklda.support.messages import Message

__all__ = ["Diagnostics", "diagnose"]

TOPICS_SHOWN = 10
"""Topics that are printed, those whose chains agree least; `table` has all of them."""


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """What can be said about the convergence of the chains.

    Attributes
    ----------
    label_invariant
        Quantities that no renumbering of topics changes. Of those that there are many of, the
        sizes of the topics in order of size and the co-assignment of single pairs of tokens, the
        one with the largest R-hat and the median of each column.
    by_topic
        The size of each topic, and its learned alpha, with every chain's topics beside those of
        the first chain. Where chains renumber topics or a topic is not stable these do not mix.
    distances
        Total variation between each topic and its partner in each chain, shape (chains, topics).
    stable
        Which topics come back in every chain, shape (topics,); None with one chain.
    drift
        How far the log posterior of each chain rose from the first to the last third of its draws,
        in standard errors.
    converged
        False where something rules it out, None where it cannot be told. True means only that
        nothing speaks against it.
    verdict
        The same in words.
    """

    label_invariant: tuple[Mixing, ...]
    by_topic: tuple[Mixing, ...]
    distances: Floats
    stable: Bools | None
    drift: Floats
    converged: bool | None
    verdict: Message
    n_chains: int
    n_draws: int

    @property
    def table(self) -> tuple[Mixing, ...]:
        """All rows, those that no renumbering of topics changes first."""
        return (*self.label_invariant, *self.by_topic)

    @property
    def unstable_topics(self) -> tuple[int, ...]:
        """The topics that do not come back in every chain; empty with one chain."""
        return () if self.stable is None else tuple(np.flatnonzero(~self.stable).tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and numbers for JSON; None stands for no number."""
        return {
            "n_chains": self.n_chains,
            "n_draws": self.n_draws,
            "converged": self.converged,
            "verdict": self.verdict,
            "stable": None if self.stable is None else self.stable.tolist(),
            "unstable_topics": list(self.unstable_topics),
            "distances": self.distances.tolist(),
            "drift": [_plain(value) for value in self.drift.tolist()],
            "table": [
                {name: _plain(value) for name, value in asdict(row).items()} for row in self.table
            ],
        }

    def __str__(self) -> str:
        shown = sorted(self.by_topic, key=_how_bad, reverse=True)[:TOPICS_SHOWN]
        rows = [*self.label_invariant, *(row for row in self.by_topic if row in shown)]
        chains = "1 chain" if self.n_chains == 1 else f"{self.n_chains} chains"
        lines = [f"{chains}, {self.n_draws} draws of each", "", *_lines(rows)]
        hidden = len(self.by_topic) - len(shown)
        if hidden:
            lines.append(f"… and {hidden} rows of topics that mix no worse (see table)")
        return "\n".join([*lines, "", self.verdict])


def diagnose(trace: Trace, order: Ints, distances: Floats) -> Diagnostics:
    """Judge chains by what was recorded of them.

    ``order`` and ``distances`` come from :func:`blocklda.results.stability.align_chains`.
    """
    single = {"log posterior": trace.log_posterior, **_single(trace)}
    sizes, pairs = _ranked(trace), _paired(trace)
    n_compared = len(single) + len(sizes) + len(pairs)
    head, ranked, paired = (
        [measure(name, values, trace.seconds, n_compared) for name, values in group.items()]
        for group in (single, sizes, pairs)
    )
    medians = [
        _median(f"median of {len(group)} {what}", group)
        for group, what in ((ranked, "ranks"), (paired, "pairs"))
        if group
    ]
    stable = stable_topics(distances)
    drifts = drift(trace.log_posterior)
    verdict = judge(
        Evidence(
            n_chains=trace.n_chains,
            n_draws=trace.n_draws,
            headline=[*head, *medians],
            compared=[*head, *ranked, *paired],
            drift=drifts,
            stable=stable,
        )
    )
    worst = [_worst(group) for group in (ranked, paired) if group]
    many = [row for both in zip(worst, medians, strict=True) for row in both]
    return Diagnostics(
        label_invariant=(*head, *many),
        by_topic=tuple(_by_topic(trace, order)),
        distances=distances,
        stable=stable,
        drift=drifts,
        converged=verdict.converged,
        verdict=verdict.sentence,
        n_chains=trace.n_chains,
        n_draws=trace.n_draws,
    )


def _single(trace: Trace) -> dict[str, Floats]:
    """Return what has one number per draw, whatever the numbers of topics and pairs are."""
    found: dict[str, Floats] = {}
    for quantity in trace.quantities:
        values, label = trace[quantity.name], quantity.label
        if quantity.role is Role.SCALAR:
            found[label] = values
        elif quantity.role is Role.BY_PAIR and values.shape[2]:
            found[f"mean {label}"] = values.mean(axis=2)
        elif quantity.summary == "sum":
            found[f"sum of {label}"] = np.nansum(values, axis=2)
    return found


def _ranked(trace: Trace) -> dict[str, Floats]:
    """Return quantities of topics in order of size; a topic that a draw lacks has none of it."""
    return {
        f"{quantity.label} of rank {rank}": column
        for quantity, values in trace.of_role(Role.BY_TOPIC)
        if quantity.summary == "ranks"
        for rank, column in enumerate(_by_column(-np.sort(-np.nan_to_num(values), axis=2)), start=1)
    }


def _paired(trace: Trace) -> dict[str, Floats]:
    return {
        f"{quantity.label} of pair {i}": column
        for quantity, values in trace.of_role(Role.BY_PAIR)
        for i, column in enumerate(_by_column(values))
    }


def _by_topic(trace: Trace, order: Ints) -> list[Mixing]:
    """Return what each topic has; where their number varies no topic is the same in all draws."""
    return [
        measure(f"{quantity.label} of topic {k}", column, trace.seconds, order.shape[1])
        for quantity, values in trace.of_role(Role.BY_TOPIC)
        if not np.isnan(values).any()
        for k, column in enumerate(_by_column(trace.aligned(values, order)))
        if not np.isnan(column).any()
    ]


def _by_column(values: NDArray[Any]) -> NDArray[Any]:
    """Return (columns, chains, draws) of values (chains, draws, columns)."""
    return np.moveaxis(values, 2, 0)


def _how_bad(row: Mixing) -> tuple[float, float]:
    """Order rows by R-hat, then by how few effective draws there are; unknown ones come last."""
    return (
        -math.inf if math.isnan(row.r_hat) else row.r_hat,
        -math.inf if math.isnan(row.ess_bulk) else -row.ess_bulk,
    )


def _worst(rows: Sequence[Mixing]) -> Mixing:
    row = max(rows, key=_how_bad)
    return replace(row, quantity=f"{row.quantity}, worst of {len(rows)}")


def _median(quantity: str, rows: Sequence[Mixing]) -> Mixing:
    """Return the median of each column over the rows that have a number there."""
    columns = ("mean", "sd", "r_hat", "ess_bulk", "ess_tail", "ess_per_second", "r_hat_by_chance")
    medians = {}
    for column in columns:
        known = [value for row in rows if not math.isnan(value := getattr(row, column))]
        medians[column] = float(np.median(known)) if known else math.nan
    return Mixing(quantity, **medians)


def _plain(value: Any) -> Any:
    """Return what JSON can hold: it has neither NaN nor infinity."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _lines(rows: Sequence[Mixing]) -> list[str]:
    """Return the rows as lines of a table; a mark stands where R-hat is above its limit."""
    header = ("", "mean", "sd", "R-hat", "ESS bulk", "ESS tail", "ESS/s")
    cells = [header] + [
        (
            row.quantity,
            _number(row.mean, ",.4g" if abs(row.mean) < 1000 else ",.0f"),
            _number(row.sd, ",.3g" if abs(row.sd) < 1000 else ",.0f"),
            _number(row.r_hat, ".3f") + ("*" if row.r_hat > R_HAT_LIMIT else " "),
            _number(row.ess_bulk, ".0f"),
            _number(row.ess_tail, ".0f"),
            _number(row.ess_per_second, ".3g"),
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *others in cells:
        numbers = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        lines.append("  ".join([first.ljust(widths[0]), *numbers]).rstrip())
    return lines


def _number(value: float, form: str) -> str:
    return "–" if math.isnan(value) else format(value, form)
