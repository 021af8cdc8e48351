"""Wrong ways to draw α and β, each by a single mistake. The joint test must reject them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np

from blocklda.models.lda.prior_learning import PriorLearning, sampled, settings
from blocklda.models.lda.prior_learning.row_counts import RowCounts
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.topic_counts import CellCounts, TopicCounts

RIGHT_TABLES = sampled.tables
RIGHT_MINUS_LOG_ETA = sampled.minus_log_eta
RIGHT_CONJUGATE_DRAW = sampled.conjugate_draw


@dataclass(frozen=True)
class MutantLearning(PriorLearning):
    """Learning with one function replaced by a wrong one."""

    module: object = None
    name: str = ""
    wrong: Callable[..., object] | None = None

    def updated(
        self, counted: TopicCounts, rng: np.random.Generator, cells: CellCounts | None = None
    ) -> Priors:
        with patch.object(self.module, self.name, self.wrong):
            return super().updated(counted, rng, cells)


def mutant_of(learning: PriorLearning, mutant: str) -> PriorLearning:
    return MutantLearning(
        learning.alpha,
        learning.beta,
        learning.how,
        learning.alpha_prior,
        learning.beta_prior,
        *PRIOR_MUTANTS[mutant],
    )


def _no_tables(prior, m, exposure, rng):
    return RIGHT_CONJUGATE_DRAW(prior, np.zeros_like(m), exposure, rng)


def _rate_as_scale(prior, m, exposure, rng):
    """Forgetting the rate altogether would let α run away to infinity."""
    return RIGHT_CONJUGATE_DRAW((prior[0], 1 / prior[1]), m, exposure, rng)


def _prior_mean_only(prior, m, exposure, rng):
    """The mean of the conditional law in the place of a draw."""
    return (prior[0] + m) / (prior[1] + exposure)


def _no_width(counts: RowCounts, x, prior, rng):
    m = sampled.tables(counts, x, rng)
    exposure = sampled.minus_log_eta(counts.totals, counts.row_sum(x), rng)
    return sampled.conjugate_draw(prior, m, exposure, rng)


def _one_token_more(totals, A, rng):
    return RIGHT_MINUS_LOG_ETA(totals + 1, A, rng)


def _one_parameter_only(totals, A, rng):
    """Σ α taken for α, as if a row had one cell: half of it shows as well as any other part."""
    return RIGHT_MINUS_LOG_ETA(totals, A / 2, rng)


def _late_tables(counts: RowCounts, x, rng):
    return RIGHT_TABLES(replace(counts, level=counts.level + 1), x, rng)


def _one_table_a_cell(counts: RowCounts, x, rng):
    return counts.by_parameter(np.where(counts.level == 0, counts.above, 0))


def _tables_of_the_next_topic(counts: RowCounts, x, rng):
    return np.roll(RIGHT_TABLES(counts, x, rng), 1)


PRIOR_MUTANTS = {
    "shape without the tables": (sampled, "conjugate_draw", _no_tables),
    "rate taken for a scale": (sampled, "conjugate_draw", _rate_as_scale),
    "mean in place of a draw": (sampled, "conjugate_draw", _prior_mean_only),
    "rate without K or V": (settings, "sampled", _no_width),
    "eta with a token more": (sampled, "minus_log_eta", _one_token_more),
    "eta with half of the sum": (sampled, "minus_log_eta", _one_parameter_only),
    "tables one level late": (sampled, "tables", _late_tables),
    "one table a cell": (sampled, "tables", _one_table_a_cell),
    "tables of the next topic": (sampled, "tables", _tables_of_the_next_topic),
}
