"""`merge-split`: merge two topics that look alike and divide a third one, all at once.

Gibbs sweeps hardly leave a state in which one theme has two topics while another topic holds two
themes: a token at a time, nothing is gained before one copy is empty. This move does both steps
together, and a Metropolis-Hastings test keeps the posterior exact. See
docs/explanation/moves.md for the derivation.
"""

from __future__ import annotations

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.moves.base import Move
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.state import State

__all__ = ["MERGE_SPLIT"]


def _attempt(state: State) -> int:
    """Try the move once; with fewer than three topics there is none, and nothing is drawn."""
    # The capsule's functions are not thread-safe: NumPy asks its users to hold this lock.
    with state.rng.bit_generator.lock:
        generator = state.rng.bit_generator.capsule
        steps, failed_entry, _, _ = _native.merge_split(
            state.corpus.native, state.priors.native, state.topics, generator
        )
    raise_if_failed(state.corpus, failed_entry)
    return steps


def _memory(corpus: Corpus, priors: Priors) -> int:
    """Count n_vk, the weights of pairs of topics, both pools, and counts of words.

    A pool has two numbers for each of its tokens; three topics may have all tokens.
    """
    K, V = priors.n_topics, corpus.n_words
    return 4 * V * K + 8 * K**2 + 9 * corpus.n_tokens + 32 * corpus.n_docs + 48 * V


MERGE_SPLIT = Move(
    name="merge-split",
    summary="merge two similar topics and divide a third",
    kernel=_attempt,
    memory=_memory,
)
