"""A chain written as a state that MALLET continues from with ``--input-state``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain as chain_of
from os import PathLike
from pathlib import Path

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.data.names import checked_doc_names
from blocklda.files.atomic_write import named_path
from blocklda.formats.mallet_state import NO_SOURCE, read_state
from blocklda.formats.mallet_states.header import EMPTY_DOCUMENT, TITLE, UNUSED_WORD
from blocklda.formats.streams.line_chunks import header_lines, text_chunks
from blocklda.formats.streams.text_output import encoded, write_text
from blocklda.models.lda.chain import Chain
from blocklda.support.arrays import Ints
from blocklda.support.errors import InputError

__all__ = ["write_mallet_state"]


def write_mallet_state(
    chain: Chain,
    path: str | PathLike[str],
    *,
    like: str | PathLike[str] | None = None,
    doc_names: Iterable[str] | None = None,
    number_as_mallet: bool = False,
) -> None:
    """Write the tokens, topics and priors of a chain as MALLET's ``--output-state`` does.

    Parameters
    ----------
    chain
        Its prior of words must be one number, as MALLET's is.
    path
        Gzip if the name ends in .gz, which is what MALLET reads.
    like
        A state with the same tokens, such as the one that the chain was read from: its lines are
        written again in their order, with the topics of the chain. MALLET continues from the result
        with the instances that it wrote that state of.
    doc_names
        Names to write instead of those of the corpus; they must have no white space.
    number_as_mallet
        Number the words as they first appear, which MALLET does with a file that
        ``write_corpus(chain.corpus, …, format="mallet")`` wrote; else as in the corpus.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=5, seed=1).corpus
    >>> blocklda.write_mallet_state(blocklda.Chain(corpus, 4, seed=1), "state.gz")
    """
    if not isinstance(chain, Chain):
        raise InputError(f"a Chain is needed, not a {type(chain).__name__}: give a Chain.")
    if not chain.priors.beta_is_symmetric or np.ptp(chain.priors.beta) != 0:
        raise InputError(
            "MALLET has one beta for all words and topics, but the chain has several: it cannot "
            "be written as a MALLET state; use chain.save."
        )
    file = named_path(path)
    if like is not None:
        if doc_names is not None or number_as_mallet:
            raise InputError.of(
                "like= gives the names of the documents and the numbers of the words: [leave out "
                "doc_names and number_as_mallet, or like]."
            ).where(parameter="like", value=like)
        write_text(file, _lines_like(chain, named_path(like)))
        return
    names = chain.corpus.doc_names
    if doc_names is not None:
        names = checked_doc_names(doc_names, chain.corpus.n_docs)
    sources = names or (NO_SOURCE,) * chain.corpus.n_docs
    words = chain.corpus.vocabulary or tuple(map(str, range(chain.corpus.n_words)))
    _require_no_space(file, "the document (row)", sources, "pass other doc_names=")
    _require_no_space(file, "the word (column)", words, "rename it")
    numbers = _numbers(chain.corpus, number_as_mallet)
    if chain.corpus.vocabulary is None:
        words = tuple(map(str, numbers.tolist()))
    pieces = (encoded(file, text) for text in _pieces(chain, sources, words, numbers))
    write_text(file, pieces)


def _require_no_space(path: Path, what: str, names: tuple[str, ...], remedy: str) -> None:
    for number, name in enumerate(names):
        # Splitting at any white space, as MALLET and other readers of states do.
        if name.split() != [name]:
            raise InputError.of(
                "cannot write {path}: {what} {number} is called {name!r:.80}, but names in a "
                "MALLET state must not be empty or contain white space; [{remedy}]."
            ).where(path=path, what=what, number=number, name=name, remedy=remedy)


def _numbers(corpus: Corpus, as_mallet: bool) -> Ints:
    """Return the typeindex of every word."""
    if not as_mallet:
        return np.arange(corpus.n_words)
    first = np.full(corpus.n_words, corpus.n_entries)
    used, places = np.unique(corpus.word_ids, return_index=True)
    first[used] = places
    numbers = np.empty(corpus.n_words, dtype=np.int64)
    numbers[np.argsort(first, kind="stable")] = np.arange(corpus.n_words)
    return numbers


def _top(chain: Chain) -> str:
    """Return the first three lines, with the space that MALLET leaves after the last alpha."""
    alpha = " ".join(map(repr, chain.priors.alpha.tolist()))
    return f"{TITLE.decode()}\n#alpha : {alpha} \n#beta : {float(chain.priors.beta[0, 0])!r}\n"


def _lines_like(chain: Chain, path: Path) -> Iterator[bytes]:
    """Yield the lines of a state with other priors and topics."""
    state = read_state(path)
    if state.corpus != chain.corpus:
        raise InputError(
            f"{path} does not have the documents and words of the chain ({state.corpus!r} instead "
            f"of {chain.corpus!r}): give a state with the same tokens, or leave out like."
        )
    topics = np.empty(chain.corpus.n_tokens, dtype=np.int32)
    topics[state.order] = chain.assignments()
    yield _top(chain).encode()
    with closing(text_chunks(path)) as chunks:
        header, rest = header_lines(path, chunks, b"#")
        yield from (
            line + b"\n" for line in header if line.startswith((EMPTY_DOCUMENT, UNUSED_WORD))
        )
        start = 0
        for chunk in chain_of([rest], chunks):
            tokens = [line for line in chunk.split(b"\n") if line.strip()]
            pairs = zip(tokens, topics[start : start + len(tokens)].tolist(), strict=True)
            yield b"".join(
                [b"%b %d\n" % (line.rstrip().rpartition(b" ")[0], k) for line, k in pairs]
            )
            start += len(tokens)


def _pieces(
    chain: Chain, sources: tuple[str, ...], words: tuple[str, ...], numbers: Ints
) -> Iterator[str]:
    corpus = chain.corpus
    yield _top(chain)
    for doc in np.flatnonzero(np.diff(corpus.doc_offsets) == 0).tolist():
        yield f"{EMPTY_DOCUMENT.decode()} : {doc} {sources[doc]}\n"
    for word in np.flatnonzero(corpus.word_counts() == 0).tolist():
        yield f"{UNUSED_WORD.decode()} : {numbers[word]} {words[word]}\n"
    middles = [f" {number} {word} " for number, word in zip(numbers.tolist(), words, strict=True)]
    topics = chain.assignments()
    stops = np.cumsum(corpus.doc_lengths()).tolist()
    start = 0
    for doc, stop in enumerate(stops):
        entries = slice(int(corpus.doc_offsets[doc]), int(corpus.doc_offsets[doc + 1]))
        types = np.repeat(corpus.word_ids[entries], corpus.counts[entries]).tolist()
        before = f"{doc} {sources[doc]} "
        pairs = enumerate(zip(types, topics[start:stop].tolist(), strict=True))
        yield "".join([f"{before}{pos}{middles[word]}{topic}\n" for pos, (word, topic) in pairs])
        start = stop
