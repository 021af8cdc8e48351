"""What a fit has left: the one place where its parts are taken out of an estimator."""

from __future__ import annotations

import math
from collections.abc import Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from blocklda.data.corpus import Corpus
from blocklda.models.lda.draw import Draw
from blocklda.results.posterior import ChainMeans
from blocklda.results.stability import Alignment
from blocklda.results.trace import Trace
from blocklda.support.arrays import Floats
from blocklda.support.errors import InputError
from blocklda.support.messages import Remedy, Setting

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["Fitted", "fitted", "require_draws"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model as exports, figures and pages take it.

    Attributes
    ----------
    corpus
        The training corpus.
    words
        Its words. One without a name is called by the number of its column.
    topic_word, doc_topic
        The posterior means of φ (topics, words) and θ (documents, topics).
    trace
        What was recorded at the kept draws. It has none if an interrupt left a chain without.
    alignment
        Which topic of each chain is the partner of a topic of the first.
    draws
        The kept draws that every chain has; empty if the fit did not keep them.
    chain_means
        The sums over draws of each chain, None for a chain without draws.
    log_posterior
        After every sweep, shape (chains, sweeps); NaN where an interrupt left a chain behind.
    burn_in, n_draws, seconds
        Sweeps that were not kept, draws of all chains together, and the time spent sampling.
    """

    corpus: Corpus
    words: tuple[str, ...]
    topic_word: Floats
    doc_topic: Floats
    trace: Trace
    alignment: Alignment
    draws: tuple[Draw, ...]
    chain_means: tuple[ChainMeans | None, ...]
    log_posterior: Floats
    burn_in: int
    n_draws: int
    seconds: float

    @property
    def n_topics(self) -> int:
        """K."""
        return len(self.topic_word)

    @property
    def n_chains(self) -> int:
        """How many chains there are."""
        return len(self.chain_means)

    def last_log_posterior(self) -> list[float]:
        """Return the log posterior of every chain after its own last sweep, NaN without any."""
        rows = [row[~np.isnan(row)] for row in self.log_posterior]
        return [float(row[-1]) if len(row) else math.nan for row in rows]


def require_draws(draws: Sized, who: str) -> None:
    """Refuse a fit without draws, and say how to have some."""
    if len(draws) == 0:
        raise InputError(
            f"{who} needs the draws, and this fit has none: ",
            Remedy("fit with ", Setting("keep_draws", True), ", and save with draws=True"),
            ".",
        )


def fitted(lda: LDA) -> Fitted:
    """Return what a fit has left, or raise scikit-learn's error if there was none."""
    check_is_fitted(lda)
    run = lda._run
    corpus: Corpus = run.corpus
    trace: Trace = run.trace()
    last = trace.sweeps[-1] if trace.n_draws else 0
    return Fitted(
        corpus=corpus,
        words=corpus.vocabulary or tuple(map(str, range(corpus.n_words))),
        topic_word=lda.components_,
        doc_topic=lda.doc_topic_,
        trace=trace,
        alignment=lda._posterior.alignment,
        # An interrupted chain may be a draw behind.
        draws=tuple(draw for draw in lda.draws_ if draw.sweep <= last),
        chain_means=tuple(chain.means for chain in run.chains),
        log_posterior=lda.log_posterior_,
        burn_in=lda._burn_in,
        n_draws=run.n_draws,
        seconds=run.seconds,
    )
