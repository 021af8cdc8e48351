"""One number of topics: fit it, and measure every chain by itself."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.estimator.lda import LDA
from blocklda.evaluate.coherence import npmi, umass
from blocklda.evaluate.diversity import diversity, exclusivity
from blocklda.evaluate.search_scores import HeldoutScores, OverChains
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.topic_means import TopicMeans
from blocklda.results.posterior import log_predictive
from blocklda.results.stability import align_chains
from blocklda.run.engine import Ending
from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import ConvergenceWarning, DataWarning

__all__ = ["KScores", "fit_and_score"]


@dataclass(frozen=True)
class KScores:
    """What was measured of the chains of one number of topics."""

    heldout: HeldoutScores
    measures: Mapping[str, OverChains]
    stability: float


def fit_and_score(
    train: Corpus, heldout: Corpus, reference: Corpus, n_words: int, **settings: Any
) -> KScores:
    """Fit ``LDA(**settings)`` to ``train`` and measure each of its chains.

    Held-out tokens are scored by the mean over a chain's own draws, and the other measures are of
    the mean of φ over them.
    """
    model = _fitted(LDA(**settings), train)
    chains = [
        [draw for draw in model.draws_ if draw.chain == number]
        for number in range(len(model.log_posterior_))
    ]
    topics = [TopicMeans.of(draws).topic_word for draws in chains]
    values = {
        "npmi": [_mean_of_known(npmi(phi, reference, n_words)) for phi in topics],
        "umass": [_mean_of_known(umass(phi, reference, n_words)) for phi in topics],
        "diversity": [diversity(phi, n_words) for phi in topics],
        "exclusivity": [float(exclusivity(phi, n_words).mean()) for phi in topics],
        "log_posterior": model.log_posterior_[:, -1].tolist(),
    }
    measures = {name: OverChains(tuple(of_chains)) for name, of_chains in values.items()}
    groups = model.fitted_run().model.partner_groups()
    return KScores(_heldout_scores(chains, heldout), measures, _stability(topics, groups))


def _fitted(model: LDA, train: Corpus) -> LDA:
    """Fit without warnings about empty documents or about how to resume after Ctrl-C."""
    with warnings.catch_warnings():
        for kind in (DataWarning, ConvergenceWarning):
            warnings.simplefilter("ignore", kind)
        model.fit(train)
    if model.result_.ending is Ending.INTERRUPT:
        raise KeyboardInterrupt  # a fit ends with the draws it has, a search has no table then
    return model


def _heldout_scores(chains: list[list[Draw]], heldout: Corpus) -> HeldoutScores:
    n_tokens = heldout.doc_lengths()
    docs = np.repeat(np.arange(heldout.n_docs), np.diff(heldout.doc_offsets))
    scored = n_tokens > 0
    log_p = [
        np.bincount(docs, heldout.counts * log_predictive(draws, heldout), heldout.n_docs)[scored]
        for draws in chains
    ]
    return HeldoutScores(np.array(log_p), n_tokens[scored])


def _mean_of_known(values: Floats) -> float:
    """Return the mean over topics whose words occur; NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else np.nan


def _stability(topics: list[Floats], groups: Ints | None) -> float:
    """Return the mean overlap 1 − ½ Σ_v |φ_kv − φ'_kv| of matched topics, over pairs of chains."""
    overlaps = [
        1 - align_chains(pair, groups).distances[1].mean()
        for pair in itertools.combinations(topics, 2)
    ]
    return float(np.mean(overlaps)) if overlaps else np.nan
