"""Sweeping documents given φ: a piece at a time, each with its own stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.data.pieces import Piece, document_pieces
from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.partially_collapsed.phi import Phi
from blocklda.models.lda.samplers.sweep_streams import DOCUMENTS, SweepKey, piece_stream
from blocklda.support.arrays import Int32s, Ints, sealed

__all__ = ["DocumentPiece", "cut_documents", "sweep_piece", "sweep_piece_natively", "uses_lists"]

DENSE_UP_TO = 1_000
"""Topics up to which tokens are drawn one by one, over all topics; with more, blocks are drawn on
lists of the topics that a document uses."""


def uses_lists(n_topics: int) -> bool:
    """Return True if documents are swept on lists of topics."""
    return n_topics > DENSE_UP_TO


@dataclass(frozen=True)
class DocumentPiece:
    """Some neighbouring documents as a corpus of their own, without copies."""

    number: int
    """That of the first document in the whole corpus, which its stream has too."""
    doc_offsets: Ints
    word_ids: Int32s
    counts: Int32s
    entries: Int32s
    docs: Int32s
    starts: Int32s
    """The entries ordered by word, with their documents and first tokens."""
    tokens: slice
    first_entry: int
    n_words: int

    @cached_property
    def native(self) -> tuple[_native.Corpus, _native.WordOrder]:
        """The piece and its entries by word as the kernel takes them, checked once."""
        corpus = _native.Corpus(self.doc_offsets, self.word_ids, self.counts, self.n_words)
        return corpus, _native.WordOrder(corpus, self.entries, self.docs, self.starts)


def cut_documents(
    corpus: Corpus, shards: Sequence[int] = (), first_document: int = 0
) -> list[DocumentPiece]:
    """Cut a corpus, which may itself be a part that begins with ``first_document`` of another."""
    lengths = corpus.doc_lengths()
    ends = np.concatenate([[0], np.cumsum(lengths)])
    return [
        _piece(corpus, ends, piece, first_document) for piece in document_pieces(lengths, shards)
    ]


def _piece(corpus: Corpus, ends: Ints, piece: Piece, first_document: int) -> DocumentPiece:
    first, last = piece
    begin, end = int(corpus.doc_offsets[first]), int(corpus.doc_offsets[last])
    offsets, counts = corpus.doc_offsets[first : last + 1] - begin, corpus.counts[begin:end]
    order = np.argsort(corpus.word_ids[begin:end], kind="stable").astype(np.int32)
    docs = np.repeat(np.arange(last - first, dtype=np.int32), np.diff(offsets))
    starts = np.cumsum(counts, dtype=np.int32) - counts
    return DocumentPiece(
        number=first_document + first,
        doc_offsets=sealed(offsets),
        word_ids=corpus.word_ids[begin:end],
        counts=counts,
        entries=sealed(order),
        docs=sealed(docs[order]),
        starts=sealed(starts[order]),
        tokens=slice(int(ends[first]), int(ends[last])),
        first_entry=begin,
        n_words=corpus.n_words,
    )


Sweep = Callable[[DocumentPiece, Phi, Priors, int, Int32s, np.random.Generator], tuple[int, int]]
"""Draw the topics of a piece; return the simulation steps and the entry that failed, or −1."""


def sweep_piece_natively(
    piece: DocumentPiece,
    phi: Phi,
    priors: Priors,
    max_block: int,
    topics: Int32s,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """Sweep a piece by the kernel."""
    return _native.given_phi(
        *piece.native,
        phi.rows,
        phi.alpha_powers,
        priors.native,
        max_block,
        uses_lists(priors.n_topics),
        topics,
        rng.bit_generator.capsule,
    )


def sweep_piece(
    corpus: Corpus,
    piece: DocumentPiece,
    phi: Phi,
    priors: Priors,
    max_block: int,
    topics: Int32s,
    key: SweepKey,
    sweep: Sweep = sweep_piece_natively,
) -> int:
    """Draw new topics for a piece, in place among all ``topics``; return the simulation steps."""
    stream = piece_stream(key, DOCUMENTS, piece.number)
    steps, failed = sweep(piece, phi, priors, max_block, topics[piece.tokens], stream)
    raise_if_failed(corpus, -1 if failed < 0 else piece.first_entry + failed)
    return steps
