"""Geweke's joint-distribution test ("Getting it right", 2004) for topics z and words w.

The joint law of (z, w) is sampled in two ways. Directly: θ and φ from their priors, then z, then w.
And by a chain that alternates one sweep of the sampler, which moves z given w, with a draw of the
words given z. If the sampler leaves its target where it is, every function of (z, w) has the same
mean in both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import gammaln

from blocklda.samplers.base import Sweep
from tests.exact.fit import Verdict
from tests.helpers import Problem, start_chain

N_BATCHES = 40
"""Batch means: runs of the chain this many times shorter than it are nearly independent."""


@dataclass(frozen=True)
class Model:
    """Document lengths and priors; the words are random."""

    lengths: tuple[int, ...]
    n_words: int
    n_topics: int
    alpha: float | tuple[float, ...]
    beta: float | tuple[tuple[float, ...], ...]

    @property
    def token_docs(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def alpha_vector(self) -> np.ndarray:
        return np.broadcast_to(np.array(self.alpha, dtype=float), self.n_topics)

    @property
    def beta_matrix(self) -> np.ndarray:
        return np.broadcast_to(np.array(self.beta, dtype=float), (self.n_topics, self.n_words))


def prior_draws(
    model: Model, n_draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return independent draws of topics and words, both (N, tokens)."""
    theta = rng.dirichlet(model.alpha_vector, size=(n_draws, len(model.lengths)))
    phi = np.stack([rng.dirichlet(row, size=n_draws) for row in model.beta_matrix], axis=1)
    topics = _categories(theta[:, model.token_docs], rng)
    words = _categories(np.take_along_axis(phi, topics[:, :, None], axis=1), rng)
    return topics, words


def chain_draws(
    model: Model, sampler: str | Sweep, n_draws: int, rng: np.random.Generator, **options: object
) -> tuple[np.ndarray, np.ndarray]:
    """Return successive draws of topics and words, from a start that has the right law."""
    (z,), (w,) = prior_draws(model, 1, rng)
    topics = np.empty((n_draws, len(z)), dtype=np.int32)
    words = np.empty_like(topics)
    for i in range(n_draws):
        z, w = _sweep_topics(model, z, w, sampler, rng, options)
        w = _redraw_words(model, z, w, rng)
        topics[i], words[i] = z, w
    return topics, words


def _sweep_topics(
    model: Model,
    z: np.ndarray,
    w: np.ndarray,
    sampler: str | Sweep,
    rng: np.random.Generator,
    options: dict[str, object],
) -> tuple[np.ndarray, np.ndarray]:
    """Advance the topics by one sweep; tokens come back grouped by document and word."""
    docs = model.token_docs
    order = np.lexsort((z, w, docs))
    counts = np.zeros((len(model.lengths), model.n_words), dtype=np.int64)
    np.add.at(counts, (docs, w), 1)
    problem = Problem(tuple(map(tuple, counts)), model.n_topics, model.alpha, model.beta)
    chain = start_chain(problem, sampler, int(rng.integers(2**63)), init=z[order], **options)
    chain.sweep()
    return chain.assignments(), w[order]


def _redraw_words(
    model: Model, z: np.ndarray, w: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw φ_k ~ Dirichlet(β_k + n_k·) and then w ~ φ_z: a Gibbs step that leaves p(w | z)."""
    n_kv = np.zeros((model.n_topics, model.n_words))
    np.add.at(n_kv, (z, w), 1)
    phi = np.stack([rng.dirichlet(row) for row in n_kv + model.beta_matrix])
    return _categories(phi[z], rng)


def _categories(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw one category per row of the last axis."""
    ends = np.cumsum(probabilities, axis=-1)
    points = rng.random(ends.shape[:-1])[..., None] * ends[..., -1:]
    return (ends <= points).sum(axis=-1).clip(max=ends.shape[-1] - 1)


def functionals(model: Model, topics: np.ndarray, words: np.ndarray) -> dict[str, np.ndarray]:
    """Return functions of (z, w) that see labels, sizes, words, and how they go together."""
    is_topic = topics[:, :, None] == np.arange(model.n_topics)
    is_word = words[:, :, None] == np.arange(model.n_words)
    in_doc = model.token_docs[:, None] == np.arange(len(model.lengths))
    n_dvk = np.einsum("ntk,ntv,td->ndvk", is_topic, is_word, in_doc, dtype=float, optimize=True)
    n_dk, n_kv = n_dvk.sum(axis=2), n_dvk.sum(axis=1).transpose(0, 2, 1)
    n_k, n_v = n_kv.sum(axis=2), n_kv.sum(axis=1)
    beta = model.beta_matrix
    return {
        "log gamma of documents": gammaln(n_dk + model.alpha_vector).sum(axis=(1, 2)),
        "log gamma of words": gammaln(n_kv + beta).sum(axis=(1, 2)),
        "log gamma of topics": gammaln(n_k + beta.sum(axis=1)).sum(axis=1),
        "squares of n_dk": (n_dk**2).sum(axis=(1, 2)),
        "squares of n_vk": (n_kv**2).sum(axis=(1, 2)),
        "squares of n_dvk": (n_dvk**2).sum(axis=(1, 2, 3)),
        "different words": (n_v > 0).sum(axis=1).astype(float),
        "largest topic": n_k.max(axis=1),
        "first topic": n_k[:, 0],
        "last topic": n_k[:, -1],
        "first word of the first topic": n_kv[:, 0, 0],
        "squared first topic": n_k[:, 0] ** 2,
    }


def compare(
    model: Model,
    direct: tuple[np.ndarray, np.ndarray],
    successive: tuple[np.ndarray, np.ndarray],
) -> Verdict:
    """Compare means in units of their Monte Carlo error, autocorrelation included.

    The p-value is the smallest one of all functions, times their number.
    """
    expected = functionals(model, *direct)
    observed = functionals(model, *successive)
    p_values, lines = [], []
    for name, values in expected.items():
        batches = np.array([b.mean() for b in np.array_split(observed[name], N_BATCHES)])
        error = np.hypot(values.std() / np.sqrt(len(values)), stats.sem(batches))
        z = (observed[name].mean() - values.mean()) / error
        p_values.append(2 * stats.t.sf(abs(z), N_BATCHES - 1))
        lines.append(
            f"{name}: directly {values.mean():.4f}, by the chain {observed[name].mean():.4f}, "
            f"z {z:+.1f}"
        )
    return Verdict(min(1.0, len(p_values) * min(p_values)), "\n".join(lines))


def verdict(
    model: Model, sampler: str | Sweep, n_draws: int, seed: int, **options: object
) -> Verdict:
    """Run both simulations and compare them; the direct one takes ten times as many draws."""
    direct, successive = np.random.default_rng(seed).spawn(2)
    return compare(
        model,
        prior_draws(model, 10 * n_draws, direct),
        chain_draws(model, sampler, n_draws, successive, **options),
    )
