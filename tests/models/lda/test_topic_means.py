"""Means over draws: the same from draws that are kept and from sums of those that are not."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import blocklda
from blocklda import Corpus, simulate
from blocklda.models.lda.topic_means import TopicMeans
from blocklda.run.chain_run import thinning

CORPUS = simulate.bars(n_docs=30, seed=3).corpus
N_TOPICS = 5
PRIORS = {
    "given": {"alpha": 0.3, "beta": 0.1},
    "asymmetric": {
        "alpha": np.arange(1, N_TOPICS + 1) / 10,
        "beta": np.random.default_rng(1).random((N_TOPICS, CORPUS.n_words)) + 0.1,
    },
    "sampled": {"learn_alpha": "asymmetric", "learn_beta": "symmetric", "learn_how": "sampled"},
}


def fitted(name: str, corpus: Corpus = CORPUS, **more: object) -> blocklda.LDA:
    settings = {"n_sweeps": 30, "burn_in": 10, "thin": 1, "random_state": 1, "progress": False}
    return blocklda.LDA(N_TOPICS, **{**settings, **PRIORS[name], **more}).fit(corpus)


@pytest.mark.parametrize("name", PRIORS)
def test_sums_and_kept_draws_give_the_same_bits(name):
    draws = fitted(name, keep_draws=20).draws_
    assert len(draws) == 20
    kept, settled, mixed = (TopicMeans.of(draws) for _ in range(3))
    settled.settle(draws)
    for draw in draws[::2]:
        mixed.settle([draw])
    for means in (kept, settled, mixed):
        assert means.n_draws == 20
        expected = np.mean([draw.topic_word() for draw in draws], axis=0)
        assert means.topic_word == pytest.approx(expected, rel=1e-12)
        expected = np.mean([draw.doc_topic() for draw in draws], axis=0)
        assert means.doc_topic == pytest.approx(expected, rel=1e-12)
    assert np.array_equal(kept.topic_word, settled.topic_word)
    assert np.array_equal(kept.doc_topic, settled.doc_topic)
    again = copy.deepcopy(settled)
    assert np.array_equal(again.topic_word, settled.topic_word)
    assert np.array_equal(again.doc_topic_sum, settled.doc_topic_sum)


def test_a_fit_of_one_chain_makes_no_table_of_words_by_topics(monkeypatch):
    """The table may take more than the chain and its draws; it is there once it is asked for."""
    made = []
    table = property(lambda means: made.append(means) or np.ones((2, 3)))
    for name in ("topic_word", "topic_word_sum"):
        monkeypatch.setattr(TopicMeans, name, table)
    lda = fitted("given")
    lda.transform(CORPUS)
    assert not made
    assert lda.components_ is lda.components_
    assert len(made) == 1


@pytest.mark.parametrize("name", PRIORS)
def test_means_and_trace_do_not_depend_on_how_many_draws_are_kept(name):
    every, some, none = (fitted(name, keep_draws=n) for n in (20, 4, False))
    assert [len(lda.draws_) for lda in (every, some, none)] == [20, 2, 0]
    for lda in (some, none):
        assert lda.components_ == pytest.approx(every.components_, rel=1e-12)
        assert lda.doc_topic_ == pytest.approx(every.doc_topic_, rel=1e-12)
        assert np.array_equal(lda.log_posterior_, every.log_posterior_)
        assert np.array_equal(lda.result_.trace.topic_sizes, every.result_.trace.topic_sizes)
    sweeps = [draw.sweep for draw in some.draws_]
    assert sweeps == [18, 26], "of 20 draws every eighth"
    assert all(np.array_equal(d.topics, every.draws_[d.sweep - 11].topics) for d in some.draws_)


@pytest.mark.parametrize("name", PRIORS)
def test_a_model_with_draws_that_are_not_kept_is_saved_and_continued_to_the_bit(name, tmp_path):
    whole = fitted(name, keep_draws=4, n_chains=2)
    fitted(name, keep_draws=4, n_chains=2, n_sweeps=21).save(tmp_path / "model")
    lda = blocklda.LDA.load(tmp_path / "model").set_params(n_sweeps=30, warm_start=True)
    lda.fit(CORPUS, checkpoint=tmp_path / "run", every=3)
    killed = fitted_again(name, tmp_path / "run")
    whole.save(tmp_path / "whole")
    for other in (lda, killed, blocklda.LDA.load(tmp_path / "whole")):
        assert np.array_equal(other.components_, whole.components_)
        assert np.array_equal(other.doc_topic_, whole.doc_topic_)
        assert [d.sweep for d in other.draws_] == [d.sweep for d in whole.draws_]
        for ours, theirs in zip(other.draws_, whole.draws_, strict=True):
            assert np.array_equal(ours.topics, theirs.topics)


def fitted_again(name: str, folder: object) -> blocklda.LDA:
    settings = {"n_sweeps": 30, "burn_in": 10, "thin": 1, "random_state": 1, "progress": False}
    lda = blocklda.LDA(N_TOPICS, **{**settings, **PRIORS[name]}, keep_draws=4, n_chains=2)
    return lda.fit(CORPUS, checkpoint=folder)


def test_thinning_keeps_what_was_kept_before():
    for at_most in (1, 2, 5, 32):
        kept: set[int] = set()
        for n in range(1, 200):
            step = thinning(n, at_most)
            wanted = set(range(step, n + 1, step))
            assert len(wanted) <= at_most
            assert wanted <= kept | {n}
            kept = wanted
    assert thinning(10, 0) == 0


def test_a_number_of_draws_must_be_one():
    for wrong in (0, -1, "many", 2.5):
        with pytest.raises(blocklda.InputError, match="keep_draws"):
            fitted("given", keep_draws=wrong)


def test_a_sweep_notes_the_cells_that_counting_finds():
    for n_topics in (3, 20, 80):
        chain = blocklda.Chain(CORPUS, n_topics, sampler="sparse", seed=2)
        chain.state.counted()  # who asks once gets notes
        chain.sweep(3)
        noted, counted = chain.state.counted(), chain.state.cells()
        assert chain.state.workspace.noted_cells(chain.state) is not None
        for ours, theirs in zip(noted.occupancy, counted.occupancy, strict=True):
            assert np.array_equal(ours, theirs)
        for ours, theirs in zip(noted.topic_histograms, counted.topic_histograms, strict=True):
            assert np.array_equal(ours, theirs)
        chain.state.topics[0] = (chain.state.topics[0] + 1) % n_topics
        assert chain.state.workspace.noted_cells(chain.state) is None, "other topics"


@pytest.mark.filterwarnings("ignore:.*empty:blocklda.DataWarning")
@pytest.mark.parametrize("alpha", [1e-310, 5e-324])
def test_an_empty_document_has_the_topics_of_the_prior_however_small_it_is(alpha):
    corpus = Corpus.from_matrix(np.array([[0, 2, 1], [0, 0, 0]]))
    lda = blocklda.LDA(2, alpha=alpha, beta=0.1, n_sweeps=8, progress=False).fit(corpus)
    assert lda.doc_topic_[1] == pytest.approx([0.5, 0.5])
