"""Bars are means, lines are intervals, and words are words whatever they look like."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda import InputError, plots
from blocklda.summaries.relevance import most_relevant
from tests.plots.conftest import HOSTILE
from tests.plots.drawn import bar_ends, intervals, svg, tick_names
from tests.summaries.models import small_lda


def test_bars_are_those_of_the_summary(lda: blocklda.LDA) -> None:
    summary = lda.topic_summaries(n_words=4, interval=0.8)[2]
    ax = plots.topic_bars(lda, 2, 4, interval=0.8)
    assert tick_names(ax.yaxis) == [word.word for word in summary.words]
    np.testing.assert_allclose(bar_ends(ax), [word.probability.mean for word in summary.words])
    expected = [(word.probability.low, word.probability.high) for word in summary.words]
    np.testing.assert_allclose(intervals(ax.collections[0]), expected)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first word on top
    stability = "" if summary.is_stable else ", unstable"
    assert ax.get_title("left") == f"topic 2, {summary.prevalence.mean:.1%}{stability}"


def test_words_by_relevance(lda: blocklda.LDA) -> None:
    counts = np.asarray(lda.chains_[0].corpus.word_counts())
    columns, _ = most_relevant(lda.components_, counts, 3, 0.2)
    assert tick_names(plots.topic_bars(lda, 1, 3, weight=0.2).yaxis) == list(map(str, columns[1]))


def test_without_draws_there_are_bars_alone(lda: blocklda.LDA) -> None:
    ax = plots.topic_bars(small_lda(keep_draws=False), 2, 4)
    assert len(ax.collections) == 0
    np.testing.assert_allclose(bar_ends(ax), bar_ends(plots.topic_bars(lda, 2, 4)))


def test_hostile_words_are_shown_as_they_are(hostile: blocklda.LDA) -> None:
    ax = plots.topic_bars(hostile, 0, 9)
    shown = set(tick_names(ax.yaxis))
    plain = {word for word in HOSTILE if len(word) < 20 and word.isprintable()}
    assert shown == plain | {"wordwordwordwordwordwor…", "two lines ."}
    text = svg(ax)
    for word in ("$x$", "a_b^c", "\\frac{1}", "&lt;b&gt;&amp;"):
        assert f">{word}</text>" in text


def test_the_figure_has_the_largest_topics(lda: blocklda.LDA) -> None:
    figure = plots.topic_bars_figure(lda, n_words=3)
    shares = [topic.prevalence.mean for topic in lda.topic_summaries()]
    order = np.argsort(-np.array(shares), kind="stable")
    titles = [ax.get_title("left").split(",")[0] for ax in figure.axes]
    assert titles == [f"topic {k}" for k in order]
    svg(figure)


@pytest.mark.parametrize("topics", [[3], [5, 0], [4, 4, 1, 2]])
def test_the_figure_has_the_topics_asked_for(lda: blocklda.LDA, topics: list[int]) -> None:
    figure = plots.topic_bars_figure(lda, topics, 2)
    assert [int(ax.get_title("left")[6]) for ax in figure.axes] == topics
    alone = plots.topic_bars(lda, topics[-1], 2)
    assert bar_ends(figure.axes[-1]) == bar_ends(alone)


def test_one_topic_and_more_words_than_there_are(one_topic: blocklda.LDA) -> None:
    ax = plots.topic_bars(one_topic, 0, 50)
    assert len(bar_ends(ax)) == 2
    assert sum(bar_ends(ax)) == pytest.approx(1)
    svg(plots.topic_bars_figure(one_topic))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"topic": 6}, "topic=6 is not allowed: give a whole number from 0 to 5"),
        ({"topic": 1, "n_words": 0}, "n_words=0 is not allowed"),
        ({"topic": 1, "weight": 2}, "weight=2 is not allowed"),
        ({"topic": 1, "interval": 0}, "interval=0 is not allowed"),
    ],
)
def test_wrong_numbers_are_named(lda: blocklda.LDA, settings: dict, said: str) -> None:
    with pytest.raises(InputError, match=said):
        plots.topic_bars(lda, **settings)


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ([0, 6], r"topics\[1\]=6 is not allowed"),
        (3, "topics=3 is not allowed: give a list"),
        ([], "topics is empty"),
    ],
)
def test_wrong_topics_are_named(lda: blocklda.LDA, topics: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        plots.topic_bars_figure(lda, topics)
