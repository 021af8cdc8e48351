"""A chain on one machine that is told of shards."""

from __future__ import annotations

import json

import numpy as np
import pytest

import blocklda
from tests.parallel.clusters import on_one_machine


def test_shards_that_end_within_pieces_change_the_draws_and_others_do_not(whole, folder):
    plain, _ = on_one_machine(whole, 1)
    cut_within, _ = on_one_machine(whole, 1, [10, whole.n_docs - 10])
    manifest = json.loads((folder / "corpus.json").read_text())
    aligned, _ = on_one_machine(whole, 1, [shard["n_docs"] for shard in manifest["shards"]])
    assert (plain.assignments() != cut_within.assignments()).any()
    np.testing.assert_array_equal(plain.assignments(), aligned.assignments())


def test_twin_and_threads_agree(whole):
    small = blocklda.Corpus.from_matrix(whole.to_matrix()[:12])
    chains = [
        blocklda.Chain(small, 4, sampler="partially-collapsed", shards=[5, 3, 4], **how)
        for how in ({}, {"n_threads": 2}, {"backend": "python"})
    ]
    for chain in chains:
        chain.sweep(2)
    first, *others = (chain.assignments() for chain in chains)
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_a_file_keeps_the_shards(whole, tmp_path):
    chain, _ = on_one_machine(whole, 1, [10, whole.n_docs - 10])
    chain.save(tmp_path / "chain.npz")
    loaded = blocklda.Chain.load(tmp_path / "chain.npz", whole)
    for one in (chain, loaded):
        one.sweep()
    np.testing.assert_array_equal(chain.assignments(), loaded.assignments())


@pytest.mark.parametrize("shards", [[0, 10**6], [5, 5], [3, 0], [-1], "xx"])
def test_a_file_with_other_shards_is_refused(whole, tmp_path, shards):
    path = tmp_path / "chain.npz"
    on_one_machine(whole, 0)[0].save(path)
    with np.load(path) as stored:
        arrays = dict(stored)
    header = json.loads(arrays["header"].tobytes()) | {"shards": shards}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(blocklda.FileFormatError, match="shards"):
        blocklda.Chain.load(path, whole)


@pytest.mark.parametrize(
    ("shards", "said"),
    [([5], "adds up to 5 documents, but there are 1100"), ([1100, 0], r"shards\[1\]=0")],
)
def test_shards_that_do_not_fit(whole, shards, said):
    with pytest.raises(blocklda.InputError, match=said):
        blocklda.Chain(whole, 3, sampler="partially-collapsed", shards=shards)
