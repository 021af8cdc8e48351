"""How much memory a fit takes, asked before it begins."""

from __future__ import annotations

from blocklda.data.corpus import Corpus
from blocklda.models.hdp.state import n_slots_for
from blocklda.models.lda.draw import topic_dtype
from blocklda.support.memory import require_memory
from blocklda.support.messages import Message

__all__ = ["require_memory_for_fit"]


def require_memory_for_fit(corpus: Corpus, initial_topics: int, n_chains: int, n_kept: int) -> None:
    """Refuse a fit that would not fit into memory with as many topics as it starts with.

    Lists of topics take eight bytes for each place, up to a token's; topics of tokens four, and a
    copy in the smallest type for each kept draw.
    """
    n_slots = n_slots_for(initial_topics)
    lists = 8 * min(corpus.n_tokens + 8 * corpus.n_words, corpus.n_words * n_slots)
    per_chain = lists + 16 * corpus.n_tokens
    kept = n_kept * corpus.n_tokens * topic_dtype(n_slots).itemsize
    tables = 8 * n_slots * (corpus.n_docs + 2 * corpus.n_words)
    require_memory(
        n_chains * per_chain + kept + tables,
        f"an HDP with {initial_topics:,} topics at the start and {n_kept:,} draws",
        Message.of("give a smaller {initial_topics}, or {keep_draws=False}"),
    )
