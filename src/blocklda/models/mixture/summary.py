"""What the draws of a chain say together: a representative clustering, and the others beside it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from blocklda.models.lda import draw as lda
from blocklda.models.lda.priors import Priors
from blocklda.models.mixture.clusterings import representative
from blocklda.models.mixture.draw import Draw
from blocklda.models.mixture.priors import MixturePriors
from blocklda.support.arrays import Floats, Ints

__all__ = ["Summary"]

NO_OTHER_TOPIC = 1e-12
"""α of a mixture that is seen as LDA: all words of a document have its one component."""


class Summary:
    """The components of a representative draw, the largest first.

    A component is known by the number of its birth, which no other one of its chain has. Labels are
    kept; tables of documents and components are made when they are asked for.
    """

    def __init__(self, draws: Sequence[Draw]) -> None:
        self.draws = tuple(draws)

    @cached_property
    def representative(self) -> Draw:
        """The draw of least expected variation of information, its largest components first."""
        return self.draws[representative([draw.labels for draw in self.draws])].by_size()

    @property
    def has_rest(self) -> bool:
        """Return True if other draws may have other components: not in a finite mixture."""
        return self.representative.priors.n_components is None

    @property
    def n_columns(self) -> int:
        """Components, and everything else if there may be anything."""
        return len(self.representative.births) + self.has_rest

    def topic_word(self) -> Floats:
        """Return φ of the components of the representative draw."""
        return self.representative.topic_word()

    def doc_topic(self) -> Floats:
        """Return in which share of the draws documents have a component, or anything else."""
        table = np.zeros((len(self.representative.labels), self.n_columns))
        docs = np.arange(len(table))
        for draw in self.draws:
            table[docs, self.places(draw)[draw.labels]] += 1.0
        table /= len(self.draws)
        return table

    def places(self, draw: Draw) -> Ints:
        """Return the number here of each component of a draw; the last is everything else."""
        births = self.representative.births
        order = np.argsort(births)
        at = np.minimum(np.searchsorted(births[order], draw.births), len(births) - 1)
        is_known = births[order[at]] == draw.births
        return np.asarray(np.where(is_known, order[at], len(births)))

    def renumbered(self, draw: Draw) -> lda.Draw:
        """Return a draw as one of LDA: all words of a document have the document's component."""
        labels = self.places(draw)[draw.labels].astype(lda.topic_dtype(self.n_columns))
        topics = np.repeat(labels, draw.corpus.doc_lengths())
        topics.setflags(write=False)
        priors = _as_priors(draw.priors, self.n_columns)
        return lda.Draw(draw.chain, draw.sweep, topics, draw.corpus, priors)


def _as_priors(priors: MixturePriors, n_columns: int) -> Priors:
    words = priors.beta[:1] if (priors.beta == priors.beta[0]).all() else priors.beta
    # A view: a number for each word and component would be a large table of equal columns.
    beta = np.broadcast_to(words[:, None], (len(words), n_columns))
    return Priors(
        np.full(n_columns, NO_OTHER_TOPIC), beta, np.full(n_columns, float(priors.beta_sum))
    )
