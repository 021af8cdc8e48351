"""How a model was fitted: its corpus, priors, sampler and run."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

import blocklda
from blocklda.results.result import FitResult, result_of
from blocklda.summaries.corpus_facts import corpus_line
from blocklda.support.durations import duration

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["how_it_was_made"]


def how_it_was_made(lda: LDA, model: FitResult) -> list[list[str]]:
    """Return names and values, in words."""
    lengths = model.corpus.doc_lengths()
    chains = "1 chain" if model.n_chains == 1 else f"{model.n_chains} chains"
    facts = {
        "corpus": corpus_line(model.corpus),
        "tokens of a document": f"median {int(np.median(lengths)):,}, maximum "
        f"{int(lengths.max()):,}",
        model.counted or "topics": _n_topics(result_of(lda)),
        **lda.prior_facts(),
        "sampler": lda.chains_[0].sampler,
        "start": lda.init if isinstance(lda.init, str) else "given",
        "run": f"{chains} of {lda.n_sweeps_:,} sweeps, of which the first {model.burn_in:,} were "
        f"discarded; {model.n_draws:,} draws in total, {_thinning(lda.thin)}",
        "time": f"{duration(model.seconds)} of sampling",
        "seed": _seed(lda.random_state),
        "made with": f"blocklda {blocklda.__version__}",
    }
    return [[name, value] for name, value in facts.items() if value]


def _n_topics(model: FitResult) -> str:
    return f"{model.n_topics:,}" + (" in the representative draw" if model.counted else "")


def _seed(given: Any) -> str:
    if given is None:
        return "none was given"
    return str(int(given)) if isinstance(given, Integral) else f"a {type(given).__name__}"


def _thinning(thin: int) -> str:
    return "one every sweep" if thin == 1 else f"one every {thin:,} sweeps"
