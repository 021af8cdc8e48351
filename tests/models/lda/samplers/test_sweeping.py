"""How a chain sweeps: parts of blocks, pieces of runs, starts, labels, and numbers too large."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.samplers.registry import find_sampler
from tests.models.lda.samplers.options import in_use

BACKENDS = ("native", "python")
PARTS = {"whole blocks": {}, "parts of 1": {"max_block": 1}, "parts of 5": {"max_block": 5}}


def lopsided_matrix() -> np.ndarray:
    """Blocks from 1 to 30 tokens, two empty documents and two unused words."""
    matrix = np.random.default_rng(1).poisson(0.7, size=(7, 9))
    matrix[[0, 4]] = 0
    matrix[:, [3, 8]] = 0
    matrix[2, 5], matrix[6, 0] = 30, 12
    return matrix


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("options", "sampler"), in_use(blocklda.SAMPLERS, PARTS))
def test_blocks_keep_their_tokens_whatever_the_parts(options, sampler, backend):
    matrix = lopsided_matrix()
    chain = blocklda.Chain(matrix, 6, sampler=sampler, backend=backend, seed=2, **options)
    for _ in range(3):
        chain.sweep()
        assert chain.block_counts().sum(axis=1).A1.tolist() == matrix[matrix > 0].tolist()
        assert chain.doc_topic_counts().sum(axis=1).tolist() == matrix.sum(axis=1).tolist()
        assert chain.topic_word_counts().sum(axis=0).tolist() == matrix.sum(axis=0).tolist()


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_a_run_in_several_calls_of_the_kernel_is_the_same_run(sampler, monkeypatch):
    def topics_after_seven_sweeps() -> list[int]:
        chain = blocklda.Chain(lopsided_matrix(), 4, sampler=sampler, seed=11)
        chain.sweep(7)
        return chain.assignments().tolist()

    in_one_call = topics_after_seven_sweeps()
    monkeypatch.setattr("blocklda.run.chain.TOKENS_PER_CALL", 1)
    assert topics_after_seven_sweeps() == in_one_call


@pytest.mark.parametrize("second", blocklda.SAMPLERS)
def test_handing_over_by_a_file_is_handing_over_the_state(second, tmp_path):
    """Whose law the exact tests check for samplers that take turns."""
    chain = blocklda.Chain(lopsided_matrix(), 4, seed=11)
    chain.sweep(2)
    chain.save(tmp_path / "chain.npz")
    by_file = blocklda.Chain.load(tmp_path / "chain.npz", chain.corpus, sampler=second)
    by_file.sweep(2)
    find_sampler(second).sweep("native")(chain.state, chain.options, 2)
    assert by_file.assignments().tolist() == chain.assignments().tolist()


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_a_given_start_is_copied(sampler):
    start = np.array([1, 0, 2, 2], dtype=np.int32)
    chain = blocklda.Chain([[3, 1]], 3, sampler=sampler, init=start)
    assert chain.assignments().tolist() == [1, 0, 2, 2]
    chain.sweep(20)
    assert start.tolist() == [1, 0, 2, 2]


def test_random_starts_use_every_topic_alike():
    """Counts of 3,000 tokens in 3 topics: each within 5 standard deviations of a thousand."""
    counts = np.bincount(blocklda.Chain([[3000]], 3, seed=4).assignments(), minlength=3)
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(3000 * (1 / 3) * (2 / 3))


def test_names_of_topics_do_not_matter_to_the_log_posterior():
    rng = np.random.default_rng(5)
    alpha, beta = rng.uniform(0.1, 2.0, 4), rng.uniform(0.1, 2.0, (4, 9))
    chain = blocklda.Chain(lopsided_matrix(), 4, alpha=alpha, beta=beta, seed=6)
    chain.sweep(3)
    names = np.array([2, 0, 3, 1])  # topic k becomes topic names[k]
    old = np.argsort(names)
    renamed = blocklda.Chain(
        lopsided_matrix(), 4, alpha=alpha[old], beta=beta[old], init=names[chain.assignments()]
    )
    assert renamed.log_posterior() == pytest.approx(chain.log_posterior(), rel=1e-12)


@pytest.mark.parametrize("sampler", ["single-site", "backward", "nested"])
def test_priors_beyond_double_precision_raise_instead_of_drawing(sampler):
    chain = blocklda.Chain([[3, 1], [0, 2]], 2, alpha=1e308, beta=1e308, sampler=sampler)
    with pytest.raises(blocklda.KernelError, match="document 0, word 0"):
        chain.sweep()
