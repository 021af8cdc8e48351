"""Corpora small enough to list every state, and lopsided on purpose.

Blocks of one to five tokens, an empty document, a word that never occurs, words that several
documents share, and a document that is one block.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.helpers import Prior, Problem

LOPSIDED = ((5, 1, 0), (0, 0, 0), (0, 2, 0))
SHARED = ((3, 0), (2, 1), (0, 1))
SPARSE = ((3, 1, 0), (0, 0, 0), (0, 2, 0))
LONE_BLOCK = ((4, 0),)


@dataclass(frozen=True)
class Case:
    """A problem, and the sweeps between two nearly independent draws of a token-wise sampler."""

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
# A small β holds tokens of one word together, and the fewer there are the sooner they part.
CORPUS = {"small beta": SPARSE, "beta 0.5": LOPSIDED, "beta matrix": LOPSIDED}


def _product() -> dict[str, Problem]:
    return {
        f"{K} topics, {alpha_name}, {beta_name}": Problem(
            CORPUS[beta_name], K, alpha[K], beta[K]
        )
        for K in (2, 3)
        for alpha_name, alpha in ALPHA.items()
        for beta_name, beta in BETA.items()
    }
PRODUCT=_product()
FURTHER: dict[str, Problem] = {
    "word in several documents": Problem(SHARED, 3, 0.8, 0.7),
    "one block": Problem(LONE_BLOCK, 3, 0.7, 0.3),
    "5 topics": Problem(((2, 1), (0, 1)), 5, (0.5, 0.2, 0.9, 0.4, 0.7), 0.4),
    "9 topics": Problem(((2,), (1,)), 9, 0.3, 0.4),
    "9 topics, 3 tokens": Problem(((3, 0),), 9, 0.3, 0.4),
    "9 topics, 4 tokens": Problem(((4, 0),), 9, 0.3, 0.4),
    "17 topics": Problem(((2, 0),), 17, 0.2, 0.4),
}
