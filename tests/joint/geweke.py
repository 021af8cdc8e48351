"""Geweke's test of `blocklda.testing` as these suites run it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.state import SweepOptions
from blocklda.testing.joint import compare_means
from blocklda.testing.lda_joint import LDAJoint as Model
from tests.exact.fit import REJECT, Verdict
from tests.exact.runs import SLOW, sweep_of

__all__ = ["N_DRAWS", "Model", "n_draws_of", "smallest_p_value", "verdict"]

N_DRAWS = 2_000
"""With as many draws all mutants of learned priors were below 1e-14 for each of three seeds, and
those of samplers below 1e-8."""

STAGES = (300, N_DRAWS, 3 * N_DRAWS)
"""Draws of mutants, each stage with its own: most are caught by the first."""


def n_draws_of(sampler: str) -> int:
    """Return how many draws a right sampler is tested with."""
    return N_DRAWS // 2 if sampler in SLOW else N_DRAWS


def verdict(
    model: Model,
    sampler: str | Sweep,
    n_draws: int,
    seed: int,
    learning: PriorLearning | None = None,
    **options: object,
) -> Verdict:
    """Return the verdict on so many draws.

    ``learning``, right or wrong, is what the priors are drawn by, if not the model's own.
    """
    first, second = np.random.default_rng(seed).spawn(2)
    before = model.population(n_draws, first)
    changed = replace(model, learning=learning or model.learning, options=SweepOptions(**options))
    after = changed.advanced(before, sweep_of(sampler), 1, second)
    return compare_means(model.functions(before), model.functions(after))


def smallest_p_value(
    model: Model, sampler: str | Sweep, seed: int, learning: PriorLearning | None = None
) -> float:
    """Return the p-value of the first of STAGES that is below REJECT, or the smallest of all."""
    p_value = 1.0
    for stage, n_draws in enumerate(STAGES):
        found = verdict(model, sampler, n_draws, seed + 1_000 * stage, learning)
        p_value = min(p_value, found.p_value)
        if p_value < REJECT:
            break
    return p_value
