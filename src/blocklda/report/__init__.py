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
    """Create an HTML page about a fitted model, which needs no network and no other file.

    Parameters
    ----------
    lda
        A fitted model.
    texts
        The texts of the training documents, in the same order. The page shows the most typical
        ones of each topic, with words coloured by topic.
    groups
        A date, number or name for each training document; the page shows the shares of topics by
        group.
    group_name
        Name of the groups; the default is the name of a pandas Series.
    title
        Title of the page.
    interval
        Probability of the credible intervals.

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
