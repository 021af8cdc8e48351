"""Check that rows about documents, which may have names of their own, are in their order."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.data.doc_index import DocIndex
from blocklda.support.errors import DataWarning, InputError

__all__ = ["check_row_order"]


def check_row_order(rows: Any, corpus: Corpus, parameter: str) -> None:
    """Refuse rows of pandas whose index has the names of the documents in another order.

    Rows are matched to documents by position. A frame that was sorted after the fit would give
    every document the values of another one, and nothing in the result would show it. Documents
    without names cannot contradict an index, so numbers in another order only cause a warning.
    """
    index = getattr(rows, "index", rows)
    if not hasattr(index, "get_level_values") or len(index) != corpus.n_docs:
        return
    if corpus.doc_names is not None:
        labels = DocIndex.of(index).labels
        if labels != corpus.doc_names and sorted(labels) == sorted(corpus.doc_names):
            raise _in_another_order(labels, corpus.doc_names, parameter)
    elif _renumbers_rows(index):
        warnings.warn(
            DataWarning(
                f"the index of {parameter} numbers its rows in another order "
                f"({', '.join(map(str, index[:3]))}, …), but rows are matched to documents by "
                "position: give them in the order of the fit, or with reset_index(drop=True) if "
                "they already are."
            ),
            stacklevel=2,
        )


def _in_another_order(
    labels: tuple[str, ...], names: tuple[str, ...], parameter: str
) -> InputError:
    row = next(row for row, label in enumerate(labels) if label != names[row])
    return InputError(
        f"{parameter} has the names of the documents in another order (row {row} is "
        f"{labels[row]!r:.60}, document {row} is {names[row]!r:.60}): give its rows in the order "
        "of the fit, for example with .loc[lda.doc_topic_frame().index].",
        parameter=parameter,
    )


def _renumbers_rows(index: Any) -> bool:
    if index.nlevels > 1 or index.dtype.kind not in "iu":
        return False
    numbers, rows = np.asarray(index), np.arange(len(index))
    return bool((numbers != rows).any() and (np.sort(numbers) == rows).all())
