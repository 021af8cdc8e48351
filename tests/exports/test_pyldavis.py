"""pyLDAvis gets the model's numbers, and its page can be written for any model."""

from __future__ import annotations

import json

import numpy as np
import pyLDAvis
import pytest
from pyLDAvis._prepare import js_PCoA
from scipy.spatial.distance import pdist
from sklearn.exceptions import NotFittedError

import blocklda
from blocklda.exports.pyldavis import topic_map
from tests.exports.fits import WORDS, alike_topics, fit


def test_topics_have_our_numbers_and_sizes() -> None:
    lda = fit()
    data = lda.to_pyldavis()
    tokens = lda.chains_[0].corpus.doc_lengths() @ lda.doc_topic_
    assert list(data.topic_coordinates["topics"]) == list(range(6))
    np.testing.assert_allclose(data.topic_coordinates["Freq"], 100 * tokens / tokens.sum())
    assert data.topic_order == list(range(6))
    for k in range(6):
        best = data.sorted_terms(topic=k, _lambda=1)["Term"].iloc[0]
        assert best == WORDS[lda.components_[k].argmax()]


def test_the_page_is_written(tmp_path) -> None:
    path = tmp_path / "topics.html"
    data = fit().to_pyldavis()
    with path.open("w", encoding="utf-8") as page:  # given a name, it leaves the file open
        pyLDAvis.save_html(data, page)
    assert '"b2"' in path.read_text(encoding="utf-8")
    numbers = json.loads(data.to_json())
    assert numbers["topic.order"] == list(range(6))
    assert len(numbers["mdsDat"]["x"]) == 6


def test_options_go_to_pyldavis() -> None:
    data = fit().to_pyldavis(sort_topics=True, start_index=1, R=5)
    sizes = data.topic_coordinates["Freq"].to_numpy()
    assert (np.diff(sizes) <= 0).all()
    assert sorted(data.topic_order) == [1, 2, 3, 4, 5, 6]
    assert data.R == 5


def test_words_without_names_are_called_by_their_columns() -> None:
    terms = set(fit(named=False).to_pyldavis().topic_info["Term"])
    assert terms <= {str(v) for v in range(25)}


def test_the_map_is_pyldaviss_where_that_is_real() -> None:
    topics = fit().components_
    ours, theirs = topic_map(topics), js_PCoA(topics)
    assert theirs.dtype == np.float64
    np.testing.assert_allclose(pdist(ours), pdist(theirs), atol=1e-10)


def test_topics_that_are_alike_have_a_real_place() -> None:
    topics = alike_topics()
    places = topic_map(topics)
    assert places.dtype == np.float64
    assert np.isfinite(places).all()
    np.testing.assert_allclose(places[-3:], places[[-1] * 3], atol=1e-12)


def test_the_reason_for_a_map_of_our_own() -> None:
    """If it is gone, drop ours. Which topics are hit by it is up to the processor's rounding."""
    assert any(np.iscomplexobj(js_PCoA(alike_topics(seed))) for seed in range(60))


@pytest.mark.parametrize("n_topics", [1, 2, 3])
def test_few_topics_have_places_too(n_topics) -> None:
    topics = np.random.default_rng(1).dirichlet(np.ones(9), size=n_topics)
    places = topic_map(topics)
    assert places.shape == (n_topics, 2)
    np.testing.assert_allclose(places.mean(axis=0), 0, atol=1e-12)


def test_an_unfitted_model_says_so() -> None:
    with pytest.raises(NotFittedError):
        blocklda.LDA().to_pyldavis()
