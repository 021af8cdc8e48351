"""The co-assignment of pairs is what its formula says, and looks at nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import blocklda
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.support.errors import InputError

CORPUS = blocklda.simulate.bars(n_docs=60, seed=2).corpus


def docs_and_words(corpus: blocklda.Corpus, pairs: TokenPairs) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = corpus.to_matrix().nonzero()
    return rows[pairs.entries], columns[pairs.entries]


def test_half_are_in_a_document_and_half_of_a_word() -> None:
    pairs = TokenPairs.choose(CORPUS, 40)
    docs, words = docs_and_words(CORPUS, pairs)
    n = pairs.n_in_document
    assert (len(pairs), n) == (40, 20)
    assert (docs[:n, 0] == docs[:n, 1]).all()
    assert (words[:n, 0] != words[:n, 1]).all()
    assert (docs[n:, 0] != docs[n:, 1]).all()
    assert (words[n:, 0] == words[n:, 1]).all()
    assert len({tuple(sorted(pair)) for pair in pairs.entries.tolist()}) == 40


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    counts=hnp.arrays(
        np.int64, hnp.array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 4)
    ),
    n_pairs=st.integers(0, 9),
    n_topics=st.integers(1, 5),
    seed=st.integers(0, 2**32),
)
def test_it_is_the_formula_on_any_corpus(
    counts: np.ndarray, n_pairs: int, n_topics: int, seed: int
) -> None:
    corpus = blocklda.Corpus.from_matrix(counts)
    pairs = TokenPairs.choose(corpus, n_pairs)
    docs, words = docs_and_words(corpus, pairs)
    assert len(pairs) <= n_pairs
    # Two entries of one document, or of one word, never an entry with itself.
    assert ((docs[:, 0] == docs[:, 1]) != (words[:, 0] == words[:, 1])).all()
    topics = np.random.default_rng(seed).integers(n_topics, size=corpus.n_tokens)
    n_ek = blocklda.Chain(corpus, n_topics, init=topics).block_counts().toarray()
    e, f = pairs.entries.T
    expected = (n_ek[e] * n_ek[f]).sum(axis=1) / (corpus.counts[e] * corpus.counts[f])
    np.testing.assert_allclose(pairs.co_assignment(topics), expected, rtol=1e-14)


def test_neither_labels_nor_the_order_within_an_entry_matter() -> None:
    pairs = TokenPairs.choose(CORPUS)
    rng = np.random.default_rng(0)
    topics = rng.integers(6, size=CORPUS.n_tokens).astype(np.uint8)
    entries = np.repeat(np.arange(CORPUS.n_entries), CORPUS.counts)
    shuffled = topics[np.lexsort([rng.random(len(topics)), entries])]
    relabelled = rng.permutation(6)[topics]
    expected = pairs.co_assignment(topics)
    np.testing.assert_array_equal(pairs.co_assignment(shuffled), expected)
    np.testing.assert_array_equal(pairs.co_assignment(relabelled), expected)


def test_the_choice_depends_on_the_counts_alone() -> None:
    other = blocklda.Corpus.from_matrix(scipy.sparse.coo_matrix(CORPUS.to_matrix()))
    first, second = TokenPairs.choose(CORPUS), TokenPairs.choose(other)
    np.testing.assert_array_equal(first.entries, second.entries)


def test_only_the_chosen_entries_are_looked_at() -> None:
    pairs = TokenPairs.choose(CORPUS, 10)
    chosen = np.isin(np.arange(CORPUS.n_entries), pairs.entries)
    topics = np.random.default_rng(1).integers(6, size=CORPUS.n_tokens)
    elsewhere = np.where(np.repeat(chosen, CORPUS.counts), topics, -1)
    np.testing.assert_array_equal(pairs.co_assignment(elsewhere), pairs.co_assignment(topics))


def test_a_wrong_number_of_pairs_is_refused() -> None:
    with pytest.raises(InputError, match="n_pairs=-1 is not allowed"):
        TokenPairs.choose(CORPUS, -1)
