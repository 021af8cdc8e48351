"""Moves as part of chains, fits, files and the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import blocklda
from blocklda import InputError
from blocklda.models.lda.model import LDAModel
from blocklda.models.lda.moves import registry
from blocklda.models.lda.moves.registry import find_move, splits_in_burn_in
from blocklda.models.lda.state import State
from tests.cli.terminal import run
from tests.files.test_chain_files import contents, rewrite

MATRIX = np.random.default_rng(1).poisson(0.6, size=(12, 6)) + np.eye(12, 6, dtype=int)
MOVES = ("merge-split",)


def chain(**settings: object) -> blocklda.Chain:
    return blocklda.Chain(MATRIX, 4, 0.3, 0.1, **{"seed": 2, "moves": MOVES, **settings})


@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_one_attempt_follows_each_sweep(sampler):
    """Also where a plain chain would do several sweeps in one call."""
    moved, plain = chain(sampler=sampler), chain(sampler=sampler, moves=())
    moved.sweep(5)
    for _ in range(5):
        plain.sweep()
        find_move("merge-split").attempt(plain.state)
    np.testing.assert_array_equal(moved.assignments(), plain.assignments())
    assert moved.state.rng.bit_generator.state == plain.state.rng.bit_generator.state
    assert moved.n_simulation_steps > plain.n_simulation_steps


@pytest.mark.parametrize("sampler", ["single-site", "nested", "sparse", "backward"])
def test_both_backends_leave_the_same_bits(sampler):
    native, python = (chain(sampler=sampler, backend=name) for name in ("native", "python"))
    native.sweep(6)
    python.sweep(6)
    np.testing.assert_array_equal(native.assignments(), python.assignments())
    assert native.state.rng.bit_generator.state == python.state.rng.bit_generator.state


def test_a_saved_chain_keeps_its_moves(tmp_path):
    whole, stopped = chain(), chain()
    whole.sweep(9)
    stopped.sweep(4)
    stopped.save(tmp_path / "chain.npz")
    resumed = blocklda.Chain.load(tmp_path / "chain.npz", MATRIX)
    resumed.sweep(5)
    assert resumed.options.moves == MOVES
    np.testing.assert_array_equal(resumed.assignments(), whole.assignments())


def test_a_file_that_names_no_moves_has_none(tmp_path):
    path = tmp_path / "chain.npz"
    chain(moves=()).save(path)
    header, arrays = contents(path)
    assert header.pop("moves") == []
    rewrite(path, header, arrays)
    assert blocklda.Chain.load(path, MATRIX).options.moves == ()


def test_a_file_with_an_unknown_move_is_refused(tmp_path):
    path = tmp_path / "chain.npz"
    chain().save(path)
    header, arrays = contents(path)
    rewrite(path, {**header, "moves": ["leap"]}, arrays)
    with pytest.raises(InputError, match="leap"):
        blocklda.Chain.load(path, MATRIX)


@pytest.mark.parametrize("moves", ["merge-split", 3, None])
def test_moves_are_a_sequence_of_names(moves):
    with pytest.raises(InputError, match="tuple of names"):
        chain(moves=moves)
    with pytest.raises(InputError, match="tuple of names"):
        blocklda.LDA(4, moves=moves).fit(MATRIX)


def test_an_unknown_move_is_named():
    with pytest.raises(InputError, match=r"moves='leap' is unknown.*'merge-split'"):
        chain(moves=("leap",))


def test_a_fit_has_the_moves_of_its_chain(tmp_path):
    lda = blocklda.LDA(4, sampler="nested", moves=MOVES, n_sweeps=12, random_state=3).fit(MATRIX)
    plain = blocklda.LDA(4, sampler="nested", moves=(), n_sweeps=12, random_state=3).fit(MATRIX)
    assert not np.array_equal(lda.components_, plain.components_)
    lda.save(tmp_path / "model")
    loaded = blocklda.LDA.load(tmp_path / "model")
    assert loaded.moves == MOVES
    assert loaded.chains_[0].options.moves == MOVES
    for model in (lda, loaded):
        model.set_params(warm_start=True, n_sweeps=20).fit(MATRIX)
    np.testing.assert_array_equal(loaded.components_, lda.components_)


def test_a_run_without_moves_has_the_settings_of_earlier_versions():
    fit = blocklda.LDA(4, n_sweeps=8, random_state=3).fit(MATRIX)
    assert "moves" not in fit.result_.settings
    with pytest.raises(InputError, match="moves"):
        fit.set_params(warm_start=True, n_sweeps=9, moves=MOVES).fit(MATRIX)


def test_auto_tries_the_move_in_the_burn_in_and_not_later():
    fit = blocklda.LDA(
        4,
        alpha=0.3,
        beta=0.1,
        sampler="single-site",
        n_sweeps=40,
        burn_in=20,
        init="random",
        random_state=3,
    ).fit(MATRIX)
    seed = np.random.SeedSequence(3).spawn(1)[0]
    chain = blocklda.Chain(MATRIX, 4, 0.3, 0.1, sampler="single-site", seed=seed)
    levels = []
    for sweep in range(40):
        chain.sweep()
        if sweep < 20:
            find_move("merge-split").attempt(chain.state)
        levels.append(chain.log_posterior())
    np.testing.assert_array_equal(fit.log_posterior_[0], levels)


def test_auto_tries_nothing_with_many_words(monkeypatch):
    few, many = (splits_in_burn_in("auto", a_corpus(n)) for n in (4_000, 4_001))
    assert (few, many) == (True, False)
    monkeypatch.setattr(registry, "AUTO_UP_TO_WORDS", 5)
    settings = {"n_sweeps": 12, "burn_in": 5, "random_state": 3}
    auto, none = (blocklda.LDA(4, moves=moves, **settings).fit(MATRIX) for moves in ("auto", ()))
    np.testing.assert_array_equal(auto.log_posterior_, none.log_posterior_)


def a_corpus(n_words: int) -> blocklda.Corpus:
    return blocklda.Corpus.from_matrix(np.ones((1, n_words), dtype=int))


def test_a_resumed_fit_tries_the_move_in_the_rest_of_its_burn_in(tmp_path, monkeypatch):
    whole, stopped = (
        blocklda.LDA(4, n_sweeps=40, burn_in=20, init="random", random_state=3) for _ in range(2)
    )
    whole.fit(MATRIX)
    between_sweeps = LDAModel.between_sweeps

    def fail_in_burn_in(model: LDAModel, state: State, burn_in: int) -> None:
        between_sweeps(model, state, burn_in)
        if state.n_sweeps == 9:
            raise RuntimeError("stopped")

    with monkeypatch.context() as patched:
        patched.setattr(LDAModel, "between_sweeps", fail_in_burn_in)
        with pytest.raises(RuntimeError):
            stopped.fit(MATRIX, checkpoint=tmp_path, every=4)
    stopped.fit(MATRIX, checkpoint=tmp_path, every=4)
    np.testing.assert_array_equal(stopped.log_posterior_, whole.log_posterior_)


def test_a_file_without_moves_of_the_burn_in_has_none(tmp_path):
    path = tmp_path / "chain.npz"
    one = blocklda.LDA(4, n_sweeps=2, burn_in=1, thin=1, random_state=3).fit(MATRIX).chains_[0]
    assert one.state.opening.n_merge_splits == 1
    one.save(path)
    header, arrays = contents(path)
    assert header["opening"].pop("n_merge_splits") == 1
    assert blocklda.Chain.load(path, MATRIX).state.opening.n_merge_splits == 1
    rewrite(path, header, arrays)
    assert blocklda.Chain.load(path, MATRIX).state.opening.n_merge_splits == 0


def test_the_command_line_has_them(tmp_path):
    path = tmp_path / "counts.npz"
    blocklda.write_corpus(blocklda.Corpus.from_matrix(MATRIX), path)
    options = ["-k", "4", "--sweeps", "12", "--moves", "merge-split", "-o", tmp_path / "model"]
    done = run("fit", path, *options, "--chains", "1")
    assert done.exit_code == 0, done.stderr
    expected = blocklda.LDA(4, moves=MOVES, n_sweeps=12, random_state=0).fit(MATRIX)
    found = blocklda.LDA.load(tmp_path / "model")
    np.testing.assert_array_equal(found.components_, expected.components_)
    manifest = json.loads((tmp_path / "model" / "model.json").read_text("utf-8"))
    assert manifest["parameters"]["moves"] == ["merge-split"]


def test_the_command_line_names_an_unknown_move(tmp_path):
    done = run("fit", tmp_path / "none", "-k", "4", "--moves", "leap")
    assert done.exit_code == 2
    assert "--moves 'leap' is unknown" in done.stderr
