"""What a draw is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.data.corpus import Corpus
from blocklda.models.lda import estimates
from blocklda.models.lda.predictive import check_heldout, predictive
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.topic_counts import TopicCounts
from blocklda.support.arrays import Floats, Ints

__all__ = ["Draw", "topic_dtype"]


def topic_dtype(n_topics: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the smallest type that holds every topic's number."""
    return np.min_scalar_type(n_topics - 1)


@dataclass(frozen=True, eq=False)
class Draw(TopicCounts):
    """One state that a chain passed through: a draw from the posterior once it has converged.

    Attributes
    ----------
    chain
        The number of the chain, from 0.
    sweep
        Sweeps the chain had done.
    topics
        One topic per token, grouped by entry of the corpus, in the smallest type that holds them.
    corpus, priors
        What the chain ran on, and the priors it had at this sweep.
    """

    chain: int
    sweep: int
    topics: NDArray[np.unsignedinteger[Any]]
    corpus: Corpus
    priors: Priors

    @classmethod
    def create(
        cls, state: TopicCounts, chain: int, sweep: int, topic_totals: Ints | None = None
    ) -> Draw:
        """Copy a state, which will change; ``topic_totals`` is n_k, if known."""
        topics = state.topics.astype(topic_dtype(state.priors.n_topics))
        topics.setflags(write=False)
        draw = cls(chain, sweep, topics, state.corpus, state.priors)
        if topic_totals is not None:
            draw.__dict__["_n_k"] = topic_totals
        return draw

    @property
    def n_bytes(self) -> int:
        """What keeping the draw costs; corpus and priors are shared."""
        return self.topics.nbytes

    @cached_property
    def _n_k(self) -> Ints:
        counts = super().topic_counts()
        counts.setflags(write=False)
        return counts

    def topic_counts(self) -> Ints:
        """Return n_k, shape (K,); it is counted once."""
        return self._n_k

    def topic_word_counts(self) -> Ints:
        """Return n_kv, shape (topics, words)."""
        return self.word_topic_counts().T

    def doc_topic(self) -> Floats:
        """Return θ_dk = (n_dk + α_k) / (N_d + Σ_k α_k), shape (documents, topics)."""
        return estimates.theta(self)

    def topic_word(self) -> Floats:
        """Return φ_kv = (n_vk + β_kv) / (n_k + Σ_v β_kv), shape (topics, words)."""
        return estimates.phi(self)

    def predictive(self, heldout: Any) -> Floats:
        """Return Σ_k θ_dk φ_kv for every stored entry of ``heldout``.

        ``heldout`` has the same documents and words as the corpus; the numbers follow the entries
        of its canonical CSR form (row by row, columns ascending, no stored zeros). A
        :class:`~blocklda.Corpus` is checked once, a matrix each time.
        """
        return predictive(self, check_heldout(self.corpus, heldout))
