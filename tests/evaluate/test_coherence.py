"""Coherence against its definitions, written out slowly, and against gensim's where they agree."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import blocklda
from blocklda import InputError
from blocklda.evaluate import npmi, umass

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # importing gensim may warn
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel
    from gensim.topic_coherence import direct_confirmation_measure

RNG = np.random.default_rng(8)
DOCUMENTS = RNG.poisson(0.7, size=(40, 12))
TOPICS = RNG.dirichlet(np.full(12, 0.5), size=5)


def tops(topic_word: np.ndarray, n_words: int) -> list[list[int]]:
    """Each topic's most probable words, equals in the order of the columns."""
    order = [sorted(range(len(row)), key=lambda v, row=row: (-row[v], v)) for row in topic_word]
    return [words[:n_words] for words in order]


def number_of_documents(documents: np.ndarray, *words: int) -> int:
    return sum(all(row[v] > 0 for v in words) for row in documents)


def slow_npmi(words: list[int], documents: np.ndarray) -> float:
    values = []
    for i, j in itertools.combinations(words, 2):
        n_i, n_j, n_ij = (number_of_documents(documents, *w) for w in ((i,), (j,), (i, j)))
        n = len(documents)
        if n_i == 0 or n_j == 0:
            continue
        if n_ij == 0:
            values.append(-1.0)
        elif n_ij == n:
            values.append(1.0)
        else:
            values.append(math.log(n_ij * n / (n_i * n_j)) / -math.log(n_ij / n))
    return sum(values) / len(values) if values else math.nan


def slow_umass(words: list[int], documents: np.ndarray) -> float:
    values = []
    for m in range(1, len(words)):
        for l in range(m):  # noqa: E741 - the paper's letter
            earlier = number_of_documents(documents, words[l])
            both = number_of_documents(documents, words[m], words[l])
            if earlier:
                values.append(math.log((both + 1) / earlier))
    return sum(values) / len(values) if values else math.nan


def invented(n_docs: int, n_vocabulary: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Documents with words that are nowhere and words that are everywhere, topics with ties."""
    rng = np.random.default_rng(seed)
    rates = rng.choice([0.0, 0.2, 1.0, 9.0], size=n_vocabulary)
    weights = rng.integers(0, 4, size=(3, n_vocabulary)) + 0.25
    return rng.poisson(rates, size=(n_docs, n_vocabulary)), weights / weights.sum(axis=1)[:, None]


@settings(derandomize=True, deadline=None)
@given(
    n_docs=st.integers(1, 9),
    n_vocabulary=st.integers(2, 8),
    seed=st.integers(0, 10**6),
    data=st.data(),
)
def test_both_are_their_definitions(n_docs, n_vocabulary, seed, data):
    documents, topics = invented(n_docs, n_vocabulary, seed)
    n_words = data.draw(st.integers(2, n_vocabulary))
    words = tops(topics, n_words)
    np.testing.assert_allclose(
        npmi(topics, documents, n_words), [slow_npmi(w, documents) for w in words], atol=1e-12
    )
    np.testing.assert_allclose(
        umass(topics, documents, n_words), [slow_umass(w, documents) for w in words], atol=1e-12
    )


def test_the_limits_of_npmi():
    topics = np.array([[0.5, 0.4, 0.1, 0.0], [0.0, 0.0, 0.6, 0.4]])
    together = np.array([[1, 3, 0, 1], [0, 0, 2, 0], [1, 1, 0, 1]])
    assert npmi(topics, together, 2) == pytest.approx([1.0, -1.0])
    everywhere = np.ones((3, 4), dtype=int)
    assert npmi(topics, everywhere, 2).tolist() == [1.0, 1.0]
    independent = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0]])
    assert npmi(topics, independent, 2) == pytest.approx([0.0, -1.0])


def test_words_in_no_document_are_left_out():
    topics = np.array([[0.4, 0.3, 0.2, 0.1], [0.0, 0.1, 0.3, 0.6]])
    documents = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    assert npmi(topics, documents, 3)[0] == npmi(topics, documents, 2)[0]
    assert np.isnan(npmi(topics, documents, 2)[1])
    assert np.isnan(umass(topics, documents, 2)[1])
    # A word in no document may still be the later one: then the pair is never together.
    assert umass(topics, documents, 3)[0] == pytest.approx(
        (math.log(3 / 3) + math.log(1 / 3) + math.log(1 / 2)) / 3
    )


def test_umass_follows_the_order_of_the_words():
    documents = np.array([[1, 1], [1, 0], [1, 0], [1, 0]])
    assert umass([[0.7, 0.3]], documents, 2)[0] == pytest.approx(math.log(2 / 4))
    assert umass([[0.3, 0.7]], documents, 2)[0] == pytest.approx(math.log(2 / 1))


@pytest.mark.parametrize("measure", [npmi, umass])
def test_any_kind_of_documents(measure):
    expected = measure(TOPICS, DOCUMENTS, 4)
    for documents in (
        blocklda.Corpus.from_matrix(DOCUMENTS),
        sparse.coo_array(DOCUMENTS),
        3 * DOCUMENTS,  # how often a word occurs within a document makes no difference
    ):
        assert np.array_equal(measure(TOPICS, documents, 4), expected)


@pytest.mark.parametrize("measure", [npmi, umass])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((TOPICS, DOCUMENTS, 1), "n_words=1 is not allowed: give a whole number from 2 to 12"),
        ((TOPICS, DOCUMENTS, 13), "n_words=13"),
        ((TOPICS, DOCUMENTS, 2.0), "n_words=2.0"),
        ((TOPICS, DOCUMENTS[:, :7], 2), "12 words .* the documents have 7"),
        ((TOPICS[0], DOCUMENTS, 2), "topic_word has the shape"),
        ((2 * TOPICS, DOCUMENTS, 2), "row 0 of topic_word sums to 2"),
        ((TOPICS, DOCUMENTS - 0.5, 2), "counts must be whole numbers"),
    ],
)
def test_wrong_arguments_are_named(measure, arguments, said):
    with pytest.raises(InputError, match=said):
        measure(*arguments)


def gensim_coherence(measure: str, words: list[list[int]], documents: np.ndarray) -> list[float]:
    """What gensim says, with whole documents as its windows."""
    texts = [[str(v) for v in np.repeat(np.arange(len(row)), row)] for row in documents]
    dictionary = Dictionary(texts)
    return CoherenceModel(
        topics=[[str(v) for v in topic] for topic in words],
        texts=texts,
        corpus=[dictionary.doc2bow(text) for text in texts],
        dictionary=dictionary,
        coherence=measure,
        window_size=None if measure == "u_mass" else int(documents.sum()),
        processes=1,
    ).get_coherence_per_topic()


def test_umass_is_gensims_with_one_document_added(monkeypatch):
    """gensim adds ε = 1e-12 to the share of documents where Mimno et al. add 1 to their number."""
    monkeypatch.setattr(direct_confirmation_measure, "EPSILON", 1 / len(DOCUMENTS))
    theirs = gensim_coherence("u_mass", tops(TOPICS, 6), DOCUMENTS)
    assert umass(TOPICS, DOCUMENTS, 6) == pytest.approx(theirs, rel=1e-12)


def test_npmi_is_gensims_where_all_pairs_occur_together():
    """gensim gives other pairs log ε in place of −1."""
    words = tops(TOPICS, 6)
    pairs = [pair for topic in words for pair in itertools.combinations(topic, 2)]
    assert all(number_of_documents(DOCUMENTS, *pair) for pair in pairs)
    theirs = gensim_coherence("c_npmi", words, DOCUMENTS)
    assert npmi(TOPICS, DOCUMENTS, 6) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.realdata
def test_coherence_of_kos(data_dir):
    """Words of one document in the place of a topic are together more often than random words."""
    corpus = blocklda.read_corpus(data_dir / "docword.kos.txt.gz")
    rng = np.random.default_rng(1)
    matrix = corpus.to_matrix()[rng.choice(corpus.n_docs, 20)].toarray().astype(float)
    random = rng.dirichlet(np.full(corpus.n_words, 0.1), size=20)
    documents = matrix / matrix.sum(axis=1)[:, None]
    for measure in (npmi, umass):
        assert measure(documents, corpus).mean() > measure(random, corpus).mean()
    words = tops(documents[:1], 10)[0]
    counts = corpus.to_matrix()[:, words].toarray()
    assert npmi(documents, corpus)[0] == pytest.approx(slow_npmi([*range(10)], counts), rel=1e-12)
    assert umass(documents, corpus)[0] == pytest.approx(slow_umass([*range(10)], counts), rel=1e-12)
