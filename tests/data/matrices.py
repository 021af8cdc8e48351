"""What the tests of Corpus share: small matrices, their formats, and two checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.support.errors import BlockldaError, InputError

COUNTS = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 1]])
FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]

matrices = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.sampled_from([0, 0, 0, 1, 2, 7, 120]),
)


def refused(X: Any, vocabulary: Any = None, error: type[BlockldaError] = InputError) -> str:
    """The message with which X is refused: one sentence, ended by a full stop."""
    with pytest.raises(error) as caught:
        Corpus.from_matrix(X, vocabulary)
    assert type(caught.value) is error
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    return message


def in_format(counts: Any, form: Any) -> Any:
    """The same counts as a sparse matrix of the format that is named."""
    matrix: Any = counts if sparse.issparse(counts) else sparse.csr_matrix(counts)
    return matrix.asformat(form)


def coo(values: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    coordinates = (np.asarray(rows, dtype=int), np.asarray(columns, dtype=int))
    return sparse.coo_matrix((np.asarray(values), coordinates), shape=shape)


def holds(corpus: Corpus, counts: np.ndarray) -> None:
    """Check every public number of a corpus against the dense counts, written out plainly."""
    offsets, words, values = [0], [], []
    for row in counts:
        for word, count in enumerate(row):
            if count:
                words.append(word)
                values.append(int(count))
        offsets.append(len(words))
    assert corpus.doc_offsets.tolist() == offsets
    assert corpus.word_ids.tolist() == words
    assert corpus.counts.tolist() == values
    assert (corpus.n_docs, corpus.n_words) == counts.shape
    assert corpus.n_entries == len(words)
    assert corpus.n_tokens == sum(values)
    assert corpus.max_count == max(values, default=0)
    assert corpus.doc_lengths().tolist() == [int(row.sum()) for row in counts]
