"""What is written is read: every format that can be written, on corpora that hypothesis invents."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import blocklda
from blocklda.data.corpus import Corpus
from blocklda.data.text_settings import TextSettings
from blocklda.formats import FORMATS, Writer, read_corpus, write_corpus
from blocklda.formats.streams import line_chunks
from blocklda.support.errors import InputError

AS_WRITTEN: dict[str, dict[str, Any]] = {
    "mallet": {"token_pattern": r"\S+", "lowercase": False, "stop_words": "none"}
}
"""What must be said so that texts are read as they were written."""

NAMES = {
    "uci": ["docword.x.txt", "docword.x.txt.gz"],
    "ldac": ["x.ldac", "x.lda-c", "x.ldac.gz", "x.y.lda-c.gz"],
    "svmlight": ["x.svm", "x.svmlight", "x.libsvm", "x.svm.gz"],
    "matrix-market": ["x.mtx", "x.mtx.gz"],
    "npz": ["x.npz"],
    "gensim": ["x.mm", "x.mm.gz"],
    "mallet": ["x.mallet", "x.mallet.txt", "x.mallet.gz"],
}
BESIDE = {
    "uci": "vocab.x.txt",
    "ldac": "x.vocab",
    "svmlight": "x.vocab",
    "matrix-market": "x.vocab",
    "gensim": "x.dict.txt",
}
HOLD_DOC_NAMES = {"npz", "mallet"}
NEED_VOCABULARY = {"mallet"}
COUNT_WORDS_BY_THE_VOCABULARY = {"ldac", "svmlight"}

every_format = pytest.mark.parametrize("kind", sorted(NAMES))


def test_every_format_that_can_be_written_is_here() -> None:
    assert sorted(NAMES) == sorted(n for n, module in FORMATS.items() if isinstance(module, Writer))


@pytest.mark.parametrize("name", sorted(name for names in NAMES.values() for name in names))
def test_formats_are_known_by_their_names(tmp_path: Path, name: str) -> None:
    corpus = Corpus.from_matrix([[2, 0, 1], [0, 1, 0]], ["a", "b", "c"])
    write_corpus(corpus, tmp_path / name)
    found = next(n for n, module in FORMATS.items() if module.recognises(tmp_path / name))
    assert name in NAMES[found]
    settings = AS_WRITTEN.get(found, {})
    vocabulary = corpus.vocabulary if found == "mallet" else None
    assert read_corpus(tmp_path / name, vocabulary=vocabulary, **settings) == corpus
    content = (tmp_path / name).read_bytes()
    assert content.startswith(b"\x1f\x8b") == name.endswith(".gz")


# No surrogates, which are no text, and nothing that separates lines or columns.
words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]))
words = words.filter(lambda word: word.split() == [word] and not word.startswith("\ufeff"))


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    counts = draw(
        hnp.arrays(
            np.int64,
            hnp.array_shapes(min_dims=2, max_dims=2, max_side=7),
            elements=st.sampled_from([0, 0, 0, 1, 2, 11]),
        )
    )
    n_docs, n_words = counts.shape
    vocabulary = draw(st.none() | st.lists(words, min_size=n_words, max_size=n_words, unique=True))
    doc_names = draw(st.none() | st.lists(words, min_size=n_docs, max_size=n_docs))
    return Corpus.from_matrix(counts, vocabulary, doc_names=doc_names)


def cannot_be_held(corpus: Corpus, name: str) -> str | None:
    """The beginning of the reason why a format refuses a corpus."""
    if corpus.vocabulary is None:
        if name in NEED_VOCABULARY:
            return "MALLET files hold words"
        last_used = int(corpus.word_ids.max(initial=-1))
        if name in COUNT_WORDS_BY_THE_VOCABULARY and last_used < corpus.n_words - 1:
            return f"the words from {last_used + 1} on occur in no document"
    return None


@every_format
@settings(derandomize=True, deadline=None, max_examples=40)
@given(corpus=corpora(), least_chunk=st.sampled_from([0, 2**20]), data=st.data())
def test_round_trip(kind: str, corpus: Corpus, least_chunk: int, data: st.DataObject) -> None:
    reason = cannot_be_held(corpus, kind)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / data.draw(st.sampled_from(NAMES[kind]))
        if reason is not None:
            with pytest.raises(InputError, match=reason):
                write_corpus(corpus, path)
            assert not any(Path(folder).iterdir())
            return
        write_corpus(corpus, path)
        texts = kind in AS_WRITTEN
        longest_line = 20_000 if texts else 600
        patch.setattr(line_chunks, "CHUNK_BYTES", max(least_chunk, longest_line))
        again = read_corpus(
            path,
            vocabulary=corpus.vocabulary if texts else None,
            **AS_WRITTEN.get(kind, {}),
        )
    assert again == corpus
    if kind in HOLD_DOC_NAMES:
        numbers = tuple(map(str, range(corpus.n_docs))) if texts else None
        assert again.doc_names == (corpus.doc_names or numbers)


@every_format
def test_what_is_beside(tmp_path: Path, kind: str) -> None:
    corpus = Corpus.from_matrix([[1, 2]], ["naïve", "Wörter"])
    name = NAMES[kind][0]
    write_corpus(corpus, tmp_path / name)
    wanted = {name, BESIDE.get(kind, name)}
    assert {path.name for path in tmp_path.iterdir()} == wanted


@every_format
def test_a_given_vocabulary_comes_first(tmp_path: Path, kind: str) -> None:
    corpus = Corpus.from_matrix([[1, 2]], ["a", "b"])
    path = tmp_path / NAMES[kind][0]
    write_corpus(corpus, path)
    if kind == "mallet":
        again = read_corpus(path, vocabulary=["b", "c"], **AS_WRITTEN["mallet"])
        assert again == Corpus.from_matrix([[2, 0]], ["b", "c"])
    else:
        again = read_corpus(path, vocabulary=["c", "d"])
        assert again == Corpus.from_matrix([[1, 2]], ["c", "d"])


def test_npz_keeps_every_note(tmp_path: Path) -> None:
    text = TextSettings(min_df=2, stop_words=("the",), ngrams=(1, 2))
    corpus = Corpus.from_matrix(
        [[1, 2]], ["a b", "\n"], doc_names=["my file.txt"], text_settings=text
    )
    write_corpus(corpus, tmp_path / "x.npz")
    again = read_corpus(tmp_path / "x.npz")
    assert again == corpus
    assert again.doc_names == ("my file.txt",)
    assert again.text_settings == text


# --- what cannot be written


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        *((name, word) for name in ("uci", "ldac", "svmlight", "matrix-market")
          for word in ("a\nb", " ", "", "a\r", "\0", "\ufeffa")),
        *(("gensim", word) for word in ("a\nb", "", "a\tb")),
        *(("mallet", word) for word in ("a\nb", "", "a b", "a\x85b", "a\u3000b", "\ufeffa")),
    ],
)  # fmt: skip
def test_words_that_would_not_come_back(tmp_path: Path, kind: str, word: str) -> None:
    corpus = Corpus.from_matrix([[1, 2]], [word, "b"])
    with pytest.raises(InputError, match=r"cannot write .* word \(column\) 0 is .*rename it\.$"):
        write_corpus(corpus, tmp_path / NAMES[kind][0])
    assert not any(tmp_path.iterdir())


@every_format
def test_half_characters(tmp_path: Path, kind: str) -> None:
    corpus = Corpus.from_matrix([[1, 2]], ["a", "b\ud800"])
    path = tmp_path / NAMES[kind][0]
    if kind == "npz":
        write_corpus(corpus, path)
        assert read_corpus(path) == corpus
        return
    with pytest.raises(InputError, match="is half a character, which is not valid UTF-8"):
        write_corpus(corpus, path)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("kind", sorted(BESIDE))
def test_a_vocabulary_that_is_not_the_corpus_s_is_no_neighbour(tmp_path: Path, kind: str) -> None:
    path = tmp_path / NAMES[kind][0]
    write_corpus(Corpus.from_matrix([[1, 2]], ["a", "b"]), path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(InputError, match="would be read as the vocabulary of"):
        write_corpus(Corpus.from_matrix([[3, 4]]), path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize("kind", sorted(BESIDE))
def test_words_of_other_counts_are_not_replaced(tmp_path: Path, kind: str) -> None:
    path, beside = tmp_path / NAMES[kind][0], tmp_path / BESIDE[kind]
    beside.write_text("precious\n")
    corpus = Corpus.from_matrix([[1, 2]], ["a", "b"])
    with pytest.raises(InputError, match="may belong to other counts; remove it or choose"):
        write_corpus(corpus, path, kind)
    assert (beside.read_text(), path.exists()) == ("precious\n", False)
    path.write_text("")  # counts to replace, and their words with them
    write_corpus(corpus, path, kind)
    assert read_corpus(path, kind).vocabulary == ("a", "b")
    path.unlink()
    write_corpus(corpus, path, kind)  # the same words again


def test_uci_words_need_a_name_that_finds_them(tmp_path: Path) -> None:
    corpus = Corpus.from_matrix([[1, 2]], ["a", "b"])
    with pytest.raises(InputError, match=r"must be called docword\.X\.txt"):
        write_corpus(corpus, tmp_path / "counts.txt", format="uci")
    write_corpus(Corpus.from_matrix([[1, 2]]), tmp_path / "counts.txt", format="uci")
    assert read_corpus(tmp_path / "counts.txt") == Corpus.from_matrix([[1, 2]])


@every_format
def test_nothing_is_left_of_what_fails(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing breaks off in the middle: the old files are as they were, and nothing is beside."""
    path = tmp_path / NAMES[kind][0]
    write_corpus(Corpus.from_matrix([[1, 2]], ["a", "b"]), path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def broken(*_: Any, **__: Any) -> Iterator[bytes]:
        yield b"1"
        raise OSError(28, "No space left on device")

    def fails(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    for module in ("uci", "matrix_market", "gensim"):
        monkeypatch.setattr(f"blocklda.formats.{module}.entry_lines", broken)
    for module in ("ldac", "svmlight"):
        monkeypatch.setattr(f"blocklda.formats.{module}.row_lines", broken)
    monkeypatch.setattr("blocklda.formats.mallet.document_lines", broken)
    monkeypatch.setattr("blocklda.files.archive.write_arrays", fails)
    with pytest.raises(InputError, match="No space left on device"):
        write_corpus(Corpus.from_matrix([[3, 4]], ["c", "d"]), path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@every_format
def test_the_same_corpus_makes_the_same_file(tmp_path: Path, kind: str) -> None:
    corpus = blocklda.simulate.bars(n_docs=20).corpus
    corpus = Corpus.from_matrix(corpus, [f"w{i}" for i in range(corpus.n_words)])
    name = NAMES[kind][-1]
    contents = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        write_corpus(corpus, folder / name)
        contents.append((folder / name).read_bytes())
    if kind != "npz":  # a zip archive notes the time
        assert contents[0] == contents[1]


@pytest.mark.realdata
@every_format
def test_kos(data_dir: Path, tmp_path: Path, kind: str) -> None:
    corpus = read_corpus(data_dir / "docword.kos.txt.gz")
    path = tmp_path / NAMES[kind][-1]
    write_corpus(corpus, path)
    texts = kind in AS_WRITTEN
    again = read_corpus(
        path, vocabulary=corpus.vocabulary if texts else None, **AS_WRITTEN.get(kind, {})
    )
    assert again == corpus
    if path.suffix == ".gz":
        gzip.decompress(path.read_bytes())


@every_format
def test_a_vocabulary_without_order_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / NAMES[kind][0]
    write_corpus(Corpus.from_matrix([[1, 2]], ["a", "b"]), path)
    with pytest.raises(InputError, match="dict"):
        read_corpus(path, vocabulary={"a": 0, "b": 1})
