"""What a fit can be used for, and the numbers behind it: R-hat, effective sample sizes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.diagnostics.mixing import Mixing, drift, measure
from blocklda.diagnostics.settling import Change, recent_change
from blocklda.diagnostics.stopping import Since, found_since
from blocklda.diagnostics.verdict import R_HAT_LIMIT, Evidence, Finding, Level, judge
from blocklda.models.base import LOG_PREDICTIVE, Role
from blocklda.results.result import FitResult
from blocklda.results.stability import Alignment, stable_topics
from blocklda.results.trace import Trace
from blocklda.run.engine import Ending
from blocklda.support.arrays import Bools, Floats, Ints
from blocklda.support.errors import ConvergenceWarning
from blocklda.support.html_table import html_lines
from blocklda.support.messages import Message

__all__ = ["Diagnostics", "diagnose", "diagnose_trace", "warn_if_unfinished"]

TOPICS_SHOWN = 10
"""Topics that are printed, those whose chains agree least; `table` has all of them."""


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """What a fit can be used for, and why.

    Attributes
    ----------
    level
        "green", "amber" (usable with care, usual for text) or "red" (something is wrong or
        unfinished): the worse of predictions and topics, and at best amber if chains disagree.
    headline
        The verdict in one or two sentences, with what to do.
    findings
        Findings about prediction, topics and the full posterior, each with a level.
    label_invariant
        Quantities that do not depend on the numbering of topics. Sizes of topics by rank and
        co-assignments of pairs of tokens are summarised by the one with the largest R-hat, and the
        median of each column.
    by_topic
        The size of each topic, and its learned alpha, with every chain's topics matched to those of
        the reference chain. If a topic was not found in every chain, these do not mix.
    distances
        Total variation between each topic and its partner in each chain, shape (chains, topics).
    n_found
        How many chains found each topic, shape (topics,); None with one chain.
    stable
        Which topics were found in every chain, shape (topics,); None with one chain.
    drift
        The rise of the log posterior of each chain from the first to the last third of its draws,
        in standard errors.
    converged
        Whether the full posterior was explored: False if there is evidence against it, None if it
        cannot be assessed. True means only that there is no evidence against it.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> lda = blocklda.LDA(6, n_chains=2, n_sweeps=200, random_state=0, progress=False).fit(corpus)
    >>> lda.diagnostics().n_chains
    2
    """

    level: Level
    headline: Message
    findings: tuple[Finding, ...]
    label_invariant: tuple[Mixing, ...]
    by_topic: tuple[Mixing, ...]
    distances: Floats
    n_found: Ints | None
    stable: Bools | None
    drift: Floats
    converged: bool | None
    n_chains: int
    n_draws: int

    @property
    def verdict(self) -> Message:
        """The headline, and a line for each purpose."""
        lines = [
            Message(f"{finding.purpose.capitalize()} ({finding.level}): ", finding.sentence)
            for finding in self.findings
            if not self.headline.endswith(finding.sentence)
        ]
        return Message.joined("\n", [self.headline, *lines])

    @property
    def table(self) -> tuple[Mixing, ...]:
        """All rows, those that no renumbering of topics changes first."""
        return (*self.label_invariant, *self.by_topic)

    @property
    def unstable_topics(self) -> tuple[int, ...]:
        """The topics that were not found in every chain; empty with one chain."""
        return () if self.stable is None else tuple(np.flatnonzero(~self.stable).tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and numbers for JSON; missing numbers are None."""
        return {
            "n_chains": self.n_chains,
            "n_draws": self.n_draws,
            "level": str(self.level),
            "headline": self.headline,
            "findings": [
                {"purpose": one.purpose, "level": str(one.level), "sentence": one.sentence}
                for one in self.findings
            ],
            "converged": self.converged,
            "verdict": self.verdict,
            "n_found": None if self.n_found is None else self.n_found.tolist(),
            "stable": None if self.stable is None else self.stable.tolist(),
            "unstable_topics": list(self.unstable_topics),
            "distances": self.distances.tolist(),
            "drift": [_plain(value) for value in self.drift.tolist()],
            "table": [
                {name: _plain(value) for name, value in asdict(row).items()} for row in self.table
            ],
        }

    def _repr_html_(self) -> str:
        return html_lines(str(self))

    def __str__(self) -> str:
        shown = sorted(self.by_topic, key=_how_bad, reverse=True)[:TOPICS_SHOWN]
        rows = [*self.label_invariant, *(row for row in self.by_topic if row in shown)]
        chains = "1 chain" if self.n_chains == 1 else f"{self.n_chains} chains"
        lines = [self.verdict, "", f"{chains}, {self.n_draws} draws of each", "", *_lines(rows)]
        hidden = len(self.by_topic) - len(shown)
        if hidden:
            lines.append(f"… and {hidden} rows of topics that mix better (see table)")
        return "\n".join(lines)


def diagnose(result: FitResult) -> Diagnostics:
    """Return the diagnostics of a fit."""
    return diagnose_trace(
        result.trace,
        result.alignment,
        n_sweeps=min(result.n_sweeps),
        ending=result.ending,
        topics_parameter=topics_parameter_of(result),
        n_alike=result.n_alike,
        since=_found_since(result),
    )


def _found_since(result: FitResult) -> Since | None:
    """Return what became of the topics that the stopping rule saw in an earlier fit."""
    if result.run is None or result.ending is not Ending.SCHEDULE:
        return None
    return found_since(result.run)


def topics_parameter_of(result: FitResult) -> str | None:
    """Return what sets the number of topics; advice names nothing that a model does not have."""
    if result.settings.get("n_components") is not None:
        return "n_components"
    return None if result.counted else "n_topics"


def warn_if_unfinished(result: FitResult, stacklevel: int) -> None:
    """Warn if a fit needs more sweeps or chains, without the cost of all diagnostics.

    There is no warning after Ctrl-C or a callback, since the user ended the fit.
    """
    if result.trace.n_draws == 0 or result.ending in (Ending.INTERRUPT, Ending.CALLBACK):
        return
    # The topics of one chain are not matched: it would take the table of their words.
    stable = stable_topics(result.alignment.distances) if result.n_chains > 1 else None
    evidence = Evidence(
        n_chains=result.n_chains,
        n_draws=result.trace.n_draws,
        headline=(),
        compared=(),
        drift=np.zeros(result.n_chains),
        n_found=None if stable is None else result.alignment.n_found,
        change=_change(result.trace),
        n_sweeps=min(result.n_sweeps),
        ending=result.ending,
        topics_parameter=topics_parameter_of(result),
    )
    verdict = judge(evidence)
    if verdict.level is Level.RED:
        warnings.warn(ConvergenceWarning(verdict.headline), stacklevel=stacklevel + 1)


def diagnose_trace(
    trace: Trace,
    alignment: Alignment,
    *,
    n_sweeps: int = 0,
    ending: Ending = Ending.SCHEDULE,
    topics_parameter: str | None = "n_topics",
    n_alike: int = 0,
    since: Since | None = None,
) -> Diagnostics:
    """Judge chains by what was recorded of them, after ``n_sweeps`` sweeps of each."""
    order, distances = alignment.order, alignment.distances
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
            n_found=None if stable is None else alignment.n_found,
            change=_change(trace),
            n_sweeps=n_sweeps,
            ending=ending,
            topics_parameter=topics_parameter,
            n_alike=n_alike,
            since=since,
        )
    )
    worst = [_worst(group) for group in (ranked, paired) if group]
    many = [row for both in zip(worst, medians, strict=True) for row in both]
    return Diagnostics(
        level=verdict.level,
        headline=verdict.headline,
        findings=verdict.findings,
        label_invariant=(*head, *many),
        by_topic=tuple(_by_topic(trace, order)),
        distances=distances,
        n_found=None if stable is None else alignment.n_found,
        stable=stable,
        drift=drifts,
        converged=verdict.converged,
        n_chains=trace.n_chains,
        n_draws=trace.n_draws,
    )


def _change(trace: Trace) -> Change | None:
    return recent_change(trace[LOG_PREDICTIVE]) if LOG_PREDICTIVE in trace else None


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
