"""The sparse samplers make no table of words by topics, nor of documents by topics."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

import blocklda
from blocklda import CapacityError
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.registry import find_sampler
from blocklda.models.lda.samplers.sparse.plan import rows_are_words
from blocklda.models.lda.state import SweepOptions
from blocklda.support import memory

SPARSE = ("sparse", "sparse-single-site")

LARGE = """
import resource, sys
import numpy as np, scipy.sparse
import blocklda

shape = tuple(map(int, sys.argv[2:]))
rng = np.random.default_rng(1)
n_tokens = 200_000
rows, columns = (np.arange(n_tokens) % n if n == max(shape) else rng.integers(n, size=n_tokens)
                 for n in shape)
counts = scipy.sparse.csr_matrix((np.ones(n_tokens, dtype=np.int64), (rows, columns)), shape)
chain = blocklda.Chain(counts, 5_000, sampler=sys.argv[1], seed=1)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 150_000_000, resource.RLIM_INFINITY))
chain.sweep()
print(chain.n_sweeps, chain.state.workspace.by_word)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits address space on Linux")
@pytest.mark.parametrize(
    ("sampler", "shape", "by_word"),
    [("sparse", (50, 2_000_000), False), ("sparse-single-site", (2_000_000, 50), True)],
    ids=["words", "docs"],
)
def test_two_million_rows_and_five_thousand_topics_fit(sampler, shape, by_word):
    """The dense counts would take 40 GB; 150 MB are left."""
    result = subprocess.run(
        [sys.executable, "-c", LARGE, sampler, *map(str, shape)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.split() == ["1", str(by_word)], result.stderr


def random_corpus(shape: tuple[int, int]) -> blocklda.Corpus:
    counts = scipy.sparse.random(*shape, density=0.2, random_state=1, format="csr")
    counts.data[:] = 1
    return blocklda.Corpus.from_matrix(counts.astype(np.int64))


@pytest.mark.parametrize("sampler", SPARSE)
def test_lists_that_do_not_fit_are_refused_in_one_sentence(sampler, monkeypatch):
    corpus = random_corpus((10, 300))
    monkeypatch.setattr(memory, "WORTH_ASKING", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(CapacityError) as caught:
        blocklda.Chain(corpus, 40, sampler=sampler)
    message = str(caught.value)
    assert message.startswith(
        "a chain of 40 topics on 10 documents, 300 words and 600 tokens with "
    )
    assert f"sampler='{sampler}' needs " in message
    assert "but 1000 bytes are available; use fewer topics, " in message
    assert "which has no table" not in message
    assert "\n" not in message
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    assert blocklda.Chain(corpus, 40, sampler=sampler).n_sweeps == 0


@pytest.mark.parametrize("shape", [(10, 300), (300, 10)])
def test_what_is_estimated_is_what_the_lists_take(shape):
    """Two numbers of 4 bytes a place, as many places as tokens, in whole groups of 8.

    Besides, where each list is and how long.
    """
    corpus = random_corpus(shape)
    priors = Priors.create(40, corpus.n_words, 0.1, 0.01)
    by_word = rows_are_words(corpus, priors)
    assert by_word == (shape[0] > shape[1])
    lengths = np.asarray(corpus.to_matrix().sum(axis=1 if by_word else 0)).ravel()
    places = sum(min(-(-int(n) // 8) * 8, 40) for n in lengths)
    kept, during = find_sampler("sparse").memory(corpus, priors, SweepOptions())
    assert kept == 8 * places + 12 * len(lengths)
    assert during > 2 * corpus.n_tokens
