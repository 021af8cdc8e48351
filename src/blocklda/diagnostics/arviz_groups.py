"""What ArviZ calls the log likelihood and the posterior predictive, from the kept draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from blocklda.diagnostics.arviz_export import Group
from blocklda.diagnostics.document_likelihood import document_log_likelihood, draws_by_chain
from blocklda.results.result import FitResult, require_draws
from blocklda.summaries.word_checks import word_information
from blocklda.support import defaults
from blocklda.support.checks import random_generator
from blocklda.support.errors import InputError
from blocklda.support.messages import Setting

__all__ = ["log_likelihood_group", "posterior_predictive_group"]


def log_likelihood_group(model: FitResult) -> Group:
    """Return log p(w_d | θ_d, φ) of every document in every kept draw."""
    _require_kept_draws(model, "log_likelihood")
    sweeps, _ = draws_by_chain(model)
    names = model.corpus.doc_names or np.arange(model.corpus.n_docs)
    coords = {
        "chain": np.arange(model.n_chains),
        "draw": sweeps,
        "document": np.asarray(names),
    }
    values = {"documents": document_log_likelihood(model)}
    return values, {"documents": ["document"]}, coords


def posterior_predictive_group(model: FitResult, seed: Any = defaults.SEED) -> Group:
    """Return the check of word use of every topic in every kept draw, as observed and shuffled."""
    _require_kept_draws(model, "posterior_predictive")
    generator = random_generator(seed)
    sweeps, chains = draws_by_chain(model)
    order = model.alignment.order
    observed = np.empty((model.n_chains, len(sweeps), model.n_topics))
    shuffled = np.empty_like(observed)
    for c, chain in enumerate(chains):
        for i, draw in enumerate(chain):
            found, (replicate,) = word_information(draw, 1, generator)
            observed[c, i], shuffled[c, i] = found[order[c]], replicate[order[c]]
    values = {"mutual_information": shuffled, "mutual_information_observed": observed}
    coords = {
        "chain": np.arange(model.n_chains),
        "draw": sweeps,
        "topic": np.arange(model.n_topics),
    }
    return values, {name: ["topic"] for name in values}, coords


def _require_kept_draws(model: FitResult, parameter: str) -> None:
    if model.kind != "lda":
        raise InputError.of("{given} is only for LDA: [leave it out].").where(
            given=Setting(parameter, True)
        )
    require_draws(model.draws, f"to_arviz({parameter}=True)")
