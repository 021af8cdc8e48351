"""Blocks that are too large to be drawn at once are refused before the sweep, with what to do."""

from __future__ import annotations

from blocklda.models.lda.samplers.base import BlockBytes, largest_block
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.errors import CapacityError
from blocklda.support.memory import require_memory
from blocklda.support.messages import Message

__all__ = ["MAX_BLOCK_WORK", "require_blocks_that_end"]

MAX_BLOCK_WORK = 10**12
"""The most multiplications for one block, K C² for K topics and C tokens: a kernel does about 10⁹
to 4 · 10⁹ a second, and nobody can interrupt it within a block. The FFT needs fewer, but a block
for which it is not exact enough falls back on these."""

REMEDY = Message.of(
    "give Chain {max_block=1000}, or use {sampler='sparse'}: both draw large blocks in random "
    "parts, which is exact too"
)


def require_blocks_that_end(state: State, options: SweepOptions, tables: BlockBytes) -> None:
    """Refuse a largest block whose tables do not fit or whose products would take hours."""
    n_topics, block = state.priors.n_topics, largest_block(state.corpus, options)
    what = f"a block of {block:,} tokens of one word in one document and {n_topics:,} topics"
    work = n_topics * block**2
    if work > MAX_BLOCK_WORK:
        raise CapacityError.of(
            "{what} may take {work:.1e} multiplications, but at most {max_block_work:.0e} are "
            "allowed, since a block cannot be interrupted; [{remedy}]."
        ).where(what=what, work=work, max_block_work=MAX_BLOCK_WORK, remedy=REMEDY)
    n_bytes = tables(n_topics, block, options)
    require_memory(n_bytes, f"{what}, beside the word–topic counts,", REMEDY)
