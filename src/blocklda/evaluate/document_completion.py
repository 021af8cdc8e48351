"""The paper's second measure: held-out perplexity by document completion (its section 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.models.lda.predictive import check_heldout, perplexity
from blocklda.support.arrays import Floats
from blocklda.support.checks import whole_number

if TYPE_CHECKING:
    from blocklda.data.corpus import Corpus
    from blocklda.models.lda.chain import Chain
    from blocklda.models.lda.draw import Draw

__all__ = ["WINDOW", "CompletionWindows", "document_completion"]

WINDOW = 10
"""Sweeps over which predictive probabilities are averaged, as in the paper."""


def document_completion(chain: Chain, heldout: Any, n_sweeps: int, window: int = WINDOW) -> Floats:
    """Advance a chain and return the perplexity of held-out tokens, one value per window.

    The chain runs on the other tokens of the same documents (see :func:`blocklda.split_tokens`).
    In each window of ``window`` consecutive sweeps the predictive probability Σ_k θ_dk φ_kv of
    every held-out token is averaged over the sweeps; the perplexity is exp of minus the mean log of
    that average. Windows do not overlap; the last one is shorter when ``n_sweeps`` is no multiple
    of ``window``.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=40, seed=1).corpus
    >>> train, heldout = blocklda.split_tokens(corpus, docs=range(30, 40), seed=0)
    >>> chain = blocklda.Chain(train, 10, seed=1)
    >>> blocklda.evaluate.document_completion(chain, heldout, n_sweeps=20).shape
    (2,)
    """
    n_sweeps = whole_number("n_sweeps", n_sweeps, 1)
    window = whole_number("window", window, 1)
    test = check_heldout(chain.corpus, heldout)
    windows = CompletionWindows(test, n_sweeps, window)
    for _ in range(n_sweeps):
        chain.sweep()
        windows.add(chain.draw())
    return np.array(windows.perplexities)


class CompletionWindows:
    """Perplexities of held-out tokens, window by window, of the draws it is given one by one."""

    def __init__(self, test: Corpus, n_sweeps: int, window: int) -> None:
        self.perplexities: list[float] = []
        """One number for each window that is complete."""
        self._test = test
        self._left = n_sweeps
        self._window = window
        self._open()

    def add(self, draw: Draw) -> None:
        """Take the draw of the next sweep into the present window."""
        self._mean += draw.predictive(self._test) / self._size
        self._missing -= 1
        if self._missing == 0:
            self.perplexities.append(perplexity(self._mean, self._test))
            self._open()

    def go_on_after(self, perplexities: list[float]) -> None:
        """Go on after windows that were complete before; none of the sweeps was given here yet."""
        self.perplexities = list(perplexities)
        self._left += self._size - self._window * len(perplexities)
        self._open()

    def _open(self) -> None:
        """Begin a window; the last one has what is left of the sweeps."""
        self._size = self._missing = min(self._window, self._left)
        self._left -= self._size
        self._mean = np.zeros(self._test.n_entries)
