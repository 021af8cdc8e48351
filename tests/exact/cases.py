"""Corpora small enough to list every state, and lopsided on purpose.

Blocks of one to five tokens, an empty document, a word that never occurs, words that several
documents share, a document that is one block.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.exact.problem import Prior, Problem

LOPSIDED = ((5, 1, 0), (0, 0, 0), (0, 2, 0))
SPARSE = ((3, 1, 0), (0, 0, 0), (0, 2, 0))
SHARED = ((3, 0), (2, 1), (0, 1))
LONE_BLOCK = ((4, 0),)


@dataclass(frozen=True)
class Case:
    """A problem, and how many single-site sweeps make the next draw nearly independent.

    The number is where the measured autocorrelation of the slowest function falls below 0.004.
    """

    problem: Problem
    thin: int


ALPHA: dict[str, dict[int, Prior]] = {
    "symmetric alpha": {2: 0.6, 3: 0.4},
    "asymmetric alpha": {2: (0.3, 1.2), 3: (0.3, 1.2, 0.6)},
}
BETA: dict[str, dict[int, Prior]] = {
    "small beta": {2: 0.02, 3: 0.02},
    "beta 0.5": {2: 0.5, 3: 0.5},
    "beta matrix": {
        2: ((0.2, 0.9, 0.4), (0.7, 0.3, 1.5)),
        3: ((0.2, 0.9, 0.4), (0.7, 0.3, 1.5), (1.1, 0.5, 0.2)),
    },
}
# A small β holds the tokens of a word together; few of them part often enough to be tested.
CORPUS = {"small beta": SPARSE, "beta 0.5": LOPSIDED, "beta matrix": LOPSIDED}

THIN = {
    (2, "symmetric alpha", "small beta"): 700,
    (2, "asymmetric alpha", "small beta"): 400,
    (3, "symmetric alpha", "small beta"): 80,
    (3, "asymmetric alpha", "small beta"): 140,
}

PRODUCT: dict[str, Case] = {
    f"{K} topics, {alpha_name}, {beta_name}": Case(
        Problem(CORPUS[beta_name], K, alpha[K], beta[K]),
        THIN.get((K, alpha_name, beta_name), 70 if K == 2 else 45),
    )
    for K in (2, 3)
    for alpha_name, alpha in ALPHA.items()
    for beta_name, beta in BETA.items()
}
"""Every kind of α with every kind of β."""

PAIRS: dict[str, Case] = {
    name: PRODUCT[name]
    for name in (
        "2 topics, symmetric alpha, small beta",
        "2 topics, asymmetric alpha, beta 0.5",
        "2 topics, symmetric alpha, beta matrix",
        "3 topics, asymmetric alpha, small beta",
        "3 topics, symmetric alpha, beta 0.5",
        "3 topics, asymmetric alpha, beta matrix",
    )
}
"""Half of the product that has each two of topics, α and β together."""

SHAPES: dict[str, Case] = {
    "word in several documents": Case(Problem(SHARED, 3, 0.8, 0.7), 12),
    "one block": Case(Problem(LONE_BLOCK, 3, 0.7, 0.3), 16),
    # Trees over 5, 9 and 17 topics have nodes without a partner, and from 9 on several chunks.
    "5 topics": Case(Problem(((2, 1), (0, 1)), 5, (0.5, 0.2, 0.9, 0.4, 0.7), 0.4), 8),
    "9 topics, 2 tokens": Case(Problem(((2,), (1,)), 9, 0.3, 0.4), 8),
    "9 topics, 3 tokens": Case(Problem(((3, 0),), 9, 0.3, 0.4), 10),
    "9 topics, 4 tokens": Case(Problem(((4, 0),), 9, 0.3, 0.4), 12),
    "17 topics": Case(Problem(((3, 0),), 17, 0.2, 0.4), 10),
    "one topic": Case(Problem(LOPSIDED, 1, 0.3, 0.4), 1),
}
"""Shapes of corpora and of the tree over topics."""

CASES = PRODUCT | SHAPES
FEWER_CASES = PAIRS | SHAPES
"""For what is slow."""

REVEALING = Problem(((0, 4), (1, 0)), 2, (0.8, 0.4), 0.3)
"""A problem on which every mutant shows soon: few states, small priors that all differ."""

GRID_REVEALING = Problem(((2, 1), (1, 2)), 2, (0.8, 0.4), 0.3)
"""One on which mistakes on a grid show: two groups of words, with tokens of both documents."""

ORDER_REVEALING = Problem(((6,), (1,)), 2, (0.3, 0.9), 0.3)
"""A large block, in which the order of the tokens shows after a single sweep."""
