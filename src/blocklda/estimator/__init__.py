"""Estimators with scikit-learn's contract."""

from __future__ import annotations

from blocklda.estimator.lda import LDA

__all__ = ["LDA"]
