"""What every export takes of a fitted estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from blocklda.corpus import Corpus

if TYPE_CHECKING:
    from blocklda.estimator import LDA

__all__ = ["Fitted", "fitted"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """The training corpus, its names, and the posterior means."""

    corpus: Corpus
    words: tuple[str, ...]
    """A word without a name is called by the number of its column, as in ``topic_summaries``."""
    topic_word: NDArray[np.float64]
    doc_topic: NDArray[np.float64]


def fitted(lda: LDA) -> Fitted:
    """Return what a fit has left, or raise scikit-learn's error if there was none."""
    check_is_fitted(lda)
    corpus: Corpus = lda._run.corpus
    words = corpus.vocabulary or tuple(map(str, range(corpus.n_words)))
    return Fitted(corpus, words, lda.components_, lda.doc_topic_)
