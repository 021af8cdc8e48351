"""The kernel of merge-split against its reference in Python, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blocklda
from blocklda import _native
from blocklda.models.lda.moves.registry import find_move
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.state import State
from blocklda.support.errors import KernelError
from tests.models.lda.moves.reference import Choice, MergeSplit
from tests.native.invented import REPEATABLE


def start(matrix: np.ndarray, n_topics: int, alpha: object, beta: object, seed: int) -> State:
    corpus = blocklda.Corpus.from_matrix(matrix)
    priors = Priors.create(n_topics, corpus.n_words, alpha, beta)
    rng = np.random.Generator(np.random.PCG64(seed))
    topics = rng.integers(n_topics, size=corpus.n_tokens, dtype=np.int32)
    return State(corpus=corpus, priors=priors, topics=topics, rng=rng)


def native(state: State) -> tuple[int, int, bool, float]:
    generator = state.rng.bit_generator.capsule
    return _native.merge_split(state.corpus.native, state.priors.native, state.topics, generator)


def check_same(one: State, other: State, n_attempts: int) -> int:
    """Run the kernel on one state and the reference on the other; return how many were accepted."""
    n_accepted = 0
    for _ in range(n_attempts):
        _, failed, is_accepted, log_ratio = native(one)
        expected = MergeSplit(other).attempt()
        assert (failed, is_accepted, log_ratio) == (-1, *expected)
        assert one.topics.tolist() == other.topics.tolist()
        assert one.rng.bit_generator.state == other.rng.bit_generator.state
        n_accepted += is_accepted
    return n_accepted


PRIOR = st.floats(1e-3, 30.0)


@settings(REPEATABLE, max_examples=60)
@given(st.data())
def test_kernel_and_reference_agree_to_the_bit(data):
    n_docs, n_words, n_topics = (data.draw(st.integers(1, most)) for most in (5, 5, 6))
    cells = st.lists(st.integers(0, 6), min_size=n_words, max_size=n_words)
    matrix = np.array(data.draw(st.lists(cells, min_size=n_docs, max_size=n_docs)))
    alpha = data.draw(PRIOR | st.lists(PRIOR, min_size=n_topics, max_size=n_topics))
    row = st.lists(PRIOR, min_size=n_words, max_size=n_words)
    beta = data.draw(PRIOR | st.lists(row, min_size=n_topics, max_size=n_topics))
    seed = data.draw(st.integers(0, 1_000))
    pair = [start(matrix, n_topics, alpha, beta, seed) for _ in range(2)]
    check_same(*pair, n_attempts=3)


@pytest.mark.parametrize("isa", _native.instruction_sets())
def test_every_instruction_set_gives_the_same_bits(isa):
    active = _native.active_instruction_set()
    _native.use_instruction_set(isa)
    try:
        matrix = np.random.default_rng(3).poisson(0.7, size=(4, 3))
        pair = [start(matrix, 5, 0.4, 0.2, seed=4) for _ in range(2)]
        assert check_same(*pair, n_attempts=60) > 3
    finally:
        _native.use_instruction_set(active)


@pytest.mark.parametrize("n_topics", [1, 2])
def test_without_a_third_topic_nothing_is_drawn(n_topics):
    state = start(np.full((3, 4), 2), n_topics, 0.5, 0.1, seed=1)
    topics, generator = state.topics.copy(), state.rng.bit_generator.state
    assert native(state) == (0, -1, False, 0.0)
    assert state.topics.tolist() == topics.tolist()
    assert state.rng.bit_generator.state == generator


def test_empty_topics_can_be_merged_and_divided():
    """All tokens in one topic of four: pairs of empty topics, and pools without tokens."""
    pair = [start(np.array([[3, 1], [0, 2]]), 4, 0.5, 0.3, seed=5) for _ in range(2)]
    for state in pair:
        state.topics[:] = 2
    assert check_same(*pair, n_attempts=40) > 0


def test_a_corpus_without_tokens_is_left_as_it_is():
    corpus_state = start(np.zeros((2, 3), dtype=int), 3, 0.5, 0.3, seed=6)
    assert native(corpus_state)[1] == -1


def log_q(state: State, topics: np.ndarray) -> float:
    """Return log q of other topics."""
    other = State(corpus=state.corpus, priors=state.priors, topics=topics, rng=state.rng)
    return blocklda.models.lda.log_posterior.log_posterior(other)


def test_the_weight_of_a_split_is_what_its_definition_says():
    """G = S − M − log Q, with log q of the package for S − M and Q multiplied out."""
    rng = np.random.default_rng(7)
    alpha, beta = rng.uniform(0.1, 2.0, 3), rng.uniform(0.1, 2.0, (3, 4))
    state = start(rng.poisson(2.0, size=(5, 4)), 3, alpha, beta, seed=8)
    state.topics[state.topics == 1] = 0  # topic 1 is free, and 0 is divided
    move, split, log_share = MergeSplit(state), state.topics.copy(), []

    def drawn(token, share_of_a):
        w_a, both = share_of_a
        to_b = bool(rng.random() * both >= w_a)
        split[token.place] = int(to_b)
        log_share.append(np.log((both - w_a if to_b else w_a) / both))
        return to_b

    pool = move.order([token for token in move.tokens() if state.topics[token.place] == 0])
    found = move.allocate(pool, 0, 1, drawn)
    expected = log_q(state, split) - log_q(state, state.topics) - sum(log_share)
    assert found == pytest.approx(expected, abs=1e-9)


def test_similar_topics_are_chosen():
    """Two copies of one theme, and a topic that holds two: the copies have nearly all weight."""
    n_vk = np.zeros((8, 4), dtype=np.int64)
    n_vk[:4, 0] = n_vk[:4, 1] = 25
    n_vk[:, 2] = 1
    n_vk[4:, 3] = 50
    choice = Choice(n_vk, n_vk.sum(axis=0), np.full(4, 0.08))
    weights = {pair: choice.weight(pair) / choice.total for pair in choice.pairs}
    assert max(weights, key=weights.get) == (0, 1)
    assert weights[0, 1] > 0.5


def test_priors_beyond_doubles_are_named():
    state = start(np.full((3, 4), 2), 3, 1e-200, 1e-200, seed=1)
    with pytest.raises(KernelError, match="document"):
        find_move("merge-split").attempt(state)
