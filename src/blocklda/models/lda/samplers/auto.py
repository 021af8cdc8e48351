"""`sampler="auto"`: the sampler that is fastest to quality, by a rule written down in advance."""

from __future__ import annotations

from blocklda.data.corpus import Corpus

__all__ = ["AUTO", "choose_sampler", "is_dense"]

AUTO = "auto"

DENSE_UP_TO, DENSE_UP_TO_FOR_SHORT = 450, 1_000
"""Topics up to which `single-site` goes through all topics of a token faster than
`sparse-single-site` through its lists; the second number is for short documents, in which what the
lists cost for each document is shared by few tokens."""

SHORT = 50
"""Tokens a document, on average, below which documents are short."""

CELLS_PER_TOKEN, SMALL_TABLE = 4, 2**26
"""Cells of the table of words by topics up to which it is worth its memory: so many per token, or
so many in all (256 MB; half of that if no word has more than 65,535 tokens)."""


def choose_sampler(sampler: str, n_topics: int, corpus: Corpus) -> str:
    """Return a sampler's own name, or for "auto" the name of the one to take.

    `python -m benchmarks.auto` compares what it takes with the fastest.
    """
    if sampler != AUTO:
        return sampler
    return "single-site" if is_dense(n_topics, corpus) else "sparse-single-site"


def is_dense(n_topics: int, corpus: Corpus) -> bool:
    """Return whether to go through all topics of a token rather than through lists.

    The rule looks at K and at the size of the corpus alone: nothing that changes on the way, and
    nothing of the machine.
    """
    is_short = corpus.n_tokens < SHORT * corpus.n_docs
    most_topics = DENSE_UP_TO_FOR_SHORT if is_short else DENSE_UP_TO
    most_cells = max(CELLS_PER_TOKEN * corpus.n_tokens, SMALL_TABLE)
    return n_topics <= most_topics and corpus.n_words * n_topics <= most_cells
