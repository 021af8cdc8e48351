"""A fit on shards is the chain of one machine, to the bit, whoever does the work."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import blocklda
from blocklda import parallel
from blocklda.parallel.watched import Watched
from tests.parallel.clusters import N_TOPICS, SETTINGS, corpus, cut, on_one_machine

pytestmark = pytest.mark.xdist_group("dask")


def test_a_sharded_corpus(client, folder, whole):
    found = parallel.fit(client, folder, N_TOPICS, **SETTINGS)
    chain, levels = on_one_machine(whole, 6)
    assert len(found.corpus.shards) == 4
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels
    assert found.kept_sweeps.tolist() == [4, 6]
    assert found.topic_sizes.sum(axis=1).tolist() == [whole.n_tokens] * 2
    # A cell of n_vk has its topic in a byte and its count in one to four; words have offsets.
    n_cells = sum(_cells(chain, whole, shard) for shard in _documents(found))
    assert 2 * n_cells < found.bytes_of_counts[-1] < 2 * (5 * n_cells + 4 * 301 * 4)
    # Half of φ's rows goes to the other worker, in doubles; at two of six sweeps the client gets
    # the topics of the tokens that are followed, in bytes.
    n_followed = len(Watched.choose(found.corpus).tokens)
    most = 8 * 300 * (16 + 16) + found.bytes_of_counts.max() + n_followed / 3 + 10_000
    assert 0 < found.bytes_sent < most


def _documents(found: parallel.ShardedFit) -> list[slice]:
    ends = np.cumsum([0, *(shard.n_docs for shard in found.corpus.shards)])
    return [slice(first, last) for first, last in pairwise(ends)]


def _cells(chain: blocklda.Chain, whole: blocklda.Corpus, documents: slice) -> int:
    """Count the cells of n_vk in some documents that are not zero."""
    rows = slice(*whole.doc_offsets[[documents.start, documents.stop]])
    table = np.zeros((whole.n_words, N_TOPICS))
    np.add.at(table, whole.word_ids[rows], chain.block_counts()[rows].toarray())
    return int(np.count_nonzero(table))


def test_shards_that_are_read_again_in_every_sweep(client, folder, whole, monkeypatch):
    """Workers that may use little memory keep no shard open, and two chains share what they do."""
    monkeypatch.setattr("blocklda.parallel.shard_memory.SHARE_OF_LIMIT", 0.0)
    found = parallel.fit(client, folder, N_TOPICS, **{**SETTINGS, "n_sweeps": 4})
    chain, levels = on_one_machine(whole, 4)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


@pytest.mark.parametrize("ends", [[], [300, 301, 302, 900, 1000]])
def test_shards_that_end_anywhere(client, whole, ends):
    shards = cut(whole, ends)
    if any(shard.n_tokens == 0 for shard in shards):
        raise AssertionError("choose other ends")
    found = parallel.fit(client, shards, N_TOPICS, **{**SETTINGS, "n_sweeps": 4})
    chain, levels = on_one_machine(whole, 4, [shard.n_docs for shard in shards])
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


def test_priors_of_every_kind(client, folder, whole):
    rng = np.random.default_rng(5)
    priors = {
        "alpha": rng.uniform(0.05, 2.0, N_TOPICS),
        "beta": rng.uniform(0.001, 0.5, (N_TOPICS, whole.n_words)),
    }
    found = parallel.fit(client, folder, N_TOPICS, max_block=3, **priors, **SETTINGS)
    chain, levels = on_one_machine(whole, 6, max_block=3, **priors)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


def test_empty_topics_with_a_tiny_prior(client):
    few = blocklda.Corpus.from_matrix(np.eye(6, dtype=int) + 1)
    settings = {"alpha": 1e-3, "beta": 1e-9, "n_topics": 30}
    found = parallel.fit(client, cut(few, [2]), **settings, n_sweeps=4, burn_in=0, thin=1, seed=3)
    chain, levels = on_one_machine(few, 4, [2, 4], **settings)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


def test_given_topics(client, folder, whole):
    topics = np.arange(whole.n_tokens) % N_TOPICS
    found = parallel.fit(client, folder, N_TOPICS, init=topics, **SETTINGS)
    chain, levels = on_one_machine(whole, 6, init=topics)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())
    assert found.log_posterior.tolist() == levels


def test_an_estimator_as_if_fitted_here(client, folder, whole, tmp_path):
    seed = np.random.SeedSequence(11).spawn(1)[0]
    found = parallel.fit(client, folder, N_TOPICS, **{**SETTINGS, "seed": seed})
    lda = found.to_lda()
    expected = blocklda.LDA(
        N_TOPICS,
        alpha=0.1,
        beta=0.01,
        sampler="partially-collapsed",
        moves=(),
        init="random",
        n_sweeps=6,
        burn_in=2,
        thin=2,
        random_state=11,
    )
    with pytest.warns(UserWarning, match="documents (is|are) empty"):
        expected.fit(whole)
    assert lda.get_params() == expected.get_params()
    for name in ("components_", "doc_topic_", "log_posterior_"):
        np.testing.assert_array_equal(getattr(lda, name), getattr(expected, name))
    # Sums over shards are added up in another order than draws.
    np.testing.assert_allclose(found.topic_word, expected.components_, rtol=1e-12)
    rows = found.corpus.shards[0].n_docs
    np.testing.assert_allclose(found.doc_topic(0), expected.doc_topic_[:rows], rtol=1e-12)
    lda.save(tmp_path / "model")
    loaded = blocklda.LDA.load(tmp_path / "model")
    loaded.set_params(warm_start=True, n_sweeps=8)
    expected.set_params(warm_start=True, n_sweeps=8)
    for one in (loaded, expected):
        with pytest.warns(UserWarning, match="documents (is|are) empty"):
            one.fit(whole)
    np.testing.assert_array_equal(loaded.log_posterior_, expected.log_posterior_)


def test_without_draws_there_are_averages_only(client, folder):
    found = parallel.fit(client, folder, N_TOPICS, keep_draws=False, **SETTINGS)
    assert found.topic_word.shape == (N_TOPICS, 300)
    np.testing.assert_allclose(found.topic_word.sum(axis=1), 1)
    for method in (found.to_lda, lambda: found.doc_topic(0)):
        with pytest.raises(blocklda.InputError, match="keep_draws=True"):
            method()


def test_the_temporary_folder_goes_with_the_result(client):
    found = parallel.fit(client, [corpus(n_docs=50)], 3, n_sweeps=2, burn_in=0, thin=1)
    place = found.folder
    assert place.is_dir()
    del found
    assert not place.exists()
