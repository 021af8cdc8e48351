"""Merge-split in plain Python, to be read beside docs/explanation/moves.md; slow.

It draws the same uniforms in the same order as the kernel and agrees with it to the bit. Each part
that can be got wrong is a method, which a mutant replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np

from blocklda.models.lda.reference import elementary
from blocklda.models.lda.state import State

TEMPERATURE = 0.1

Triple = tuple[int, int, int]
T = TypeVar("T", int, tuple[int, int])


class Token(NamedTuple):
    place: int
    doc: int
    word: int


class Result(NamedTuple):
    is_accepted: bool
    log_ratio: float


def at_point(point: float, weights: Mapping[T, float]) -> T:
    """Return the item at a point of the running sum of weights."""
    running = 0.0
    for item, weight in weights.items():
        running += weight
        if running > point:
            return item
    return max(item for item, weight in weights.items() if weight > 0)


class Choice:
    """The distribution of triples (i, j, k) at a state with the counts n_vk and n_k."""

    def __init__(self, n_vk: np.ndarray, n_k: np.ndarray, beta_sum: np.ndarray) -> None:
        self.n_vk, self.n_k = n_vk.tolist(), n_k.tolist()
        total = 0.0
        for x in beta_sum.tolist():
            total += x
        self.total_prior = total / len(beta_sum)
        self.word_prior = self.total_prior / len(n_vk)
        self.pairs = list(combinations(range(len(self.n_k)), 2))
        self.log_weights = {pair: self.log_weight(*pair) for pair in self.pairs}
        self.largest = max(self.log_weights.values())
        self.total = 0.0
        for pair in self.pairs:
            self.total += self.weight(pair)

    def log_weight(self, a: int, b: int) -> float:
        cost = 0.0
        for counts in self.n_vk:
            n_a, n_b = counts[a], counts[b]
            if n_a > 0 and n_b > 0:
                cost += (self.of_word(n_a) + self.of_word(n_b)) - self.of_word(n_a + n_b)
        n_a, n_b = self.n_k[a], self.n_k[b]
        totals = (self.of_topic(n_a) + self.of_topic(n_b)) - self.of_topic(n_a + n_b)
        return (totals - cost) / (TEMPERATURE * max(1, min(n_a, n_b)))

    def of_word(self, n: int) -> float:
        return elementary.log_gamma(n + self.word_prior) - elementary.log_gamma(self.word_prior)

    def of_topic(self, n: int) -> float:
        return elementary.log_gamma(n + self.total_prior) - elementary.log_gamma(self.total_prior)

    def weight(self, pair: tuple[int, int]) -> float:
        return elementary.exp(self.log_weights[pair] - self.largest)

    def thirds(self, i: int, j: int) -> dict[int, int]:
        return {k: (n + 1) ** 2 for k, n in enumerate(self.n_k) if k not in (i, j)}

    def draw(self, uniform: Callable[[], float]) -> Triple:
        pair = at_point(uniform() * self.total, {pair: self.weight(pair) for pair in self.pairs})
        i, j = reversed(pair) if uniform() < 0.5 else pair
        thirds = self.thirds(i, j)
        return i, j, at_point(uniform() * sum(thirds.values()), thirds)

    def log_probability(self, i: int, j: int, k: int) -> float:
        """Return the log probability of a triple, up to log 2 for the order of i and j."""
        thirds = self.thirds(i, j)
        share = thirds[k] / sum(thirds.values())
        log_weight = self.log_weights[min(i, j), max(i, j)]
        return ((log_weight - self.largest) - elementary.log(self.total)) + elementary.log(share)


class MergeSplit:
    """One attempt at the move on a state."""

    def __init__(self, state: State) -> None:
        self.state, self.priors = state, state.priors
        self.topics = state.topics.copy()
        self.uniform = state.rng.random
        self.triple: Triple = (0, 0, 0)

    def attempt(self) -> Result:
        if self.priors.n_topics < 3:
            return Result(False, 0.0)
        before = self.choice(self.topics)
        self.triple = i, j, k = before.draw(self.uniform)
        tokens = list(self.tokens())
        merged = [token for token in tokens if self.topics[token.place] in (i, j)]
        divided = [token for token in tokens if self.topics[token.place] == k]
        merged, divided = self.order(merged), self.order(divided)

        def present(token: Token, share_of_a: tuple[float, float]) -> bool:
            return bool(self.topics[token.place] == j)

        proposed = self.topics.copy()

        def drawn(token: Token, share_of_a: tuple[float, float]) -> bool:
            w_a, both = share_of_a
            to_j = not self.uniform() * both < w_a
            proposed[token.place] = j if to_j else k
            return to_j

        log_present = self.allocate(merged, i, j, present)
        log_proposed = self.allocate(divided, k, j, drawn)
        proposed[[token.place for token in merged]] = i
        log_ratio = (log_proposed - log_present) + self.log_choice_ratio(
            before, proposed, (i, j, k)
        )
        u = self.uniform()
        is_accepted = u == 0 or elementary.log(u) < log_ratio
        if is_accepted:
            self.state.topics[:] = proposed
        return Result(is_accepted, log_ratio)

    def tokens(self) -> Iterator[Token]:
        docs, words = self.state.token_docs().tolist(), self.state.token_words().tolist()
        for place, (doc, word) in enumerate(zip(docs, words, strict=True)):
            yield Token(place, doc, word)

    def choice(self, topics: np.ndarray) -> Choice:
        n_vk = np.zeros((self.state.corpus.n_words, self.priors.n_topics), dtype=np.int64)
        np.add.at(n_vk, (self.state.token_words(), topics), 1)
        return Choice(n_vk, n_vk.sum(axis=0), self.priors.beta_sum)

    def log_choice_ratio(self, before: Choice, proposed: np.ndarray, triple: Triple) -> float:
        """Return log s(z'; k, j, i) − log s(z; i, j, k)."""
        i, j, k = triple
        after = self.choice(proposed)
        return after.log_probability(k, j, i) - before.log_probability(i, j, k)

    def order(self, pool: list[Token]) -> list[Token]:
        """Return the documents of a pool in random order, the tokens of each in random order."""
        docs: dict[int, list[Token]] = {}
        for token in pool:
            docs.setdefault(token.doc, []).append(token)
        by_doc = list(docs.values())
        self.shuffle(by_doc)
        for doc in by_doc:
            self.shuffle(doc)
        return [token for doc in by_doc for token in doc]

    def shuffle(self, items: list) -> None:
        for i in range(len(items) - 1, 0, -1):
            j = int(self.uniform() * (i + 1))
            items[i], items[j] = items[j], items[i]

    def allocate(
        self,
        pool: list[Token],
        a: int,
        b: int,
        goes_to_b: Callable[[Token, tuple[float, float]], bool],
    ) -> float:
        """Allocate the tokens of a pool in turn and return G, the log of their weight."""
        alpha, beta_sum = self.priors.alpha.tolist(), self.priors.beta_sum.tolist()
        n_v: dict[int, list[int]] = {}
        n_d: dict[int, list[int]] = {}
        n, weight = [0, 0], elementary.LogProduct()
        for token in pool:
            d, v = n_d.setdefault(token.doc, [0, 0]), n_v.setdefault(token.word, [0, 0])
            beta = self.priors.word_prior(token.word).tolist()
            w_a = (d[0] + alpha[a]) * (v[0] + beta[a]) / (n[0] + beta_sum[a])
            w_b = (d[1] + alpha[b]) * (v[1] + beta[b]) / (n[1] + beta_sum[b])
            m = self.merged_topic(a, b)
            w_m = (sum(d) + alpha[m]) * (sum(v) + beta[m]) / (sum(n) + beta_sum[m])
            both = w_a + w_b
            weight.multiply(both / w_m)
            label = int(goes_to_b(token, (w_a, both)))
            for counts in (d, v, n):
                counts[label] += 1
        return weight.log()

    def merged_topic(self, a: int, b: int) -> int:
        """Return the topic that has all tokens of the pool in the other state: the first."""
        return a
