"""The paper's second measure: held-out perplexity by document completion (its section 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from blocklda.checks import whole_number
from blocklda.corpus import Corpus
from blocklda.errors import InputError
from blocklda.evaluate import estimates

if TYPE_CHECKING:
    from blocklda.chain import Chain

__all__ = ["document_completion", "perplexity", "predictive"]


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
    test = _check_heldout(chain, heldout)
    perplexities = []
    for start in range(0, n_sweeps, window):
        sweeps = min(window, n_sweeps - start)
        mean = np.zeros(test.n_entries)
        for _ in range(sweeps):
            chain.sweep()
            mean += predictive(chain, test) / sweeps
        perplexities.append(perplexity(mean, test))
    return np.array(perplexities)


def predictive(chain: Chain, test: Corpus) -> NDArray[np.float64]:
    """Return Σ_k θ_dk φ_kv of the chain's present state for every entry of ``test``."""
    theta, phi = estimates.theta(chain), estimates.phi(chain)
    result = np.empty(test.n_entries)
    for d in np.flatnonzero(np.diff(test.doc_offsets)):
        entries = slice(test.doc_offsets[d], test.doc_offsets[d + 1])
        result[entries] = theta[d] @ phi[:, test.word_ids[entries]]
    return result


def perplexity(probabilities: NDArray[np.float64], test: Corpus) -> float:
    """Return exp(−mean log probability) over the tokens of ``test``."""
    return float(np.exp(-(test.counts @ np.log(probabilities)) / test.n_tokens))


def _check_heldout(chain: Chain, heldout: Any) -> Corpus:
    test = Corpus.from_matrix(heldout)
    if (test.n_docs, test.n_words) != (chain.corpus.n_docs, chain.corpus.n_words):
        raise InputError(
            f"heldout has {test.n_docs} documents and {test.n_words} words, the chain's corpus "
            f"{chain.corpus.n_docs} and {chain.corpus.n_words}: both must come from one split, "
            "as blocklda.split_tokens returns it."
        )
    if test.n_tokens == 0:
        raise InputError("heldout has no tokens: hold some out with blocklda.split_tokens.")
    return test
