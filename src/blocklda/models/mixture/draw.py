"""A draw from the posterior of a mixture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.lda.predictive import check_heldout
from blocklda.models.mixture.log_joint import component_word_counts
from blocklda.models.mixture.priors import MixturePriors
from blocklda.models.mixture.state import State
from blocklda.support.arrays import Floats, Ints

__all__ = ["Draw"]


@dataclass(frozen=True, eq=False)
class Draw:
    """One clustering that a chain passed through.

    Attributes
    ----------
    chain
        The number of the chain, from 0.
    sweep
        Sweeps the chain had done.
    labels
        The component of each document, a position in ``births``.
    births
        The numbers of the components, ascending. A component of a chain has the same number in
        every draw in which it lives.
    alpha
        The concentration.
    corpus, priors
        What the chain ran on, and its priors.
    """

    chain: int
    sweep: int
    labels: NDArray[np.unsignedinteger[Any]]
    births: Ints
    alpha: float
    corpus: Corpus
    priors: MixturePriors

    @classmethod
    def create(cls, state: State, chain: int) -> Draw:
        """Take a copy of a state, which then continues to change."""
        labels = state.labels.astype(topic_dtype(max(1, state.n_components)))
        births = state.births.copy()
        for array in (labels, births):
            array.setflags(write=False)
        return cls(chain, state.n_sweeps, labels, births, state.alpha, state.corpus, state.priors)

    @property
    def n_bytes(self) -> int:
        """What keeping the draw costs; corpus and priors are shared."""
        return self.labels.nbytes + self.births.nbytes

    @cached_property
    def sizes(self) -> Ints:
        """The number of documents of each component."""
        return np.bincount(self.labels, minlength=len(self.births))

    @property
    def n_components(self) -> int:
        """How many components have documents."""
        return int((self.sizes > 0).sum())

    def topic_counts(self) -> Ints:
        """Return the number of documents of each component."""
        return self.sizes

    def component_word_counts(self) -> sparse.csr_matrix[np.int64]:
        """Return n_cv, shape (components, words)."""
        return component_word_counts(self.corpus, self.labels, len(self.births))

    def by_size(self) -> Draw:
        """Return the same draw with the largest components first."""
        order = np.argsort(-self.sizes, kind="stable")
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        labels = places[self.labels].astype(self.labels.dtype)
        return replace(self, labels=labels, births=self.births[order])

    def topic_word(self) -> Floats:
        """Return φ_cv = (n_cv + β_v) / (n_c· + B), shape (components, words)."""
        counts = self.component_word_counts()
        totals = np.asarray(counts.sum(axis=1)).ravel()
        weights: Floats = counts.toarray() + self.priors.beta
        return np.asarray(weights / (totals + self.priors.beta_sum)[:, None])

    def doc_topic(self) -> Floats:
        """Return 1 where a document has a component, else 0: shape (documents, components)."""
        table = np.zeros((len(self.labels), len(self.births)))
        table[np.arange(len(self.labels)), self.labels] = 1.0
        return table

    def predictive(self, heldout: Any) -> Floats:
        """Return the probability of a further token, for every stored entry of ``heldout``.

        ``heldout`` has the same documents and words as the corpus; the numbers follow the entries
        of its canonical CSR form. It is φ of the document's own component.
        """
        test = check_heldout(self.corpus, heldout)
        labels = np.repeat(self.labels, np.diff(test.doc_offsets)).astype(np.int64)
        counts = self.component_word_counts()
        totals = np.asarray(counts.sum(axis=1)).ravel() + self.priors.beta_sum
        seen = np.asarray(counts[labels, test.word_ids]).ravel()
        return np.asarray((seen + self.priors.beta[test.word_ids]) / totals[labels])

    # --- numbers that do not depend on the names of components

    def n_holding(self, share: float) -> int:
        """Return how many of the largest components hold this share of the documents."""
        ends = np.cumsum(np.sort(self.sizes)[::-1])
        return int(np.searchsorted(ends, share * ends[-1] * (1 - 1e-12))) + 1

    def n_above(self, share: float) -> int:
        """Return how many components hold more than this share of the documents."""
        return int((self.sizes > share * len(self.labels)).sum())

    def effective_components(self) -> float:
        """Return exp(entropy of the shares): the number of equally large components."""
        shares = self.sizes[self.sizes > 0] / len(self.labels)
        return float(np.exp(-(shares * np.log(shares)).sum()))
