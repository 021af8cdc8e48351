"""A block drawn token after token, with a Metropolis–Hastings step for what that leaves out.

With the block out of the counts, token j goes to topic k with the weight w_k = (n_vk + r_k) g_k,
the tokens before it in the counts, as if none came after it. The product of these weights is the
block's conditional, and the product of w_k / W_j, with W_j the sum of the weights, is what has been
drawn from. So a draw z′ replaces the block z with the probability

    min(1, W_2(z′) … W_C(z′) / (W_2(z) … W_C(z))),

W_1 being the same for both. The tokens must be in random order: as they are stored it may depend on
the state.

Topics that the block leaves or enters are in slots with weights of their own. Then come the other
topics of the list, n_vk g_k, and the rest: r_k g_k of all that are not in slots, of which a bound
is known. A token that ends above the true weights is drawn again with those. The bound also stands
for the sum where z′ is accepted or not, unless what it may be above the sum could decide.

Where topics are born, topics that nobody has weigh N_1 together. A token that goes there finds its
topic in proportion to the parts of the stick, and the part that is cut is revealed: from then on
the topic has a slot, and both sums W count it, with no tokens before it was entered. What is left
and what was revealed weigh N_1 together as before, so W(z) is the same. A topic stays revealed if
z′ is not accepted: to forget it would make its part depend on that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blocklda.models.lda.reference.background import NO_NEW_TOPICS, NewTopics
from blocklda.models.lda.reference.draw import (
    check_total,
    lane_ends,
    lanes_of,
    sum_in_lanes,
    topic_at,
)
from blocklda.models.lda.reference.major_row import MajorRow
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["FEW_DIGITS", "SequentialBlock"]

FEW_DIGITS = 1e-8
"""A difference of more than this share of what it was taken from has seven digits or more."""


@dataclass
class Slot:
    """A topic that the block leaves or enters, with its tokens of the block before and now."""

    topic: int
    old: int
    now: int = 0


class SequentialBlock:
    """One update of a block, whose tokens are in random order."""

    def __init__(
        self,
        row: MajorRow,
        listed: Ints,
        counts: Ints,
        block: Int32s,
        rng: np.random.Generator,
        new_topics: NewTopics = NO_NEW_TOPICS,
    ) -> None:
        self.row, self.listed, self.counts, self.block, self.rng = row, listed, counts, block, rng
        self.new_topics, self.prior = new_topics, row.prior
        self.steps = 0
        old = {int(k): int((block == k).sum()) for k in block}
        self.slots = [Slot(k, n) for k, n in old.items()]
        self.old_slots = [list(old).index(int(k)) for k in block]
        self.weights = [self.weight_of(slot, 0) for slot in self.slots]
        self.in_list = self.others = sum_in_lanes(counts[listed] * row.g[listed])
        rest, slack = row.sum * row.scale, row.slack() * row.scale
        for slot in self.slots:
            self.others -= counts[slot.topic] * row.g[slot.topic]
            rest -= self.prior[slot.topic] * row.g[slot.topic]
        self.sum_others_if_few()
        self.rest = rest + slack
        self.slack = 2.0 * slack

    def weight_of(self, slot: Slot, n_of_block: int) -> float:
        """Return what a topic weighs with some of the block's tokens in it."""
        by = n_of_block - slot.old
        k = slot.topic
        return float((float(self.counts[k] + by) + self.prior[k]) * self.row.g_with(k, by))

    def outside(self) -> float:
        """Return what all topics outside of the slots weigh, those that nobody has included."""
        return (self.others + self.rest) + self.new_topics.weight(1)

    def without_slots(self, weights: Floats) -> Floats:
        """Return the weights of all topics, 0 for those in slots."""
        outside = weights.copy()
        outside[[slot.topic for slot in self.slots]] = 0.0
        return outside

    def list_weights(self) -> Floats:
        """Return what the topics of the list weigh that are not in slots."""
        return self.without_slots(self.counts * self.row.g)[self.listed]

    def sum_others_if_few(self) -> None:
        """Add up the list's other topics where a difference has hardly a digit of theirs."""
        if self.others < FEW_DIGITS * self.in_list:
            self.others = sum_in_lanes(self.list_weights())

    def update(self) -> None:
        """Draw all tokens, and take them if they are accepted."""
        chosen = []
        for old in self.old_slots:
            i = self.draw(old)
            chosen.append(i)
            self.slots[i].now += 1
            self.weights[i] = self.weight_of(self.slots[i], self.slots[i].now)
        moved = [t for t, old in enumerate(self.old_slots) if chosen[t] != old]
        if not moved or (moved[0] + 1 < len(chosen) and not self.is_accepted(chosen, moved[0])):
            return
        self.block[:] = [self.slots[i].topic for i in chosen]
        for slot in self.slots:
            by = slot.now - slot.old
            if by != 0:
                self.row.change(slot.topic, by)
                self.counts[slot.topic] += by

    def draw(self, old: int) -> int:
        """Return the slot of a token's new topic: its old one comes first, then the others."""
        while True:
            total = check_total(self.outside() + _added_up(self.weights))
            self.steps += 1
            point = self.rng.random() * total
            for i in (old, *(i for i in range(len(self.slots)) if i != old)):
                if point < self.weights[i]:
                    return i
                point -= self.weights[i]
            if point < self.others:
                return self.open(int(self.listed[topic_at(self.list_weights(), point)]))
            point -= self.others
            fresh = self.new_topics.weight(1)
            if point < fresh:
                return self.reveal()
            point -= fresh
            background = self.find_rest()
            if point < self.rest:
                return self.open(topic_at(background, point))

    def find_rest(self) -> Floats:
        """Put the true sum in the place of the bound; return what it is the sum of."""
        background = self.without_slots(self.prior * self.row.g)
        self.rest, self.slack = float(lane_ends(lanes_of(background)[-1])[-1]), 0.0
        return background

    def open(self, topic: int) -> int:
        """Return a slot for a topic that the block has not been in."""
        slot = Slot(topic, 0)
        self.slots.append(slot)
        self.weights.append(self.weight_of(slot, 0))
        self.rest -= float(self.prior[topic] * self.row.g[topic])
        if (self.listed == topic).any():
            self.others -= float(self.counts[topic] * self.row.g[topic])
            self.sum_others_if_few()
        return len(self.slots) - 1

    def reveal(self) -> int:
        """Return a slot for a topic that nobody has had."""
        topic = self.new_topics.born(1)
        self.row.change(topic, 0)
        self.slots.append(Slot(topic, 0))
        self.weights.append(self.weight_of(self.slots[-1], 0))
        return len(self.slots) - 1

    def is_accepted(self, chosen: list[int], first: int) -> bool:
        """Accept or reject a draw whose first moved token is given.

        ``rest`` is at most ``slack`` above the true sum. That changes each of the sums by no more,
        the ratio of two by no more than 4 slack / smallest if that is small, and their product by
        no more than the share ``error`` of it.
        """
        u = self.rng.random()
        with np.errstate(all="ignore"):
            ratio, smallest = self.ratio_of_sums(chosen, first)
            error = (8.0 * len(chosen)) * (np.float64(self.slack) / smallest)
            if not (error < 0.5 and abs(u - ratio) > error * ratio):
                self.find_rest()
                ratio, _ = self.ratio_of_sums(chosen, first)
        return bool(u < ratio)

    def ratio_of_sums(self, chosen: list[int], first: int) -> tuple[np.float64, np.float64]:
        """Return W(z′) / W(z) of all tokens behind the first moved one, and the smallest W.

        Up to that token they are the same.
        """
        n_after = [chosen[:first].count(i) for i in range(len(self.slots))]
        n_before = list(n_after)
        after = [self.weight_of(slot, n) for slot, n in zip(self.slots, n_after, strict=True)]
        before = list(after)
        others = self.outside()
        ratio, smallest = np.float64(1.0), np.float64(np.inf)
        for t in range(first, len(chosen) - 1):
            for i, n, weights in (
                (chosen[t], n_after, after),
                (self.old_slots[t], n_before, before),
            ):
                n[i] += 1
                weights[i] = self.weight_of(self.slots[i], n[i])
            sums = np.float64(others + _added_up(after)), np.float64(others + _added_up(before))
            ratio *= sums[0] / sums[1]
            smallest = min(smallest, *sums)
        return ratio, smallest


def _added_up(weights: list[float]) -> float:
    """Return the sum of weights, one after another as in the kernel."""
    total = weights[0]
    for weight in weights[1:]:
        total += weight
    return total
