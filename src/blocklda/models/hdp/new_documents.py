"""Topics of new documents, with the words of the topics fixed and new topics collapsed.

A token of word v goes to one of the topics of the fit with the weight (n_dk + α₀τ_k) φ_kv, or to a
topic that only this document has (:mod:`blocklda.models.hdp.own_topics`). What is left of the stick
is not one topic: tokens of several new topics share no words.

A sweep has two parts. Given which tokens have topics of the document's own, the others are those of
LDA with φ given, whose kernel moves all tokens of a word at once. Then each token may change sides:
it goes to the document's own topics with its exact probability, or stays where it is. From topic k
that is w_r / W, and back from there w_k / W, W being the sum of all weights: the flows are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from blocklda.data.content_streams import ContentStream
from blocklda.data.corpus import Corpus
from blocklda.data.split import split_by_content
from blocklda.models.hdp.new_document_blocks import WordBlock
from blocklda.models.hdp.own_topics import OwnTopics
from blocklda.models.hdp.state import Levels
from blocklda.models.hdp.word_prior import WordPrior
from blocklda.models.lda.new_documents.infer import Completion, infer_doc_topics
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.partially_collapsed.documents import (
    DocumentPiece,
    sweep_piece_natively,
)
from blocklda.models.lda.samplers.partially_collapsed.phi import LARGEST_BLOCK, Phi, finish_phi
from blocklda.support import defaults
from blocklda.support.arrays import AnyInts, Bools, Floats, Int32s, Ints, sealed
from blocklda.support.errors import InputError, KernelError
from blocklda.support.fixed_order import dot, row_totals

__all__ = ["FrozenTopics", "NewDocument", "completed", "inferred_topics"]

N_SWEEPS, BURN_IN = 24, 4
"""Sweeps over a document, and those of them that are not averaged."""

SIDES_EVERY = 3
"""In one of so many sweeps tokens may go to the document's own topics and come back: few do, and it
takes many times as long as the kernel."""

MOST_TOKENS = 8
"""Tokens of a word that go to the document's own topics at once, as in a sweep of the fit."""

ROUNDING = 1e-9
"""Far more than rounding can change in a probability."""

START_SWEEPS = 8
"""Sweeps of LDA's fold-in, from whose θ the first topics are drawn."""


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

    @cached_property
    def priors(self) -> Priors:
        """α₀τ as a prior of LDA; β has no part in a sweep given φ."""
        alpha = np.maximum(self.levels.alpha0 * self.tau[:-1], np.finfo(np.float64).tiny)
        return Priors(alpha, *self.words.rows(len(alpha)))

    @cached_property
    def words(self) -> WordPrior:
        """β of the words of new topics."""
        return self.levels.word_prior(len(self.word_topic))

    @cached_property
    def phi(self) -> Phi:
        """φ as the kernel reads it."""
        n_words, n_topics = self.word_topic.shape
        made = Phi.empty(n_words, n_topics, LARGEST_BLOCK)
        made.rows[:, :n_topics] = self.word_topic
        sizes = np.full(n_words, LARGEST_BLOCK, dtype=np.int32)
        ones = np.ones(made.rows.shape[1])
        finish_phi(made, (0, n_words), ones, ([], np.empty((0, 0))), self.priors, sizes)
        return made

    @property
    def alpha_sums(self) -> Floats:
        """Σ_k α₀τ_k φ_kv of every word: what the topics weigh for a token at the least."""
        sums: Floats = self.phi.alpha_powers[:, 0]
        return sums


class NewDocument:
    """A Gibbs sampler for the topics of a document.

    ``words`` are its different words in ascending order and ``counts`` how often it has each;
    ``theta`` says how probable topics are at the start.
    """

    def __init__(
        self,
        topics: FrozenTopics,
        words: AnyInts,
        counts: AnyInts,
        generator: np.random.Generator,
        theta: Floats | None = None,
    ) -> None:
        self.topics, self.words, self.generator = topics, words, generator
        self._entries: Ints = np.repeat(np.arange(len(words)), counts)
        """Which of the words each token is."""
        self.is_own: Bools = np.zeros(len(self._entries), dtype=bool)
        self.own = OwnTopics(topics.levels, topics.words, float(topics.tau[-1]), generator)
        self._piece: DocumentPiece | None = None
        self._alpha = topics.priors.alpha
        self._places = self._first_places(self._alpha if theta is None else theta)
        self._n_sweeps = 0
        ends = np.cumsum(counts)
        self._blocks = [
            (int(end - count), min(int(count), MOST_TOKENS))
            for end, count in zip(ends, counts, strict=True)
            if count > 1
        ]
        """Where the tokens of words begin that occur several times, and how many move at once."""

    def _first_places(self, theta: Floats) -> Int32s:
        ends = np.cumsum(self.topics.word_topic[self.words] * theta, axis=1)
        points = self.generator.random(len(self._entries)) * ends[self._entries, -1]
        places = (ends[self._entries] <= points[:, None]).sum(axis=1)
        return np.asarray(np.minimum(places, len(theta) - 1), dtype=np.int32)

    def sweep(self) -> None:
        """Draw the topics of all tokens, then the sticks of own topics."""
        if not len(self._entries):
            return
        self._sweep_topics_of_the_fit()
        if self._n_sweeps % SIDES_EVERY == 0:
            self._change_sides()
            self._move_blocks()
            self.own.draw_sticks()
        self._n_sweeps += 1

    def _sweep_topics_of_the_fit(self) -> None:
        others = ~self.is_own
        if not others.any():
            return
        if self._piece is None:
            counts = np.bincount(self._entries[others], minlength=len(self.words))
            self._piece = _as_piece(self.words, counts, len(self.topics.word_topic))
        places = self._places[others]
        topics = self.topics
        _, failed = sweep_piece_natively(
            self._piece, topics.phi, topics.priors, LARGEST_BLOCK, places, self.generator
        )
        if failed >= 0:
            raise KernelError(
                f"the weights of the tokens of word {self.words[failed]} of a document are not "
                "positive numbers; alpha0 and the topics' weights are outside the range of double "
                "precision."
            )
        self._places[others] = places

    def _change_sides(self) -> None:
        """Let tokens go to the document's own topics and come back, one after the other.

        Most stay, and a bound shows it: the topics of the fit weigh Σ_k α₀τ_k φ_kv or more.
        """
        held = np.bincount(self._places[~self.is_own], minlength=len(self._alpha)) + self._alpha
        points = self.generator.random(len(self._entries))
        t, may_change = 0, self._may_change(points)
        while may_change[t:].any():
            t += int(may_change[t:].argmax())
            if self._changed(t, float(points[t]), held):
                self._piece = None
                may_change = self._may_change(points)
            t += 1

    def _may_change(self, points: Floats) -> Bools:
        own = self.own.weights_of(self.words)
        bound = own / (own + self.topics.alpha_sums[self.words])
        return np.asarray(self.is_own | (points < bound[self._entries]))

    def _changed(self, t: int, point: float, held: Floats) -> bool:
        """Update a token; return whether own topics are other ones than before."""
        word = int(self.words[self._entries[t]])
        phi = self.topics.word_topic[word]
        if not self.is_own[t]:
            held[self._places[t]] -= 1
            own = self.own.weights(word)
            point *= sum(own) + dot(held, phi)
            if point >= sum(own):
                held[self._places[t]] += 1
                return False
            self.own.add(t, word, point, own)
            self.is_own[t] = True
            return True
        self.own.remove(t, word)
        own, ends = self.own.weights(word), np.cumsum(held * phi)
        point *= sum(own) + float(ends[-1])
        self.is_own[t] = point < sum(own)
        if self.is_own[t]:
            self.own.add(t, word, point, own)
        else:
            k = int(np.searchsorted(ends, point - sum(own), side="right"))
            self._places[t] = min(k, len(held) - 1)
            held[self._places[t]] += 1
        return True

    # --- all tokens of a word at once

    def _move_blocks(self) -> None:
        """Draw for words that the document has several times how many tokens have own topics.

        Where none has, only that some go there is drawn, which leaves the others where they are.
        """
        held = np.bincount(self._places[~self.is_own], minlength=len(self._alpha)) + self._alpha
        had_own = bool(self.own.living)
        first = 0 if had_own else self._first_to_leave(held)
        for number in range(first, len(self._blocks)):
            must_leave = number == first and not had_own
            self._move_block(*self._blocks[number], held, must_leave=must_leave)

    def _first_to_leave(self, held: Floats) -> int:
        """Return the first block of which tokens go to a new topic, while there is no own topic.

        Most blocks stay, and a bound shows it. With h_n what n tokens weigh in the topics of the
        fit, n h_n is at least p h_(n−1), p being the weight of one token. So j of n tokens leave
        with a probability of N_j n (n−1) ⋯ (n−j+1) / p^j at the most.
        """
        if not self._blocks:
            return 0
        sizes, rows, alpha_sums, tokens, of_block = self._block_arrays
        points = self.generator.random(len(sizes))
        new = self.own.new_series(self._block_beta, int(sizes.max()))
        own = np.bincount(of_block, weights=rows[of_block, self._places[tokens]])
        p = np.maximum(rows @ held - own, alpha_sums)
        bound, term = np.zeros(len(sizes)), np.ones(len(sizes))
        for j in range(1, len(new)):
            term = term * np.maximum(sizes - j + 1, 0) / p
            bound += new[j] * term
        for block in np.flatnonzero(points >= 1.0 - bound - ROUNDING).tolist():
            places = self._places[tokens[of_block == block]]
            of_word = [float(np.broadcast_to(row, sizes.shape)[block]) for row in new]
            if self._leaves(held, rows[block], places, of_word, float(points[block])):
                return int(block)
        return len(sizes)

    @cached_property
    def _block_words(self) -> AnyInts:
        """The words of the blocks."""
        return self.words[self._entries[[first for first, _ in self._blocks]]]

    @cached_property
    def _block_beta(self) -> float | Floats:
        """β of the blocks' words, one number if all words share it."""
        words = self.topics.words
        return words.at(0) if words.is_equal else words.of(self._block_words)

    @cached_property
    def _block_arrays(self) -> tuple[Ints, Floats, Floats, Ints, Ints]:
        """Sizes of the blocks, φ and Σ_k α₀τ_k φ_kv of their words, tokens, and their blocks."""
        first, sizes = np.array(self._blocks, dtype=np.int64).T
        words = self._block_words
        of_block = np.repeat(np.arange(len(sizes)), sizes)
        starts = np.cumsum(sizes) - sizes
        tokens = first[of_block] + np.arange(len(of_block)) - starts[of_block]
        topics = self.topics
        return sizes, topics.word_topic[words], topics.alpha_sums[words], tokens, of_block

    def _leaves(
        self, held: Floats, row: Floats, places: Int32s, new: Sequence[float], point: float
    ) -> bool:
        """Tell if a point says that some of the tokens of a word go to a new topic."""
        size = len(places)
        a = held.copy()
        np.subtract.at(a, places, 1.0)
        old, sums, powers = [1.0], [], a
        for j in range(1, size + 1):
            powers = powers * row
            sums.append(float(powers.sum()))
            old.append(sum(sums[i - 1] * old[j - i] for i in range(1, j + 1)) / j)
        return point * sum(new[j] * old[size - j] for j in range(size + 1)) >= old[size]

    def _move_block(self, first: int, size: int, held: Floats, *, must_leave: bool) -> None:
        tokens = np.arange(first, first + size)
        word = int(self.words[self._entries[first]])
        places = self._places[tokens][~self.is_own[tokens]]
        np.subtract.at(held, places, 1.0)
        block = WordBlock(held, self.topics.word_topic[word], self.own, word, tokens.tolist())
        if not block.is_spread and block.draw(self.generator, must_leave=must_leave):
            self._places[tokens] = np.maximum(block.places, 0).astype(np.int32)
            self.is_own[tokens] = block.places < 0
            self._piece = None
            places = self._places[tokens][block.places >= 0]
        np.add.at(held, places, 1.0)

    # --- what is read off

    @property
    def _total(self) -> float:
        return len(self._entries) + self.topics.levels.alpha0 * float(self.topics.tau.sum())

    def places(self) -> Ints:
        """Return the topic of each token; the number of topics stands for everything else."""
        return np.where(self.is_own, len(self._alpha), self._places)

    def theta(self, states: Sequence[Ints] = ()) -> Floats:
        """Return the shares of the topics, the last of everything else; or means over states."""
        seen = states or [self.places()]
        held = np.bincount(np.concatenate(seen), minlength=len(self.topics.tau)) / len(seen)
        return np.asarray((held + self.topics.levels.alpha0 * self.topics.tau) / self._total)

    def rest_of_words(self, words: AnyInts) -> Floats:
        """Return the part of own and new topics in the probabilities of words."""
        return self.own.weights_of(words) / self._total


def _as_piece(words: AnyInts, counts: Ints, n_words: int) -> DocumentPiece:
    """Return a document as the kernel takes it; words that it has no more are left out."""
    kept = np.flatnonzero(counts)
    held = counts[kept].astype(np.int32)
    return DocumentPiece(
        number=0,
        doc_offsets=sealed(np.array([0, len(kept)], dtype=np.int64)),
        word_ids=sealed(words[kept].astype(np.int32)),
        counts=sealed(held),
        entries=sealed(np.arange(len(kept), dtype=np.int32)),
        docs=sealed(np.zeros(len(kept), dtype=np.int32)),
        starts=sealed(np.cumsum(held, dtype=np.int32) - held),
        tokens=slice(0, int(held.sum())),
        first_entry=0,
        n_words=n_words,
    )


@dataclass(frozen=True)
class Folded:
    """Means over the sweeps of a document: θ, and the probabilities of wanted words."""

    theta: Floats
    probabilities: Floats


def fold_in(
    document: NewDocument, wanted: AnyInts, n_sweeps: int = N_SWEEPS, burn_in: int = BURN_IN
) -> Folded:
    """Return the mean of θ of a document, and of the probabilities of words."""
    topics = document.topics
    states, rest = [], np.zeros(len(wanted))
    for sweep in range(n_sweeps):
        document.sweep()
        if sweep >= burn_in:
            states.append(document.places())
            rest += document.rest_of_words(wanted) / (n_sweeps - burn_in)
    theta = document.theta(states)
    # Linear in θ: the mean of the probabilities is that of the mean.
    return Folded(theta, row_totals(topics.word_topic[wanted], theta[:-1]) + rest)


class Folding:
    """The documents of a corpus, each folded in with random numbers of its own."""

    def __init__(self, corpus: Corpus, topics: FrozenTopics, seed: int, number: int = 0) -> None:
        self._corpus, self._topics = corpus, topics
        self._stream = ContentStream(corpus, seed, "hdp", number)
        self._starts = infer_doc_topics(
            corpus, topics.word_topic.T, topics.priors.alpha, n_sweeps=START_SWEEPS, seed=seed
        )

    def document(self, d: int) -> NewDocument:
        """Return the sampler of a document at its start; the one before it is then of no use."""
        corpus = self._corpus
        entries = slice(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
        words, counts = corpus.word_ids[entries], corpus.counts[entries]
        return NewDocument(self._topics, words, counts, self._stream.seek(d), self._starts[d])


def inferred_topics(
    corpus: Corpus, topics: FrozenTopics, n_sweeps: int = N_SWEEPS, seed: int = defaults.SEED
) -> Floats:
    """Return θ of every document, shape (documents, topics + 1)."""
    folding, nothing = Folding(corpus, topics, seed), np.empty(0, dtype=np.int64)
    burn_in = min(BURN_IN, n_sweeps // 2)
    found = np.empty((corpus.n_docs, len(topics.tau)))
    for d, row in enumerate(found):
        row[:] = fold_in(folding.document(d), nothing, n_sweeps, burn_in).theta
    return found


def completed(
    corpus: Corpus, sets: Sequence[FrozenTopics], seed: int = defaults.SEED
) -> Completion:
    """Return how well half of each new document predicts the other half.

    Probabilities are means over the sets of topics.
    """
    observed, heldout = split_by_content(corpus, seed)
    if heldout.n_tokens == 0:
        raise InputError("all documents are empty: there is nothing to predict.")
    probabilities = np.zeros(heldout.n_entries)
    for number, topics in enumerate(sets):
        folding = Folding(observed, topics, seed, number)
        for d in np.flatnonzero(np.diff(heldout.doc_offsets)).tolist():
            entries = slice(heldout.doc_offsets[d], heldout.doc_offsets[d + 1])
            words = heldout.word_ids[entries]
            probabilities[entries] += fold_in(folding.document(d), words).probabilities
    return Completion.of(heldout, probabilities / len(sets))
