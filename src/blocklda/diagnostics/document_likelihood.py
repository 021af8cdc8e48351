"""The log likelihood of each training document in each kept draw, for ArviZ.

A draw holds topics of tokens; given them θ and φ are Dirichlet and are drawn. So (θ, φ) is a draw
from the posterior, and log p(w_d | θ_d, φ) = Σ_v n_dv log Σ_k θ_dk φ_kv.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.lda.draw import Draw
from blocklda.results.result import FitResult
from blocklda.support import defaults
from blocklda.support.arrays import Floats, Ints
from blocklda.support.checks import random_generator
from blocklda.support.memory import require_memory

__all__ = ["document_log_likelihood", "draws_by_chain"]

CELLS = 2**22
"""Numbers of θ and φ that are multiplied at a time."""


def draws_by_chain(model: FitResult) -> tuple[Ints, list[list[Draw]]]:
    """Return the sweeps of the kept draws, and the draws of each chain."""
    chains = [[draw for draw in model.draws if draw.chain == c] for c in range(model.n_chains)]
    return np.array([draw.sweep for draw in chains[0]]), chains


def document_log_likelihood(model: FitResult, seed: Any = defaults.SEED) -> Floats:
    """Return log p(w_d | θ_d, φ), shape (chains, draws, documents); 0 for an empty document."""
    _, chains = draws_by_chain(model)
    require_memory(
        8 * len(model.draws) * model.corpus.n_docs,
        f"a log likelihood of {model.corpus.n_docs} documents in {len(model.draws)} draws",
        "keep fewer draws, for example with keep_draws=16",
    )
    generator = random_generator(seed)
    return np.array([[_of_draw(draw, generator) for draw in chain] for chain in chains])


def _of_draw(draw: Draw, generator: np.random.Generator) -> Floats:
    corpus: Corpus = draw.corpus
    theta = _dirichlet(draw.doc_topic_counts() + draw.priors.alpha, generator)
    phi = _dirichlet((draw.word_topic_counts() + draw.priors.beta).T, generator).T
    docs = np.repeat(np.arange(corpus.n_docs), np.diff(corpus.doc_offsets))
    logs = np.empty(corpus.n_entries)
    step = max(1, CELLS // draw.priors.n_topics)
    for start in range(0, corpus.n_entries, step):
        piece = slice(start, start + step)
        rates = (theta[docs[piece]] * phi[corpus.word_ids[piece]]).sum(axis=1)
        logs[piece] = np.log(rates) * corpus.counts[piece]
    return np.asarray(np.bincount(docs, logs, corpus.n_docs), dtype=np.float64)


def _dirichlet(weights: Floats, generator: np.random.Generator) -> Floats:
    """Return a Dirichlet draw for each row."""
    drawn = generator.standard_gamma(weights)
    drawn /= drawn.sum(axis=1, keepdims=True)
    return drawn
