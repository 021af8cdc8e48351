"""Chains of an HDP: kernel and twin, files, what they show, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaln

import blocklda
from blocklda.models.hdp import sampler
from blocklda.models.hdp.global_step import GlobalStep
from blocklda.models.hdp.reference.word_blocks import sweep_blocks
from blocklda.models.hdp.state import FREE, Levels, State
from blocklda.models.lda.samplers.grid.plan import grid_size
from blocklda.models.lda.topic_counts import CellCounts
from blocklda.support.checks import random_generator

RNG = np.random.default_rng(0)
MATRIX = RNG.poisson(0.6, (12, 25))
MATRIX[0, 0], MATRIX[1, 1], MATRIX[3] = 40, 25, 0
PER_WORD = 10 ** RNG.uniform(-2, 0.3, 25)


def chain(matrix=MATRIX, **settings) -> blocklda.HDPChain:
    return blocklda.HDPChain(
        matrix, **{"alpha0": 8.0, "gamma": 6.0, "beta": 0.3, "seed": 1, **settings}
    )


def same(first: blocklda.HDPChain, second: blocklda.HDPChain) -> bool:
    a, b = first.state, second.state
    arrays = ("topics", "tau", "numbers")
    return (
        all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays)
        and (a.rest, a.levels, a.n_born) == (b.rest, b.levels, b.n_born)
        and a.rng.bit_generator.state == b.rng.bit_generator.state
    )


@pytest.mark.parametrize("beta", [0.3, PER_WORD], ids=["equal", "per word"])
@pytest.mark.parametrize(
    ("name", "n_topics"), [("sparse", 30), ("sparse", 2), ("sparse-single-site", 12)]
)
def test_twin_and_kernel_agree_through_births_and_deaths(name, n_topics, beta):
    """A block of 40 tokens has tables whose weights need exponents; slots run out on the way."""
    native, python = (
        chain(
            sampler=name,
            initial_topics=n_topics,
            backend=backend,
            alpha0=20.0,
            gamma=20.0,
            beta=beta,
            learn=n_topics != 2,
        )
        for backend in ("native", "python")
    )
    slots = native.state.n_slots
    for _ in range(12):
        native.sweep()
        python.sweep()
        assert same(native, python)
    assert native.n_simulation_steps == python.n_simulation_steps
    assert native.state.n_born > n_topics
    if n_topics == 2:
        assert native.state.n_slots > slots


@pytest.mark.parametrize("beta", [0.3, PER_WORD], ids=["equal", "per word"])
def test_twin_and_kernel_agree_token_after_token(monkeypatch, beta):
    """All blocks, whatever tokens their words have outside of them; births are many, slots few."""
    for module in ("models.hdp.sampler", "models.lda.reference.sparse"):
        monkeypatch.setattr(f"blocklda.{module}.sequential_from", lambda: 0)
    settings = {"initial_topics": 2, "alpha0": 20.0, "gamma": 20.0, "beta": beta, "learn": False}
    native, python = (chain(backend=backend, **settings) for backend in ("native", "python"))
    slots = native.state.n_slots
    for _ in range(8):
        native.sweep()
        python.sweep()
        assert same(native, python)
    assert native.n_simulation_steps == python.n_simulation_steps
    assert native.state.n_slots > slots


@pytest.fixture
def small_cells(monkeypatch):
    """Let a grid have several cells here, where corpora are tiny."""
    monkeypatch.setattr("blocklda.models.lda.samplers.grid.plan.TOKENS_PER_CELL", 20)


@pytest.mark.usefixtures("small_cells")
@pytest.mark.parametrize(("n_topics", "beta"), [(30, 0.3), (2, 0.3), (2, PER_WORD)])
def test_twin_and_kernel_agree_on_a_grid(n_topics, beta):
    settings = {"sampler": "grid", "initial_topics": n_topics, "alpha0": 20.0, "gamma": 20.0}
    settings["beta"] = beta
    native = chain(n_threads=2, learn=n_topics != 2, **settings)
    python = chain(backend="python", learn=n_topics != 2, **settings)
    slots = native.state.n_slots
    assert grid_size(native.corpus) == 3
    for _ in range(6):
        native.sweep()
        python.sweep()
        assert same(native, python)
    assert native.n_simulation_steps == python.n_simulation_steps
    assert native.state.n_born > n_topics
    if n_topics == 2:
        assert native.state.n_slots > slots


@pytest.mark.usefixtures("small_cells")
@pytest.mark.parametrize("beta", [0.3, PER_WORD], ids=["equal", "per word"])
def test_the_number_of_threads_changes_nothing(beta):
    found = [
        chain(sampler="grid", initial_topics=20, beta=beta, n_threads=n_threads)
        for n_threads in (1, 2, 3, 8)
    ]
    for one in found:
        one.sweep(10)
    assert all(same(found[0], one) for one in found[1:])
    assert found[0].state.n_born > 20


@pytest.mark.usefixtures("small_cells")
def test_a_saved_grid_continues_to_the_bit_in_other_threads(tmp_path):
    whole, first = (chain(sampler="grid", initial_topics=5) for _ in range(2))
    whole.sweep(6)
    first.sweep(3)
    first.save(tmp_path / "chain.npz")
    loaded = blocklda.HDPChain.load(tmp_path / "chain.npz", MATRIX, n_threads=2)
    loaded.sweep(3)
    assert loaded.sampler == "grid"
    assert same(whole, loaded)


@pytest.mark.parametrize("name", ["sparse", "grid"])
@pytest.mark.usefixtures("small_cells")
def test_more_slots_change_nothing(name):
    """So a sweep that ran out of them can be done again, and has the same law."""
    few, many = (chain(sampler=name, initial_topics=9) for _ in range(2))
    for one in (few, many):
        one.sweep(3)
    n_slots = few.state.n_slots
    many.state.add_slots(96)
    moves = sampler.KINDS[name].blocks["native"]
    for one in (few, many):
        moves(one.state, 8, 0.4)
    assert (few.state.topics == many.state.topics).all()
    assert (few.state.tau == many.state.tau[:n_slots]).all()
    assert (few.state.numbers == many.state.numbers[:n_slots]).all()
    assert few.state.rest == many.state.rest


def test_instruction_sets_agree():
    found = []
    before = blocklda._native.active_instruction_set()
    try:
        for name in blocklda._native.instruction_sets():
            blocklda._native.use_instruction_set(name)
            for sampler_name, beta in (("sparse", 0.3), ("grid", 0.3), ("sparse", PER_WORD)):
                found.append(chain(sampler=sampler_name, beta=beta, initial_topics=20))
                found[-1].sweep(10)
    finally:
        blocklda._native.use_instruction_set(before)
    for first, *others in (found[i::3] for i in range(3)):
        assert all(same(first, one) for one in others)


@pytest.mark.parametrize("n_topics", [19, 24])
def test_without_a_rest_of_the_stick_blocks_are_those_of_lda(n_topics):
    """No births, no global step: to the bit what `sparse` does with α = α₀τ."""
    corpus = blocklda.Corpus.from_matrix(RNG.poisson(2.0, (40, 9)))
    topics = (RNG.random(corpus.n_tokens) * n_topics).astype(np.int32)
    tau = RNG.dirichlet(np.ones(n_topics))
    for blocks in (sampler.native_blocks, sweep_blocks):
        state = State.create(corpus, random_generator(7), topics, Levels(3.0, 1.0, 0.2))
        state.tau[:n_topics], state.rest = tau, 0.0
        lda = blocklda.Chain(
            corpus, n_topics, alpha=3.0 * tau, beta=0.2, sampler="sparse", seed=7, init=topics
        )
        assert lda.model.find_sampler("sparse").sweep("native") is not None
        for _ in range(3):
            blocks(state, 8, 0.4, 16)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "blocklda.models.lda.samplers.sparse.sampler.rows_are_words", lambda *_: False
            )
            patch.setattr(
                "blocklda.models.lda.samplers.sparse.sampler.one_by_one_shares",
                lambda *arguments: np.full(arguments[-1], 0.4),
            )
            lda.sweep(3)
        assert np.array_equal(state.topics, lda.assignments())


@pytest.mark.parametrize("beta", [0.3, PER_WORD], ids=["equal", "per word"])
def test_a_saved_chain_continues_to_the_bit(tmp_path, beta):
    whole, first = (chain(initial_topics=5, beta=beta) for _ in range(2))
    whole.sweep(9)
    first.sweep(4)
    first.save(tmp_path / "chain.npz")
    loaded = blocklda.HDPChain.load(tmp_path / "chain.npz", MATRIX)
    loaded.sweep(5)
    assert same(whole, loaded)
    assert loaded.n_sweeps == 9
    assert np.array_equal(loaded.beta, beta)


def test_a_file_with_another_number_of_word_priors_is_refused(tmp_path):
    first = chain(initial_topics=5, beta=PER_WORD)
    first.state.levels = Levels(1.0, 1.0, PER_WORD[:-1])
    first.save(tmp_path / "chain.npz")
    with pytest.raises(blocklda.FileFormatError, match="prior of words"):
        blocklda.HDPChain.load(tmp_path / "chain.npz", MATRIX)


def test_equal_priors_of_words_are_one_number():
    one, many = chain(initial_topics=9), chain(initial_topics=9, beta=np.full(25, 0.3))
    for each in (one, many):
        each.sweep(3)
    assert same(one, many)
    assert many.beta == 0.3


def test_another_backend_continues_a_saved_chain(tmp_path):
    first = chain(initial_topics=5)
    first.sweep(3)
    first.save(tmp_path / "chain.npz")
    loaded = [
        blocklda.HDPChain.load(tmp_path / "chain.npz", MATRIX, backend=backend, n_threads=2)
        for backend in ("native", "python")
    ]
    for one in loaded:
        one.sweep(2)
    assert same(*loaded)


def test_a_file_with_other_weights_is_refused(tmp_path):
    first = chain(initial_topics=5)
    first.state.tau[:] = 0.0
    first.save(tmp_path / "chain.npz")
    with pytest.raises(blocklda.FileFormatError, match="do not match"):
        blocklda.HDPChain.load(tmp_path / "chain.npz", MATRIX)


@pytest.mark.parametrize("beta", [0.3, PER_WORD], ids=["equal", "per word"])
def test_what_a_chain_shows_belongs_together(beta):
    one = chain(initial_topics=9, n_threads=4, beta=beta)
    one.sweep(6)
    ids, weights, z = one.topic_ids(), one.topic_weights(), one.assignments()
    assert len(ids) == one.n_topics == len(weights) - 1
    assert (np.diff(ids) > 0).all()
    assert weights.sum() == pytest.approx(1)
    assert (weights > 0).all()
    assert set(z.tolist()) == set(range(one.n_topics))
    assert one.doc_topic_counts().shape == (12, one.n_topics)
    assert (one.doc_topic_counts().sum(axis=1) == MATRIX.sum(axis=1)).all()
    assert (one.topic_word_counts().sum(axis=0) == MATRIX.sum(axis=0)).all()
    assert (one.topic_word_counts().sum(axis=1) == np.bincount(z)).all()
    assert np.isfinite(one.log_posterior())
    assert one.sampler == "sparse"
    draw = one.draw()
    assert (draw.topics == z).all()
    everything = blocklda.Corpus.from_matrix(np.ones_like(MATRIX))
    by_word = draw.predictive(everything).reshape(MATRIX.shape)
    assert by_word.sum(axis=1) == pytest.approx(np.ones(12))


@pytest.mark.parametrize("beta", [0.3, PER_WORD], ids=["equal", "per word"])
def test_log_posterior_is_the_definition(beta):
    one = chain(initial_topics=4, beta=beta)
    one.sweep(3)
    a, tau = one.alpha0, one.topic_weights()[:-1]
    n_dk, n_kv = one.doc_topic_counts(), one.topic_word_counts()
    total = np.sum(np.broadcast_to(one.beta, 25))
    expected = (gammaln(n_dk + a * tau) - gammaln(a * tau)).sum()
    expected -= (gammaln(n_dk.sum(axis=1) + a) - gammaln(a)).sum()
    expected += (gammaln(n_kv + one.beta) - gammaln(one.beta)).sum()
    expected -= (gammaln(n_kv.sum(axis=1) + total) - gammaln(total)).sum()
    assert one.log_posterior() == pytest.approx(expected)


def test_an_interrupted_sweep_leaves_the_chain_as_it_was(monkeypatch):
    one, other = chain(initial_topics=5), chain(initial_topics=5)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(GlobalStep, "draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        one.sweep()
    monkeypatch.undo()
    one.sweep(3)
    other.sweep(3)
    assert same(one, other)


@pytest.mark.parametrize("every", [0, 1, 3])
def test_the_kernels_note_how_full_cells_are(every):
    """Blocks note the cells of the documents whose tables stay, and moves of tables the others."""
    one = chain(initial_topics=9)
    one.options = replace(one.options, table_every=every)
    state, seen = one.state, []

    def look(_step, swept):
        cells = swept.noted_cells()
        assert cells is not None
        noted, counted = CellCounts.noted(swept, cells), swept.cells()
        for name in ("occupancy", "topic_histograms"):
            for ours, theirs in zip(getattr(noted, name), getattr(counted, name), strict=True):
                assert np.array_equal(ours, theirs)
        seen.append(swept)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GlobalStep, "apply", look)
        one.sweep(3)
    assert len(seen) == 3
    sampler.native_tables(state, 0, 2)
    assert state.noted_cells() is None


def test_fixed_concentrations_stay():
    one = chain(learn=False, initial_topics=5)
    one.sweep(5)
    assert (one.alpha0, one.gamma, one.beta) == (8.0, 6.0, 0.3)


def test_slots_shrink_when_topics_die():
    one = chain(initial_topics=150, init="random", learn=False, alpha0=0.1, gamma=0.1, beta=1.0)
    before = one.state.n_slots
    one.sweep(40)
    assert one.state.n_slots < before
    assert (one.state.numbers != FREE).sum() == one.n_topics


@pytest.mark.parametrize("init", ["variational", np.zeros(int(MATRIX.sum()), dtype=int)])
def test_other_starts(init):
    chain(init=init, initial_topics=7, beta=PER_WORD).sweep(1)
    one = chain(init=init, initial_topics=7)
    assert one.n_topics <= 7
    one.sweep(2)


def test_extreme_levels():
    for levels in ((1e-6, 1e-6, 1e-3), (1e4, 1e3, 10.0), (1.0, 1.0, 10.0 ** np.arange(-12, 13))):
        one = chain(alpha0=levels[0], gamma=levels[1], beta=levels[2], learn=False)
        one.sweep(3)
        assert np.isfinite(one.topic_weights()).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"beta": np.ones((3, 25))}, "one number for all words"),
        ({"beta": np.ones(24)}, r"shape \(24,\): give a number or one per word"),
        ({"beta": np.append(PER_WORD[:-1], 0.0)}, r"beta\[24\]=0.0"),
        ({"beta": 0}, "beta"),
        ({"alpha0": -1}, "alpha0"),
        ({"gamma": "much"}, "gamma"),
        ({"init": "annealed"}, "variational"),
        ({"initial_topics": 0}, "initial_topics"),
        ({"sampler": "nested"}, "sparse"),
        ({"backend": "fortran"}, "native"),
        ({"learn": 3}, "learn"),
        ({"matrix": np.zeros((2, 3), dtype=int)}, "no tokens"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(settings, message):
    with pytest.raises(blocklda.InputError, match=message):
        chain(**settings)


def test_there_is_no_number_of_topics_to_give():
    with pytest.raises(TypeError, match="n_topics"):
        chain(n_topics=10)
