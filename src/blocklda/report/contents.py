"""What a page shows, as plain lists and numbers: one key per section."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from blocklda.report.convergence import convergence
from blocklda.report.documents import typical
from blocklda.report.group_section import group_section
from blocklda.report.making import how_it_was_made
from blocklda.report.misfit import misfit
from blocklda.report.topics import topics
from blocklda.report.words import WordTable
from blocklda.results.result import result_of
from blocklda.summaries.intervals import check_interval
from blocklda.support.errors import not_allowed

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["page_contents"]


def page_contents(
    lda: LDA,
    *,
    texts: Sequence[str] | None,
    groups: Sequence[Any] | None,
    group_name: str | None,
    title: str | None,
    interval: float,
) -> dict[str, Any]:
    """Return everything that a page shows; topics have their numbers everywhere."""
    share = check_interval(interval)
    if title is not None and not isinstance(title, str):
        raise not_allowed("title", title, "a text")
    model = result_of(lda)
    table = WordTable.create(model)
    shown_topics = topics(model, table, share)
    return {
        "title": (title or "").strip() or "Topics",
        "interval": share,
        "has_draws": bool(model.draws),
        "topics": shown_topics.rows,
        "map_shown": shown_topics.map_shown,
        "words": table.rows(),
        "n_words": model.corpus.n_words,
        "documents": typical(model, table, texts, share),
        "groups": group_section(model, groups, group_name, share),
        "convergence": convergence(lda, model),
        "misfit": misfit(model),
        "making": how_it_was_made(lda, model),
    }
