"""Failures of the native kernels, as errors that name their place."""

from __future__ import annotations

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.support.errors import KernelError

__all__ = ["raise_if_failed"]


def raise_if_failed(corpus: Corpus, failed_entry: int) -> None:
    """Turn a kernel's report into an error that names the document and the word."""
    if failed_entry < 0:
        return
    document = int(np.searchsorted(corpus.doc_offsets, failed_entry, side="right")) - 1
    word = int(corpus.word_ids[failed_entry])
    raise KernelError(
        f"the weights of the block of document {document}, word {word} "
        f"({corpus.counts[failed_entry]} tokens) are not positive numbers; alpha and beta are "
        "outside the range of double precision."
    )
