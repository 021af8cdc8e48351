"""Files carry the number of the draw order, and resuming across it is said once."""

from __future__ import annotations

import warnings
from unittest.mock import patch

import numpy as np
import pytest

import blocklda
from blocklda.models.lda.model import LDAModel

COUNTS = np.array([[2, 1, 0], [0, 3, 1], [1, 0, 2]])
SETTINGS = {"n_topics": 2, "n_chains": 3, "random_state": 1, "burn_in": 2, "thin": 1}


@pytest.fixture
def of_before():
    """Let files be written as by a version whose draws had another order."""
    return patch.object(LDAModel, "draw_order", 1)


def saved_chain(path, of_before):
    chain = blocklda.Chain(COUNTS, 2, seed=1)
    chain.sweep(3)
    with of_before:
        chain.save(path)


def test_a_chain_of_another_order_continues_with_one_warning(tmp_path, of_before):
    saved_chain(tmp_path / "chain", of_before)
    with pytest.warns(blocklda.DrawOrderWarning, match="the other version") as caught:
        chain = blocklda.Chain.load(tmp_path / "chain", COUNTS)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    chain.sweep(2)
    chain.save(tmp_path / "chain")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        blocklda.Chain.load(tmp_path / "chain", COUNTS)


def test_several_chains_of_a_checkpoint_give_one_warning(tmp_path, of_before):
    with of_before:
        blocklda.LDA(**SETTINGS, n_sweeps=4).fit(COUNTS, checkpoint=tmp_path / "run")
    with pytest.warns(blocklda.DrawOrderWarning) as caught:
        blocklda.LDA(**SETTINGS, n_sweeps=6).fit(COUNTS, checkpoint=tmp_path / "run")
    assert [w.category for w in caught].count(blocklda.DrawOrderWarning) == 1


def test_a_model_that_is_only_read_gives_none(tmp_path, of_before):
    with of_before:
        blocklda.LDA(**SETTINGS, n_sweeps=4).fit(COUNTS).save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error", blocklda.DrawOrderWarning)
        model = blocklda.LDA.load(tmp_path / "model")
        model.transform(COUNTS)
    model.set_params(warm_start=True, n_sweeps=6)
    with pytest.warns(blocklda.DrawOrderWarning):
        model.fit(COUNTS)
