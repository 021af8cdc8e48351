"""The paper's second measure: held-out perplexity by document completion (its section 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blocklda.checks import whole_number
from blocklda.evaluate.predictive import check_heldout, perplexity

if TYPE_CHECKING:
    from blocklda.chain import Chain

__all__ = ["document_completion"]


def document_completion(
    chain: Chain, heldout: Any, n_sweeps: int, window: int = 10
) -> NDArray[np.float64]:
    """Advance a chain and return the perplexity of held-out tokens, one value per window.

    The chain runs on the other tokens of the same documents (see :func:`blocklda.split_tokens`).
    In each window of ``window`` consecutive sweeps the predictive probability Σ_k θ_dk φ_kv of
    every held-out token is averaged over the sweeps; the perplexity is exp of minus the mean log of
    that average. Windows do not overlap; the last one is shorter when ``n_sweeps`` is no multiple
    of ``window``.
    """
    n_sweeps = whole_number("n_sweeps", n_sweeps, 1)
    window = whole_number("window", window, 1)
    test = check_heldout(chain.corpus, heldout)
    perplexities = []
    for start in range(0, n_sweeps, window):
        sweeps = min(window, n_sweeps - start)
        mean = np.zeros(test.n_entries)
        for _ in range(sweeps):
            chain.sweep()
            mean += chain.draw().predictive(test) / sweeps
        perplexities.append(perplexity(mean, test))
    return np.array(perplexities)
