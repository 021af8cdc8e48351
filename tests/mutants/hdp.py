"""Wrong sticks, moves and global steps of an HDP, each by a single mistake."""

from __future__ import annotations

from collections.abc import Callable
from unittest.mock import patch

import numpy as np

from blocklda.models.hdp.colours import Colours
from blocklda.models.hdp.global_step import GlobalStep
from blocklda.models.hdp.own_topics import OwnTopics
from blocklda.models.hdp.reference.stick import FREE_TOTAL, Stick, running_sum
from blocklda.models.hdp.reference.table_moves import TableMoves, Weights
from blocklda.models.hdp.reference.word_blocks import WordBlocks
from blocklda.models.hdp.sampler import native_grid
from blocklda.models.hdp.state import FREE, Levels, State
from blocklda.models.hdp.word_prior import WordPrior
from blocklda.models.lda.reference.list_block import ListBlock
from blocklda.models.lda.reference.sequential_block import SequentialBlock

LARGEST = 8
ONE_BY_ONE = 0.3


# --- new topics


class OneTopicStick(Stick):
    """The rest of the stick is taken for one topic: A^(j) in the place of r_j."""

    def weigh(self) -> None:
        super().weigh()
        A = self.alpha0 * self.state.rest
        rising = [1.0]
        for j in range(1, self.largest + 1):
            rising.append(rising[-1] * (A + j - 1) / j)
        self.sums = [running_sum([x]) for x in rising]
        self.weights = [ratio * total for ratio, total in zip(self.ratios, rising, strict=True)]


class OneTableStick(Stick):
    """τ of a new topic is cut by Beta(1, γ), however many tokens it begins with."""

    def drawn_tables(self, count: int) -> int:
        super().drawn_tables(count)
        return 1


class NothingLeftStick(Stick):
    """The rest of the stick is not shortened by a birth."""

    def cut(self, m: int, slot: int) -> None:
        before = self.state.rest
        super().cut(m, slot)
        self.state.rest = before


class EqualWordsStick(Stick):
    """All words are equally likely in a new topic, whatever their priors."""

    def ratios_of(self, word: int) -> list[float]:
        mean, ratios = self.total / self.words.n_words, [1.0]
        for j in range(self.largest):
            ratios.append(ratios[-1] * ((mean + j) / (self.total + j)))
        return ratios


# --- word blocks


class _ListBeforeRemoval(ListBlock):
    """Keeps all topics that the word had before the block was taken out among the leaves."""

    def __init__(self, row, listed, counts, is_leaf, size, rng, new_topics) -> None:
        super().__init__(row, listed, counts, np.ones_like(is_leaf), size, rng, new_topics)


class _EmptiedAreLeaves(ListBlock):
    """Keeps a topic that nothing but the block has held among the leaves."""

    def __init__(self, row, listed, counts, is_leaf, size, rng, new_topics) -> None:
        emptied = row.c[listed] == row.c[row.c < FREE_TOTAL].min()
        super().__init__(row, listed, counts, is_leaf | emptied, size, rng, new_topics)


class SpreadBlocksMove(WordBlocks):
    """A block over several background topics moves as if it were in the set."""

    def update_block(self, block, counts, u):
        held = {int(k): int((block == k).sum()) for k in np.unique(block)}
        emptied = [k for k, n in held.items() if counts[k] == n]
        for k in emptied[1:]:
            # The others are put where the first is, which is in the set, and go on from there.
            self.row.change(k, -held[k])
            self.row.change(emptied[0], held[k])
            counts[k] -= held[k]
            counts[emptied[0]] += held[k]
            block[block == k] = emptied[0]
        super().update_block(block, counts, u)


def blocks(
    stick: type[Stick] = Stick, sweep: type[WordBlocks] = WordBlocks, leaves: type = ListBlock
) -> Callable[[State], None]:
    """Return a move by word blocks that are made of other parts."""

    def move(state: State) -> None:
        made = type("Mutant", (sweep,), {"stick_type": stick})
        with patch("blocklda.models.lda.reference.sparse.ListBlock", leaves):
            made(state, LARGEST).run(ONE_BY_ONE)

    return move


class AlwaysAccepted(SequentialBlock):
    """Takes what was drawn token after token for a draw of the block."""

    def is_accepted(self, chosen, first):
        return True


class SumsExchanged(SequentialBlock):
    """Accepts by the sums on the way to the old topics over those to the new ones."""

    def ratio_of_sums(self, chosen, first):
        ratio, smallest = super().ratio_of_sums(chosen, first)
        return 1.0 / ratio, smallest


class RevealedNotInTheSums(SequentialBlock):
    """Leaves a topic that was born on the way out of the sums."""

    def __init__(self, *arguments) -> None:
        self.revealed: set[int] = set()
        self.is_summing = False
        super().__init__(*arguments)

    def reveal(self):
        slot = super().reveal()
        self.revealed.add(self.slots[slot].topic)
        return slot

    def ratio_of_sums(self, chosen, first):
        self.is_summing = True
        found = super().ratio_of_sums(chosen, first)
        self.is_summing = False
        return found

    def weight_of(self, slot, n_of_block):
        is_left_out = self.is_summing and slot.topic in self.revealed
        return 0.0 if is_left_out else super().weight_of(slot, n_of_block)


def token_after_token(block: type[SequentialBlock] = SequentialBlock) -> Callable[[State], None]:
    """Return a move in which every block is drawn token after token."""

    def move(state: State) -> None:
        with (
            patch("blocklda.models.lda.reference.sparse.SequentialBlock", block),
            patch("blocklda.models.lda.reference.sparse.sequential_from", lambda: 0),
        ):
            WordBlocks(state, LARGEST, 16).run(0.0)

    return move


def emptied_not_returned(state: State) -> None:
    """Topics that a sweep emptied keep their part of the stick for good."""
    blocks()(state)
    lost = (state.numbers != FREE) & (state.topic_counts() == 0)
    state.tau[lost], state.numbers[lost] = 0.0, FREE


# --- tables


class StaticCounts(TableMoves):
    """The tokens of a table are weighed by powers, not by rising factorials."""

    def weights(self, own, words, slots):
        total = self.stick.total
        c = (self.n_k - len(words) * (np.arange(self.state.n_slots) == own))[slots] + total
        weights = self.state.tau[slots]
        for word in words:
            n, beta = self.without_table(own, words, word)[slots], self.stick.words.at(word)
            weights = weights * ((n + beta) / beta) * (total / c)
        return Weights(*np.frexp(weights))


class CountsOfTheDocument(TableMoves):
    """A topic's weight has n_dk in it, as if the table were a token."""

    def move_document(self, topics, words):
        for table in self.seat(topics):
            self.held = np.bincount(topics, minlength=self.state.n_slots)
            self.held[table.topic] -= len(table.tokens)
            topic = self.drawn_topic(table, words[table.tokens])
            self.move(table, topic, words[table.tokens])
            topics[table.tokens] = topic

    def weights(self, own, words, slots):
        found = super().weights(own, words, slots)
        more = self.held / np.maximum(self.stick.alpha, 1e-300)
        return Weights(found.mantissas * (1 + more[slots]), found.exponents)

    def bound(self, size):
        return super().bound(size) + self.held.sum() / self.stick.alpha0


class EqualWordsAtTables(TableMoves):
    """The tokens of a table are weighed as if all words had the mean of the priors."""

    def __init__(self, state) -> None:
        super().__init__(state)
        self.stick.words = WordPrior(self.stick.total / state.corpus.n_words, state.corpus.n_words)


class NoBackground(TableMoves):
    """Topics that have no word of a table are left out."""

    def bound(self, size):
        return 0.0


class OneTableForAll(TableMoves):
    """All tokens of a topic sit at one table, whatever α₀ is."""

    def seat(self, topics):
        alpha, self.stick.alpha = self.stick.alpha, np.zeros_like(self.stick.alpha)
        tables = super().seat(topics)
        self.stick.alpha = alpha
        return tables


def tables(moves: type[TableMoves] = TableMoves) -> Callable[[State], None]:
    """Return a move of all tables."""

    def move(state: State) -> None:
        moves(state).run(0, 1)

    return move


STICK_MUTANTS: dict[str, type[Stick]] = {
    "rest of the stick is one topic": OneTopicStick,
    "new stick by one table": OneTableStick,
}

HDP_MUTANTS: dict[str, Callable[[State], None]] = {
    "rest not shortened": blocks(NothingLeftStick),
    "emptied topics are leaves": blocks(leaves=_EmptiedAreLeaves),
    "list before removal": blocks(leaves=_ListBeforeRemoval),
    "blocks outside the set move": blocks(sweep=SpreadBlocksMove),
    "emptied sticks are lost": emptied_not_returned,
    "static counts of a table": tables(StaticCounts),
    "counts of the document for a table": tables(CountsOfTheDocument),
    "one table for a topic": tables(OneTableForAll),
    "no background of a table": tables(NoBackground),
    "equal words in new topics": blocks(EqualWordsStick),
    "equal words at tables": tables(EqualWordsAtTables),
    "token after token, always accepted": token_after_token(AlwaysAccepted),
    "token after token, sums exchanged": token_after_token(SumsExchanged),
    "token after token, births not in the sums": token_after_token(RevealedNotInTheSums),
}

HDP_CONTROLS: dict[str, Callable[[State], None]] = {
    "blocks": blocks(),
    "token after token": token_after_token(),
    "tables": tables(),
}
"""What the mutants were made from."""


# --- word blocks on a grid


class ColourOfTheCell(Colours):
    """A topic that is not shared has the colour of a cell that it lies in."""

    def drawn_colours(self, slots):
        return (self.in_step()[:, slots] > 0).argmax(axis=0).astype(np.int32)


class GammaOfTheWhole(Colours):
    """The parts of the rest are DP(γ), not DP(γ/G)."""

    def __init__(self, state, grid, rng) -> None:
        super().__init__(state, grid, rng)
        self.gamma = state.levels.gamma


class AllAreShared(Colours):
    """All topics with tokens are shared, whether or not a step may empty them."""

    def are_shared(self):
        return np.ones(self.state.n_slots, dtype=bool)


class FirstWordForAll(Colours):
    """The prior of the first word stands for those of all words of a group.

    Any sums that add up to B over the groups would be right: they cancel.
    """

    def __init__(self, state, grid, rng) -> None:
        super().__init__(state, grid, rng)
        self.beta_sum = np.diff(grid.word_groups) * np.atleast_1d(state.levels.beta)[0]


def on_grid(colours: type[Colours]) -> Callable[[State], None]:
    """Return two sweeps of the kernel over two by two cells with other colours."""

    def move(state: State) -> None:
        with patch("blocklda.models.hdp.sampler.Colours", colours):
            for _ in range(2):
                native_grid(state, LARGEST, ONE_BY_ONE, 1, 2)

    return move


COLOUR_MUTANTS: dict[str, Callable[[State], None]] = {
    "colour of the cell": on_grid(ColourOfTheCell),
    "gamma of the whole rest": on_grid(GammaOfTheWhole),
    "all topics are shared": on_grid(AllAreShared),
    "first word for all of a group": on_grid(FirstWordForAll),
}


# --- the global step


class TablesOffByOne(GlobalStep):
    """Tables with i + 1 for i."""

    def tables(self, state):
        with patch("blocklda.models.hdp.global_step.tables", _tables_off_by_one):
            return super().tables(state)


def _tables_off_by_one(counts, x, rng):
    x_of = x[counts.parameter]
    share = np.where(counts.level == 0, 1.0, x_of / (x_of + counts.level + 1))
    return counts.by_parameter(rng.binomial(counts.above, share))


class GammaAfterSticks(GlobalStep):
    """τ is drawn with the old γ."""

    def draw(self, state, m):
        self.draw_sticks(state, m, state.levels.gamma)
        gamma = self.drawn_gamma(state, m)
        alpha0 = self.drawn_alpha0(state, m)
        state.levels = Levels(alpha0, gamma, state.levels.beta)


GLOBAL_MUTANTS: dict[str, type[GlobalStep]] = {
    "tables off by one": TablesOffByOne,
    "gamma after the sticks": GammaAfterSticks,
}


# --- new documents


class OneTopicLeft(OwnTopics):
    """What is left of the stick is one topic for a block: A^(j) / j! in the place of r_j / j!."""

    def table_weights(self, size):
        A, rising, rows = self.levels.alpha0 * self.rest, 1.0, []
        for j in range(size):
            rising *= (A + j) / (j + 1)
            rows.append([rising] + [0.0] * j)
        return rows


class OneTableLeft(OwnTopics):
    """A new topic of several tokens is cut from the stick by Beta(1, γ), and weighs so much."""

    def table_weights(self, size):
        return [[row[0]] + [0.0] * (len(row) - 1) for row in super().table_weights(size)]


class EqualNewWords(OwnTopics):
    """All words are equally likely in a new topic, whatever their priors."""

    def ratio(self, beta, j):
        return super().ratio(0.0 * beta + self.words.total / self.words.n_words, j)

    def weights(self, word):
        old = super().weights(word)[:-1]
        return [*old, self.levels.alpha0 * self.rest / self.words.n_words]


NEW_DOCUMENT_MUTANTS: dict[str, type[OwnTopics]] = {
    "a block's rest is one topic": OneTopicLeft,
    "a block sits at one table": OneTableLeft,
    "equal words in new topics": EqualNewWords,
}
