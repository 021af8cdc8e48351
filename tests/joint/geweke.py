"""Geweke's joint-distribution test ("Getting it right", 2004) for topics z and words w.

The joint law of (z, w) is sampled in two ways. Directly: θ and φ from their priors, then z, then w.
And by a chain that alternates one sweep of the sampler, which moves z given w, with a draw of the
words given z. If the sampler leaves its target where it is, every function of (z, w) has the same
mean in both.

Where priors are learned, α and β are random too: directly they come from their Gamma priors, and
the chain draws them anew after each sweep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
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
from tests.exact.runs import sweep_of

N_BATCHES = 40
"""Batch means: runs of the chain this many times shorter than it are nearly independent."""


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
    """Return independent draws."""
    alpha, beta = model.draw_alpha(n_draws, rng), model.draw_beta(n_draws, rng)
    theta = _dirichlet(np.repeat(alpha[:, None], len(model.lengths), axis=1), rng)
    topics = _categories(theta[:, model.token_docs], rng)
    words = _categories(np.take_along_axis(_dirichlet(beta, rng), topics[:, :, None], axis=1), rng)
    return Draws(topics, words, alpha, beta)


def chain_steps(
    model: Model, sampler: str | Sweep, rng: np.random.Generator, **options: object
) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield successive draws of topics, words, α and β, from a start that has the right law."""
    z, w, alpha, beta = (part[0] for part in prior_draws(model, 1, rng))
    sweep, sweep_options = sweep_of(sampler), SweepOptions(**options)
    priors = _priors(alpha, beta)
    while True:
        order = np.lexsort((z, w, model.token_docs))
        z, w = z[order], w[order]
        own = np.random.Generator(np.random.PCG64(int(rng.integers(2**63))))
        state = State(corpus=_corpus(model, w), priors=priors, topics=z.astype(np.int32), rng=own)
        sweep(state, sweep_options, 1)
        z = state.topics
        if model.learning is not None:
            learned = model.learning.updated(state, state.rng)
            alpha, beta = learned.alpha, np.broadcast_to(learned.beta.T, beta.shape)
            priors = _priors(alpha, beta)
        w = _redraw_words(z, w, beta, rng)
        yield z, w, alpha, beta


def _corpus(model: Model, words: np.ndarray) -> blocklda.Corpus:
    """Return the corpus of words in order of documents."""
    counts = np.zeros((len(model.lengths), model.n_words), dtype=np.int64)
    np.add.at(counts, (model.token_docs, words), 1)
    return _corpus_of(tuple(map(tuple, counts.tolist())))


@cache
def _corpus_of(counts: tuple[tuple[int, ...], ...]) -> blocklda.Corpus:
    """Return a corpus of counts. There are a few hundred; to check each takes as long as sweeps."""
    return blocklda.Corpus.from_matrix(np.array(counts))


def _priors(alpha: np.ndarray, beta: np.ndarray) -> Priors:
    given = beta[0, 0] if np.ptp(beta) == 0 else beta
    return Priors.create(*beta.shape, alpha, given)


def _redraw_words(
    z: np.ndarray, w: np.ndarray, beta: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw φ_k ~ Dirichlet(β_k + n_k·) and then w ~ φ_z: a Gibbs step that leaves p(w | z)."""
    n_kv = np.zeros(beta.shape)
    np.add.at(n_kv, (z, w), 1)
    return _categories(_dirichlet(n_kv + beta, rng)[z], rng)


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
        "different words": different_words,
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


@cache
def direct_means(model: Model, n_draws: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return mean and standard error of every function under independent draws.

    They are the same for every sampler, and for learning that is wrong.
    """
    rng, _ = np.random.default_rng(seed).spawn(2)
    found = functionals(model, prior_draws(model, n_draws, rng))
    return {
        name: (float(values.mean()), float(values.std() / np.sqrt(n_draws)))
        for name, values in found.items()
    }


def compare(model: Model, direct: dict[str, tuple[float, float]], successive: Draws) -> Verdict:
    """Compare means in units of their Monte Carlo error, autocorrelation included.

    The p-value is the smallest one of all functions, times their number.
    """
    observed = functionals(model, successive)
    p_values, lines = [], []
    for name, (mean, error_of_mean) in direct.items():
        batches = np.array([b.mean() for b in np.array_split(observed[name], N_BATCHES)])
        error = np.hypot(error_of_mean, stats.sem(batches))
        z = (observed[name].mean() - mean) / error
        p_values.append(2 * stats.t.sf(abs(z), N_BATCHES - 1))
        lines.append(
            f"{name}: directly {mean:.4f}, by the chain {observed[name].mean():.4f}, z {z:+.1f}"
        )
    return Verdict(min(1.0, len(p_values) * min(p_values)), "\n".join(lines))


def verdicts(
    model: Model,
    sampler: str | Sweep,
    stages: tuple[int, ...],
    seed: int,
    learning: PriorLearning | None = None,
    **options: object,
) -> Iterator[Verdict]:
    """Run the chain and compare it with ten times as many direct draws, after every stage.

    ``learning``, right or wrong, is what the chain learns its priors by, if not the model's own.
    """
    _, rng = np.random.default_rng(seed).spawn(2)
    of_chain = model if learning is None else replace(model, learning=learning)
    steps = chain_steps(of_chain, sampler, rng, **options)
    seen: list[tuple[np.ndarray, ...]] = []
    for n_draws in stages:
        seen += islice(steps, n_draws - len(seen))
        draws = Draws(*(np.array(part) for part in zip(*seen, strict=True)))
        yield compare(model, direct_means(model, 10 * n_draws, seed), draws)


def verdict(
    model: Model, sampler: str | Sweep, n_draws: int, seed: int, **options: object
) -> Verdict:
    """Return the verdict on a chain of so many draws."""
    return next(verdicts(model, sampler, (n_draws,), seed, **options))


def smallest_p_value(found: Iterator[Verdict]) -> float:
    """Return the p-value of the first verdict below REJECT, or the smallest of all."""
    p_value = 1.0
    for one in found:
        p_value = min(p_value, one.p_value)
        if p_value < REJECT:
            break
    return p_value
