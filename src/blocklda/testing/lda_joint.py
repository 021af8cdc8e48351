"""Joint draws of LDA: topics z and words w, and α and β where they are learned.

θ and φ are drawn from their priors, then z, then w. Where priors are learned, α and β come from
their Gamma priors, and are drawn again after the sweep.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from blocklda.data.corpus import Corpus
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.state import State, SweepOptions
from blocklda.testing.base import Sweep

__all__ = ["Draws", "LDAJoint"]


@dataclass(frozen=True)
class LDAJoint:
    """Document lengths and priors; the words are random, and so are priors that are learned.

    Examples
    --------
    >>> import numpy as np
    >>> from blocklda import testing
    >>> joint = testing.LDAJoint((5, 3), n_words=2, n_topics=2, alpha=0.5, beta=0.3)
    >>> joint.population(10, np.random.default_rng(1)).words.shape
    (10, 8)
    """

    lengths: tuple[int, ...]
    n_words: int
    n_topics: int
    alpha: float | tuple[float, ...] = 1.0
    beta: float | tuple[tuple[float, ...], ...] = 1.0
    learning: PriorLearning | None = None
    options: SweepOptions = field(default_factory=SweepOptions)

    @cached_property
    def token_docs(self) -> np.ndarray:
        """The document of each token."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def draw_alpha(self, n_draws: int, rng: np.random.Generator) -> np.ndarray:
        """Return α, shape (N, topics)."""
        shape = (n_draws, self.n_topics)
        learned = "none" if self.learning is None else self.learning.alpha
        if self.learning is None or learned == "none":
            return np.broadcast_to(np.array(self.alpha, dtype=float), shape)
        n_numbers = self.n_topics if learned == "asymmetric" else 1
        numbers = _gamma(self.learning.alpha_prior, (n_draws, n_numbers), rng)
        return np.broadcast_to(numbers, shape)

    def draw_beta(self, n_draws: int, rng: np.random.Generator) -> np.ndarray:
        """Return β_kv, shape (N, topics, words)."""
        shape = (n_draws, self.n_topics, self.n_words)
        if self.learning is None or self.learning.beta == "none":
            return np.broadcast_to(np.array(self.beta, dtype=float), shape)
        return np.broadcast_to(_gamma(self.learning.beta_prior, (n_draws, 1, 1), rng), shape)

    # --- for `geweke` and `ranks_of_truths`

    def population(self, n_draws: int, rng: np.random.Generator) -> Draws:
        """Return independent draws from the joint distribution."""
        return _prior_draws(self, n_draws, rng)

    def advanced(
        self, population: Draws, sweep: Sweep, n_sweeps: int, rng: np.random.Generator
    ) -> Draws:
        """Return what draws become after some sweeps and draws of the priors that are learned."""
        return _advanced(self, population, sweep, n_sweeps, rng)

    def functions(self, population: Draws) -> dict[str, Any]:
        """Return functions of a draw that see labels, sizes, words, and how they go together."""
        return _functions(self, population)


class Draws(NamedTuple):
    """Draws from the joint distribution: topics and words (N, tokens), α (N, K), β (N, K, V)."""

    topics: np.ndarray
    words: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray


def _prior_draws(model: LDAJoint, n_draws: int, rng: np.random.Generator) -> Draws:
    """Return independent draws, the tokens of a document in order of word and topic."""
    alpha, beta = model.draw_alpha(n_draws, rng), model.draw_beta(n_draws, rng)
    theta = _dirichlet(np.repeat(alpha[:, None], len(model.lengths), axis=1), rng)
    topics = _categories(theta[:, model.token_docs], rng)
    words = _categories(np.take_along_axis(_dirichlet(beta, rng), topics[:, :, None], axis=1), rng)
    order = np.lexsort((topics, words, np.broadcast_to(model.token_docs, topics.shape)))
    topics, words = (np.take_along_axis(part, order, axis=1) for part in (topics, words))
    return Draws(topics, words, alpha, beta)


def _advanced(
    model: LDAJoint, draws: Draws, sweep: Sweep, n_sweeps: int, rng: np.random.Generator
) -> Draws:
    """Return what draws become after sweeps, each followed by a draw of priors that are learned."""
    topics, alphas, betas = draws.topics.astype(np.int32), draws.alpha.copy(), draws.beta.copy()
    priors = _priors(alphas[0], betas[0])
    for z, counts, alpha, beta in zip(topics, _counts(model, draws), alphas, betas, strict=True):
        corpus = _corpus_of(counts.shape, counts.tobytes())
        if model.learning is None:
            state = State(corpus=corpus, priors=priors, topics=z, rng=rng)
            sweep(state, model.options, n_sweeps)
            continue
        state = State(corpus=corpus, priors=_priors(alpha, beta), topics=z, rng=rng)
        for _ in range(n_sweeps):
            sweep(state, model.options, 1)
            state.forget_derived()
            state.priors = model.learning.updated(state, rng)
        alpha[:], beta[:] = state.priors.alpha, state.priors.beta.T
    return Draws(topics, draws.words, alphas, betas)


def _counts(model: LDAJoint, draws: Draws) -> np.ndarray:
    """Return the counts of documents and words, shape (N, documents, words)."""
    in_doc = model.token_docs[:, None] == np.arange(len(model.lengths))
    is_word = draws.words[:, :, None] == np.arange(model.n_words)
    return np.asarray(np.einsum("td,ntv->ndv", in_doc.astype(np.int64), is_word))


@cache
def _corpus_of(shape: tuple[int, ...], counts: bytes) -> Corpus:
    """Return a corpus of counts. There are a few hundred; to check each takes as long as sweeps."""
    return Corpus.from_matrix(np.frombuffer(counts, dtype=np.int64).reshape(shape))


def _priors(alpha: np.ndarray, beta: np.ndarray) -> Priors:
    given = beta[0, 0] if (beta == beta[0, 0]).all() else beta
    return Priors.create(beta.shape[0], beta.shape[1], alpha, given)


def _gamma(
    prior: tuple[float, float], size: tuple[int, ...], rng: np.random.Generator
) -> np.ndarray:
    shape, rate = prior
    return rng.gamma(shape, 1 / rate, size)


def _dirichlet(parameters: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw one distribution per row of the last axis.

    By the logarithms of Gamma variates, which for small parameters are themselves 0 in doubles:
    Gamma(x) is Gamma(x + 1) times the 1/x-th power of a uniform.
    """
    logs = np.log(rng.standard_gamma(parameters + 1))
    logs -= rng.standard_exponential(parameters.shape) / parameters
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _categories(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw one category per row of the last axis."""
    ends = np.cumsum(probabilities, axis=-1)
    points = rng.random(ends.shape[:-1])[..., None] * ends[..., -1:]
    return np.asarray((ends <= points).sum(axis=-1).clip(max=ends.shape[-1] - 1))


def _functions(model: LDAJoint, draws: Draws) -> dict[str, Any]:
    """Return functions of a draw that see labels, sizes, words, and how they go together."""
    topics, words, alpha, beta = draws
    is_topic = topics[:, :, None] == np.arange(model.n_topics)
    is_word = words[:, :, None] == np.arange(model.n_words)
    in_doc = model.token_docs[:, None] == np.arange(len(model.lengths))
    n_dvk = np.einsum("ntk,ntv,td->ndvk", is_topic, is_word, in_doc, dtype=float, optimize=True)
    n_dk, n_kv = n_dvk.sum(axis=2), n_dvk.sum(axis=1).transpose(0, 2, 1)
    n_k, n_v = n_kv.sum(axis=2), n_kv.sum(axis=1)
    different_words = (n_v > 0).sum(axis=1).astype(float)
    found = {
        "log gamma of documents": gammaln(n_dk + alpha[:, None]).sum(axis=(1, 2)),
        "log gamma of words": gammaln(n_kv + beta).sum(axis=(1, 2)),
        "log gamma of topics": gammaln(n_k + beta.sum(axis=2)).sum(axis=1),
        "squares of n_dk": (n_dk**2).sum(axis=(1, 2)),
        "squares of n_vk": (n_kv**2).sum(axis=(1, 2)),
        "squares of n_dvk": (n_dvk**2).sum(axis=(1, 2, 3)),
        "largest topic": n_k.max(axis=1),
        "first topic": n_k[:, 0],
        "last topic": n_k[:, -1],
        "first word of the first topic": n_kv[:, 0, 0],
        "squared first topic": n_k[:, 0] ** 2,
    }
    if model.learning is not None and model.learning.alpha != "none":
        found |= {
            "sum of alpha": alpha.sum(axis=1),
            "first alpha": alpha[:, 0],
            "log of the last alpha": np.log(alpha[:, -1]),
            "squared first alpha": alpha[:, 0] ** 2,
            "first alpha times first topic": alpha[:, 0] * n_k[:, 0],
            "sum of alpha times squares of n_dk": alpha.sum(axis=1) * (n_dk**2).sum(axis=(1, 2)),
        }
    if model.learning is not None and model.learning.beta != "none":
        found |= {
            "beta": beta[:, 0, 0],
            "log of beta": np.log(beta[:, 0, 0]),
            "squared beta": beta[:, 0, 0] ** 2,
            "beta times different words": beta[:, 0, 0] * different_words,
        }
    return found
