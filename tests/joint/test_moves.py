"""Sweeps and moves in turn against the joint law of topics and words, by Geweke's test."""

from __future__ import annotations

import pytest

import blocklda
from blocklda.models.lda.moves.registry import find_move
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.state import State, SweepOptions
from tests.exact.fit import ACCEPT, REJECT
from tests.exact.runs import sweep_of
from tests.joint.geweke import N_DRAWS, Model, smallest_p_value, verdict
from tests.mutants.moves import MOVE_MUTANTS

MODELS = {
    "symmetric priors": Model((5, 3, 2), n_words=3, n_topics=3, alpha=0.5, beta=0.3),
    "asymmetric alpha": Model(
        (6, 4, 0, 1), n_words=3, n_topics=4, alpha=(0.3, 0.6, 1.2, 0.2), beta=0.2
    ),
    "beta matrix": Model(
        (5, 3),
        n_words=2,
        n_topics=3,
        alpha=(0.5, 0.9, 0.4),
        beta=((0.3, 1.1), (0.8, 0.4), (0.2, 0.2)),
    ),
}


def followed_by(move: Sweep) -> Sweep:
    """Return a single-site sweep that is followed by two attempts at a move."""
    single_site = sweep_of("single-site")

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        return single_site(state, options, n_sweeps) + move(state, options, 2)

    return sweep


def attempts(move: str) -> Sweep:
    attempt = find_move(move).attempt
    return lambda state, options, n: sum(attempt(state) for _ in range(n))


@pytest.mark.parametrize("move", blocklda.MOVES)
@pytest.mark.parametrize("name", MODELS)
def test_topics_and_words_have_their_joint_law(name, move):
    found = verdict(MODELS[name], followed_by(attempts(move)), N_DRAWS, seed=45)
    assert found.p_value > ACCEPT, found.report


@pytest.mark.parametrize("mutant", ["merged into the other topic", "merged state left out"])
def test_joint_law_rejects(mutant):
    """Two will do here: the sweeps in between undo most of what a wrong move does."""
    wrong = followed_by(MOVE_MUTANTS[mutant])
    assert smallest_p_value(MODELS["asymmetric alpha"], wrong, seed=46) < REJECT
