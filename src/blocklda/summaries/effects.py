"""Regressions of topic shares on covariates, draw by draw over the posterior, and pooled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import stdtrit

from blocklda.data.row_order import check_row_order
from blocklda.data.text_values import as_values
from blocklda.results.result import FitResult, require_draws
from blocklda.summaries.intervals import check_interval
from blocklda.support import defaults
from blocklda.support.arrays import Floats
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EffectEstimate", "estimate_effect"]

EXTRA = "effects"

_MARKUP = re.compile(r"\x1b\[[0-9;]*m|[⧛⧚]")
"""How formulaic shows the place of an error: colours of a terminal, and brackets around it."""


@dataclass(frozen=True, eq=False)
class EffectEstimate:
    """Coefficients of a regression of the share of each topic, with intervals.

    Attributes
    ----------
    formula
        The formula.
    terms
        The columns of the design, "Intercept" among them.
    names
        What the topics are called.
    coefficients
        Pooled over the draws, shape (terms, topics).
    covariance
        Pooled covariance of the coefficients of each topic, shape (topics, terms, terms), from the
        regression and from the variation between draws.
    degrees_of_freedom
        Of each coefficient, shape (terms, topics).
    interval
        Probability of the intervals.
    n_docs, n_draws
        Documents and draws that were used.
    """

    formula: str
    terms: tuple[str, ...]
    names: tuple[str, ...]
    coefficients: Floats
    covariance: Floats
    degrees_of_freedom: Floats
    interval: float
    n_docs: int
    n_draws: int
    data: Any = field(repr=False)
    _spec: Any = field(repr=False)

    @property
    def standard_errors(self) -> Floats:
        """Standard errors of the coefficients, shape (terms, topics)."""
        return np.sqrt(np.maximum(np.diagonal(self.covariance, axis1=1, axis2=2), 0)).T

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with a row per topic and term."""
        pandas = import_extra("pandas", "pandas", "to_frame")
        half = self._quantile(self.degrees_of_freedom) * self.standard_errors
        n_terms, n_topics = self.coefficients.shape
        frame: pd.DataFrame = pandas.DataFrame(
            {
                "topic": np.repeat(np.arange(n_topics), n_terms),
                "label": np.repeat(np.array(self.names, dtype=object), n_terms),
                "term": list(self.terms) * n_topics,
                "estimate": self.coefficients.T.ravel(),
                "std_error": self.standard_errors.T.ravel(),
                "low": (self.coefficients - half).T.ravel(),
                "high": (self.coefficients + half).T.ravel(),
            }
        )
        return frame

    def predict(self, data: Any) -> pd.DataFrame:
        """Return the expected share of each topic for rows of covariates, with intervals.

        The frame has the columns of ``data``, and row, topic, label, mean, low and high.
        """
        pandas = import_extra("pandas", "pandas", "predict")
        rows = _covariates(pandas, data)
        design = np.asarray(self._spec.get_model_matrix(rows), dtype=np.float64)
        if len(design) != len(rows):
            raise InputError("data has missing values: give all covariates for each row.")
        mean = design @ self.coefficients
        variance = np.einsum("rp,kpq,rq->rk", design, self.covariance, design)
        degrees = np.broadcast_to(self.degrees_of_freedom.min(axis=0), mean.shape)
        half = self._quantile(degrees) * np.sqrt(np.maximum(variance, 0))
        n_topics = len(self.names)
        repeated = rows.loc[rows.index.repeat(n_topics)].reset_index(drop=True)
        found = {
            "row": np.repeat(np.arange(len(rows)), n_topics),
            "topic": np.tile(np.arange(n_topics), len(rows)),
            "label": list(self.names) * len(rows),
            "mean": mean.ravel(),
            "low": (mean - half).ravel(),
            "high": (mean + half).ravel(),
        }
        frame: pd.DataFrame = pandas.concat([repeated, pandas.DataFrame(found)], axis=1)
        return frame

    def _quantile(self, degrees: Floats) -> Floats:
        return np.asarray(stdtrit(degrees, (1 + self.interval) / 2))

    def __repr__(self) -> str:
        return (
            f"<EffectEstimate: {self.formula}, {len(self.names)} topics, {self.n_docs} documents, "
            f"{self.n_draws} draws>"
        )

    def __str__(self) -> str:
        return f"{self!r}\n{self.to_frame().to_string(index=False, float_format='{:.4f}'.format)}"

    def _repr_html_(self) -> str:
        html: str = self.to_frame().to_html(index=False, float_format="{:.4f}".format)
        return html


def estimate_effect(
    model: FitResult, formula: str, data: Any, interval: float = defaults.INTERVAL
) -> EffectEstimate:
    """Regress the share of each topic in documents on covariates, and pool over draws.

    In each draw of the reference chain the share n_dk / N_d of a topic in a document is known; it
    is regressed on the covariates by least squares, with standard errors that allow for unequal
    variances (HC1). The draws are then pooled as multiple imputations are (Rubin 1987): the
    variance is the mean of theirs plus (1 + 1/S) times the variance between the S draws. Documents
    without tokens, and rows with missing values, are left out.
    """
    require_draws(model.draws, "estimate_effect")
    share = check_interval(interval)
    rows, design, spec, frame = _design(model, formula, data)
    lengths = model.corpus.doc_lengths()
    has_tokens = lengths[rows] > 0
    rows, design = rows[has_tokens], design[has_tokens]
    _check_rank(formula, design, spec)
    inverse = np.linalg.pinv(design)
    coefficients, covariances = [], []
    for draw in model.reference_draws:
        shares = draw.doc_topic_counts()[rows] / lengths[rows, None]
        found = inverse @ shares
        coefficients.append(found)
        covariances.append(_covariance(design, inverse, shares - design @ found))
    pooled, total, degrees = _pooled(
        np.array(coefficients), np.array(covariances), len(rows) - design.shape[1]
    )
    return EffectEstimate(
        formula=formula,
        terms=tuple(map(str, spec.column_names)),
        names=tuple(model.topic_names),
        coefficients=pooled,
        covariance=total,
        degrees_of_freedom=degrees,
        interval=share,
        n_docs=len(rows),
        n_draws=len(coefficients),
        data=frame,
        _spec=spec,
    )


def _design(model: FitResult, formula: Any, data: Any) -> tuple[Any, Floats, Any, Any]:
    """Return the documents that have all covariates, their design, and how to make another one."""
    formulaic = import_extra("formulaic", EXTRA, "estimate_effect")
    pandas = import_extra("pandas", "pandas", "estimate_effect")
    if not isinstance(formula, str) or not formula.strip().startswith("~"):
        raise InputError.of(
            '{formula=} is not a formula: [give <its right-hand side, such as "~ party + year">].'
        ).where(formula=formula)
    check_row_order(data, model.corpus, "data")
    frame = _covariates(pandas, data)
    if len(frame) != model.corpus.n_docs:
        raise InputError(
            f"data has {len(frame)} rows, but there are {model.corpus.n_docs} documents: give one "
            "row for each training document, in the same order.",
            parameter="data",
        )
    try:
        matrix = formulaic.model_matrix(formula, frame)
    except Exception as error:  # the library evaluates what users write, and raises what it may
        reason = " ".join(_MARKUP.sub("", str(error)).split())
        raise InputError.of(
            "{formula=} cannot be evaluated ({reason:.200}): [use the columns of data: {columns}]."
        ).where(
            formula=formula, reason=reason, columns=", ".join(map(repr, list(frame.columns)[:20]))
        ) from error
    design = np.asarray(matrix, dtype=np.float64)
    return np.asarray(matrix.index, dtype=np.int64), design, matrix.model_spec, frame


def _covariates(pandas: Any, data: Any) -> Any:
    """Return a frame of pandas with numbered rows; data may be a frame of polars or Arrow."""
    columns = getattr(data, "column_names", getattr(data, "columns", None))
    if not isinstance(data, pandas.DataFrame) and isinstance(columns, Iterable):
        # By columns: pandas reads the rows of these frames, and loses the names.
        data = {str(name): list(as_values(data[name])) for name in columns}
    return pandas.DataFrame(data).reset_index(drop=True)


def _check_rank(formula: str, design: Floats, spec: Any) -> None:
    n_docs, n_terms = design.shape
    if n_docs <= n_terms:
        raise InputError.of(
            "{formula=} has {n_terms} terms for {n_docs} documents with words: [give a simpler "
            "formula]."
        ).where(formula=formula, n_terms=n_terms, n_docs=n_docs)
    if np.linalg.matrix_rank(design) < n_terms:
        raise InputError.of(
            "{formula=} has terms that depend on each other ({terms:.200}): [leave one of them "
            "out]."
        ).where(formula=formula, terms=", ".join(map(str, spec.column_names)))


def _covariance(design: Floats, inverse: Floats, residuals: Floats) -> Floats:
    """Return the HC1 covariance of the coefficients of each topic, (topics, terms, terms)."""
    n_docs, n_terms = design.shape
    scale = n_docs / (n_docs - n_terms)
    weighted = np.einsum("pd,dk,qd->kpq", inverse, residuals**2, inverse, optimize=True)
    return np.asarray(scale * weighted)


def _pooled(
    coefficients: Floats, covariances: Floats, residual_degrees: int
) -> tuple[Floats, Floats, Floats]:
    """Pool draws by Rubin's rules; degrees of freedom are those of Barnard and Rubin (1999)."""
    n_draws = len(coefficients)
    mean, within = coefficients.mean(axis=0), covariances.mean(axis=0)
    if n_draws == 1:
        return mean, within, np.full(mean.shape, float(residual_degrees))
    deviations = coefficients - mean
    between = np.einsum("spk,sqk->kpq", deviations, deviations) / (n_draws - 1)
    total = within + (1 + 1 / n_draws) * between
    with np.errstate(divide="ignore", invalid="ignore"):
        diagonal = [np.diagonal(part, axis1=1, axis2=2).T for part in (between, total)]
        missing = np.clip((1 + 1 / n_draws) * diagonal[0] / diagonal[1], 1e-12, 1 - 1e-12)
        old = (n_draws - 1) / missing**2
        nu = residual_degrees
        observed = (nu + 1) / (nu + 3) * nu * (1 - missing)
        degrees = 1 / (1 / old + 1 / observed)
    return mean, total, np.nan_to_num(degrees, nan=float(residual_degrees))
