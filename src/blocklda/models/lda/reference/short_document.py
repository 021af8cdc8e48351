"""The posterior mean of θ of a short document, φ known: summed exactly, without a draw.

The tokens' topics divide them into groups, one for each topic that occurs. Summed over topics,

    p(w) ∝ Σ over partitions ∏ over groups B  (|B| − 1)! P_B,   P_B = Σ_k α_k ∏_{i ∈ B} φ_{k w_i},

as in a Chinese restaurant: ∏_k (1 − Σ_v φ_kv x_v)^−α_k is the exponential of
Σ_B (|B| − 1)! / B! P_B x^B. B runs over the vectors of counts up to the document's, S of them;
2^N if no word occurs twice. P takes S K products, and the partitions, which know nothing of topics,
at most 3^N. Nothing is subtracted.
"""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.reference.draw import is_positive_number, sum_in_lanes
from blocklda.support.arrays import Floats, Int32s

__all__ = ["MOST_TOKENS", "count_states", "mean_theta"]


MOST_TOKENS = 32
"""With more tokens 1 / B! may leave the range of doubles."""


def count_states(counts: Int32s) -> float:
    """Return S, the number of vectors of counts up to these; infinity with too many tokens."""
    if counts.sum() > MOST_TOKENS:
        return np.inf
    return float(np.prod(counts + 1.0))


def mean_theta(phi_rows: Floats, counts: Int32s, alpha: Floats) -> Floats | None:
    """Return E[θ | w] of a document with ``phi_rows`` (entries, topics), or None out of range.

    n_dk is a sum over the groups in topic k of their sizes, and B is one of them with the
    probability |B|! / B! α_k ∏_e φ_ke^b_e Z_{C − B} / Z_C, Z the sums over partitions.

    φ_ke is divided by Σ_k α_k φ_ke. That makes every single token a group of weight 1, so the sum
    over partitions is at least 1 / C!: whatever falls below the range of doubles is too small to
    matter.
    """
    totals = [sum_in_lanes(alpha * row) for row in phi_rows]
    if not all(is_positive_number(total) for total in totals):
        return None
    f = [row * (1.0 / total) for row, total in zip(phi_rows, totals, strict=True)]
    n_states = int(np.prod(counts + 1))
    states = np.indices((counts[::-1] + 1).tolist()).reshape(len(counts), n_states)[::-1]
    sizes, shares = groups_of(states)
    products = [alpha]
    with np.errstate(over="ignore", invalid="ignore"):
        for state in states.T[1:]:
            last = int(np.flatnonzero(state)[-1])
            stride = int(np.prod(counts[:last] + 1))
            products.append(products[len(products) - stride] * f[last])
        weights = np.array([sum_in_lanes(p) for p in products]) * shares
        partitions = sums_over_partitions(states, weights)
    whole = float(partitions[-1])
    if not is_positive_number(whole):
        return None
    adds = sizes * shares * partitions[::-1] / whole
    a = alpha
    for product, add in zip(products[1:], adds[1:], strict=True):
        a = a + product * add
    mean: Floats = a / sum_in_lanes(a)
    return mean


def groups_of(states: Int32s) -> tuple[Floats, Floats]:
    """Return |B| and (|B| − 1)! / B! of every state, the latter token by token."""
    sizes = states.sum(axis=0).astype(np.float64)
    shares = np.zeros(len(sizes))
    for s, state in enumerate(states.T):
        share, size = 1.0, 0.0
        for count in state:
            for b in range(1, int(count) + 1):
                share = share * size / b if size > 0 else 1.0
                size += 1.0
        shares[s] = share if s > 0 else 0.0
    return sizes, shares


def sums_over_partitions(states: Int32s, weights: Floats) -> Floats:
    """Return Z of every state: Z_J = 1 / j_e Σ_{B ≤ J} b_e G_B Z_{J − B}, e the last word of J.

    These are the groups that one of the tokens of the last word may be in.
    """
    sums = np.zeros(len(weights))
    sums[0] = 1.0
    for j in range(1, len(sums)):
        last = int(np.flatnonzero(states[:, j])[-1])
        smaller, top = states[:, : j + 1], states[:, j : j + 1]
        groups = np.flatnonzero((smaller[last] > 0) & (smaller <= top).all(axis=0))
        terms = (weights[groups] * states[last, groups]) * sums[j - groups]
        # One after the other, as the kernel adds them: `sum` would add by halves.
        sums[j] = np.add.accumulate(terms)[-1] / float(states[last, j])
    return sums
