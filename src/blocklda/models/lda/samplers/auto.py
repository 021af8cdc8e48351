"""`sampler="auto"`: the sampler that is fastest to quality, by a rule written down in advance."""

from __future__ import annotations

from blocklda.data.corpus import Corpus

__all__ = ["AUTO", "choose_sampler"]

AUTO = "auto"

DENSE_UP_TO = 200
"""Topics up to which `single-site` goes through all topics of a token faster than
`sparse-single-site` through its lists. With AVX2 it takes 0.6 to 0.7 of the time at K = 40 and 0.8
to 1.0 at K = 200 on KOS and NIPS, and 0.5 to 0.8 up to K = 128 on simulated corpora of short texts,
of many documents, and with stop words."""

CELLS_PER_TOKEN = 4
"""Cells of the table of words by topics, per token, up to which it is worth having: with more of
them most are empty, lists take less memory, and the table is not in a cache (with 100,000 words,
17 cells a token, both are equally fast).

Blocks save some percent of the sweeps, and take 1.3 to 1.9 times as long as `single-site`
(`python -m benchmarks.peers --parts b,d`, `python -m benchmarks.certified`)."""


def choose_sampler(sampler: str, n_topics: int, corpus: Corpus) -> str:
    """Return a sampler's own name, or for "auto" the name of the one to take.

    The rule looks at K and at the size of the corpus alone: nothing that changes on the way, and
    nothing of the machine.
    """
    if sampler != AUTO:
        return sampler
    is_small = corpus.n_words * n_topics <= CELLS_PER_TOKEN * corpus.n_tokens
    return "single-site" if n_topics <= DENSE_UP_TO and is_small else "sparse-single-site"
