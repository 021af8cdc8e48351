"""The partially collapsed sampler: φ given z, then the tokens of every document given φ.

With up to `DENSE_UP_TO` topics tokens are drawn one by one, each with the weights

    (n_dk + α_k) φ_kv

without the token. With more topics blocks are drawn, on lists of the topics that a document uses.
With the block taken out, a_k = n_dk + α_k and f_k = φ_kv, its counts n_k have the distribution
∏_k a_k^(n_k) f_k^n_k / n_k!, whose generating function is the exponential of power sums,

    ∏_k (1 − f_k x)^−a_k = exp(Σ_j P_j x^j / j),   P_j = Σ_k a_k f_k^j,

so its coefficients follow from n h_n = Σ_j P_j h_(n−j). The terms of that sum are weights of a
draw. The n tokens are the points of a permutation, and a cycle of length j has topic k with the
weight a_k f_k^j: all permutations whose cycles of topic k hold n_k points weigh n! times the law
above. The cycle of the first point has length j with the weight P_j h_(n−j); n − j tokens are left.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from blocklda.data.pieces import word_pieces
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference.draw import (
    check_total,
    draw_token,
    shuffle_tokens,
    topic_at,
)
from blocklda.models.lda.reference.fold_in import DocumentTopics, total_of
from blocklda.models.lda.samplers.partially_collapsed.documents import (
    DocumentPiece,
    cut_documents,
    sweep_piece,
    uses_lists,
)
from blocklda.models.lda.samplers.partially_collapsed.phi import (
    Phi,
    draw_gammas,
    finish_phi,
    inverse_totals,
    topics_anew,
    weakened,
)
from blocklda.models.lda.samplers.partially_collapsed.sweep import largest_block, word_block_sizes
from blocklda.models.lda.samplers.powers import WHOLE
from blocklda.models.lda.samplers.sweep_streams import SweepKey, sweep_key
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.arrays import Floats, Int32s

__all__ = ["draw_cycles", "sweep", "sweep_at_power", "update"]


def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Draw φ, then all documents, ``n_sweeps`` times; return the number of draws."""
    return sweep_at_power(state, options, n_sweeps, WHOLE)


def sweep_at_power(state: State, options: SweepOptions, n_sweeps: int, sixteenths: int) -> int:
    """Do the same with the likelihood to a power, of which 16 sixteenths are the whole."""
    steps = 0
    largest = largest_block(options.max_block)
    pieces = cut_documents(state.corpus, options.shards)
    for _ in range(n_sweeps):
        key = sweep_key(state.rng)
        phi = draw_phi(state, key, largest, sixteenths)
        for piece in pieces:
            steps += sweep_piece(
                state.corpus, piece, phi, state.priors, largest, state.topics, key, sweep_documents
            )
    return steps


def draw_phi(state: State, key: SweepKey, largest: int, sixteenths: int = WHOLE) -> Phi:
    """Draw φ given the topics of all tokens."""
    corpus, priors = state.corpus, state.priors
    sizes = word_block_sizes(corpus, largest)
    phi = Phi.empty(corpus.n_words, priors.n_topics, int(sizes.max(initial=1)))
    n_vk = state.word_topic_counts()
    phi.rows[:, : priors.n_topics] = weakened(n_vk, sixteenths, priors.beta)
    pieces = word_pieces(corpus.n_words, priors.n_topics)
    if pieces:
        sums = [draw_gammas(phi.rows[slice(*p)], priors.n_topics, key, p) for p in pieces]
        inverse, anew = inverse_totals(sums, priors.n_topics)
        drawn = anew, topics_anew(priors, corpus.n_words, anew, key)
        for piece in pieces:
            finish_phi(phi, piece, inverse, drawn, priors, sizes, phi_rows, sixteenths)
    return phi


def phi_rows(
    rows: Floats,
    inverse: Floats,
    priors: Priors,
    sizes: Int32s,
    alpha_powers: Floats,
) -> None:
    """Divide gamma draws by the totals of their topics and add up α_k φ_kv^j."""
    rows *= inverse
    for phi_v, size, powers in zip(rows, sizes, alpha_powers, strict=True):
        weights = priors.padded[0] * phi_v
        for j in range(size):
            powers[j] = total_of(weights)
            weights = weights * phi_v


def sweep_documents(
    piece: DocumentPiece,
    phi: Phi,
    priors: Priors,
    max_block: int,
    topics: Int32s,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Draw the topics of some documents; return the number of draws, and that no entry failed."""
    by = sweep_blocks if uses_lists(priors.n_topics) else sweep_tokens
    return by(piece, phi, priors, max_block, topics, rng), -1


def sweep_tokens(
    piece: DocumentPiece,
    phi: Phi,
    priors: Priors,
    _: int,
    topics: Int32s,
    rng: np.random.Generator,
) -> int:
    """Draw tokens one by one, over all topics.

    The tokens of one word come together, so that φ of the word is read once; other documents do not
    matter to a token.
    """
    alpha = priors.padded[0]
    n_docs = len(piece.doc_offsets) - 1
    docs = np.repeat(np.arange(n_docs), np.diff(piece.doc_offsets))
    n_dk = np.zeros((n_docs, len(alpha)), dtype=np.int64)
    np.add.at(n_dk, (np.repeat(docs, piece.counts), topics), 1)
    ends = np.cumsum(piece.counts, dtype=np.int64)
    for e in piece.entries:
        n_d, phi_v = n_dk[docs[e]], phi.rows[piece.word_ids[e]]
        tokens = topics[ends[e] - piece.counts[e] : ends[e]]
        shuffle_tokens(tokens, rng)
        for t, old in enumerate(tokens.tolist()):
            n_d[old] -= 1
            tokens[t] = draw_token((n_d + alpha) * phi_v, old, rng.random())
            n_d[tokens[t]] += 1
    return len(topics)


def sweep_blocks(
    piece: DocumentPiece,
    phi: Phi,
    priors: Priors,
    max_block: int,
    topics: Int32s,
    rng: np.random.Generator,
) -> int:
    """Draw blocks, document by document."""
    alpha = priors.padded[0]
    steps, end = 0, 0
    for first, last in pairwise(piece.doc_offsets):
        document, begin = ListedDocument(alpha), end
        end += int(piece.counts[first:last].sum())
        for k in topics[begin:end]:
            document.add(int(k))
        for e in range(first, last):
            word, block = piece.word_ids[e], topics[begin : begin + piece.counts[e]]
            begin += int(piece.counts[e])
            if len(block) > max_block:
                shuffle_tokens(block, rng)
            for at in range(0, len(block), max_block):
                part = block[at : at + max_block]
                steps += update(document, part, phi.rows[word], phi.alpha_powers[word], rng)
    return steps


def update(
    document: ListedDocument,
    block: Int32s,
    phi_v: Floats,
    alpha_powers: Floats,
    rng: np.random.Generator,
) -> int:
    """Draw the topics of a block given φ; return the number of draws it took."""
    for k in block:
        document.remove(int(k))
    document.weigh_powers(phi_v, alpha_powers, len(block))
    cycles = draw_cycles(document, len(block), rng)
    block[:] = np.repeat(*np.array(cycles).T)
    for k in block:
        document.add(int(k))
    return len(cycles)


class ListedDocument(DocumentTopics):
    """The topics that a document uses, and α over all topics apart from them."""

    def weigh_powers(self, phi_v: Floats, alpha_powers: Floats, size: int) -> None:
        """Weigh a block; ``powers[j - 1]`` is then P_j."""
        phi_listed = phi_v[self.topics]
        self.phi_v = phi_v
        self.weights = _times_powers(np.array(self.n_dk), phi_listed, size)
        self.listed_totals = [total_of(weights) for weights in self.weights]
        self.powers = [t + float(a) for t, a in zip(self.listed_totals, alpha_powers, strict=False)]

    def topic_at(self, power: int, point: float) -> int:
        """Return the topic at a point below P_j: first the listed topics, then α over all."""
        listed = self.listed_totals[power - 1]
        if point < listed:
            return self.topics[topic_at(self.weights[power - 1], point)]
        return topic_at(_times_powers(self.alpha, self.phi_v, power)[-1], point - listed)


def _times_powers(a: Floats, phi: Floats, size: int) -> list[Floats]:
    """Return a φ, a φ², … up to the power ``size``."""
    weights = [a * phi]
    for _ in range(1, size):
        weights.append(weights[-1] * phi)
    return weights


def draw_cycles(
    document: ListedDocument, size: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Return cycles: topics, and how many tokens each gets; a topic may come several times."""
    powers = [0.0, *document.powers]
    h, sums = [1.0], [0.0]
    for n in range(1, size + 1):
        total = powers[1] * h[n - 1]
        for j in range(2, n + 1):
            total += powers[j] * h[n - j]
        sums.append(total)
        h.append(total / n)
    check_total(sums[size])
    cycles, left = [], size
    while left:
        point, length = rng.random() * sums[left], 1
        while length < left and powers[length + 1] > 0:
            weight = powers[length] * h[left - length]
            if point < weight:
                break
            point -= weight
            length += 1
        # What is left of the point is uniform below the cycle's weight.
        cycles.append((document.topic_at(length, point / h[left - length]), length))
        left -= length
    return cycles
