"""What the tests of the estimator share: one small corpus and how chains on it are run."""

from __future__ import annotations

import numpy as np

import blocklda

STARTS = ("variational", "random")
SAMPLER = "auto"

COUNTS = np.random.default_rng(3).poisson(0.8, size=(12, 9))
WITH_EMPTY = COUNTS.copy()
WITH_EMPTY[4] = 0
"""Document 4 is empty."""
TRAIN, HELDOUT = blocklda.split_tokens(COUNTS, range(8, 12), seed=0)


def make(**settings: object) -> blocklda.LDA:
    """Return an estimator with settings that keep the draws of sweeps 6, 9, 12, … 30."""
    usual = {
        "n_topics": 3,
        "alpha": 0.3,
        "beta": 0.2,
        "sampler": SAMPLER,
        "init": STARTS[0],
        "n_sweeps": 30,
        "burn_in": 3,
        "thin": 3,
        "random_state": 1,
    }
    return blocklda.LDA(**{**usual, **settings})
