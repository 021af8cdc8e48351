"""The problems of `blocklda.testing`, by the names that these suites use."""

from __future__ import annotations

from blocklda.testing.lda_problem import LDAProblem as Problem
from blocklda.testing.lda_problem import Prior, sequence_log_weights

__all__ = ["Prior", "Problem", "sequence_log_weights"]
