"""Word blocks: LDA's sparse sweep with α = α₀τ, documents as rows, and new topics."""

from __future__ import annotations

from typing import cast

from blocklda.models.hdp.reference.stick import Stick
from blocklda.models.hdp.state import State
from blocklda.models.lda import state as lda
from blocklda.models.lda.reference.sparse import SparseSweep
from blocklda.support.arrays import Floats

__all__ = ["WordBlocks", "sweep_blocks"]


class WordBlocks(SparseSweep):
    """One sweep over the blocks of a state; blocks have at most ``largest`` tokens.

    Blocks whose word has many other tokens are drawn token after token in parts of at most
    ``sequential``; 1 for none.
    """

    stick_type: type[Stick] = Stick

    def __init__(self, state: State, largest: int, sequential: int = 1) -> None:
        self.state = cast(lda.State, state)  # of which a sweep reads corpus, topics and counts
        self.rng, self.largest, self.steps = state.rng, largest, 0
        self.sequential = sequential
        self.by_word = self.all_listed = False
        self.stick = self.stick_type(state, largest)
        self.new_topics = self.stick
        self.lists = state.word_topic_counts()
        words = self.stick.words
        self.other_prior = 0.0 * state.tau + (words.at(0) if words.is_equal else 1.0)
        self.n_k = state.topic_counts()
        self.beta_sum = self.stick.beta_sum
        self.masses = None

    def own_prior(self, row: int) -> Floats:
        """Return α₀τ, to which births add."""
        return self.stick.alpha

    def start_list(self, minor: int) -> None:
        """Weigh tokens of a word; where words differ in β the prior of all is 1, times β_v."""
        self.stick.use_word(minor)
        if not self.stick.words.is_equal:
            self.row.scale = self.stick.words.at(minor)


def sweep_blocks(
    state: State,
    largest: int,
    one_by_one: float,
    sequential: int = 1,
    moved_later: tuple[int, int] = (0, 0),
) -> int:
    """Visit every block once; with the probability ``one_by_one`` token by token.

    Blocks whose word has many other tokens are drawn token after token in parts of at most
    ``sequential``; 1 for none. ``moved_later`` is for the kernel, which notes counts on its way.
    """
    blocks = WordBlocks(state, largest, sequential)
    blocks.run(one_by_one)
    return blocks.steps
