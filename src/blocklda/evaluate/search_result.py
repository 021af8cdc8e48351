"""What a search over the number of topics found, as rows, as JSON and as a plain table."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from textwrap import fill
from typing import TYPE_CHECKING, Any

from blocklda.evaluate.search_scores import Difference, HeldoutScores, OverChains
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra
from blocklda.support.html_table import html_lines
from blocklda.support.messages import Allowed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KRow", "KSearch"]

TOLD_APART = 2.0
"""Differences of fewer standard errors than this are not called differences."""

LINE = 90
"""Sentences below the tables are folded at this width."""


@dataclass(frozen=True)
class KRow:
    """One number of topics.

    Attributes
    ----------
    n_topics
        K.
    heldout
        Log probability of a held-out token in nats, for each chain by the mean over its draws.
    heldout_se_documents
        The standard error of its mean over documents.
    to_best
        The difference to the K with the highest mean, on the same documents: 0 or negative.
    npmi, umass, exclusivity
        Means over topics of :func:`npmi`, :func:`umass` and :func:`exclusivity`.
    diversity
        :func:`diversity`.
    log_posterior
        Of each chain after its last sweep, up to a constant that depends on K: it compares the
        chains of one K, never one K with another.
    stability
        The mean overlap, 1 − total variation, of the topics of two chains after matching; NaN for
        one chain.
    """

    n_topics: int
    heldout: OverChains
    heldout_se_documents: float
    to_best: Difference
    npmi: OverChains
    umass: OverChains
    diversity: OverChains
    exclusivity: OverChains
    log_posterior: OverChains
    stability: float

    @property
    def is_close_to_best(self) -> bool:
        """Return True if the difference to the best is within two standard errors."""
        return abs(self.to_best.mean) <= TOLD_APART * self.to_best.se

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON; unknown values are None."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True, eq=False, repr=False)
class KSearch:
    """The result of :func:`blocklda.evaluate.search_n_topics`; print it to see its table.

    Attributes
    ----------
    rows
        One :class:`KRow` for each K, in ascending order.
    n_words
        Number of top words for coherence, diversity and exclusivity.
    scores
        For each K the held-out log probability of every document in every chain.
    """

    rows: list[KRow]
    n_words: int
    scores: dict[int, HeldoutScores]

    @property
    def most_predictive(self) -> KRow:
        """The row with the highest held-out log probability, which may be due to chance."""
        return max(self.rows, key=lambda row: row.heldout.mean)

    def difference(self, first: int, second: int) -> Difference:
        """Return the held-out log probability of one K minus that of another, in nats per token."""
        for K in (first, second):
            if K not in self.scores:
                raise InputError.of(
                    "{n_topics=} is not in the grid: [give two of {allowed}]."
                ).where(n_topics=K, allowed=Allowed(str([*self.scores]), choices=self.scores))
        return self.scores[first].less(self.scores[second])

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the scores of single documents for JSON."""
        return {
            "n_heldout_docs": self._n_docs,
            "n_heldout_tokens": self._n_tokens,
            "n_chains": self._n_chains,
            "n_words": self.n_words,
            "rows": [row.to_dict() for row in self.rows],
        }

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with a row per K: each measure, and its standard error (``_se``)."""
        pandas = import_extra("pandas", "pandas", "to_frame")
        rows = [_flat(row) for row in self.rows]
        index = pandas.Index([row.n_topics for row in self.rows], name="n_topics")
        frame: pd.DataFrame = pandas.DataFrame(rows, index=index)
        return frame

    def __str__(self) -> str:
        prediction = _table(
            ["K", "log p per token", "over documents", "difference to best"],
            [
                [
                    str(row.n_topics),
                    _spread(row.heldout, 4),
                    f"± {row.heldout_se_documents:.4f}",
                    "best" if row is self.most_predictive else _difference(row.to_best),
                ]
                for row in self.rows
            ],
        )
        topics = _table(
            ["K", "NPMI", "UMass", "diversity", "exclusivity", "stability", "log posterior"],
            [
                [
                    str(row.n_topics),
                    _spread(row.npmi, 3),
                    _spread(row.umass, 3),
                    _spread(row.diversity, 2),
                    _spread(row.exclusivity, 2),
                    _number(row.stability, 2),
                    _spread(row.log_posterior, 0),
                ]
                for row in self.rows
            ],
        )
        return (
            f"Prediction of {self._n_tokens:,} held-out tokens of {self._n_docs:,} documents, in "
            f"nats\n{prediction}\n\nTopics by their top {self.n_words} words\n{topics}\n\n"
            f"{fill(self._legend(), LINE)}\n{fill(self._what_it_says(), LINE)}"
        )

    def __repr__(self) -> str:
        grid = ", ".join(str(row.n_topics) for row in self.rows)
        return f"<KSearch: K = {grid}, chains for each: {self._n_chains}>"

    def _repr_html_(self) -> str:
        return html_lines(str(self))

    def _legend(self) -> str:
        if self._n_chains == 1:
            return (
                "With one chain for each K, the table does not show how much another start would "
                "change; ± is the standard error over documents, paired in differences."
            )
        return (
            f"± is the standard error of a mean over the {self._n_chains} chains of each K, or "
            "over documents where stated; that of a difference includes both, with documents "
            "paired."
        )

    def _what_it_says(self) -> str:
        best = self.most_predictive
        others = [row for row in self.rows if row is not best]
        if not others:
            return f"K = {best.n_topics} is the only K that was tried."
        # At an end of the grid the curve may continue beyond it.
        ends = {
            id(self.rows[0]): (", the smallest tried,", " Try smaller K, too."),
            id(self.rows[-1]): (", the largest tried,", " Try larger K, too."),
        }
        place, advice = ends.get(id(best), ("", ""))
        first = f"K = {best.n_topics}{place} has the highest held-out probability"
        close = ", ".join(str(row.n_topics) for row in others if row.is_close_to_best)
        if close:
            return (
                f"{first}. Within two standard errors of it, and therefore indistinguishable: K = "
                f"{close}. Choose among these by stability, and by reading their topics.{advice}"
            )
        return f"{first}, and every other K is more than two standard errors below it.{advice}"

    @property
    def _n_docs(self) -> int:
        return len(next(iter(self.scores.values())).n_tokens)

    @property
    def _n_tokens(self) -> int:
        return int(next(iter(self.scores.values())).n_tokens.sum())

    @property
    def _n_chains(self) -> int:
        return len(self.rows[0].heldout.values)


def _plain(value: Any) -> Any:
    """Return what JSON can hold: it has no NaN."""
    if isinstance(value, OverChains):
        return {name: _plain(part) for name, part in value.to_dict().items()}
    if isinstance(value, Difference):
        names = ("mean", "se", "se_documents", "se_chains")
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _flat(row: KRow) -> dict[str, float]:
    """Return the numbers of a row, each under a name of its own."""
    flat: dict[str, float] = {}
    for field in fields(row)[1:]:
        value = getattr(row, field.name)
        if isinstance(value, float):
            flat[field.name] = value
        else:
            flat |= {field.name: value.mean, f"{field.name}_se": value.se}
    return flat


def _number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:,.{digits}f}"


def _spread(measure: OverChains, digits: int) -> str:
    if math.isnan(measure.se):
        return _number(measure.mean, digits)
    return f"{_number(measure.mean, digits)} ± {measure.se:,.{digits}f}"


def _difference(difference: Difference) -> str:
    return f"{difference.mean:.4f} ± {difference.se:.4f}"


def _table(header: list[str], rows: list[list[str]]) -> str:
    """Return columns aligned to the right."""
    lines = [header, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
