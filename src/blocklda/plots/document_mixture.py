"""The topics of one document, with credible intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.plots.style import (
    AS_IT_IS,
    BAND,
    INK,
    LABEL_SIZE,
    PANEL_INCHES,
    new_panel,
    one_line,
    tidy,
    topic_name,
)
from blocklda.results.fixed_topics import topics_of
from blocklda.summaries.documents import document_mixtures
from blocklda.support import defaults
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from blocklda.estimator.lda import LDA

__all__ = ["document_mixture"]

LINE_INCHES, FRAME_INCHES = 0.18, 0.66
"""Height of a topic, and of title and axis together."""

LONGEST_TITLE = 32


def document_mixture(
    lda: LDA,
    doc: int | str,
    n_topics: int = 8,
    *,
    interval: float = defaults.INTERVAL,
    ax: Axes | None = None,
) -> Axes:
    """Draw the largest topics of a training document: means of θ as bars, intervals as lines.

    Parameters
    ----------
    lda
        A fitted model that kept its draws.
    doc
        The number of the document from 0, or its name if the corpus has names.
    n_topics
        How many topics, the largest first.
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
    >>> axes = plots.document_mixture(lda, 0)
    """
    model = topics_of(lda)
    number = _number(model.corpus, doc)
    n_shown = min(whole_number("n_topics", n_topics, 1), model.n_topics)
    mean, low, high = (part[0] for part in document_mixtures(model, [number], interval))
    shown = np.argsort(-mean, kind="stable")[:n_shown]
    places = np.arange(n_shown)
    ax = new_panel(ax, (PANEL_INCHES[0], FRAME_INCHES + LINE_INCHES * n_shown))
    ax.barh(places, mean[shown], height=0.7, color=BAND)
    ax.hlines(places, low[shown], high[shown], color=INK, lw=1.6)
    ax.set_yticks(places, [topic_name(model, int(k)) for k in shown], **AS_IT_IS)
    ax.set_ylim(n_shown - 0.4, -0.6)
    ax.set_xlim(0, 1.02 * min(1.0, high[shown].max()))
    ax.set_xlabel("share of the document")
    ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    length = int(model.corpus.doc_lengths()[number])
    title = f"{_title(model.corpus, number)}, {length:,} tokens"
    ax.set_title(title, loc="right", fontsize=LABEL_SIZE, **AS_IT_IS)
    tidy(ax, "x")
    ax.tick_params(axis="y", length=0)
    return ax


def _number(corpus: Corpus, doc: Any) -> int:
    """Return the number of a document that is given by number or by name."""
    if not isinstance(doc, str):
        return whole_number("doc", doc, 0, corpus.n_docs - 1)
    if corpus.doc_names is None:
        raise InputError.of(
            "{doc=} is a name, but the documents have no names: [give <a number from 0 to "
            "{last:,}>]."
        ).where(doc=doc, last=corpus.n_docs - 1)
    n_found = corpus.doc_names.count(doc)
    if n_found != 1:
        raise InputError.of(
            "{doc=} is the name of {n_found} documents: [give the name of one, or a number from 0 "
            "to {last:,}]."
        ).where(doc=doc, n_found=n_found, last=corpus.n_docs - 1)
    return corpus.doc_names.index(doc)


def _title(corpus: Corpus, number: int) -> str:
    if corpus.doc_names is None:
        return f"document {number}"
    return one_line(corpus.doc_names[number], LONGEST_TITLE)
