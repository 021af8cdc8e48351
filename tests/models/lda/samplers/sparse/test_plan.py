"""Which axis the sparse samplers take as rows, and when they go token by token."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.sparse.plan import (
    RANDOM_START_SWEEPS,
    largest_part,
    one_by_one_shares,
    rows_are_words,
    settled_share,
)

LONG_DOCUMENTS = np.ones((2, 400), dtype=int)
SHORT_DOCUMENTS = LONG_DOCUMENTS.T


def by_word(matrix: object, n_topics: int = 50, alpha: object = 0.1, beta: object = 0.01) -> bool:
    corpus = blocklda.Corpus.from_matrix(matrix)
    return rows_are_words(corpus, Priors.create(n_topics, corpus.n_words, alpha, beta))


# --- rows


def test_the_longer_axis_has_the_rows():
    """Its rows would make long lists; the other one's are short."""
    assert not by_word(LONG_DOCUMENTS)
    assert by_word(SHORT_DOCUMENTS)


def test_few_topics_and_small_priors_make_short_lists():
    square = np.ones((20, 20), dtype=int)
    assert by_word(square, alpha=0.001, beta=1.0)
    assert not by_word(square, alpha=1.0, beta=0.001)


def test_a_word_prior_that_differs_needs_words_as_rows():
    """A list's prior is one number per topic, the same for all lists; so a kernel takes no matrix
    document by document, even if all its numbers are equal."""
    assert not by_word(LONG_DOCUMENTS, beta=0.01)
    beta = np.full((50, 400), 0.01)
    assert by_word(LONG_DOCUMENTS, beta=beta)
    beta[3, 7] = 0.02
    assert by_word(LONG_DOCUMENTS, beta=beta)
    assert by_word(LONG_DOCUMENTS, beta=np.full((50, 400), 0.01) * np.arange(1, 51)[:, None])


def test_an_uneven_document_prior_leaves_the_choice():
    assert not by_word(LONG_DOCUMENTS, alpha=np.linspace(0.01, 0.2, 50))
    assert by_word(SHORT_DOCUMENTS, alpha=np.linspace(0.01, 0.2, 50))


@pytest.mark.parametrize("matrix", [[[0, 0]], [[0]], np.zeros((3, 4), dtype=int), [[5]]])
@pytest.mark.parametrize("n_topics", [1, 20])
def test_corpora_without_much_in_them_have_rows_too(matrix, n_topics):
    assert by_word(matrix, n_topics) in (True, False)


def test_neither_the_topics_nor_the_sweeps_change_the_rows():
    chain = blocklda.Chain(LONG_DOCUMENTS, 50, sampler="sparse", seed=1)
    for _ in range(3):
        chain.sweep()
        assert not chain.state.workspace.by_word


# --- token by token


def test_a_random_start_goes_token_by_token_at_first():
    shares = one_by_one_shares(40, True, 0, 4 * RANDOM_START_SWEEPS)
    assert (shares[: RANDOM_START_SWEEPS + 1] == 1.0).all()
    falling = shares[RANDOM_START_SWEEPS : 2 * RANDOM_START_SWEEPS]
    assert (np.diff(falling) < 0).all()
    assert (shares[2 * RANDOM_START_SWEEPS :] == settled_share(40)).all()
    assert 0 < settled_share(40) < 1


def test_other_starts_keep_one_share():
    assert one_by_one_shares(40, False, 0, 3).tolist() == [settled_share(40)] * 3
    assert one_by_one_shares(40, False, 17, 2).tolist() == [settled_share(40)] * 2
    assert len(one_by_one_shares(40, True, 5, 0)) == 0


@pytest.mark.parametrize("first", [0, 5, 12, 19, 60])
def test_the_share_depends_on_the_number_of_the_sweep_alone(first):
    whole = one_by_one_shares(40, True, 0, 80)
    assert one_by_one_shares(40, True, first, 7).tolist() == whole[first : first + 7].tolist()


COUNTS = np.random.default_rng(3).poisson(2.0, size=(9, 12))


def start(backend: str = "native", init: object = "random") -> blocklda.Chain:
    return blocklda.Chain(
        COUNTS, 20, alpha=0.2, beta=0.1, sampler="sparse", backend=backend, seed=8, init=init
    )


@pytest.mark.parametrize("stop", [3, RANDOM_START_SWEEPS, 14, 2 * RANDOM_START_SWEEPS + 2])
def test_a_random_start_goes_on_inside_its_schedule(stop, tmp_path):
    whole, first = start(), start()
    whole.sweep(26)
    first.sweep(stop)
    first.save(tmp_path / "chain")
    second = blocklda.Chain.load(tmp_path / "chain", COUNTS)
    assert second.state.random_start
    second.sweep(26 - stop)
    assert second.assignments().tolist() == whole.assignments().tolist()
    assert second.n_simulation_steps == whole.n_simulation_steps


def test_the_twins_follow_the_same_schedule():
    chains = [start("native"), start("python")]
    for _ in range(22):
        for chain in chains:
            chain.sweep()
        assert chains[0].assignments().tolist() == chains[1].assignments().tolist()


def test_a_given_start_is_not_taken_for_a_random_one(tmp_path):
    chain = start()
    given = start(init=chain.assignments())
    assert chain.state.random_start
    assert not given.state.random_start
    given.save(tmp_path / "chain")
    assert not blocklda.Chain.load(tmp_path / "chain", COUNTS).state.random_start


def test_where_all_topics_are_listed_no_block_needs_to_go_token_by_token():
    assert one_by_one_shares(16, True, 0, 4).tolist() == [0.0] * 4
    assert settled_share(17) > 0


def test_blocks_get_rarer_as_they_get_dearer():
    shares = [settled_share(n_topics) for n_topics in (16, 17, 65, 257)]
    assert shares == sorted(set(shares))
    assert shares[-1] == settled_share(5000) < 1


@pytest.mark.parametrize(
    ("n_topics", "max_block", "part"),
    [(16, None, 16), (17, None, 8), (16, 3, 3), (17, 12, 8), (16, 12, 12), (17, 1, 1)],
)
def test_parts_are_smaller_with_more_topics(n_topics, max_block, part):
    assert largest_part(n_topics, max_block) == part
