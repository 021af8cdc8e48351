"""`grid` on shards: groups of documents are whole shards, and masses last for a sweep.

Documents have the rows, whatever the priors: the tokens of a shard stay where they are, and the
lists of a group of words go round. In step s the group i of shards has the words of group i + s,
and hands them on to group i − 1. With masses that last for all steps of a sweep nobody has to wait
for anyone but the neighbour whose words come next.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.grid.plan import Grid, cut_axis
from blocklda.support.arrays import Ints
from blocklda.support.errors import InputError
from blocklda.support.messages import Mention, Setting

__all__ = ["MOST_GROUPS", "cut_shards", "cut_words", "group_shards", "require_shared_beta"]

MOST_GROUPS = 16
"""Groups of shards, and of words, at the most. A sweep has as many cells as their square, and on a
cluster a task for each."""


def group_shards(n_tokens: Sequence[int], n_words: int) -> list[int]:
    """Return where groups of neighbouring shards begin, and the end; no group is empty."""
    n_shards = len(n_tokens)
    n_groups = max(1, min(n_shards, MOST_GROUPS, n_words))
    ends: list[int] = cut_axis(np.asarray(n_tokens, dtype=np.int64), n_groups).tolist()
    for i in range(1, n_groups):
        ends[i] = min(max(ends[i], ends[i - 1] + 1), n_shards - (n_groups - i))
    return ends


def cut_words(word_counts: Ints, n_groups: int) -> Ints:
    """Return where groups of words with about as many tokens each begin, and the end."""
    return cut_axis(word_counts, n_groups)


def cut_shards(corpus: Corpus, starts: Sequence[int]) -> Grid:
    """Cut a corpus whose shards begin with the documents ``starts``."""
    before = np.concatenate([[0], np.cumsum(corpus.doc_lengths())])
    bounds = np.array([*starts, corpus.n_docs])
    groups = group_shards(np.diff(before[bounds]).tolist(), corpus.n_words)
    words = cut_words(corpus.word_counts(), len(groups) - 1)
    return Grid(bounds[groups].astype(np.int64), words, by_word=False)


def require_shared_beta(priors: Priors) -> None:
    """Refuse a prior that is not the same for all words and topics: the lists are of words."""
    if not priors.beta_is_symmetric or np.ptp(priors.beta) > 0:
        raise InputError.of(
            "{sampler} on shards needs one number as {beta}: [give one number, or use {other}]."
        ).where(
            sampler=Setting("sampler", "grid"),
            beta=Mention("beta", None),
            other=Setting("sampler", "partially-collapsed"),
        )
