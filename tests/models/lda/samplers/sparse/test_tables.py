"""Tables that the sparse kernel keeps between its calls: used again, and never when out of date.

Every test compares with a state that has no tables: the same topics and generator, swept afresh.
"""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import blocklda
from blocklda import CapacityError, _native
from blocklda.models.lda.samplers.registry import Sampler, find_sampler
from blocklda.models.lda.state import State, SweepOptions
from tests.run.failing_sweeps import failing

SPARSE = ("sparse", "sparse-single-site")
COUNTS = np.random.default_rng(5).poisson(1.5, size=(12, 15))
COUNTS[4, 2] = 25
BY_DOCUMENT = {"n_topics": 30, "alpha": 1.0, "beta": 0.01}
BY_WORD = {"n_topics": 30, "alpha": 0.01, "beta": 1.0}
FEW_TOPICS = {"n_topics": 5, "alpha": 0.2, "beta": 0.1}
SETTINGS = {"by document": BY_DOCUMENT, "by word": BY_WORD, "few topics": FEW_TOPICS}


@pytest.fixture(autouse=True)
def _restored_instruction_set() -> Iterator[None]:
    active = _native.active_instruction_set()
    yield
    _native.use_instruction_set(active)


@pytest.fixture(params=SETTINGS.values(), ids=SETTINGS)
def settings(request: pytest.FixtureRequest) -> dict[str, float]:
    return request.param


@pytest.fixture(params=SPARSE)
def sampler(request: pytest.FixtureRequest) -> str:
    return request.param


def new_chain(sampler: str | Sampler, settings: dict[str, float]) -> blocklda.Chain:
    return blocklda.Chain(COUNTS, sampler=sampler, seed=9, **settings)


def sweep(state: State, sampler: str, n: int) -> int:
    return find_sampler(sampler).sweep("native")(state, SweepOptions(), n)


def assert_goes_on_afresh(state: State, sampler: str) -> None:
    """Sweep a state and a copy without tables; both must end alike."""
    fresh = state.copy()
    assert fresh.workspace is None
    assert sweep(state, sampler, 2) == sweep(fresh, sampler, 2)
    assert state.topics.tolist() == fresh.topics.tolist()
    assert state.rng.bit_generator.state == fresh.rng.bit_generator.state


def test_the_settings_have_both_axes(sampler):
    axes = {}
    for name, values in SETTINGS.items():
        chain = new_chain(sampler, values)
        chain.sweep()
        axes[name] = chain.state.workspace.by_word
    assert axes["by word"]
    assert not axes["by document"]


def test_sweeps_one_by_one_are_sweeps_at_once(sampler, settings):
    at_once, one_by_one, without = (new_chain(sampler, settings) for _ in range(3))
    at_once.sweep(25)
    for _ in range(25):
        one_by_one.sweep()
        without.state.workspace = None
        without.sweep()
    for other in (one_by_one, without):
        assert other.assignments().tolist() == at_once.assignments().tolist()
        assert other.n_simulation_steps == at_once.n_simulation_steps


def test_the_workspace_stays_with_its_state(sampler, settings):
    chain = new_chain(sampler, settings)
    chain.sweep()
    kept = chain.state.workspace
    chain.sweep()
    assert chain.state.workspace is kept
    assert chain.state.copy().workspace is None


@pytest.mark.parametrize("other", blocklda.SAMPLERS)
def test_another_sampler_in_between(sampler, settings, other):
    state = new_chain(sampler, settings).state
    for _ in range(3):
        sweep(state, sampler, 1)
        sweep(state, other, 1)
        assert_goes_on_afresh(state, sampler)


def test_one_token_changed_by_hand(sampler, settings):
    state = new_chain(sampler, settings).state
    sweep(state, sampler, 3)
    for token in (0, 1, 7, len(state.topics) - 1):
        state.topics[token] = (state.topics[token] + 1) % state.priors.n_topics
        assert_goes_on_afresh(state, sampler)


def test_two_tokens_of_different_words_exchanged(sampler, settings):
    """The same numbers in another order are other lists."""
    state = new_chain(sampler, settings).state
    for first, second in ((0, 4), (3, 40), (10, 11), (1, 101)):
        sweep(state, sampler, 1)
        state.topics[[first, second]] = state.topics[[second, first]]
        assert_goes_on_afresh(state, sampler)


def test_topics_in_another_array(sampler, settings):
    state = new_chain(sampler, settings).state
    sweep(state, sampler, 2)
    state.topics = state.topics.copy()
    assert_goes_on_afresh(state, sampler)
    state.topics = np.zeros_like(state.topics)
    assert_goes_on_afresh(state, sampler)


@pytest.mark.parametrize("error", [KeyboardInterrupt, blocklda.KernelError, MemoryError])
def test_a_sweep_undone(sampler, settings, error):
    may_fail, its_sweep = failing(sampler)
    chain, other = new_chain(may_fail, settings), new_chain(sampler, settings)
    chain.sweep(4)
    its_sweep.error = error
    for _ in range(2):
        with pytest.raises(CapacityError if error is MemoryError else error):
            chain.sweep(3)
    its_sweep.error = None
    chain.sweep(3)
    other.sweep(7)
    assert chain.assignments().tolist() == other.assignments().tolist()
    assert chain.n_simulation_steps == other.n_simulation_steps


def test_another_instruction_set(sampler, settings):
    """Tables belong to the build that made them: each may lay them out in its own way."""
    chain, other = new_chain(sampler, settings), new_chain(sampler, settings)
    names = _native.instruction_sets()
    for i in range(2 * len(names)):
        _native.use_instruction_set(names[i % len(names)])
        chain.sweep()
    other.sweep(2 * len(names))
    assert chain.assignments().tolist() == other.assignments().tolist()


def test_another_corpus_with_as_many_tokens(sampler, settings):
    state = new_chain(sampler, settings).state
    sweep(state, sampler, 2)
    corpora = [state.corpus]
    for counts in (COUNTS[::-1].copy(), COUNTS[:, ::-1].copy(), COUNTS.copy()):
        corpora.append(blocklda.Corpus.from_matrix(counts))
    for corpus in (*corpora[1:], corpora[0]):
        state.corpus = corpus
        assert_goes_on_afresh(state, sampler)


def test_another_corpus_where_the_first_one_was():
    """Arrays that are freed make room for those of the next corpus, at the same addresses."""
    state = new_chain("sparse", BY_WORD).state
    for _ in range(10):
        for counts in (COUNTS[::-1].copy(), COUNTS[:, ::-1].copy()):
            state.corpus = blocklda.Corpus.from_matrix(counts)
            assert_goes_on_afresh(state, "sparse")


def test_a_copy_and_its_original_go_their_own_ways(sampler, settings):
    chain = new_chain(sampler, settings)
    chain.sweep(2)
    other = copy.copy(chain)
    chain.sweep(5)
    other.sweep(5)
    assert other.assignments().tolist() == chain.assignments().tolist()
    assert other.state.workspace is not chain.state.workspace


@pytest.mark.parametrize("n_topics", [17, 30])
def test_a_kernel_that_failed_leaves_no_tables(n_topics):
    """The first rows have moved when the last one fails, and their topics are put back.

    With α_0 = 1e50 a block of 8 tokens is out of range, and single tokens are not.
    """
    counts = np.ones((6, 12), dtype=int)
    counts[0, -1] = 8
    alpha = np.where(np.arange(n_topics) == 0, 1e50, 1e-5)
    start = np.arange(counts.sum()) % n_topics
    chain = blocklda.Chain(
        counts, n_topics, alpha=alpha, beta=0.001, sampler="sparse", seed=4, init=start
    )
    failures, moves = 0, 0
    for _ in range(60):
        fresh, before = copy.copy(chain), chain.assignments()
        failed = [_fails(one) for one in (chain, fresh)]
        assert failed[0] == failed[1]
        assert chain.assignments().tolist() == fresh.assignments().tolist()
        assert chain.state.rng.bit_generator.state == fresh.state.rng.bit_generator.state
        if failed[0]:
            assert chain.assignments().tolist() == before.tolist()
            # Other uniforms, or it would fail for ever.
            chain.state.rng.random(3)
        failures += failed[0]
        moves += not failed[0]
    assert chain.state.workspace.by_word
    assert failures
    assert moves


def _fails(chain: blocklda.Chain) -> bool:
    try:
        chain.sweep()
    except blocklda.KernelError:
        return True
    return False


OUT_OF_MEMORY = """
import copy, resource, sys
import numpy as np, scipy.sparse
import blocklda

n_words = 200_000
short = scipy.sparse.random(40, n_words, density=1e-5, random_state=1, format="csr")
short.data[:] = 2
long = scipy.sparse.csr_matrix(np.ones((1, n_words)))
counts = scipy.sparse.vstack([short, long]).astype(np.int64)
chain = blocklda.Chain(counts, 20, alpha=5.0, beta=1e-4, sampler=sys.argv[1], seed=3)
chain.sweep()
assert not chain.state.workspace.by_word
limits = resource.getrlimit(resource.RLIMIT_AS)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
# The long row is visited last. There is room for a copy of the topics, not for its 24 bytes an
# entry.
resource.setrlimit(resource.RLIMIT_AS, (size + 4_000_000, limits[1]))
try:
    chain.sweep()
except blocklda.CapacityError:
    print("out of memory")
resource.setrlimit(resource.RLIMIT_AS, limits)
fresh = copy.copy(chain)
chain.sweep()
fresh.sweep()
print(np.array_equal(chain.assignments(), fresh.assignments()))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits address space on Linux")
@pytest.mark.parametrize("name", SPARSE)
def test_a_kernel_that_ran_out_of_memory_leaves_no_tables(name):
    """The short rows have moved before the long one asks for memory that is not there."""
    result = subprocess.run(
        [sys.executable, "-c", OUT_OF_MEMORY, name],
        capture_output=True,
        text=True,
        check=False,
        # Large arrays come from the system, not from what was freed before.
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"},
    )
    assert result.stdout.split() == ["out", "of", "memory", "True"], result.stderr
