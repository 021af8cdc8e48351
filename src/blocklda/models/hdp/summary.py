"""What the draws of a chain say together: a representative draw, and its topics in the others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from blocklda.models.hdp.draw import Draw, as_priors
from blocklda.models.lda import draw as lda
from blocklda.support.arrays import AnyInts, Floats, Ints

__all__ = ["Summary", "variation_of_information"]

MAX_COMPARED = 16
"""Draws that are compared with each other; their pairs grow with the square."""


class Summary:
    """The topics of a representative draw, each averaged over the draws in which it lives.

    A topic is known by the number of its birth, which no other topic of its chain has. The
    representative draw has the least expected variation of information to the others. Its topics
    are in order of their sizes there, the largest first.
    """

    has_rest = True

    def __init__(self, draws: Sequence[Draw]) -> None:
        self.draws = tuple(draws)

    @cached_property
    def representative(self) -> Draw:
        """The draw whose partition of the tokens lies in the middle of those of the others."""
        n = min(MAX_COMPARED, len(self.draws))
        chosen = [self.draws[int(i)] for i in np.linspace(0, len(self.draws) - 1, n)]
        distances = np.zeros((n, n))
        for i in range(n):
            for j in range(i):
                distances[i, j] = distances[j, i] = variation_of_information(
                    chosen[i].topics, chosen[j].topics
                )
        return chosen[int(np.argmin(distances.sum(axis=1)))]

    @cached_property
    def numbers(self) -> Ints:
        """The birth numbers of the topics, the largest topic first."""
        draw = self.representative
        return draw.numbers[np.argsort(-draw.sizes(), kind="stable")]

    def places(self, draw: Draw) -> tuple[Ints, Ints]:
        """Return which of the topics live in a draw, and their positions there."""
        at = np.minimum(np.searchsorted(draw.numbers, self.numbers), draw.n_topics - 1)
        living = np.flatnonzero(draw.numbers[at] == self.numbers)
        return living, at[living]

    @cached_property
    def persistence(self) -> Floats:
        """The share of the draws in which each topic lives."""
        lives = np.zeros(len(self.numbers))
        for draw in self.draws:
            lives[self.places(draw)[0]] += 1
        return lives / len(self.draws)

    @cached_property
    def weights(self) -> Floats:
        """The mean of τ by topic, and last that of everything else."""
        total = np.zeros(len(self.numbers) + 1)
        for draw in self.draws:
            living, at = self.places(draw)
            total[living] += draw.tau[at]
            total[-1] += draw.tau.sum() - draw.tau[at].sum()
        return np.asarray(total / total.sum())

    @cached_property
    def _topic_word(self) -> Floats:
        total = np.zeros((len(self.numbers), self.representative.corpus.n_words))
        for draw in self.draws:
            living, at = self.places(draw)
            total[living] += draw.topic_word()[at]
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    @cached_property
    def _doc_topic(self) -> Floats:
        total = np.zeros((self.representative.corpus.n_docs, len(self.numbers) + 1))
        for draw in self.draws:
            living, at = self.places(draw)
            theta = draw.doc_topic()
            total[:, living] += theta[:, at]
            total[:, -1] += np.delete(theta, at, axis=1).sum(axis=1)
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def renumbered(self, draw: Draw) -> lda.Draw:
        """Return a draw as one of LDA with these topics, and last everything else.

        A document's shares of some topics of a Dirichlet distribution, with the others added up,
        have a Dirichlet distribution again: what is said of shares is exact.
        """
        n_topics = len(self.numbers)
        living, at = self.places(draw)
        places = np.full(draw.n_topics, n_topics)
        places[at] = living
        tau = np.zeros(n_topics + 1)
        tau[living] = draw.tau[at]
        tau[-1] = np.delete(draw.tau, at).sum()
        topics = places.astype(lda.topic_dtype(n_topics + 1))[draw.topics]
        topics.setflags(write=False)
        priors = as_priors(tau, draw.levels, draw.corpus.n_words)
        return lda.Draw(draw.chain, draw.sweep, topics, draw.corpus, priors)

    def topic_word(self) -> Floats:
        """Return φ of each topic, its mean over the draws in which it lives."""
        return self._topic_word

    def doc_topic(self) -> Floats:
        """Return the mean of θ, shape (documents, topics + 1); the last is everything else."""
        return self._doc_topic


def variation_of_information(first: AnyInts, second: AnyInts) -> float:
    """Return H(X | Y) + H(Y | X) of two partitions of the same tokens, in nats."""
    width = int(second.max()) + 1
    together = np.bincount(first.astype(np.int64) * width + second)
    return 2 * _entropy(together) - _entropy(np.bincount(first)) - _entropy(np.bincount(second))


def _entropy(counts: Ints) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())
