"""Geweke's joint-distribution test ("Getting it right", 2004) for topics z and words w, in pairs.

The joint law of (z, w) is easy to draw from: θ and φ from their priors, then z, then w. A sweep,
which moves z given w, must leave that law where it is. So every function of (z, w) has the same
mean before a sweep and after it, and its mean difference is 0 up to its standard error. Geweke runs
one chain and redraws the words; a new draw for each sweep has the same power a sweep, and the
differences are independent.

Where priors are learned, α and β are random too: they come from their Gamma priors, and are drawn
again after the sweep.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import gammaln

import blocklda
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.state import State, SweepOptions
from tests.exact.fit import REJECT, Verdict
from tests.exact.runs import SLOW, sweep_of

N_DRAWS = 2_000
"""With as many draws all mutants of learned priors were below 1e-14 for each of three seeds, and
those of samplers below 1e-8."""

STAGES = (300, N_DRAWS, 3 * N_DRAWS)
"""Draws of mutants, each stage with its own: most are caught by the first."""


@dataclass(frozen=True)
class Model:
    """Document lengths and priors; the words are random, and so are priors that are learned."""

    lengths: tuple[int, ...]
    n_words: int
    n_topics: int
    alpha: float | tuple[float, ...] = 1.0
    beta: float | tuple[tuple[float, ...], ...] = 1.0
    learning: PriorLearning | None = None

    @cached_property
    def token_docs(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def draw_alpha(self, n_draws: int, rng: np.random.Generator) -> np.ndarray:
        """Return α, shape (N, topics)."""
        shape = (n_draws, self.n_topics)
        learned = "none" if self.learning is None else self.learning.alpha
        if learned == "none":
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


class Draws(NamedTuple):
    """Draws from the joint law: topics and words (N, tokens), α (N, K), β (N, K, V)."""

    topics: np.ndarray
    words: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray


def prior_draws(model: Model, n_draws: int, rng: np.random.Generator) -> Draws:
    """Return independent draws, the tokens of a document in order of word and topic."""
    alpha, beta = model.draw_alpha(n_draws, rng), model.draw_beta(n_draws, rng)
    theta = _dirichlet(np.repeat(alpha[:, None], len(model.lengths), axis=1), rng)
    topics = _categories(theta[:, model.token_docs], rng)
    words = _categories(np.take_along_axis(_dirichlet(beta, rng), topics[:, :, None], axis=1), rng)
    order = np.lexsort((topics, words, np.broadcast_to(model.token_docs, topics.shape)))
    in_order = [np.take_along_axis(part, order, axis=1) for part in (topics, words)]
    return Draws(*in_order, alpha, beta)


def moved_on(
    model: Model,
    sampler: str | Sweep,
    draws: Draws,
    rng: np.random.Generator,
    **options: object,
) -> Draws:
    """Return what draws have become after a sweep and a draw of the priors that are learned."""
    sweep, sweep_options = sweep_of(sampler), SweepOptions(**options)
    topics, alphas, betas = draws.topics.astype(np.int32), draws.alpha.copy(), draws.beta.copy()
    priors = _priors(alphas[0], betas[0])
    for z, counts, alpha, beta in zip(topics, _counts(model, draws), alphas, betas, strict=True):
        corpus = _corpus_of(counts.shape, counts.tobytes())
        if model.learning is not None:
            priors = _priors(alpha, beta)
        state = State(corpus=corpus, priors=priors, topics=z, rng=rng)
        sweep(state, sweep_options, 1)
        if model.learning is not None:
            learned = model.learning.updated(state, rng)
            alpha[:], beta[:] = learned.alpha, learned.beta.T
    return Draws(topics, draws.words, alphas, betas)


def _counts(model: Model, draws: Draws) -> np.ndarray:
    """Return the counts of documents and words, shape (N, documents, words)."""
    in_doc = model.token_docs[:, None] == np.arange(len(model.lengths))
    is_word = draws.words[:, :, None] == np.arange(model.n_words)
    return np.einsum("td,ntv->ndv", in_doc.astype(np.int64), is_word)


@cache
def _corpus_of(shape: tuple[int, ...], counts: bytes) -> blocklda.Corpus:
    """Return a corpus of counts. There are a few hundred; to check each takes as long as sweeps."""
    return blocklda.Corpus.from_matrix(np.frombuffer(counts, dtype=np.int64).reshape(shape))


def _priors(alpha: np.ndarray, beta: np.ndarray) -> Priors:
    given = beta[0, 0] if (beta == beta[0, 0]).all() else beta
    return Priors.create(*beta.shape, alpha, given)


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
    return weights / weights.sum(axis=-1, keepdims=True)


def _categories(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw one category per row of the last axis."""
    ends = np.cumsum(probabilities, axis=-1)
    points = rng.random(ends.shape[:-1])[..., None] * ends[..., -1:]
    return (ends <= points).sum(axis=-1).clip(max=ends.shape[-1] - 1)


def functionals(model: Model, draws: Draws) -> dict[str, np.ndarray]:
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


def compare(before: dict[str, np.ndarray], after: dict[str, np.ndarray]) -> Verdict:
    """Compare means of independent pairs in units of their standard error.

    The p-value is the smallest one of all functions, times their number.
    """
    p_values, lines = [], []
    for name, values in before.items():
        differences = after[name] - values
        z = differences.mean() / (stats.sem(differences) or 1.0)
        p_values.append(2 * stats.norm.sf(abs(z)))
        lines.append(
            f"{name}: {values.mean():.4f} before, {after[name].mean():.4f} after, z {z:+.1f}"
        )
    return Verdict(min(1.0, len(p_values) * min(p_values)), "\n".join(lines))


def n_draws_of(sampler: str) -> int:
    """Return how many draws a right sampler is tested with."""
    return N_DRAWS // 2 if sampler in SLOW else N_DRAWS


def verdict(
    model: Model,
    sampler: str | Sweep,
    n_draws: int,
    seed: int,
    learning: PriorLearning | None = None,
    **options: object,
) -> Verdict:
    """Return the verdict on so many draws.

    ``learning``, right or wrong, is what the priors are drawn by, if not the model's own.
    """
    first, second = np.random.default_rng(seed).spawn(2)
    before = prior_draws(model, n_draws, first)
    changed = model if learning is None else replace(model, learning=learning)
    after = moved_on(changed, sampler, before, second, **options)
    return compare(functionals(model, before), functionals(model, after))


def smallest_p_value(
    model: Model, sampler: str | Sweep, seed: int, learning: PriorLearning | None = None
) -> float:
    """Return the p-value of the first of STAGES that is below REJECT, or the smallest of all."""
    p_value = 1.0
    for stage, n_draws in enumerate(STAGES):
        found = verdict(model, sampler, n_draws, seed + 1_000 * stage, learning)
        p_value = min(p_value, found.p_value)
        if p_value < REJECT:
            break
    return p_value
