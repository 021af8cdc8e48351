"""Wrong checks of topics: each shuffles what the model does not exchange.

Each takes topics, documents and words of tokens and a generator, and returns words in a new order.
"""

from __future__ import annotations

import numpy as np


def over_topics(topics, docs, words, generator):
    """Shuffle words over all tokens: topics would have no words of their own."""
    return generator.permutation(words)


def within_documents(topics, docs, words, generator):
    """Shuffle words within documents: what is tested stays as it is."""
    order = np.lexsort((generator.random(len(words)), docs))
    moved = np.empty_like(words)
    moved[np.argsort(docs, kind="stable")] = words[order]
    return moved


CHECK_MUTANTS = {"over topics": over_topics, "within documents": within_documents}
