"""The topics of a document, by number and by name."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda import InputError, plots
from blocklda.results.result import result_of
from blocklda.summaries.documents import document_mixtures
from tests.plots.drawn import bar_ends, intervals, svg, tick_names
from tests.summaries.models import small_lda


def test_the_largest_topics_with_their_intervals(lda: blocklda.LDA) -> None:
    ax = plots.document_mixture(lda, 12, 4, interval=0.8)
    mean, low, high = (part[0] for part in document_mixtures(result_of(lda), [12], 0.8))
    order = np.argsort(-mean, kind="stable")[:4]
    np.testing.assert_array_equal(bar_ends(ax), mean[order])
    np.testing.assert_array_equal(
        intervals(ax.collections[0]), np.stack([low[order], high[order]], axis=1)
    )
    assert [name.split()[0] for name in tick_names(ax.yaxis)] == list(map(str, order))
    top = lda.topic_summaries(3)[order[0]].words
    assert tick_names(ax.yaxis)[0].split("  ")[1] == ", ".join(word.word for word in top)
    length = lda.chains_[0].corpus.doc_lengths()[12]
    assert ax.get_title("right") == f"document 12, {length} tokens"
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlim()[1] >= high[order].max()
    svg(ax)


def test_names_of_documents(hostile: blocklda.LDA) -> None:
    ax = plots.document_mixture(hostile, "$3$_3")
    assert ax.get_title("right").startswith("$3$_3, ")
    assert bar_ends(ax) == bar_ends(plots.document_mixture(hostile, 3))
    assert ">$3$_3, " in svg(ax)


def test_an_empty_document_has_the_prior(lda: blocklda.LDA) -> None:
    ax = plots.document_mixture(lda, 7)
    np.testing.assert_allclose(bar_ends(ax), 1 / 6)
    assert ax.get_title("right") == "document 7, 0 tokens"


def test_one_topic_is_all(one_topic: blocklda.LDA) -> None:
    ax = plots.document_mixture(one_topic, 0)
    assert bar_ends(ax) == [1.0]
    svg(ax)


@pytest.mark.parametrize(
    ("doc", "said"),
    [
        (30, "doc=30 is not allowed: give a whole number from 0 to 29"),
        ("$4$_4", r"doc='\$4\$_4' is the name of 0 documents: give the name of one, or a number"),
        ("$5$_5", "is the name of 2 documents"),
        (1.5, "doc=1.5 is not allowed"),
    ],
)
def test_what_is_no_document_is_named(hostile: blocklda.LDA, doc: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        plots.document_mixture(hostile, doc)


def test_names_and_draws_that_are_not_there(lda: blocklda.LDA) -> None:
    with pytest.raises(InputError, match="doc='a' is a name, but the documents have no names"):
        plots.document_mixture(lda, "a")
    with pytest.raises(InputError, match="document_mixtures needs draws"):
        plots.document_mixture(small_lda(keep_draws=False), 0)
    with pytest.raises(InputError, match="n_topics=0 is not allowed"):
        plots.document_mixture(lda, 0, 0)
