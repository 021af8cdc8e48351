"""Joint draws of the models whose number of topics varies: an HDP and a mixture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.hdp import state as hdp_state
from blocklda.models.hdp.log_joint import log_joint as hdp_log_joint
from blocklda.models.mixture import state as mixture_state
from blocklda.models.mixture.log_joint import log_joint as mixture_log_joint
from blocklda.models.mixture.model import MixtureModel
from blocklda.models.mixture.priors import MixturePriors
from blocklda.support import defaults
from blocklda.support.checks import random_generator
from blocklda.testing.base import OneByOne

__all__ = ["HDPJoint", "MixtureJoint"]


@dataclass(frozen=True)
class HDPJoint(OneByOne):
    """Joint draws of an HDP whose concentrations have their Gamma(1, 1) priors.

    ``lengths`` are those of the documents; ``beta`` is fixed.

    Examples
    --------
    >>> import numpy as np
    >>> from blocklda import testing
    >>> joint = testing.HDPJoint((4, 3), n_words=3, beta=0.3)
    >>> joint.draw(np.random.default_rng(1)).corpus.n_tokens
    7
    """

    lengths: tuple[int, ...]
    n_words: int
    beta: float
    options: Any = field(default_factory=hdp_state.SweepOptions)

    def draw(self, rng: np.random.Generator) -> hdp_state.State:
        """Return topics by a Chinese restaurant franchise, sticks given its tables, and words."""
        alpha0, gamma = rng.gamma(*_shape_and_scale(), size=2)
        dishes: list[int] = []  # how many tables have each topic
        topics = []
        for length in self.lengths:
            tables: list[int] = []
            of_table: list[int] = []
            for _ in range(length):
                table = _seated(alpha0, tables, rng)
                if table == len(of_table):
                    of_table.append(_seated(gamma, dishes, rng))
                topics.append(of_table[table])
        places = np.array(topics)
        corpus, order = _with_words(self.lengths, places, self.n_words, self.beta, rng)
        levels = hdp_state.Levels(float(alpha0), float(gamma), self.beta)
        state = hdp_state.State.create(
            corpus, random_generator(rng), places[order].astype(np.int32), levels
        )
        parts = np.maximum(rng.dirichlet([*dishes, gamma]), np.finfo(float).tiny)
        state.tau[: len(dishes)], state.rest = parts[:-1], float(parts[-1])
        return state

    def measure(self, state: hdp_state.State) -> Mapping[str, float]:
        """Return the number of topics, concentrations, sticks, and how tokens go together."""
        n_k = state.topic_counts()
        levels, n_topics = state.levels, float((n_k > 0).sum())
        return {
            "topics": n_topics,
            "alpha0": levels.alpha0,
            "gamma": levels.gamma,
            "log alpha0": float(np.log(levels.alpha0)),
            "log gamma": float(np.log(levels.gamma)),
            "rest of the stick": state.rest,
            "topics times gamma": n_topics * levels.gamma,
            "largest topic": float(n_k.max()),
            "squares of n_dk": float((state.doc_topic_counts() ** 2).sum()),
            "squares of n_vk": float((state.word_topic_counts() ** 2).sum()),
            "log joint": hdp_log_joint(state),
        }


@dataclass(frozen=True)
class MixtureJoint(OneByOne):
    """Joint draws of a mixture: a Dirichlet process, or with ``n_components`` a finite one.

    Alpha has its Gamma(1, 1) prior, unless it is given. ``lengths`` are those of the documents.

    Examples
    --------
    >>> import numpy as np
    >>> from blocklda import testing
    >>> joint = testing.MixtureJoint((4, 3), n_words=3, beta=0.3)
    >>> joint.draw(np.random.default_rng(1)).corpus.n_docs
    2
    """

    lengths: tuple[int, ...]
    n_words: int
    beta: float
    alpha: float | None = None
    n_components: int | None = None
    options: Any = field(default_factory=mixture_state.SweepOptions)

    def draw(self, rng: np.random.Generator) -> mixture_state.State:
        """Return labels by a Chinese restaurant process or from shares, and words given them."""
        is_learned = self.alpha is None
        alpha = float(rng.gamma(*_shape_and_scale())) if self.alpha is None else self.alpha
        if self.n_components is None:
            sizes: list[int] = []
            labels = np.array([_seated(alpha, sizes, rng) for _ in self.lengths])
        else:
            shares = rng.dirichlet(np.full(self.n_components, alpha))
            labels = rng.choice(self.n_components, size=len(self.lengths), p=shares)
        topics = np.repeat(labels, self.lengths)
        corpus, _ = _with_words(self.lengths, topics, self.n_words, self.beta, rng)
        priors = MixturePriors.create(
            self.n_words,
            alpha,
            self.beta,
            self.n_components,
            is_learned=is_learned,
            alpha_prior=defaults.PRIOR_OF_PRIORS,
        )
        return MixtureModel(corpus, priors).start(labels, random_generator(rng), "native")

    def measure(self, state: mixture_state.State) -> Mapping[str, float]:
        """Return the number of components, alpha, sizes, and how documents go together."""
        sizes = state.sizes()
        n_components = float((sizes > 0).sum())
        return {
            "components": n_components,
            "largest component": float(sizes.max()),
            "squares of sizes": float((sizes**2).sum()),
            "log joint": mixture_log_joint(state),
            "first two together": float(state.labels[0] == state.labels[1]),
        } | (
            {
                "alpha": state.alpha,
                "log alpha": float(np.log(state.alpha)),
                "components times alpha": n_components * state.alpha,
            }
            if state.priors.is_learned
            else {}
        )


def _shape_and_scale() -> tuple[float, float]:
    shape, rate = defaults.PRIOR_OF_PRIORS
    return shape, 1 / rate


def _seated(concentration: float, sizes: list[int], rng: np.random.Generator) -> int:
    """Seat one more by the Chinese restaurant process: return its class, and count it there."""
    ends = np.cumsum([*sizes, concentration])
    place = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
    place = min(place, len(sizes))
    if place == len(sizes):
        sizes.append(0)
    sizes[place] += 1
    return place


def _with_words(
    lengths: tuple[int, ...],
    topics: np.ndarray,
    n_words: int,
    beta: float,
    rng: np.random.Generator,
) -> tuple[Corpus, np.ndarray]:
    """Draw the words of tokens given topics; return a corpus, and the order of its tokens."""
    phi = rng.dirichlet(np.full(n_words, beta), size=int(topics.max()) + 1)
    ends = np.cumsum(phi, axis=1)[topics]
    words = (ends <= rng.random(len(topics))[:, None] * ends[:, -1:]).sum(axis=1)
    docs = np.repeat(np.arange(len(lengths)), lengths)
    matrix = np.zeros((len(lengths), n_words), dtype=int)
    np.add.at(matrix, (docs, words), 1)
    return Corpus.from_matrix(matrix), np.lexsort((words, docs))
