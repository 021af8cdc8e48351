"""A second model goes through run, checkpoint, resume, save, load and diagnostics unchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import blocklda
from blocklda.diagnostics.arviz_export import to_arviz
from blocklda.diagnostics.report import diagnose
from blocklda.files.chain_file import read_chain, restore_chain, write_chain
from blocklda.files.checkpoint import open_checkpoint
from blocklda.files.run_file import read_draws, read_run, write_draws, write_run
from blocklda.models.base import Quantity, Role
from blocklda.results.result import FitResult, result_of_run
from blocklda.results.stability import align_chains
from blocklda.run.chain import BaseChain
from blocklda.run.chain_run import ChainRun
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule
from blocklda.support.checks import random_generator
from blocklda.support.errors import FileFormatError
from tests.models.toy import ToyModel

COUNTS = np.random.default_rng(3).poisson([4.0, 0.2, 2.0, 0.1, 1.0], size=(24, 5))
COUNTS[12:] = COUNTS[12:, ::-1]
SCHEDULE = Schedule.create(40, 8, 2)


@pytest.fixture(scope="module")
def model() -> ToyModel:
    return ToyModel(blocklda.Corpus.from_matrix(COUNTS))


def new_run(model: ToyModel) -> Run:
    chains = []
    for number, n_clusters in enumerate((1, 9)):
        state = model.start(n_clusters, random_generator(number), "native")
        chain = BaseChain(model, state, model.find_sampler("one-by-one"))
        chains.append(ChainRun(number, chain))
    return Run(chains)


@pytest.fixture(scope="module")
def whole(model: ToyModel) -> Run:
    run = new_run(model)
    assert run.advance(SCHEDULE, n_workers=2)
    return run


def assert_same(one: Run, other: Run) -> None:
    for mine, theirs in zip(one.chains, other.chains, strict=True):
        assert mine.log_levels == theirs.log_levels
        assert mine.kept_sweeps == theirs.kept_sweeps
        np.testing.assert_array_equal(mine.chain.state.labels, theirs.chain.state.labels)
        for name, values in mine.values.items():
            for left, right in zip(values, theirs.values[name], strict=True):
                np.testing.assert_array_equal(left, right)
    for left, right in zip(one.draws, other.draws, strict=True):
        np.testing.assert_array_equal(left.labels, right.labels)


def test_clusters_come_and_go(whole: Run) -> None:
    numbers = [set(part.values["n_clusters"]) for part in whole.chains]
    assert max(map(len, numbers)) > 1


def test_a_run_resumes_from_a_checkpoint_to_the_bit(
    model: ToyModel, whole: Run, tmp_path: Path
) -> None:
    run = new_run(model)
    with open_checkpoint(tmp_path, 5, {"model": "toy"}, SCHEDULE.burn_in) as checkpoint:
        run.advance(Schedule.create(23, 8, 2), observers=[checkpoint])
    with open_checkpoint(tmp_path, 5, {"model": "toy"}, SCHEDULE.burn_in) as checkpoint:
        resumed = checkpoint.read(lambda path: read_run(path, model, keep_draws=True))
        assert resumed is not None
        assert resumed.n_sweeps == 23
        resumed.advance(SCHEDULE, observers=[checkpoint])
    assert_same(resumed, whole)


def test_a_run_is_saved_and_loaded(model: ToyModel, whole: Run, tmp_path: Path) -> None:
    write_run(tmp_path / "run.npz", whole, {})
    write_draws(tmp_path / "draws.npz", whole.draws, model)
    loaded = read_run(tmp_path / "run.npz", model, keep_draws=True)
    read_draws([tmp_path / "draws.npz"], loaded)
    assert_same(loaded, whole)


def test_quantities_newer_than_a_file_have_the_values_that_stand_for_them(
    model: ToyModel, whole: Run, tmp_path: Path
) -> None:
    class Newer(ToyModel):
        if_missing: float | None = np.nan

        @property
        def quantities(self) -> tuple[Quantity, ...]:
            one = Quantity("one", Role.SCALAR, lambda draw: 1.0, if_missing=self.if_missing)
            some = Quantity("some", Role.BY_TOPIC, np.ones, length=3, if_missing=self.if_missing)
            return (*super().quantities, one, some)

    write_run(tmp_path / "run.npz", whole, {})
    newer = Newer(model.corpus)
    values = read_run(tmp_path / "run.npz", newer, keep_draws=False).chains[0].values
    assert np.isnan(values["one"]).all()
    assert np.shape(values["some"]) == (SCHEDULE.n_draws, 3)
    newer.if_missing = None
    with pytest.raises(FileFormatError, match="it has no 'chain0_one'"):
        read_run(tmp_path / "run.npz", newer, keep_draws=False)


def test_a_chain_is_saved_and_continues(model: ToyModel, tmp_path: Path) -> None:
    chain = new_run(model).chains[1].chain
    chain.sweep(3)
    write_chain(tmp_path / "chain.npz", chain)

    def make(model, state, sampler, backend, options, n_steps):
        return BaseChain(model, state, model.find_sampler(sampler), backend, options, n_steps)

    loaded = read_chain(
        tmp_path / "chain.npz",
        model.corpus,
        "toy",
        lambda stored: restore_chain(make, model, stored),
    )
    chain.sweep(4)
    loaded.sweep(4)
    assert loaded.n_sweeps == 7
    np.testing.assert_array_equal(chain.state.labels, loaded.state.labels)


def test_a_file_of_one_model_is_not_taken_for_another(model: ToyModel, tmp_path: Path) -> None:
    write_chain(tmp_path / "chain.npz", new_run(model).chains[0].chain)
    with pytest.raises(FileFormatError, match="of the model 'toy', not of 'lda'"):
        blocklda.Chain.load(tmp_path / "chain.npz", COUNTS)


def test_results_diagnostics_and_arviz_take_it(whole: Run) -> None:
    result = result_of_run(whole, SCHEDULE, {})
    assert isinstance(result, FitResult)
    assert result.kind == "toy"
    np.testing.assert_allclose(result.topic_word.sum(axis=1), 1)
    n_topics = {len(part.last_draw.topic_word()) for part in whole.chains}
    if len(n_topics) > 1:
        assert (result.alignment.order == -1).any() or min(n_topics) == len(result.topic_word)
    found = diagnose(result)
    assert {"log posterior", "clusters"} <= {row.quantity for row in found.label_invariant}
    assert any("size of rank" in row.quantity for row in found.label_invariant)
    posterior = to_arviz(result.trace, result.alignment.order)["posterior"]
    assert posterior["n_clusters"].shape == (2, SCHEDULE.n_draws)


def test_topics_of_unequal_numbers_may_stay_without_a_partner() -> None:
    three, two = np.eye(3), np.eye(3)[[2, 0]]
    order, distances, _ = align_chains([three, two])
    assert order.tolist() == [[0, 1, 2], [1, -1, 0]]
    assert distances[1].tolist() == [0.0, 1.0, 0.0]
    assert align_chains([two, three]).order.tolist() == [[0, 1], [2, 0]]
