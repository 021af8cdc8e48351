"""The comparisons of `blocklda.testing`, by the names that these suites use."""

from __future__ import annotations

from blocklda.testing.lda_fit import judge, lag_one_correlations
from blocklda.testing.verdict import ACCEPT, REJECT, Verdict, compare_states

__all__ = ["ACCEPT", "REJECT", "Verdict", "compare_states", "judge", "lag_one_correlations"]
