"""How the sparse samplers go through a corpus: which axis has the rows, and when token by token."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from blocklda.data.corpus import Corpus
from blocklda.models.lda.priors import Priors
from blocklda.support.arrays import Floats

__all__ = [
    "ALL_LISTED",
    "PART",
    "falling_shares",
    "largest_part",
    "one_by_one_shares",
    "rows_are_words",
    "sequential_from",
    "sequential_part",
    "settled_share",
]

ALL_LISTED = 16
"""With this many topics or fewer every list holds all of them, and blocks may go anywhere."""

PART, PART_OF_FEW_TOPICS = 8, 16
"""The most tokens that are drawn at once; larger blocks are cut into random parts. The products of
a block cost the square of its size for every topic, so with few topics parts may be larger."""

SEQUENTIAL_PART, SEQUENTIAL_FROM = 16, 32
"""The most tokens that are drawn token after token and accepted together; and the tokens outside of
the block that its list must have for that. With fewer of them, where the first tokens went matters
much for the next ones, and many draws would not be accepted: such a block is drawn from its
conditional."""

SHARES = ((ALL_LISTED, 0.0), (64, 0.1), (256, 0.4))
LARGEST_SHARE = 0.8
"""The share of blocks whose tokens go one by one, up to a number of topics. A block that is spread
over several topics new to its row can move in no other way; where all topics are listed there is
no such block. A block costs more than its tokens one by one as lists grow with K, so the share
rises with K to keep a sweep from costing much more (`python -m benchmarks.peers --parts b`)."""

RANDOM_START_SWEEPS = 10
"""After a random start most blocks are spread like that, so the first sweeps go token by token and
the share falls to the settled one over as many sweeps again."""


def largest_part(n_topics: int, max_block: int | None) -> int:
    """Return the most tokens that the sparse sampler draws at once."""
    part = PART_OF_FEW_TOPICS if n_topics <= ALL_LISTED else PART
    return part if max_block is None else min(max_block, part)


def sequential_part(max_block: int | None) -> int:
    """Return the most tokens that are drawn token after token and accepted together."""
    return SEQUENTIAL_PART if max_block is None else min(max_block, SEQUENTIAL_PART)


def sequential_from() -> int:
    """Return how many tokens outside of a block its list must have for that."""
    return SEQUENTIAL_FROM


def settled_share(n_topics: int) -> float:
    """Return the share of blocks that go token by token once a chain has left its start."""
    return next((share for up_to, share in SHARES if n_topics <= up_to), LARGEST_SHARE)


def one_by_one_shares(n_topics: int, random_start: bool, first_sweep: int, n_sweeps: int) -> Floats:
    """Return for each sweep the probability that a block goes token by token.

    It depends on K and on the number of the sweep alone, never on the state.
    """
    return falling_shares(settled_share(n_topics), random_start, first_sweep, n_sweeps)


def falling_shares(settled: float, random_start: bool, first_sweep: int, n_sweeps: int) -> Floats:
    """Return shares that after a random start fall from 1 to the settled one."""
    if not random_start or settled == 0.0:
        return np.full(n_sweeps, settled)
    sweeps = np.arange(first_sweep, first_sweep + n_sweeps, dtype=np.float64)
    falling = (2.0 * RANDOM_START_SWEEPS - sweeps) / RANDOM_START_SWEEPS
    return np.clip(falling, settled, 1.0)


def rows_are_words(corpus: Corpus, priors: Priors) -> bool:
    """Return whether to visit the corpus word by word rather than document by document.

    The rows of the other axis are kept as lists of topics, so the better axis is the one that
    leaves the shorter lists to the other. Their lengths are foretold from the priors: a row of n
    tokens is expected to use K (1 − P(a topic gets none of n)) topics. The rule looks at nothing
    that a sweep changes.
    """
    if not priors.beta_is_symmetric or np.ptp(priors.beta) > 0:
        return True  # the prior of a list must not depend on its row
    n_topics = priors.n_topics
    doc_lists = _expected_topics(corpus.doc_lengths(), float(priors.alpha.mean()), n_topics)
    word_lists = _expected_topics(corpus.word_counts(), float(priors.beta[0, 0]), n_topics)
    return doc_lists < word_lists


def _expected_topics(lengths: NDArray[np.floating | np.integer], prior: float, K: int) -> float:
    """Return the expected number of topics in the row of a random token."""
    n = np.asarray(lengths, dtype=np.float64)
    n_tokens = n.sum()
    if K == 1 or n_tokens == 0:
        return 1.0
    # At the ends of the range of doubles this is no number; whichever axis is then taken is right.
    with np.errstate(all="ignore"):
        rest = prior * (K - 1)
        none = gammaln(rest + prior) - gammaln(rest) + gammaln(rest + n) - gammaln(rest + prior + n)
        topics = np.minimum(K * -np.expm1(none), n)
        return float((n * topics).sum() / n_tokens)
