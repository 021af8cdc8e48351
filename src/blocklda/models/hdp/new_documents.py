"""Topics of new documents, with the words of the topics fixed and new topics collapsed.

A token of word v goes to one of the topics of the fit with the weight (n_dk + α₀τ_k) φ_kv, to a
topic that only this document has with (n_dl + α₀τ_l)(n_lv + β) / (n_l + Vβ), and to one that nobody
has with α₀τ_u / V, which then takes the share Beta(1, γ) of τ_u. What is left of the stick is not
one topic: tokens of several new topics share no words.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from blocklda.data.content_streams import ContentStream
from blocklda.data.corpus import Corpus
from blocklda.data.split import split_by_content
from blocklda.models.hdp.state import Levels
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["FrozenTopics", "completed", "fold_in", "inferred_topics"]

N_SWEEPS, BURN_IN = 24, 8
"""Sweeps over a document, and those of them that are not averaged."""


@dataclass(frozen=True)
class FrozenTopics:
    """φ by word (words, topics), τ of the topics and last what is left, and the levels."""

    word_topic: Floats
    tau: Floats
    levels: Levels

    @classmethod
    def of(cls, topic_word: Floats, tau: Floats, levels: Levels) -> FrozenTopics:
        """Take φ as (topics, words)."""
        return cls(np.ascontiguousarray(topic_word.T), tau, levels)


@dataclass(eq=False)
class OwnTopic:
    """A topic that only one document has: its part of the stick, and its tokens by word."""

    tau: float
    words: dict[int, int] = field(default_factory=dict)
    size: int = 0

    def add(self, word: int, by: int) -> None:
        """Take tokens of a word in, or out."""
        self.words[word] = self.words.get(word, 0) + by
        self.size += by


class Document:
    """A Gibbs sampler for the topics of one document."""

    def __init__(self, topics: FrozenTopics, words: Ints, rng: np.random.Generator) -> None:
        self.topics, self.words, self.rng = topics, words, rng
        levels, n_words = topics.levels, len(topics.word_topic)
        self.alpha = levels.alpha0 * topics.tau[:-1]
        self.base = 1.0 / n_words
        self.beta, self.beta_sum = levels.beta, n_words * levels.beta
        self.alpha0, self.gamma = levels.alpha0, levels.gamma
        self.n = np.zeros(len(self.alpha))
        self.own: list[OwnTopic] = []
        self.total_rest = self.rest = float(topics.tau[-1])
        self.place: list[int | OwnTopic | None] = [None] * len(words)

    def sweep(self) -> None:
        """Draw the topic of each token given the others, then the sticks of own topics."""
        for t in range(len(self.words)):
            self.update(t)
        self.draw_sticks()

    def update(self, t: int) -> None:
        """Draw the topic of one token."""
        word, place = int(self.words[t]), self.place[t]
        if isinstance(place, OwnTopic):
            place.add(word, -1)
            if place.size == 0:
                self.rest += place.tau
                self.own.remove(place)
        elif place is not None:
            self.n[place] -= 1
        ends = np.cumsum((self.n + self.alpha) * self.topics.word_topic[word])
        others = [(one.size + self.alpha0 * one.tau) * self.share(one, word) for one in self.own]
        fresh = self.alpha0 * self.rest * self.base
        point = self.rng.random() * (float(ends[-1]) + sum(others) + fresh)
        if point < ends[-1]:
            k = int(np.searchsorted(ends, point, side="right"))
            self.place[t] = k
            self.n[k] += 1
            return
        one = self.own_at(point - float(ends[-1]), others)
        self.place[t] = one
        one.add(word, 1)

    def own_at(self, point: float, weights: list[float]) -> OwnTopic:
        """Return the own topic at a point of their weights, or behind them a new one."""
        for own, weight in zip(self.own, weights, strict=True):
            if point < weight:
                return own
            point -= weight
        cut = float(self.rng.beta(1.0, self.gamma))
        own = OwnTopic(cut * self.rest)
        self.rest *= 1.0 - cut
        self.own.append(own)
        return own

    def share(self, own: OwnTopic, word: int) -> float:
        """Return the probability of a word in an own topic."""
        return (own.words.get(word, 0) + self.beta) / (own.size + self.beta_sum)

    def draw_sticks(self) -> None:
        """Draw the parts of own topics given the tables at which their tokens sit."""
        if not self.own:
            return
        tables = [self.drawn_tables(one) for one in self.own]
        parts = self.total_rest * self.rng.dirichlet([*tables, self.gamma])
        for one, part in zip(self.own, parts[:-1], strict=True):
            one.tau = float(part)
        self.rest = float(parts[-1])

    def drawn_tables(self, own: OwnTopic) -> int:
        """Draw at how many tables the tokens of an own topic sit."""
        a = self.alpha0 * own.tau
        return 1 + int((self.rng.random(own.size - 1) < a / (a + np.arange(1, own.size))).sum())

    def theta(self) -> Floats:
        """Return the shares of the topics, the last of everything else."""
        weights = self.n + self.alpha
        n_own = sum(one.size for one in self.own)
        total = len(self.words) + self.alpha0 * (float(self.topics.tau.sum()))
        return np.append(weights, n_own + self.alpha0 * self.total_rest) / total

    def predictive(self, words: Int32s) -> Floats:
        """Return the probability of each of some words for a further token."""
        total = len(self.words) + self.alpha0 * float(self.topics.tau.sum())
        found = self.topics.word_topic[words] @ (self.n + self.alpha)
        found += self.alpha0 * self.rest * self.base
        for one in self.own:
            shares = np.array([self.share(one, int(word)) for word in words])
            found += (one.size + self.alpha0 * one.tau) * shares
        return np.asarray(found / total)


def fold_in(
    topics: FrozenTopics,
    words: Ints,
    rng: np.random.Generator,
    wanted: Int32s | None = None,
    n_sweeps: int = N_SWEEPS,
    burn_in: int = BURN_IN,
) -> tuple[Floats, Floats]:
    """Return the mean of θ of a document, and of the probabilities of ``wanted`` words."""
    document = Document(topics, words, rng)
    none = np.empty(0, dtype=np.int32)
    wanted = none if wanted is None else wanted
    if not len(words):
        return document.theta(), document.predictive(wanted)
    theta, probabilities = np.zeros(len(topics.tau)), np.zeros(len(wanted))
    for sweep in range(n_sweeps):
        document.sweep()
        if sweep >= burn_in:
            theta += document.theta()
            probabilities += document.predictive(wanted)
    return theta / (n_sweeps - burn_in), probabilities / (n_sweeps - burn_in)


def inferred_topics(
    corpus: Corpus, topics: FrozenTopics, n_sweeps: int = N_SWEEPS, seed: int = defaults.SEED
) -> Floats:
    """Return θ of every document, shape (documents, topics + 1)."""
    stream = ContentStream(corpus, seed, "hdp")
    burn_in = min(BURN_IN, n_sweeps // 2)
    rows = [
        fold_in(topics, _tokens(corpus, d), stream.seek(d), n_sweeps=n_sweeps, burn_in=burn_in)[0]
        for d in range(corpus.n_docs)
    ]
    return np.array(rows).reshape(corpus.n_docs, len(topics.tau))


def completed(
    corpus: Corpus, sets: list[FrozenTopics], seed: int = defaults.SEED
) -> tuple[float, int]:
    """Return the log probability of the held-out half of each document, and how many tokens it has.

    Probabilities are means over the sets of topics.
    """
    observed, heldout = split_by_content(corpus, seed)
    stream = ContentStream(observed, seed, "hdp")
    total = 0.0
    for d in range(corpus.n_docs):
        entries = slice(heldout.doc_offsets[d], heldout.doc_offsets[d + 1])
        wanted = heldout.word_ids[entries]
        if not len(wanted):
            continue
        rng = stream.seek(d)
        words = _tokens(observed, d)
        probabilities = np.mean([fold_in(one, words, rng, wanted)[1] for one in sets], axis=0)
        total += float(heldout.counts[entries] @ np.log(probabilities))
    return total, heldout.n_tokens


def _tokens(corpus: Corpus, d: int) -> Ints:
    entries = slice(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
    return np.repeat(corpus.word_ids[entries], corpus.counts[entries]).astype(np.int64)
