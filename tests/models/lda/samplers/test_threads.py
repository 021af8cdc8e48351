"""Threads within a chain: the same draws for any number of them, and for any cut between pieces."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import blocklda
from blocklda.data.pieces import (
    TOKENS_PER_PIECE,
    document_pieces,
    word_pieces,
)
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.partially_collapsed.documents import cut_documents
from blocklda.models.lda.samplers.partially_collapsed.phi import (
    Phi,
    finish_phi,
    inverse_totals,
    topics_anew,
)
from blocklda.models.lda.samplers.sweep_streams import DOCUMENTS, WORDS, piece_stream, sweep_key
from blocklda.support.errors import InputError

LENGTHS = st.lists(st.integers(0, 3 * TOKENS_PER_PIECE), max_size=30).map(
    lambda lengths: np.array(lengths, dtype=np.int64)
)


@pytest.fixture(scope="module")
def corpus() -> blocklda.Corpus:
    """Documents of several pieces."""
    return blocklda.simulate.bars(n_docs=1_500, seed=3).corpus


def swept(corpus: blocklda.Corpus, n_threads: int) -> blocklda.Chain:
    chain = blocklda.Chain(corpus, 10, sampler="partially-collapsed", n_threads=n_threads, seed=5)
    chain.sweep(3)
    return chain


def test_the_number_of_threads_changes_nothing(corpus):
    assert len(cut_documents(corpus)) > 2
    one = swept(corpus, 1)
    for n_threads in (2, 3, 7):
        several = swept(corpus, n_threads)
        assert np.array_equal(one.assignments(), several.assignments())
        assert one.n_simulation_steps == several.n_simulation_steps
    one.use_threads(4)
    several.use_threads(1)
    one.sweep()
    several.sweep()
    assert np.array_equal(one.assignments(), several.assignments())


def test_jobs_that_no_chain_needs_are_threads(corpus):
    fits = [
        blocklda.LDA(
            5,
            alpha=0.1,
            beta=0.01,
            n_sweeps=6,
            burn_in=1,
            sampler="partially-collapsed",
            n_jobs=n_jobs,
            random_state=1,
        ).fit(corpus)
        for n_jobs in (1, 3)
    ]
    assert np.array_equal(fits[0].components_, fits[1].components_)


def test_threads_are_counted_from_one(corpus):
    with pytest.raises(InputError, match="n_threads=0"):
        swept(corpus, 1).use_threads(0)


@given(LENGTHS, st.data())
def test_pieces_hold_every_document_once_and_end_with_shards(lengths, data):
    shards = data.draw(st.lists(st.integers(0, len(lengths)), max_size=4))
    pieces = document_pieces(lengths, shards)
    assert [d for first, last in pieces for d in range(first, last)] == list(range(len(lengths)))
    assert all(first < last for first, last in pieces)
    starts = {first for first, _ in pieces}
    assert {shard for shard in shards if shard < len(lengths)} <= starts
    for first, last in pieces:
        # A piece ends with the document in which it is full, or with its shard.
        is_full = lengths[first:last].sum() >= TOKENS_PER_PIECE
        assert is_full or last == len(lengths) or last in shards
        assert lengths[first : last - 1].sum() < TOKENS_PER_PIECE


@given(LENGTHS, st.data())
def test_a_corpus_cut_between_pieces_has_the_same_pieces(lengths, data):
    pieces = document_pieces(lengths)
    ends = [last for _, last in pieces]
    cut = data.draw(st.sampled_from(ends)) if ends else 0
    left = document_pieces(lengths[:cut])
    right = [(first + cut, last + cut) for first, last in document_pieces(lengths[cut:])]
    assert left + right == pieces


@given(st.integers(0, 1_000), st.sampled_from([1, 7, 500, 99_999, 100_001]))
def test_pieces_of_words_hold_every_word_once(n_words, n_topics):
    pieces = word_pieces(n_words, n_topics)
    assert sum(last - first for first, last in pieces) == n_words
    assert all(one[1] == other[0] for one, other in pairwise(pieces))


def test_streams_differ_by_sweep_purpose_and_piece():
    rng = np.random.default_rng(1)
    keys = [sweep_key(rng) for _ in range(2)]
    numbers = {
        piece_stream(key, purpose, number).random()
        for key in keys
        for purpose in (DOCUMENTS, WORDS)
        for number in (0, 1, 2**40)
    }
    assert len(numbers) == 12
    again = piece_stream(keys[0], DOCUMENTS, 0).random()
    assert again in numbers


def test_topics_whose_gamma_draws_vanish_are_drawn_anew():
    sums = [np.array([1.0, 1e-250, 3.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0])]
    inverse, anew = inverse_totals(sums, 3)
    assert anew == [1]
    assert inverse.tolist() == [0.5, 1.0, 0.25, 1.0]
    priors = Priors.create(3, 50, 0.1, 1e-10)
    drawn = topics_anew(priors, 50, [1], sweep_key(np.random.default_rng(2)))
    assert drawn.shape == (1, 50)
    assert drawn.sum() == pytest.approx(1.0)


def test_a_tiny_beta_and_empty_topics_are_no_trouble():
    """All gamma draws of an empty topic are zero in doubles."""
    chain = blocklda.Chain(
        [[3, 1, 0], [0, 2, 5]], 40, alpha=0.5, beta=1e-10, sampler="partially-collapsed"
    )
    chain.sweep(50)
    assert np.isfinite(chain.log_posterior())
    assert chain.topic_word_counts().sum() == 11


def test_totals_may_lie_anywhere_in_memory():
    """As they do when Dask has received them."""
    priors = Priors.create(5, 3, 0.1, 0.1)
    sizes = np.ones(3, dtype=np.int32)
    inverse = np.linspace(0.1, 0.8, 8)
    unaligned = np.frombuffer(b"x" + inverse.tobytes(), dtype=np.uint8)[1:].view(np.float64)
    assert not unaligned.flags.aligned
    rows = []
    for totals in (inverse, unaligned):
        phi = Phi(np.ones((3, 8)), np.zeros((3, 1)))
        finish_phi(phi, (0, 3), totals, ([], np.zeros((0, 3))), priors, sizes)
        rows.append(phi.rows)
    assert np.array_equal(rows[0], rows[1])
