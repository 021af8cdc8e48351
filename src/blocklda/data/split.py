"""Document completion: hold out half of the tokens of some documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from blocklda.data.content_streams import ContentStream
from blocklda.data.corpus import Corpus
from blocklda.support.arrays import Int32s, Ints
from blocklda.support.checks import random_generator
from blocklda.support.errors import CapacityError, InputError

__all__ = ["split_by_content", "split_tokens"]

# NumPy's hypergeometric generator takes urns of fewer than 10**9 balls.
_MAX_DOCUMENT = 10**9 - 1


@overload
def split_tokens(X: Corpus, docs: Any, seed: Any) -> tuple[Corpus, Corpus]: ...


@overload
def split_tokens(
    X: Any, docs: Any, seed: Any
) -> tuple[sparse.csr_matrix[np.int64], sparse.csr_matrix[np.int64]]: ...


def split_tokens(X: Any, docs: Any, seed: Any) -> tuple[Any, Any]:
    """Split a corpus into training and held-out tokens, document by document.

    Of each document in `docs` half of the tokens, drawn uniformly without replacement, stay in the
    training part and the rest are held out; of an odd number the larger half is held out. All
    other documents stay in the training part whole. Both parts have the shape of X, so documents
    and words keep their places.

    Parameters
    ----------
    X
        A Corpus, or anything `Corpus.from_matrix` takes.
    docs
        Documents to split: numbers from 0 (a list, an array, a range), a slice, or one true/false
        value per document. Their order does not matter.
    seed
        Seed of NumPy's PCG64 generator.

    Returns
    -------
    train, heldout
        Corpus objects if X is one, else CSR matrices of 64-bit integers.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=20, doc_length=50, seed=1).corpus
    >>> train, heldout = blocklda.split_tokens(corpus, docs=range(10, 20), seed=0)
    >>> train.n_tokens, heldout.n_tokens
    (750, 250)
    """
    corpus = Corpus.from_matrix(X)
    generator = random_generator(seed)
    train, heldout = _split(corpus, _chosen(docs, corpus.n_docs), lambda _: generator)
    if isinstance(X, Corpus):
        return train, heldout
    return train.to_matrix(), heldout.to_matrix()


def split_by_content(corpus: Corpus, seed: Any) -> tuple[Corpus, Corpus]:
    """Split all documents in halves as :func:`split_tokens` does, each by itself.

    How a document is split depends on the seed and on its own words and counts: other documents
    and their order do not matter, and equal documents are split alike.
    """
    stream = ContentStream(corpus, seed, "split")
    return _split(corpus, np.arange(corpus.n_docs), stream.seek)


def _split(
    corpus: Corpus, docs: Ints, generator_of: Callable[[int], np.random.Generator]
) -> tuple[Corpus, Corpus]:
    """Return what stays of each entry, and what is held out."""
    observed = _observed_counts(corpus, docs, generator_of)
    return _with_counts(corpus, observed), _with_counts(corpus, corpus.counts - observed)


def _observed_counts(
    corpus: Corpus, docs: Ints, generator_of: Callable[[int], np.random.Generator]
) -> Int32s:
    """Return how much of each entry stays in the training part."""
    observed = corpus.counts.copy()
    lengths = corpus.doc_lengths()
    for d in docs:
        if lengths[d] > _MAX_DOCUMENT:
            raise CapacityError(
                f"document (row) {d} has {lengths[d]} tokens, but at most {_MAX_DOCUMENT} can be "
                "split; divide it into several documents."
            )
        entries = slice(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
        observed[entries] = generator_of(d).multivariate_hypergeometric(
            corpus.counts[entries], lengths[d] // 2, method="marginals"
        )
    return observed


def _with_counts(corpus: Corpus, counts: Int32s) -> Corpus:
    """Return the same documents and words with other counts, some of which may be 0."""
    matrix = sparse.csr_matrix(
        (counts, corpus.word_ids, corpus.doc_offsets), shape=(corpus.n_docs, corpus.n_words)
    )
    return Corpus.from_matrix(
        matrix,
        corpus.vocabulary,
        doc_names=corpus.doc_names,
        text_settings=corpus.text_settings,
        doc_index=corpus.doc_index,
    )


def _chosen(docs: Any, n_docs: int) -> Ints:
    """Return the chosen documents as increasing numbers, whichever way they were chosen."""
    if isinstance(docs, slice):
        return _sliced(docs, n_docs)
    refusal = InputError(
        f"docs is {docs!r:.80}; it must be a list of document numbers, a slice, or one true/false "
        "value per document."
    )
    try:
        chosen = np.asarray(docs)
    except (TypeError, ValueError) as error:
        raise refusal from error
    if chosen.ndim == 1 and chosen.size == 0:
        return np.empty(0, dtype=np.int64)
    if chosen.ndim != 1 or chosen.dtype.kind not in "biu":
        raise refusal
    return _masked(chosen, n_docs) if chosen.dtype.kind == "b" else _numbered(chosen, n_docs)


def _sliced(docs: slice, n_docs: int) -> Ints:
    try:
        return np.sort(np.arange(n_docs, dtype=np.int64)[docs])
    except (TypeError, ValueError) as error:
        raise InputError(
            f"docs is {docs!r}, which selects nothing ({error}); slice with whole numbers."
        ) from error


def _masked(mask: NDArray[Any], n_docs: int) -> Ints:
    if len(mask) != n_docs:
        raise InputError(
            f"docs has {len(mask)} true/false values, but there are {n_docs} documents; give one "
            "per document."
        )
    return np.flatnonzero(mask)


def _numbered(numbers: NDArray[Any], n_docs: int) -> Ints:
    outside = (numbers < 0) | (numbers >= n_docs)
    if outside.any():
        raise InputError(
            f"docs has the document number {numbers[np.argmax(outside)]}; documents are numbered "
            f"from 0 to {n_docs - 1}: correct the number."
        )
    chosen = np.sort(numbers.astype(np.int64))
    repeated = chosen[1:] == chosen[:-1]
    if repeated.any():
        raise InputError(
            f"docs has the document number {chosen[np.argmax(repeated)]} more than once; list "
            "each document once."
        )
    return chosen
