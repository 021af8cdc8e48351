"""The partially collapsed sampler: φ given z, then the blocks of every document given φ.

With the block taken out, a_k = n_dk + α_k and f_k = φ_kv, its counts n_k have the law
∏_k a_k^(n_k) f_k^n_k / n_k!, whose generating function is the exponential of power sums,

    ∏_k (1 − f_k x)^−a_k = exp(Σ_j P_j x^j / j),   P_j = Σ_k a_k f_k^j,

so its coefficients follow from n h_n = Σ_j P_j h_(n−j). The terms of that sum are weights of a
draw. The n tokens are the points of a permutation, and a cycle of length j has topic k with the
weight a_k f_k^j: all permutations whose cycles of topic k hold n_k points weigh n! times the law
above. The cycle of the first point has length j with the weight P_j h_(n−j); n − j tokens are left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from blocklda.partially_collapsed.documents import DocumentPiece, cut_documents, sweep_piece
from blocklda.partially_collapsed.phi import (
    Phi,
    draw_gammas,
    finish_phi,
    inverse_totals,
    topics_anew,
)
from blocklda.partially_collapsed.pieces import word_pieces
from blocklda.partially_collapsed.streams import SweepKey, sweep_key
from blocklda.partially_collapsed.sweep import largest_block, word_block_sizes
from blocklda.priors import Priors
from blocklda.reference.draw import check_total, shuffle_tokens, topic_at
from blocklda.reference.fold_in import DocumentTopics, total_of
from blocklda.state import State, SweepOptions

__all__ = ["draw_block", "sweep"]

FloatArray = NDArray[np.float64]


def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Draw φ, then all documents, ``n_sweeps`` times; return the number of draws."""
    steps = 0
    largest = largest_block(options.max_block)
    pieces = cut_documents(state.corpus, options.shards)
    for _ in range(n_sweeps):
        key = sweep_key(state.rng)
        phi = draw_phi(state, key, largest)
        for piece in pieces:
            steps += sweep_piece(
                state.corpus, piece, phi, state.priors, largest, state.topics, key, sweep_documents
            )
    return steps


def draw_phi(state: State, key: SweepKey, largest: int) -> Phi:
    """Draw φ given the topics of all tokens."""
    corpus, priors = state.corpus, state.priors
    sizes = word_block_sizes(corpus, largest)
    phi = Phi.empty(corpus.n_words, priors.n_topics, int(sizes.max(initial=1)))
    phi.rows[:, : priors.n_topics] = state.word_topic_counts() + priors.beta
    pieces = word_pieces(corpus.n_words, priors.n_topics)
    if pieces:
        sums = [draw_gammas(phi.rows[slice(*p)], priors.n_topics, key, p) for p in pieces]
        inverse, anew = inverse_totals(sums, priors.n_topics)
        drawn = anew, topics_anew(priors, corpus.n_words, anew, key)
        for piece in pieces:
            finish_phi(phi, piece, inverse, drawn, priors, sizes, phi_rows)
    return phi


def phi_rows(
    rows: FloatArray,
    inverse: FloatArray,
    alpha: FloatArray,
    sizes: NDArray[np.int32],
    alpha_powers: FloatArray,
) -> None:
    """Divide gamma draws by the totals of their topics and add up α_k φ_kv^j."""
    rows *= inverse
    for phi_v, size, powers in zip(rows, sizes, alpha_powers, strict=True):
        weights = alpha * phi_v
        for j in range(size):
            powers[j] = total_of(weights)
            weights = weights * phi_v


def sweep_documents(
    piece: DocumentPiece,
    phi: Phi,
    priors: Priors,
    max_block: int,
    topics: NDArray[np.int32],
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Draw the topics of some documents, block by block."""
    steps = 0
    alpha = priors.padded[0]
    ends = np.cumsum(piece.counts, dtype=np.int64)
    starts = ends - piece.counts
    for first, last in zip(piece.doc_offsets[:-1], piece.doc_offsets[1:], strict=True):
        document = DocumentTopics(alpha)
        for k in topics[starts[first] : ends[last - 1]] if last > first else ():
            document.add(int(k))
        for e in range(first, last):
            word, block = piece.word_ids[e], topics[starts[e] : ends[e]]
            if len(block) > max_block:
                shuffle_tokens(block, rng)
            for at in range(0, len(block), max_block):
                part = block[at : at + max_block]
                steps += _update(document, part, phi.rows[word], phi.alpha_powers[word], rng)
    return steps, -1


def _update(
    document: DocumentTopics,
    block: NDArray[np.int32],
    phi_v: FloatArray,
    alpha_powers: FloatArray,
    rng: np.random.Generator,
) -> int:
    for k in block:
        document.remove(int(k))
    cycles = draw_block(document, phi_v, alpha_powers, len(block), rng)
    block[:] = np.repeat(*np.array(cycles).T)
    for k, length in cycles:
        for _ in range(length):
            document.add(k)
    return len(cycles)


def draw_block(
    document: DocumentTopics,
    phi_v: FloatArray,
    alpha_powers: FloatArray,
    size: int,
    rng: np.random.Generator,
) -> list[tuple[int, int]]:
    """Return cycles: topics, and how many tokens each gets; a topic may come several times."""
    phi_listed = phi_v[document.topics]
    listed = [np.array(document.n_dk) * phi_listed]
    for _ in range(1, size):
        listed.append(listed[-1] * phi_listed)
    totals = [total_of(weights) for weights in listed]
    powers = [0.0] + [t + float(a) for t, a in zip(totals, alpha_powers, strict=False)]
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
        point /= h[left - length]
        if point < totals[length - 1]:
            topic = document.topics[topic_at(listed[length - 1], point)]
        else:
            prior = document.alpha * phi_v
            for _ in range(1, length):
                prior = prior * phi_v
            topic = topic_at(prior, point - totals[length - 1])
        cycles.append((topic, length))
        left -= length
    return cycles
