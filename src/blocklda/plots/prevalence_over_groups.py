"""How much of topics there is over time, over a number, or in groups of documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blocklda.plots.style import (
    AS_IT_IS,
    GRID,
    LABEL_SIZE,
    PANEL_INCHES,
    checked_topics,
    legend_above,
    line_style,
    new_panel,
    one_line,
    tidy,
    topic_name,
)
from blocklda.results.fixed_topics import topics_of
from blocklda.summaries.group_prevalence import GroupPrevalence, group_prevalence
from blocklda.support import defaults
from blocklda.support.arrays import Bools
from blocklda.support.checks import whole_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from blocklda.estimator.lda import LDA

__all__ = ["prevalence_over_groups"]

LINE_INCHES, LEGEND_INCHES, FRAME_INCHES = 0.075, 0.16, 0.6
"""Height of one topic in one category, of a line of the legend, and of the axis."""

SPREAD = 0.7
"""The share of a category's height over which its topics are spread."""


def prevalence_over_groups(
    lda: LDA,
    groups: Sequence[Any],
    topics: Iterable[int] | None = None,
    n_topics: int = 4,
    *,
    interval: float = defaults.INTERVAL,
    ax: Axes | None = None,
) -> Axes:
    """Draw the shares of topics in groups of documents.

    Over dates and numbers, topics are lines with a band for the interval; over categories, they
    are marks with a line for the interval, one row per category.

    Parameters
    ----------
    lda
        A fitted model that kept its draws.
    groups
        A date, a number or a name for each training document: a list, an array, a pandas Series.
        :func:`~blocklda.summaries.group_labels.group_documents` explains the grouping.
    topics
        Numbers of the topics; the default is those whose share varies most over the groups.
    n_topics
        Number of topics if none are named.
    interval
        Probability of the intervals.
    ax
        Axes to draw on; by default a new figure is created (``ax.figure`` of the result).

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> lda = blocklda.LDA(6, n_chains=2, n_sweeps=60, random_state=0, progress=False).fit(corpus)
    >>> axes = plots.prevalence_over_groups(lda, ["a", "b"] * 30)
    """
    model = topics_of(lda)
    found = group_prevalence(model, groups, interval)
    if topics is None:
        n_shown = min(whole_number("n_topics", n_topics, 1), model.n_topics)
        shown: Sequence[int] = _most_varying(found, n_shown)
    else:
        shown = checked_topics(topics, model.n_topics)
    ax = new_panel(ax, _inches(found, len(shown)))
    names = [topic_name(model, k) for k in shown]
    if found.kind == "category":
        _draw_marks(ax, found, shown, names)
    else:
        _draw_lines(ax, found, shown, names)
    legend_above(ax)
    return ax


def _most_varying(found: GroupPrevalence, n: int) -> list[int]:
    """Return the topics whose share varies most from token to token's group, the first the most."""
    means, weights = found.prevalence.mean, found.n_tokens / found.n_tokens.sum()
    variances = weights @ (means - weights @ means) ** 2
    order: list[int] = np.argsort(-variances, kind="stable")[:n].tolist()
    return order


def _inches(found: GroupPrevalence, n_topics: int) -> tuple[float, float]:
    width, height = PANEL_INCHES
    legend = LEGEND_INCHES * n_topics
    if found.kind != "category":
        return width, height + legend
    rows = len(found.labels) * max(0.2, LINE_INCHES * n_topics)
    return width, FRAME_INCHES + legend + rows


def _draw_lines(
    ax: Axes, found: GroupPrevalence, topics: Sequence[int], names: Sequence[str]
) -> None:
    xs, has_place = _places(found)
    mean, low, high = (part[has_place] for part in found.prevalence)
    for i, (k, name) in enumerate(zip(topics, names, strict=True)):
        colour, line, mark = line_style(ax, i)
        ax.fill_between(xs, low[:, k], high[:, k], color=colour, alpha=0.15, lw=0)
        ax.plot(xs, mean[:, k], color=colour, ls=line, lw=1.3, marker=mark, ms=3, label=name)
    if found.kind == "date":
        _date_axis(ax)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(_percent)
    ax.set_ylabel("share of tokens")
    tidy(ax)
    n_left_out = int(found.n_docs[~has_place].sum())
    if n_left_out:
        documents = "1 document" if n_left_out == 1 else f"{n_left_out:,} documents"
        ax.set_xlabel(f"not shown: {documents} without a {found.kind}", fontsize=LABEL_SIZE)


def _places(found: GroupPrevalence) -> tuple[NDArray[Any], Bools]:
    """Return where groups stand on the axis, and which of them do."""
    if found.starts is not None:
        has_place = np.array([start is not None for start in found.starts], dtype=bool)
        days = [start for start in found.starts if start is not None]
        return np.array(days, dtype="datetime64[D]"), has_place
    middles = np.array(found.middles)
    has_place = np.isfinite(middles)
    return middles[has_place], has_place


def _date_axis(ax: Axes) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter  # noqa: PLC0415

    locator = AutoDateLocator(minticks=3, maxticks=7)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]


def _draw_marks(
    ax: Axes, found: GroupPrevalence, topics: Sequence[int], names: Sequence[str]
) -> None:
    rows = np.arange(len(found.labels))
    shifts = SPREAD * ((np.arange(len(topics)) + 0.5) / len(topics) - 0.5)
    mean, low, high = found.prevalence
    for i, (k, name) in enumerate(zip(topics, names, strict=True)):
        colour, _, mark = line_style(ax, i)
        ax.hlines(rows + shifts[i], low[:, k], high[:, k], color=colour, lw=1.2)
        ax.plot(mean[:, k], rows + shifts[i], mark, color=colour, ms=3.5, mew=0, label=name)
    ax.hlines(rows[1:] - 0.5, 0, 1, transform=ax.get_yaxis_transform(), **GRID)
    ax.set_yticks(rows, [one_line(label) for label in found.labels], **AS_IT_IS)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(_percent)
    ax.set_xlabel("share of tokens")
    tidy(ax, "x")
    ax.tick_params(axis="y", length=0)


def _percent(share: float, _: float) -> str:
    return f"{100 * share:.3g}%"
