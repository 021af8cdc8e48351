"""Where a chain starts: the topics of all tokens before the first sweep."""

from __future__ import annotations

from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.hdp.state import Levels
from blocklda.models.lda.priors import MAX_TOPICS, Priors
from blocklda.models.lda.starts.choose import check_topics
from blocklda.models.lda.starts.variational import variational_topics
from blocklda.support import defaults
from blocklda.support.arrays import Int32s
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed

__all__ = ["INITS", "check_start", "start_topics"]

INITS = ("random", "variational")
"""The starts that have a name."""


def start_topics(
    init: Any,
    corpus: Corpus,
    levels: Levels,
    initial_topics: int,
    rng: np.random.Generator,
    backend: str,
) -> Int32s:
    """Return starting topics: some at random or after variational passes, or those given."""
    if not isinstance(init, str):
        return check_topics(init, corpus, MAX_TOPICS)
    check_start(init, corpus)
    if init == "variational":
        beta = levels.word_prior(corpus.n_words).by_topic(initial_topics)
        priors = Priors.create(initial_topics, corpus.n_words, defaults.GIVEN_ALPHA, beta)
        return variational_topics(corpus, priors, rng, backend)
    return (rng.random(corpus.n_tokens) * initial_topics).astype(np.int32)


def check_start(init: Any, corpus: Corpus) -> None:
    """Refuse a start that is neither a name nor one topic per token."""
    if not isinstance(init, str):
        check_topics(init, corpus, MAX_TOPICS)
    elif init not in INITS:
        choices = " or ".join(map(repr, INITS))
        raise InputError.of(
            "{init=} is unknown: [choose {allowed}, or give one topic per token as "
            "chain.assignments() returns them]."
        ).where(init=init, allowed=Allowed(choices, choices=INITS))
