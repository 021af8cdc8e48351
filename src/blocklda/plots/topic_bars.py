"""The words of topics as bars, with credible intervals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from blocklda.plots.style import (
    AS_IT_IS,
    BAND,
    INK,
    LABEL_SIZE,
    PANEL_INCHES,
    checked_topics,
    new_panel,
    one_line,
    require_matplotlib,
    tidy,
)
from blocklda.results.fixed_topics import topics_of
from blocklda.results.result import FitResult
from blocklda.results.stability import stable_topics
from blocklda.summaries.intervals import Estimates, check_interval
from blocklda.summaries.relevance import most_relevant
from blocklda.summaries.topics import topic_shares
from blocklda.summaries.word_estimates import word_estimates
from blocklda.support import defaults
from blocklda.support.checks import whole_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from blocklda.estimator.lda import LDA

__all__ = ["topic_bars", "topic_bars_figure"]

MOST_PANELS = 12
"""Topics of a figure unless others are asked for: four rows of three fill a page."""

N_COLUMNS = 3
LINE_INCHES, FRAME_INCHES = 0.16, 0.62
"""Height of a word, and of title and axis together."""


def topic_bars(
    lda: LDA,
    topic: int,
    n_words: int = defaults.N_WORDS,
    *,
    weight: float = 1.0,
    interval: float = defaults.INTERVAL,
    ax: Axes | None = None,
) -> Axes:
    """Draw the words of a topic: posterior means of φ as bars, intervals as lines across their end.

    Parameters
    ----------
    lda
        A fitted model. Without draws there are no intervals.
    topic
        The topic's number in the model.
    n_words
        Number of words.
    weight
        λ of the relevance by which words are chosen; with 1 they are the most probable ones.
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
    >>> axes = plots.topic_bars(lda, 0)
    """
    model = topics_of(lda)
    topic = whole_number("topic", topic, 0, model.n_topics - 1)
    words = _Words(model, n_words, weight, interval)
    ax = new_panel(ax, (PANEL_INCHES[0], FRAME_INCHES + LINE_INCHES * words.columns.shape[1]))
    words.draw(topic, ax)
    ax.set_xlabel("probability")
    return ax


def topic_bars_figure(
    lda: LDA,
    topics: Iterable[int] | None = None,
    n_words: int = 8,
    *,
    weight: float = 1.0,
    interval: float = defaults.INTERVAL,
) -> Figure:
    """Return a figure with a panel for each topic, three in a row, each with its own scale.

    ``topics`` are the numbers of the topics in the order to draw them; the default is the twelve
    largest. The other parameters are those of :func:`topic_bars`.

    Examples
    --------
    >>> import blocklda
    >>> from blocklda import plots
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> lda = blocklda.LDA(6, n_chains=2, n_sweeps=60, random_state=0, progress=False).fit(corpus)
    >>> figure = plots.topic_bars_figure(lda, [0, 1], n_words=5)
    """
    model = topics_of(lda)
    words = _Words(model, n_words, weight, interval)
    if topics is None:
        numbers = np.argsort(-words.shares, kind="stable")[:MOST_PANELS].tolist()
    else:
        numbers = checked_topics(topics, model.n_topics)
    n_columns = min(N_COLUMNS, len(numbers))
    n_rows = -(-len(numbers) // n_columns)
    height = FRAME_INCHES + LINE_INCHES * words.columns.shape[1]
    size = (2 * PANEL_INCHES[0] * n_columns / N_COLUMNS, n_rows * height)
    figure: Figure = require_matplotlib().Figure(size, layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for topic, ax in zip(numbers, panels, strict=False):
        words.draw(topic, ax)
        ax.locator_params(axis="x", nbins=3)
    for ax in panels[len(numbers) :]:
        ax.remove()
    figure.supxlabel("probability", fontsize=LABEL_SIZE)
    return figure


class _Words:
    """The words of all topics, worked out once for all panels."""

    def __init__(self, model: FitResult, n_words: int, weight: float, interval: float) -> None:
        n_words = min(whole_number("n_words", n_words, 1), model.corpus.n_words)
        check_interval(interval)
        self.columns, _ = most_relevant(
            model.topic_word, model.corpus.word_counts(), n_words, weight
        )
        self.shares = np.array([share.mean for share in topic_shares(model, interval)])
        self._stable = stable_topics(model.alignment.distances)
        self._names = model.words
        self._means = np.take_along_axis(model.topic_word, self.columns, axis=1)
        self._intervals: Estimates | None = None
        if model.draws:
            self._intervals = word_estimates(
                model.draws,
                model.trace,
                model.alignment,
                model.topic_word,
                self.columns,
                interval,
            )

    def draw(self, topic: int, ax: Axes) -> None:
        """Draw one topic, its first word on top."""
        places = np.arange(self.columns.shape[1])
        ax.barh(places, self._means[topic], height=0.7, color=BAND)
        if self._intervals is not None:
            low, high = self._intervals.low[topic], self._intervals.high[topic]
            ax.hlines(places, low, high, color=INK, lw=1.6)
        ax.set_yticks(places, [one_line(self._names[v]) for v in self.columns[topic]], **AS_IT_IS)
        ax.set_ylim(len(places) - 0.4, -0.6)
        ax.set_xlim(left=0)
        ax.set_title(self._title(topic), loc="left", fontsize=LABEL_SIZE)
        ax.xaxis.set_major_formatter("{x:g}")
        tidy(ax, "x")
        ax.tick_params(axis="y", length=0)

    def _title(self, topic: int) -> str:
        unstable = self._stable is not None and not self._stable[topic]
        return f"topic {topic}, {self.shares[topic]:.1%}{', unstable' if unstable else ''}"
