"""Document completion: what goes where, and that the draw is uniform."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse, stats

from blocklda.data.corpus import Corpus
from blocklda.data.split import split_tokens
from blocklda.formats import read_corpus
from blocklda.support.errors import CapacityError, InputError

COUNTS = np.array([[4, 1, 0], [0, 0, 0], [1, 0, 0], [2, 2, 3]])

matrices = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=7),
    elements=st.sampled_from([0, 0, 1, 1, 2, 5, 60]),
)


@settings(derandomize=True, deadline=None)
@given(counts=matrices, data=st.data(), seed=st.integers(0, 2**64))
def test_every_token_is_in_exactly_one_part(
    counts: np.ndarray, data: st.DataObject, seed: int
) -> None:
    docs = data.draw(st.lists(st.integers(0, len(counts) - 1), unique=True))
    train, heldout = split_tokens(counts, docs, seed)
    for part in (train, heldout):
        assert isinstance(part, sparse.csr_matrix)
        assert part.dtype == np.int64
        assert part.shape == counts.shape
        assert part.has_canonical_format
        assert (part.data > 0).all()
    np.testing.assert_array_equal((train + heldout).toarray(), counts)
    lengths = counts.sum(axis=1)
    observed = np.where(np.isin(np.arange(len(counts)), docs), lengths // 2, lengths)
    np.testing.assert_array_equal(train.toarray().sum(axis=1), observed)


def test_a_corpus_gives_corpora() -> None:
    corpus = Corpus.from_matrix(COUNTS, list("abc"))
    train, heldout = split_tokens(corpus, [0, 3], 1)
    assert isinstance(train, Corpus)
    assert isinstance(heldout, Corpus)
    assert train.vocabulary == heldout.vocabulary == ("a", "b", "c")
    assert train.doc_lengths().tolist() == [2, 0, 1, 3]
    assert heldout.doc_lengths().tolist() == [3, 0, 0, 4]
    matrices = split_tokens(COUNTS, [0, 3], 1)
    np.testing.assert_array_equal(train.to_matrix().toarray(), matrices[0].toarray())
    np.testing.assert_array_equal(heldout.to_matrix().toarray(), matrices[1].toarray())


def same(parts: Any, others: Any) -> bool:
    return all((part != other).nnz == 0 for part, other in itertools.zip_longest(parts, others))


@pytest.mark.parametrize(
    "docs",
    [
        [3, 0],
        (0, 3),
        np.array([0, 3], dtype=np.uint8),
        range(0, 4, 3),
        slice(None, None, 3),
        slice(None, None, -3),
        [True, False, False, True],
        np.array([True, False, False, True]),
    ],
)
def test_every_way_to_choose_documents(docs: Any) -> None:
    assert same(split_tokens(COUNTS, docs, 5), split_tokens(COUNTS, [0, 3], 5))


@pytest.mark.parametrize("docs", [[], (), range(0), slice(0, 0), np.zeros(4, dtype=bool)])
def test_no_document_chosen(docs: Any) -> None:
    train, heldout = split_tokens(COUNTS, docs, 5)
    np.testing.assert_array_equal(train.toarray(), COUNTS)
    assert heldout.nnz == 0
    assert heldout.shape == COUNTS.shape


def test_the_last_documents_by_slice() -> None:
    assert same(split_tokens(COUNTS, slice(-2, None), 5), split_tokens(COUNTS, [2, 3], 5))


def test_the_seed_decides() -> None:
    counts = np.full((3, 20), 3)
    assert same(split_tokens(counts, [0, 1], 5), split_tokens(counts, [0, 1], 5))
    assert not same(split_tokens(counts, [0, 1], 5), split_tokens(counts, [0, 1], 6))


@pytest.mark.parametrize(
    ("docs", "said"),
    [
        ([0, 4], "the document number 4; documents are numbered from 0 to 3"),
        ([0, -1], "the document number -1;"),
        ([2, 0, 2], "the document number 2 more than once"),
        ([True, False], "2 true/false values, but there are 4 documents"),
        ([0.5], "docs is"),
        ([[0]], "docs is"),
        (2, "docs is"),
        (None, "docs is"),
        ("0", "docs is"),
        ({0, 1}, "docs is"),
        ([[0], [1, 2]], "docs is"),
        (slice("a", None), "docs is slice"),
        (slice(None, None, 0), "docs is slice"),
    ],
)
def test_wrong_documents_are_named(docs: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        split_tokens(COUNTS, docs, 0)
    assert said in str(caught.value)


@pytest.mark.parametrize("seed", [-1, "a", 1.5])
def test_wrong_seeds_are_named(seed: Any) -> None:
    with pytest.raises(InputError, match="seed="):
        split_tokens(COUNTS, [0], seed)


def test_a_document_too_long_for_the_generator_is_refused() -> None:
    with pytest.raises(CapacityError, match=r"document \(row\) 1 has 1000000000 tokens"):
        split_tokens([[1, 1], [10**9 - 1, 1]], [0, 1], 0)


# --- uniform without replacement


def shares_of_states(observed: np.ndarray) -> dict[tuple[int, ...], int]:
    states, times = np.unique(observed, axis=0, return_counts=True)
    return {tuple(state.tolist()): int(n) for state, n in zip(states, times, strict=True)}


def p_value(observed: np.ndarray, counts: list[int]) -> float:
    """Chi-square of observed halves against the hypergeometric law, enumerated."""
    n_tokens, n_kept = sum(counts), sum(counts) // 2
    tokens = np.repeat(np.arange(len(counts)), counts)
    law: dict[tuple[int, ...], int] = {}
    for kept in itertools.combinations(range(n_tokens), n_kept):
        state = tuple(np.bincount(tokens[list(kept)], minlength=len(counts)).tolist())
        law[state] = law.get(state, 0) + 1
    seen = shares_of_states(observed)
    if not seen.keys() <= law.keys():
        return 0.0
    expected = np.array(list(law.values()), dtype=float)
    expected *= len(observed) / expected.sum()
    return float(stats.chisquare([seen.get(state, 0) for state in law], expected).pvalue)


def ours(counts: list[int], n: int) -> np.ndarray:
    train, _ = split_tokens(np.tile(counts, (n, 1)), slice(None), 20240)
    return np.asarray(train.toarray())


def with_replacement(counts: list[int], n: int) -> np.ndarray:
    """A mutant: tokens drawn with replacement, as far as the document has them."""
    generator = np.random.default_rng(1)
    shares = np.array(counts) / sum(counts)
    drawn = generator.multinomial(sum(counts) // 2, shares, size=2 * n)
    return np.asarray(drawn[(drawn <= counts).all(axis=1)][:n])


def first_words_first(counts: list[int], n: int) -> np.ndarray:
    """A mutant: a kept token is drawn word by word with equal chances for each word left."""
    generator = np.random.default_rng(2)
    kept = np.zeros((n, len(counts)), dtype=np.int64)
    for row in kept:
        for _ in range(sum(counts) // 2):
            row[generator.choice(np.flatnonzero(row < counts))] += 1
    return kept


@pytest.mark.parametrize("counts", [[2, 1, 1], [3, 3], [1, 1, 1, 1, 1], [4, 2, 1]])
def test_halves_are_uniform(counts: list[int]) -> None:
    assert p_value(ours(counts, 20_000), counts) > 1e-3


@pytest.mark.parametrize("mutant", [with_replacement, first_words_first])
def test_the_check_of_uniformity_rejects_mutants(
    mutant: Callable[[list[int], int], np.ndarray],
) -> None:
    assert p_value(mutant([4, 2, 1], 20_000), [4, 2, 1]) < 1e-6


# --- real data


def share_of_single_tokens(corpus: Corpus) -> float:
    """Share of tokens whose word occurs once in its document."""
    return int((corpus.counts == 1).sum()) / corpus.n_tokens


@pytest.mark.realdata
def test_single_words_in_kos(data_dir: Path) -> None:
    corpus = read_corpus(data_dir / "docword.kos.txt.gz")
    train, heldout = split_tokens(corpus, range(3000, 3430), 0)
    assert train.n_tokens + heldout.n_tokens == corpus.n_tokens
    assert share_of_single_tokens(corpus) == pytest.approx(0.623, abs=0.001)
    assert share_of_single_tokens(train) == pytest.approx(0.629, abs=0.001)
