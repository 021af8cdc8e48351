"""gensim's LdaModel has our topics, priors and words, and its own functions work on it."""

from __future__ import annotations

import numpy as np
import pytest
from gensim.matutils import Sparse2Corpus
from gensim.models import CoherenceModel
from sklearn.exceptions import NotFittedError

import blocklda
from tests.exports.fits import WORDS, fit


def bags(lda: blocklda.LDA) -> list[list[tuple[int, int]]]:
    matrix = lda.chains_[0].corpus.to_matrix()
    return [list(bag) for bag in Sparse2Corpus(matrix, documents_columns=False)]


def test_topics_and_priors_are_ours() -> None:
    lda = fit()
    model = lda.to_gensim()
    np.testing.assert_allclose(model.get_topics(), lda.components_, rtol=1e-12)
    np.testing.assert_array_equal(model.alpha, lda.alpha_)
    np.testing.assert_array_equal(model.eta, np.full(25, lda.beta_))
    assert model.get_topics().dtype == np.float64
    # The pseudo-counts are about as many as there are tokens, and the prior's.
    n_tokens = lda.chains_[0].corpus.n_tokens
    assert model.state.get_lambda().sum() == pytest.approx(n_tokens + 6 * 25 * lda.beta_)


def test_a_prior_of_each_word_in_each_topic() -> None:
    counts = np.random.default_rng(0).integers(0, 4, size=(30, 5))
    beta = np.full((2, 5), 0.1)
    beta[1, 3] = 7.0
    lda = blocklda.LDA(2, alpha=[0.2, 0.7], beta=beta, n_sweeps=20, random_state=0).fit(counts)
    model = lda.to_gensim()
    np.testing.assert_allclose(model.get_topics(), lda.components_, rtol=1e-12)
    np.testing.assert_array_equal(model.eta, beta)
    np.testing.assert_array_equal(model.alpha, [0.2, 0.7])


def test_topics_are_shown_with_their_words() -> None:
    lda = fit()
    shown = dict(lda.to_gensim().show_topics(num_topics=6, num_words=3, formatted=False))
    for k, topic in enumerate(lda.topic_summaries(n_words=3)):
        assert [word for word, _ in shown[k]] == [word.word for word in topic.words]


def test_the_dictionary_is_that_of_the_training_documents() -> None:
    lda = fit()
    corpus, dictionary = lda.chains_[0].corpus, lda.to_gensim().id2word
    assert [dictionary[v] for v in range(25)] == list(WORDS)
    assert dictionary.doc2bow(["b2", "a0", "b2", "what"]) == [(0, 1), (7, 2)]
    matrix = corpus.to_matrix().toarray()
    assert [dictionary.dfs[v] for v in range(25)] == (matrix > 0).sum(axis=0).tolist()
    assert [dictionary.cfs[v] for v in range(25)] == matrix.sum(axis=0).tolist()
    found = dictionary.num_docs, dictionary.num_pos, dictionary.num_nnz
    assert found == (corpus.n_docs, corpus.n_tokens, corpus.n_entries)


def test_documents_have_the_same_topics_up_to_the_approximation() -> None:
    lda = fit()
    model = lda.to_gensim()
    inferred = np.zeros_like(lda.doc_topic_)
    for d, bag in enumerate(bags(lda)):
        for k, share in model.get_document_topics(bag, minimum_probability=0):
            inferred[d, k] = share
    filled = slice(None, -1)
    same = inferred[filled].argmax(axis=1) == lda.doc_topic_[filled].argmax(axis=1)
    assert same.mean() > 0.9
    assert np.abs(inferred - lda.doc_topic_).sum(axis=1).mean() < 0.2
    # The same document asked again, of a model exported again, has the same topics.
    again = lda.to_gensim().get_document_topics(bags(lda)[0], minimum_probability=0)
    first = lda.to_gensim().get_document_topics(bags(lda)[0], minimum_probability=0)
    assert first == again


def test_coherence_of_gensim_agrees_with_ours() -> None:
    """gensim's u_mass has the same pairs and adds 1e-12 instead of 1 to the shared documents."""
    lda = fit()
    documents = bags(lda)
    model = lda.to_gensim()
    coherence = CoherenceModel(model=model, corpus=documents, coherence="u_mass", topn=5)
    theirs = np.array(coherence.get_coherence_per_topic())
    ours = blocklda.evaluate.umass(lda.components_, lda.chains_[0].corpus, n_words=5)
    assert np.corrcoef(theirs, ours)[0, 1] > 0.9
    texts = [[WORDS[v] for v, n in bag for _ in range(n)] for bag in documents]
    by_windows = CoherenceModel(
        model=model, texts=texts, dictionary=model.id2word, coherence="c_npmi", processes=1
    )
    assert np.isfinite(by_windows.get_coherence())


def test_words_without_names_are_called_by_their_columns() -> None:
    dictionary = fit(named=False).to_gensim().id2word
    assert dictionary.token2id == {str(v): v for v in range(25)}


def test_an_unfitted_model_says_so() -> None:
    with pytest.raises(NotFittedError):
        blocklda.LDA().to_gensim()


def test_a_loaded_model_without_draws_exports_the_same(tmp_path) -> None:
    lda = fit()
    lda.save(tmp_path / "model", draws=False)
    loaded = blocklda.LDA.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.to_gensim().get_topics(), lda.to_gensim().get_topics())
    assert loaded.to_pyldavis().to_json() == lda.to_pyldavis().to_json()
    assert loaded.doc_topic_frame().equals(lda.doc_topic_frame())
