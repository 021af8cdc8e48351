"""Kernels read the priors they are given, and nothing that lies behind them in memory."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.support.arrays import sealed
from tests.files.fits import COUNTS
from tests.models.lda.samplers.subjects import SUBJECTS, find_subject

CORPUS = blocklda.Corpus.from_matrix(COUNTS)
ALPHA = [0.1, 0.2, 0.3, 0.4]
BETA = np.linspace(0.1, 0.5, 4 * COUNTS.shape[1]).reshape(4, -1)


@pytest.mark.parametrize("sampler", SUBJECTS)
@pytest.mark.parametrize("alpha", [0.1, ALPHA])
@pytest.mark.parametrize("beta", [0.1, BETA])
def test_what_lies_behind_the_priors_is_not_read(sampler, alpha, beta):
    """The padding of topic lists stands for a topic behind the last, of which Python has no prior.

    Most of the time a small number lies there, and what is read of it is multiplied by zero.
    """
    chains = [
        blocklda.Chain(CORPUS, 4, alpha, beta, sampler=find_subject(sampler), init="random", seed=2)
        for _ in range(2)
    ]
    priors = chains[1].priors
    before_nan = tuple(_before_nan(values) for values in priors.padded)
    assert "native" not in priors.__dict__
    priors.__dict__["padded"] = before_nan
    for chain in chains:
        chain.sweep(10)
    assert np.array_equal(chains[0].assignments(), chains[1].assignments())


def _before_nan(values: np.ndarray) -> np.ndarray:
    """Return the same array, with memory behind it that is no number; sealed, so not copied."""
    longer = np.full(values.size + 64, np.nan)
    longer[: values.size] = values.ravel()
    return sealed(longer)[: values.size].reshape(values.shape)
