"""The samplers on a grid: their twins, any number of threads, and going on."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blocklda
from blocklda import CapacityError, KernelError
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import approximate_parallel as stale_twin
from blocklda.models.lda.reference import grid as twin
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.grid import approximate_parallel
from blocklda.models.lda.samplers.grid import plan as grid_plan
from blocklda.models.lda.samplers.grid import sampler as grid
from blocklda.models.lda.samplers.registry import find_sampler
from blocklda.models.lda.samplers.sparse.sampler import SPARSE
from blocklda.models.lda.samplers.sweep_streams import CELLS, piece_stream, sweep_key
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support import memory
from tests.models.lda.samplers.subjects import GRID_ON_LISTS, find_subject
from tests.native.invented import REPEATABLE, TOPICS, Setting, invented

SWEEPS = {
    "grid": (grid.run, twin.sweep),
    GRID_ON_LISTS.name: (partial(grid.run, form="lists"), partial(twin.sweep, form="lists")),
    "approximate-parallel": (approximate_parallel.run, stale_twin.sweep),
}

for_all = pytest.mark.parametrize("name", SWEEPS)
for_names = pytest.mark.parametrize("name", ["grid", "approximate-parallel"])
for_lists = pytest.mark.parametrize("name", [GRID_ON_LISTS.name, "approximate-parallel"])


def left(state: State, n_steps: int) -> tuple[list[int], object, int]:
    return state.topics.tolist(), state.rng.bit_generator.state, n_steps


def assert_twins_agree(name: str, setting: Setting, size: int, n_threads: int) -> None:
    run, twin_sweep = SWEEPS[name]
    ours, twins = setting.start(), setting.start()
    options = SweepOptions(max_block=setting.options.max_block, n_threads=n_threads)
    assert left(ours, run(ours, options, 2, size)) == left(
        twins, twin_sweep(twins, options, 2, size)
    )


@for_all
@settings(REPEATABLE, max_examples=100)
@given(
    setting=invented(large_work=50_000),
    size=st.integers(1, 4),
    n_threads=st.sampled_from((1, 2, 5)),
)
def test_twins_agree_on_invented_corpora(name, setting, size, n_threads):
    assert_twins_agree(name, setting, size, n_threads)


@for_all
@pytest.mark.parametrize("n_topics", TOPICS)
def test_twins_agree_for_every_number_of_topics(n_topics, name):
    matrix = np.array([[1, 2, 3, 0], [4, 5, 18, 1], [0, 0, 0, 0], [2, 0, 7, 1]])
    setting = Setting(matrix, n_topics, 0.1, 0.05, SweepOptions(), n_topics)
    assert_twins_agree(name, setting, 2, 2)


@for_lists
@settings(REPEATABLE, max_examples=60)
@given(setting=invented(large_work=50_000))
def test_one_cell_is_swept_as_sparse_does(name, setting):
    """With the stream of the cell, `sparse` leaves the same topics in as many steps."""
    run, _ = SWEEPS[name]
    ours, sparse = setting.start(), setting.start()
    sparse.rng = piece_stream(sweep_key(sparse.rng), CELLS, 0)
    assert run(ours, setting.options, 1, 1) == SPARSE.native(sparse, setting.options, 1)
    assert ours.topics.tolist() == sparse.topics.tolist()


@pytest.fixture(scope="module")
def corpus() -> blocklda.Corpus:
    """Counts that are cut into several cells."""
    corpus = blocklda.simulate.bars(n_docs=400, seed=3).corpus
    assert grid_plan.grid_size(corpus) > 3
    return corpus


def sampler_of(name: str) -> dict[str, Sampler]:
    return {"sampler": find_subject(name)}


def new_chain(
    corpus: blocklda.Corpus, name: str, n_threads: int = 1, **settings: object
) -> blocklda.Chain:
    return blocklda.Chain(corpus, 30, n_threads=n_threads, seed=5, **sampler_of(name), **settings)


@for_all
def test_the_number_of_threads_changes_nothing(corpus, name):
    chains = [new_chain(corpus, name, n_threads) for n_threads in (1, 2, 3, 50)]
    for chain in chains:
        chain.sweep(4)
    first = left(chains[0].state, chains[0].n_simulation_steps)
    for chain in chains[1:]:
        assert left(chain.state, chain.n_simulation_steps) == first
    assert new_chain(corpus, name).assignments().tolist() != first[0]


@for_names
def test_a_saved_chain_goes_on_as_if_never_stopped(corpus, tmp_path, name):
    whole, first = new_chain(corpus, name), new_chain(corpus, name, 2)
    whole.sweep(6)
    first.sweep(3)
    first.save(tmp_path / "chain")
    second = blocklda.Chain.load(tmp_path / "chain", corpus)
    assert second.sampler == name
    second.sweep(3)
    assert np.array_equal(second.assignments(), whole.assignments())
    exact = blocklda.Chain.load(tmp_path / "chain", corpus, sampler="nested")
    exact.sweep()
    assert exact.sampler == "nested"


@for_lists
def test_counts_are_those_of_the_topics_after_learned_priors_turn_the_axis(corpus, name):
    """A prior of words that differs by topic makes rows of words, and with them another grid."""
    run, _ = SWEEPS[name]
    chain = new_chain(corpus, name, 2, alpha=np.linspace(0.05, 1.0, 30))
    chain.sweep(2)
    state = chain.state
    by_word = state.workspace.by_word
    beta = np.random.default_rng(1).uniform(0.01, 0.1, (30, corpus.n_words))
    state.priors = Priors.create(30, corpus.n_words, 0.1, beta)
    fresh = state.copy()
    chain.sweep(2)
    assert (by_word, state.workspace.by_word) == (False, True)
    run(fresh, SweepOptions(), 2)
    assert fresh.topics.tolist() == state.topics.tolist()
    assert chain.topic_word_counts().sum() == corpus.n_tokens


@for_all
@pytest.mark.parametrize("n_threads", [1, 3])
def test_weights_that_are_no_numbers_are_named_and_undone(n_threads, name):
    matrix = np.array([[2, 1], [1, 3]])
    k, alpha, beta = (40, 1e308, 1.0) if name == "grid" else (2, 1e300, 1e300)
    chain = blocklda.Chain(matrix, k, alpha, beta, n_threads=n_threads, **sampler_of(name))
    before = chain.assignments()
    with pytest.raises(KernelError, match=r"the block of document \d, word \d"):
        chain.sweep()
    assert np.array_equal(chain.assignments(), before)
    assert chain.n_sweeps == 0


@for_all
def test_a_corpus_without_tokens_is_swept(name):
    chain = blocklda.Chain(np.zeros((2, 2), dtype=int), 3, n_threads=2, **sampler_of(name))
    chain.sweep(2)
    assert chain.assignments().size == 0


@for_names
def test_lists_that_do_not_fit_are_refused_before_anything_moves(corpus, monkeypatch, name):
    monkeypatch.setattr(memory, "WORTH_ASKING", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(CapacityError, match=rf"30 topics .* sampler='{name}' needs"):
        new_chain(corpus, name)


@for_names
def test_more_threads_need_more_memory(name):
    """Where rows are long and lists short, what threads have for themselves is what counts."""
    corpus = blocklda.Corpus.from_matrix(np.full((40, 40), 6))
    priors = Priors.create(100_000, 40, 0.1, 0.1)
    needs = [
        sum(find_sampler(name).memory(corpus, priors, SweepOptions(n_threads=n))) for n in (1, 2, 9)
    ]
    assert needs[1] - needs[0] == 8 * 27 * 100_000
    assert needs[2] == needs[1], "a grid of two has no use for more than two"
