"""The global step: sticks and concentrations given the topics, once a sweep.

Tables are drawn first: m_k given τ, the number of tables at which the tokens of topic k sit in all
documents. Given m everything is conjugate, and m is then forgotten:

    γ  ~ Gamma(a + K, b − log η),        η ~ Beta(γ, Σ m)
    τ  ~ Dir(m_1, …, m_K, γ)             after γ: both are drawn given the same m
    α₀ ~ Gamma(a + Σ m, b − Σ_d log η_d), η_d ~ Beta(α₀, N_d)
    β  as LDA's, with the occupied topics as rows
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.hdp.state import FREE, Levels, State, n_slots_for
from blocklda.models.lda.prior_learning.row_counts import RowCounts, word_counts
from blocklda.models.lda.prior_learning.sampled import (
    conjugate_draw,
    minus_log_eta,
    sampled,
    tables,
)
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints

__all__ = ["GlobalStep", "Learning"]

SMALLEST = float(np.finfo(np.float64).tiny)
"""No part of the stick is 0, however small γ is."""


@dataclass(frozen=True)
class Learning:
    """What is sampled beside the sticks, and the Gamma priors (shape, rate) of it."""

    alpha0: bool = True
    gamma: bool = True
    beta: bool = False
    alpha0_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS
    gamma_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS
    beta_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS

    def to_header(self) -> dict[str, Any]:
        """Return what a file holds of it."""
        return asdict(self)

    @classmethod
    def restore(cls, header: dict[str, Any]) -> Learning:
        """Return what :meth:`to_header` returned, as a file holds it."""
        flags = {name: bool(header[name]) for name in ("alpha0", "gamma", "beta")}
        priors = {f"{name}_prior": header[f"{name}_prior"] for name in flags}
        pairs = {name: (float(shape), float(rate)) for name, (shape, rate) in priors.items()}
        return cls(**flags, **pairs)  # type: ignore[arg-type]


class GlobalStep:
    """Draws of what all documents share, given the topics of a state."""

    def __init__(self, learning: Learning) -> None:
        self.learning = learning
        self._lengths: tuple[Corpus, Ints] | None = None

    def apply(self, state: State) -> None:
        """Drop empty topics, and draw sticks and concentrations."""
        at, _, above = state.counted().topic_histograms
        n_k = np.bincount(at, weights=above, minlength=state.n_slots)
        state.free_empty_slots(n_k.astype(np.int64))
        self.draw(state, self.tables(state))
        n_topics = int((state.numbers != FREE).sum())
        if 2 * state.n_slots > 3 * n_slots_for(n_topics):
            state.use_slots(n_slots_for(n_topics))

    def tables(self, state: State) -> Floats:
        """Draw m_k for every slot."""
        at, level, above = state.counted().topic_histograms
        counts = RowCounts(self.lengths(state.corpus), above, level, at, state.n_slots, width=1)
        return tables(counts, state.levels.alpha0 * state.tau, state.rng)

    def draw(self, state: State, m: Floats) -> None:
        """Draw all that follows given the tables; the order matters."""
        levels, learning = state.levels, self.learning
        gamma = self.drawn_gamma(state, m) if learning.gamma else levels.gamma
        self.draw_sticks(state, m, gamma)
        alpha0 = self.drawn_alpha0(state, m) if learning.alpha0 else levels.alpha0
        state.levels = Levels(alpha0, gamma, levels.beta)
        if learning.beta:
            beta = self.drawn_beta(state)
            state.levels = Levels(alpha0, gamma, beta)

    def drawn_gamma(self, state: State, m: Floats) -> float:
        """Draw γ given m, with τ integrated out."""
        n_topics = float((state.numbers != FREE).sum())
        total = np.array([int(m.sum())], dtype=np.int64)
        exposure = minus_log_eta(total, state.levels.gamma, state.rng)
        return self._positive(self.learning.gamma_prior, n_topics, exposure, state)

    def draw_sticks(self, state: State, m: Floats, gamma: float) -> None:
        """Draw τ given m and γ."""
        slots = np.flatnonzero(state.numbers != FREE)
        parts = state.rng.standard_gamma(np.append(m[slots], gamma))
        parts = np.maximum(parts / parts.sum(), SMALLEST)
        state.tau[slots], state.rest = parts[:-1], float(parts[-1])

    def drawn_alpha0(self, state: State, m: Floats) -> float:
        """Draw α₀ given m."""
        exposure = minus_log_eta(self.lengths(state.corpus), state.levels.alpha0, state.rng)
        return self._positive(self.learning.alpha0_prior, float(m.sum()), exposure, state)

    def lengths(self, corpus: Corpus) -> Ints:
        """Return the tokens of each document that has any, counted once for each corpus."""
        if self._lengths is None or self._lengths[0] is not corpus:
            lengths = corpus.doc_lengths()
            self._lengths = corpus, lengths[lengths > 0]
        return self._lengths[1]

    def drawn_beta(self, state: State) -> float:
        """Draw β given the words of the occupied topics."""
        counts = word_counts(state, state.counted())
        x = np.array([state.levels.beta])
        return max(float(sampled(counts, x, self.learning.beta_prior, state.rng)[0]), SMALLEST)

    @staticmethod
    def _positive(prior: tuple[float, float], shape: float, exposure: float, state: State) -> float:
        drawn = conjugate_draw(prior, np.array([shape]), exposure, state.rng)
        return max(float(drawn[0]), SMALLEST)
