"""Where a chain starts: the topics of all tokens before the first sweep."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.starts.variational import variational_topics
from blocklda.support.arrays import Int32s
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed

__all__ = ["INITS", "check_start", "check_topics", "start_topics"]


INITS = ("random", "variational", "annealed")
"""The starts that have a name. An annealed one is random, and what follows it is not."""


class HasTokens(Protocol):
    """A corpus, whole or in shards."""

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""


def start_topics(
    init: Any, corpus: Corpus, priors: Priors, rng: np.random.Generator, backend: str
) -> Int32s:
    """Return the starting topics: drawn at random or after variational passes, or as given."""
    if not isinstance(init, str):
        return check_topics(init, corpus, priors.n_topics)
    check_start(init)
    if init == "variational":
        return variational_topics(corpus, priors, rng, backend)
    # Uniforms rather than `integers`: how NumPy draws bounded integers may change.
    return (rng.random(corpus.n_tokens) * priors.n_topics).astype(np.int32)


def check_start(init: str) -> None:
    """Refuse a name that no start has."""
    if init not in INITS:
        choices = " or ".join(map(repr, INITS))
        raise InputError.of(
            "{init=} is unknown: [choose {allowed}, or give one topic per token as "
            "chain.assignments() returns them]."
        ).where(init=init, allowed=Allowed(choices, choices=INITS))


def check_topics(topics: Any, corpus: HasTokens, n_topics: int) -> Int32s:
    """Return a copy of given assignments, or say what is wrong with them."""
    try:
        given = np.asarray(topics)
    except ValueError as error:
        raise InputError(
            f"init is not an array ({error}): give one topic per token.",
            parameter="init",
            value=topics,
        ) from error
    if given.shape != (corpus.n_tokens,):
        raise InputError(
            f"init has the shape {given.shape}: give one topic per token, that is "
            f"({corpus.n_tokens},), grouped by entry of corpus.to_matrix().",
            parameter="init",
            value=topics,
        )
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise InputError(
            f"init has the dtype {given.dtype}: give topics as whole numbers.",
            parameter="init",
            value=topics,
        )
    bad = np.flatnonzero((given < 0) | (given >= n_topics))
    if bad.size:
        first = int(bad[0])
        raise InputError.of(
            "init[[{first}]]={topic} is not a topic: [give <numbers from 0 to {last}>]."
        ).where(first=first, topic=given[first], last=n_topics - 1, parameter="init", value=topics)
    return given.astype(np.int32)
