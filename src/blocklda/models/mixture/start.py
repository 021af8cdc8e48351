"""Where chains of a mixture start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.mixture.kinds import Kinds
from blocklda.models.mixture.priors import MixturePriors
from blocklda.models.mixture.state import State, SweepOptions
from blocklda.support.arrays import Int32s
from blocklda.support.errors import InputError, not_allowed

__all__ = ["ONE", "SEQUENTIAL", "check_start", "start_state"]

SEQUENTIAL = "sequential"
"""Documents join one after the other, each drawn given those before it: many components."""

ONE = "one"
"""All documents in one component."""

DocumentSweep = Callable[[State, SweepOptions], int]


def start_state(
    init: Any,
    corpus: Corpus,
    priors: MixturePriors,
    kinds: Kinds,
    rng: np.random.Generator,
    sweep: DocumentSweep,
) -> State:
    """Return the state before the first sweep; ``init`` is a name or one label per document."""
    n_born = priors.n_components or 0
    state = State(
        corpus=corpus,
        rng=rng,
        priors=priors,
        kinds=kinds,
        labels=np.full(corpus.n_docs, -1, dtype=np.int32),
        births=np.arange(n_born, dtype=np.int64),
        n_born=n_born,
        alpha=priors.alpha,
    )
    if isinstance(init, str) and init == SEQUENTIAL:
        sweep(state, SweepOptions())
        return state
    if isinstance(init, str) and init == ONE:
        labels = np.zeros(corpus.n_docs, dtype=np.int32)
    else:
        labels = _checked_labels(init, corpus, priors)
    births = np.arange(priors.n_components or labels.max(initial=-1) + 1, dtype=np.int64)
    state.births = births
    state.take_slots(labels, births, len(births))
    return state


def check_start(init: Any, corpus: Corpus, priors: MixturePriors) -> None:
    """Refuse a start that is neither a name nor one label per document."""
    if not (isinstance(init, str) and init in (SEQUENTIAL, ONE)):
        _checked_labels(init, corpus, priors)


def _checked_labels(init: Any, corpus: Corpus, priors: MixturePriors) -> Int32s:
    """Return labels that a user gave, if they can be those of a state."""
    if isinstance(init, str) or np.ndim(init) != 1 or np.asarray(init).dtype.kind not in "iu":
        allowed = f"{SEQUENTIAL!r}, {ONE!r}, or one whole number per document"
        raise not_allowed("init", init, allowed)
    labels = np.asarray(init)
    if len(labels) != corpus.n_docs:
        raise InputError(
            f"init has {len(labels)} labels, but the corpus has {corpus.n_docs} documents: give "
            "one label per document."
        )
    most = priors.n_components or corpus.n_docs
    if len(labels) and not (labels.min() >= 0 and labels.max() < most):
        raise InputError(f"init has labels out of range: give whole numbers from 0 to {most - 1}.")
    return labels.astype(np.int32)
