"""Priors learned from counts that shards have told: the same numbers as on one machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from blocklda.models.lda.log_posterior import log_normaliser, log_q
from blocklda.models.lda.priors import Priors
from blocklda.parallel.added_cells import AddedCells
from blocklda.parallel.plan import ShardedPlan
from blocklda.parallel.tasks import SweepFacts
from blocklda.support.arrays import Ints

__all__ = ["LearningChain"]


@dataclass(frozen=True)
class _Lengths:
    """The documents of all shards, as far as priors are concerned: 8 bytes for each."""

    lengths: Ints
    n_words: int

    def doc_lengths(self) -> Ints:
        return self.lengths


@dataclass(frozen=True)
class _Counted:
    corpus: _Lengths
    priors: Priors

    @property
    def n_columns(self) -> int:
        return self.priors.n_topics


class LearningChain:
    """What a chain on shards does between sweeps: its priors, and the log posterior."""

    def __init__(self, plan: ShardedPlan, doc_lengths: Ints | None) -> None:
        self._plan = plan
        self._lengths = doc_lengths
        of_all = np.zeros(0, dtype=np.int64) if doc_lengths is None else doc_lengths
        self._length_counts = np.unique(of_all, return_counts=True)

    def after(
        self, sweep: int, facts: SweepFacts, priors: Priors, rng: np.random.Generator
    ) -> tuple[Priors, float]:
        """Return the priors after a sweep, and the log posterior with them."""
        plan, cells = self._plan, AddedCells.of(facts)
        sums = [one for words in facts.words for one in words.table_sums]
        if self._lengths is None:
            return priors, log_q(priors, cells, plan.corpus.n_docs, plan.n_words, sums)
        is_due = plan.learning.is_due(sweep, plan.schedule.burn_in)
        if is_due and not plan.is_tempered(sweep):
            counted: Any = _Counted(_Lengths(self._lengths, plan.n_words), priors)
            of_cells: Any = cells  # they answer what is asked of counts on one machine
            priors = plan.learning.updated(counted, rng, of_cells)
        level = log_q(priors, cells, plan.corpus.n_docs, plan.n_words, sums)
        level += log_normaliser(priors, self._length_counts, plan.n_words)
        return priors, level + plan.learning.log_density(priors)
