"""Whether two tokens share a topic: a quantity that no renumbering of topics changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.support.arrays import AnyInts, Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.memory import require_memory

__all__ = ["NO_PAIRS", "TokenPairs", "runs"]

N_PAIRS = 200
"""Enough for a median, and for a worst case that many pairs come near. Recording them looks at some
hundred tokens of a draw, far less than a sweep does."""

POOL = 20_000
"""Entries among which two with the same word are looked for: so many hold many such pairs, however
large the corpus is, and no table as long as the corpus is needed."""

SEED = 20_220_704
"""Any fixed number: the choice depends on nothing but the corpus's counts."""

_BYTES_PER_TOKEN = 48
"""Its place and its pair, and both once more while they are put together."""

TOPIC_LIMIT = 2**31
"""Above every topic's number."""


@dataclass(frozen=True, eq=False)
class TokenPairs:
    """Pairs of entries (document, word), fixed before a chain starts.

    The tokens of an entry are exchangeable, so the quantity of a pair (e, f) is the probability
    that a token picked from e and one picked from f share a topic, Σ_k n_ek n_fk / (C_e C_f).

    The first ``n_in_document`` pairs are two words of one document, the others one word in two
    documents. The former follow θ, the topics a document is split into; the latter φ, the senses a
    word is split into. Pairs of different words in different documents mostly never meet.

    Attributes
    ----------
    entries
        The pairs, as numbers of entries of ``corpus.to_matrix()``, shape (pairs, 2).
    n_in_document
        How many pairs are within a document.
    """

    entries: Ints
    n_in_document: int
    _tokens: Ints
    _cells: Ints
    _n_left: int
    _weights: Floats

    @classmethod
    def choose(cls, corpus: Corpus, n_pairs: int = N_PAIRS) -> TokenPairs:
        """Choose at most ``n_pairs`` pairs, half of either kind where the corpus has as many.

        Entries are picked with equal probability. The same counts always give the same pairs.
        """
        n_pairs = whole_number("n_pairs", n_pairs, 0)
        rng = np.random.Generator(np.random.PCG64(SEED))
        in_document = _within_documents(corpus, n_pairs - n_pairs // 2, rng)
        across = _across_documents(corpus, n_pairs // 2, rng)
        entries = np.concatenate([in_document, across])
        starts = _token_starts(corpus, entries)
        sizes = corpus.counts[entries].astype(np.int64)
        require_memory(
            _BYTES_PER_TOKEN * int(sizes.sum()),
            f"watching {sizes.sum()} tokens of {len(entries)} pairs of entries",
            "scale the counts down, or use a machine with more memory",
        )
        return cls(
            entries=entries,
            n_in_document=len(in_document),
            # The tokens of all first entries, then those of all second ones.
            _tokens=np.concatenate([runs(starts[:, side], sizes[:, side]) for side in (0, 1)]),
            _cells=np.repeat(np.tile(np.arange(len(entries)), 2), sizes.T.ravel()) * TOPIC_LIMIT,
            _n_left=int(sizes[:, 0].sum()),
            _weights=1.0 / (sizes[:, 0] * sizes[:, 1]),
        )

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def tokens(self) -> Ints:
        """The tokens whose topics are looked at."""
        return self._tokens

    def co_assignment(self, topics: AnyInts) -> Floats:
        """Return the probability that tokens of either entry share a topic, one number per pair.

        ``topics`` holds one topic per token, as a state, a draw or ``chain.assignments()`` has
        them. Only the tokens of the chosen entries are looked at.
        """
        cells = self._cells + topics[self._tokens]
        occupied, numbers = np.unique(cells, return_inverse=True)
        n_e = np.bincount(numbers[: self._n_left], minlength=len(occupied))
        n_f = np.bincount(numbers[self._n_left :], minlength=len(occupied))
        pairs = occupied // TOPIC_LIMIT
        shared = np.bincount(pairs, weights=n_e.astype(np.float64) * n_f, minlength=len(self))
        return shared * self._weights


_NOTHING = np.zeros(0, dtype=np.int64)
NO_PAIRS = TokenPairs(np.zeros((0, 2), dtype=np.int64), 0, _NOTHING, _NOTHING, 0, np.zeros(0))
"""For a run in which none are followed."""


def _within_documents(corpus: Corpus, n: int, rng: np.random.Generator) -> Ints:
    """Return pairs of different entries of one document."""
    first = _sample(corpus.n_entries, 4 * n, rng)
    docs = np.searchsorted(corpus.doc_offsets, first, side="right") - 1
    begin, size = corpus.doc_offsets[docs], np.diff(corpus.doc_offsets)[docs]
    # Any other entry of the document: a step of 1 to size − 1 around it, as around a ring.
    step = 1 + (rng.random(len(first)) * (size - 1)).astype(np.int64)
    second = begin + (first - begin + step) % size
    return _first_different(np.column_stack([first, second])[size > 1], n)


def _across_documents(corpus: Corpus, n: int, rng: np.random.Generator) -> Ints:
    """Return pairs of entries of one word in different documents."""
    pool = _sample(corpus.n_entries, POOL, rng)
    by_word = pool[np.argsort(corpus.word_ids[pool], kind="stable")]
    same = np.flatnonzero(np.diff(corpus.word_ids[by_word]) == 0)
    chosen = same[_sample(len(same), n, rng)]
    return np.column_stack([by_word[chosen], by_word[chosen + 1]])


def _sample(size: int, n: int, rng: np.random.Generator) -> Ints:
    """Return at most ``n`` different numbers below ``size`` in random order.

    Uniforms rather than `choice`: how NumPy draws integers may change.
    """
    if size <= 4 * n:
        return np.argsort(rng.random(size), kind="stable")[:n]
    numbers = (rng.random(2 * n) * size).astype(np.int64)
    _, where = np.unique(numbers, return_index=True)
    return numbers[np.sort(where)[:n]]


def _first_different(pairs: Ints, n: int) -> Ints:
    """Return the first ``n`` pairs without those that come a second time, either way round."""
    _, where = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
    return pairs[np.sort(where)[:n]]


def _token_starts(corpus: Corpus, entries: Ints) -> Ints:
    """Return the place of the first token of entries, without summing over the whole corpus."""
    doc_lengths = corpus.doc_lengths()
    doc_starts = np.cumsum(doc_lengths) - doc_lengths
    docs = np.searchsorted(corpus.doc_offsets, entries, side="right") - 1
    before = [
        corpus.counts[corpus.doc_offsets[doc] : entry].sum(dtype=np.int64)
        for doc, entry in zip(docs.ravel(), entries.ravel(), strict=True)
    ]
    return doc_starts[docs] + np.array(before, dtype=np.int64).reshape(entries.shape)


def runs(starts: Ints, sizes: Ints) -> Ints:
    """Return ``starts[i]``, ``starts[i] + 1``, … for ``sizes[i]`` numbers, one i after another."""
    ends = np.cumsum(sizes)
    return np.repeat(starts - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)
