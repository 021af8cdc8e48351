"""A fitted model for pyLDAvis, the page with a map of the topics and their words by relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

from blocklda.results.fixed_topics import topics_of
from blocklda.support.arrays import Floats
from blocklda.support.extras import import_extra

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["to_pyldavis"]


def to_pyldavis(lda: LDA, **options: Any) -> Any:
    """Return what ``pyLDAvis.prepare`` makes of a fitted model.

    ``options`` go to ``pyLDAvis.prepare``. Here the topics keep their numbers, from 0 and not
    sorted by size (``sort_topics=False, start_index=0``), and one process does the work
    (``n_jobs=1``). In pyLDAvis's page 0 also means that no topic is chosen: the slider λ does not
    act on topic 0. With ``start_index=1`` it does, and all numbers are one larger than ours.
    """
    pyldavis = import_extra("pyLDAvis", "pyldavis", "to_pyldavis")
    model = topics_of(lda)
    defaults = {"sort_topics": False, "start_index": 0, "n_jobs": 1, "mds": topic_map}
    return pyldavis.prepare(
        topic_term_dists=model.topic_word,
        doc_topic_dists=model.doc_topic,
        doc_lengths=model.corpus.doc_lengths(),
        vocab=list(model.words),
        term_frequency=model.corpus.word_counts(),
        **{**defaults, **options},
    )


def topic_map(topic_word: Any) -> Floats:
    """Return a place in the plane for each topic, shape (topics, 2): classical scaling.

    Distances are Jensen–Shannon divergences, as pyLDAvis has them. Its own scaling solves a
    symmetric eigenvalue problem as if it were not symmetric, and where topics are alike the places
    come out complex and cannot be written to a page.
    """
    topics = np.asarray(topic_word, dtype=np.float64)
    # SciPy's distance is the square root of the divergence, and NaN where rounding is below 0.
    divergences = np.nan_to_num(pdist(topics, "jensenshannon")) ** 2
    squares = squareform(divergences) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    axes = vectors * np.sqrt(np.maximum(values, 0))
    places = np.zeros((len(topics), 2))
    places[:, : min(2, len(topics))] = axes[:, ::-1][:, :2]  # the largest are last; one topic, one
    return places
