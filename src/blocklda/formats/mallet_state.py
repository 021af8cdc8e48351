"""MALLET's state, ``--output-state``: every token of every document with its word and topic.

Gzip or plain text: a line of column names, "#alpha : " with a number per topic, "#beta : " with
one number, then a line "doc source pos typeindex type topic" per token. Its documents are a corpus,
and with their topics and the priors a :class:`~blocklda.Chain`.
"""

from __future__ import annotations

from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.files.atomic_write import named_path
from blocklda.formats.mallet_states.header import TITLE, StateHeader, read_state_header
from blocklda.formats.mallet_states.tokens import StateTokens, Tokens
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import first_line, is_named, text_chunks
from blocklda.formats.words.vocabulary import corpus_of
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.samplers.registry import AUTO
from blocklda.support import defaults
from blocklda.support.arrays import Int32s, Ints
from blocklda.support.errors import FileFormatError
from blocklda.support.memory import require_memory

__all__ = [
    "NO_SOURCE",
    "OPTIONS",
    "MalletState",
    "read",
    "read_mallet_state",
    "read_state",
    "recognises",
]

OPTIONS: frozenset[str] = frozenset()

NO_SOURCE = "NA"
"""What MALLET writes for a document that has no source."""

# Offsets and sums of a document, and its name; a word's name and its place among them.
_BYTES_PER_DOCUMENT = 100
_BYTES_PER_WORD = 150


class MalletState(NamedTuple):
    """A state; ``order`` tells of each token, grouped by entry, where it stands in the file."""

    corpus: Corpus
    topics: Int32s
    order: Ints
    header: StateHeader


def recognises(path: Path) -> bool:
    """Return True for .state, .state.gz, and other .gz and .txt that begin as a state does."""
    if is_named(path.name, ".state"):
        return True
    if path.suffix not in (".gz", ".txt") or not path.is_file():
        return False
    return first_line(path).rstrip() == TITLE


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the documents of a state."""
    return corpus_of(path, read_state(path).corpus, options.vocabulary)


def read_mallet_state(
    path: str | PathLike[str],
    *,
    sampler: str = AUTO,
    backend: str = defaults.BACKEND,
    seed: int | np.random.SeedSequence | None = defaults.SEED,
    n_threads: int = 1,
) -> Chain:
    """Read a state that MALLET wrote with ``--output-state``, as a chain that continues from there.

    The chain has MALLET's documents, words, topics and priors; ``seed`` is for its own sweeps. The
    names of the documents are the sources, unless all are "NA". A number of ``doc`` that no token
    has is an empty document, and a ``typeindex`` that no token has a word without a name: it is
    called "#" and its number.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=5, seed=1).corpus
    >>> blocklda.write_mallet_state(blocklda.Chain(corpus, 4, seed=1), "state.gz")
    >>> blocklda.read_mallet_state("state.gz").n_topics
    4
    """
    state = read_state(named_path(path))
    return Chain(
        state.corpus,
        n_topics=len(state.header.alpha),
        alpha=state.header.alpha,
        beta=state.header.beta,
        sampler=sampler,
        backend=backend,
        seed=seed,
        init=state.topics,
        n_threads=n_threads,
    )


def read_state(path: Path) -> MalletState:
    """Read all that a state says."""
    with closing(text_chunks(path)) as chunks:
        header, rest = read_state_header(path, chunks)
        reader = StateTokens(path, len(header.alpha), header.line)
        if rest:
            reader.feed(rest)
        for chunk in chunks:
            reader.feed(chunk)
    tokens = reader.finish()
    n_docs = 1 + max(int(tokens.docs.max()), *header.empty_documents, 0)
    n_words = 1 + max(int(tokens.types.max()), *header.unused_words, 0)
    require_memory(
        _BYTES_PER_DOCUMENT * n_docs + _BYTES_PER_WORD * n_words,
        f"{path}: a state of {n_docs} documents and {n_words} types",
        "number them without gaps, or use a machine with more memory",
    )
    words = _vocabulary(path, reader.names(), header, n_words)
    names = _doc_names(path, reader.sources | header.empty_documents, n_docs)
    matrix, topics, order = _counted(tokens, n_docs, n_words)
    return MalletState(corpus_of(path, matrix, words, doc_names=names), topics, order, header)


def _counted(
    tokens: Tokens, n_docs: int, n_words: int
) -> tuple[sparse.csr_matrix[np.int32], Int32s, Ints]:
    """Return the counts, the topics grouped by entry of the matrix, and where they were before."""
    keys = tokens.docs.astype(np.int64) * n_words + tokens.types
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(first, append=len(keys)).astype(np.int32)
    docs, words = np.divmod(keys[first], n_words)
    offsets = np.zeros(n_docs + 1, dtype=np.int64)
    np.cumsum(np.bincount(docs, minlength=n_docs), out=offsets[1:])
    matrix = sparse.csr_matrix((counts, words, offsets), shape=(n_docs, n_words))
    return matrix, tokens.topics[order], order


def _vocabulary(
    path: Path, met: dict[int, tuple[bytes, int]], header: StateHeader, n_words: int
) -> tuple[str, ...] | None:
    """Return the words; None if the types are nothing but their own numbers."""
    for number in header.unused_words.keys() & met.keys():
        raise FileFormatError(
            f"{path}, line {met[number][1]}: the typeindex {number} was found, which the header "
            "says is unused; correct one of them."
        )
    named = {**met, **{number: (name, 1) for number, name in header.unused_words.items()}}
    if all(name == b"%d" % number for number, (name, _) in named.items()):
        return None
    lines: dict[str, int] = {}
    for number in range(n_words):
        name, line = named.get(number, (b"#%d" % number, 1))
        word = _decoded(path, line, name)
        if word in lines:
            raise FileFormatError(
                f"{path}, line {line}: the type {word!r:.80} has the typeindex {number}, and "
                f"another one on line {lines[word]}; each type has its own: correct one of them."
            )
        lines[word] = line
    return tuple(lines)


def _doc_names(path: Path, sources: dict[int, bytes], n_docs: int) -> list[str] | None:
    if all(source == NO_SOURCE.encode() for source in sources.values()):
        return None
    unknown = NO_SOURCE.encode()
    return [_decoded(path, 1, sources.get(number, unknown)) for number in range(n_docs)]


def _decoded(path: Path, line: int, name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{path}, line {line}: {name[:40]!r} is not UTF-8 text; run MALLET with the Java "
            "option -Dfile.encoding=UTF-8."
        ) from error
