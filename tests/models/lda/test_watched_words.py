"""Predictions of watched words are those of the draw."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.models.lda import watched_words
from blocklda.models.lda.watched_words import WatchedWords

CORPUS = blocklda.simulate.bars(n_docs=40, seed=3).corpus


def by_hand(draw) -> float:
    """Return the mean log probability of all tokens of the corpus."""
    p = draw.doc_topic() @ draw.topic_word()
    counts = CORPUS.to_matrix().toarray()
    return float((counts * np.log(p)).sum() / counts.sum())


@pytest.mark.parametrize("beta", [0.01, "matrix"])
def test_a_small_corpus_is_watched_whole(beta) -> None:
    if beta == "matrix":
        beta = np.random.default_rng(0).gamma(1, size=(4, CORPUS.n_words)) + 0.01
    chain = blocklda.Chain(CORPUS, 4, alpha=[0.1, 0.2, 0.3, 0.4], beta=beta, seed=1)
    chain.sweep(3)
    watched = WatchedWords.choose(CORPUS)
    assert watched.log_predictive(chain.draw(0)) == pytest.approx(by_hand(chain.draw(0)), rel=1e-12)


def test_a_part_is_an_honest_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_words, "LEAST", 1500)
    monkeypatch.setattr(watched_words, "SHARE", 0.0)
    watched = WatchedWords.choose(CORPUS)
    chain = blocklda.Chain(CORPUS, 10, seed=1)
    chain.sweep(20)
    assert watched.log_predictive(chain.draw(0)) == pytest.approx(by_hand(chain.draw(0)), abs=0.2)


def test_the_choice_depends_on_the_counts_alone() -> None:
    again = blocklda.Corpus.from_matrix(CORPUS.to_matrix())
    draw = blocklda.Chain(CORPUS, 4, seed=1).draw(0)
    watched, other = WatchedWords.choose(CORPUS), WatchedWords.choose(again)
    assert watched.log_predictive(draw) == other.log_predictive(draw)


def test_without_words_nothing_is_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched_words, "LEAST", 1)
    monkeypatch.setattr(watched_words, "SHARE", 0.0)
    watched = WatchedWords.choose(CORPUS)
    assert np.isnan(watched.log_predictive(blocklda.Chain(CORPUS, 4, seed=1).draw(0)))
