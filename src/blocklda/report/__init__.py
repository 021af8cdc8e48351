"""One page about a fitted model, in one file.

Data flow: a fitted LDA → `contents` (plain lists and numbers, one file per section) → `page`
(HTML, styles and scripts from the folder page/, and the chart library, in one string).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from blocklda.report.contents import page_contents
from blocklda.report.page import Report, assembled, chart_library
from blocklda.support import defaults

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["Report", "report"]


def report(
    lda: LDA,
    *,
    texts: Sequence[str] | None = None,
    groups: Sequence[Any] | None = None,
    group_name: str | None = None,
    title: str | None = None,
    interval: float = defaults.INTERVAL,
) -> Report:
    """Make a page about a fitted model, which needs no network and no other file.

    Parameters
    ----------
    lda
        A fitted model.
    texts
        The texts of the training documents, one each in the same order: those most typical of a
        topic are shown, their words coloured by topic.
    groups
        A date or a group of every training document: the share of topics is shown over them.
    group_name
        What to call the groups; the name of a pandas Series, if nothing is said.
    title
        What to write on top.
    interval
        Probability inside the credible intervals.

    Examples
    --------
    >>> import blocklda
    >>> texts = ["soup bread soup", "bed room sleep", "bread soup salad"] * 20
    >>> lda = blocklda.LDA(2, n_sweeps=60, random_state=0, progress=False).fit(texts)
    >>> page = lda.report("report.html", texts=texts)
    """
    contents = page_contents(
        lda, texts=texts, groups=groups, group_name=group_name, title=title, interval=interval
    )
    return Report(assembled(contents, chart_library()))
