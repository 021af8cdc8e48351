"""MALLET states: a chain in, the same chain out."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import blocklda
from blocklda import Chain, Corpus, read_mallet_state, write_mallet_state
from blocklda.formats import read_corpus, write_corpus
from blocklda.formats.mallet_states import tokens as mallet_state_tokens
from blocklda.formats.streams import line_chunks
from blocklda.support.errors import BlockldaError, CapacityError, FileFormatError, InputError
from tests.formats.refusals import checked_message, counts_of, write

HEADER = b"#doc source pos typeindex type topic\n#alpha : 0.5 1.0E-1 2.0 \n#beta : 0.01\n"
TOKENS = b"0 NA 0 0 dies 2\n0 NA 1 1 sein 0\n0 NA 2 0 dies 1\n2 NA 0 2 \xc3\xbcbrig 2\n"


def refused_state(path: Any, error: type[BlockldaError] = FileFormatError) -> str:
    with pytest.raises(error) as caught:
        read_mallet_state(path)
    return checked_message(caught.value, error)


@pytest.fixture(params=[80, 2**20], ids=["small-pieces", "one-piece"])
def _pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_chunks, "CHUNK_BYTES", request.param)


def check_small(chain: Chain) -> None:
    assert chain.corpus.vocabulary == ("dies", "sein", "übrig")
    assert counts_of(chain.corpus) == [[2, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert chain.priors.alpha.tolist() == [0.5, 0.1, 2.0]
    assert (chain.priors.beta == 0.01).all()
    assert chain.n_topics == 3
    assert chain.n_sweeps == 0
    assert chain.doc_topic_counts().tolist() == [[1, 1, 1], [0, 0, 0], [0, 0, 1]]
    assert chain.topic_word_counts().tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 1]]


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "tokens",
    [
        TOKENS,
        TOKENS.rstrip() + b"\n\n",
        TOKENS.replace(b"\n", b"\r\n"),
        b"".join(reversed(TOKENS.splitlines(keepends=True))),
    ],
)
def test_what_a_state_says(tmp_path: Path, tokens: bytes, packed: bool) -> None:
    content = HEADER + tokens
    name = "x.gz" if packed else "x.txt"
    path = write(tmp_path, gzip.compress(content) if packed else content, name)
    chain = read_mallet_state(path)
    check_small(chain)
    assert chain.corpus.doc_names is None
    assert read_corpus(path) == chain.corpus
    chain.sweep(3)
    assert chain.n_sweeps == 3


@pytest.mark.usefixtures("_pieces")
def test_sources_name_the_documents(tmp_path: Path) -> None:
    plain = TOKENS.replace(b"0 NA", b"0 a.txt").replace(b"2 NA", b"2 b.txt")
    chain = read_mallet_state(write(tmp_path, HEADER + plain, "x.state"))
    check_small(chain)
    assert chain.corpus.doc_names == ("a.txt", "NA", "b.txt")
    spaced = TOKENS.replace(b"0 NA", b"0 file:/my texts/a 1.txt").replace(b"2 NA", b"2 b.txt")
    chain = read_mallet_state(write(tmp_path, HEADER + spaced, "x.state"))
    check_small(chain)
    assert chain.corpus.doc_names == ("file:/my texts/a 1.txt", "NA", "b.txt")
    with pytest.raises(InputError) as caught:
        write_mallet_state(chain, tmp_path / "y.state")
    assert "document (row) 0 is called 'file:/my texts/a 1.txt'" in str(caught.value)
    assert not (tmp_path / "y.state").exists()
    write_mallet_state(chain, tmp_path / "y.state", doc_names=["0", "1", "2"])
    assert read_mallet_state(tmp_path / "y.state").corpus.doc_names == ("0", "1", "2")


def test_types_without_tokens_have_numbers_for_names(tmp_path: Path) -> None:
    tokens = TOKENS.replace(b" 2 \xc3", b" 4 \xc3")
    chain = read_mallet_state(write(tmp_path, HEADER + tokens, "x.state"))
    assert chain.corpus.vocabulary == ("dies", "sein", "#2", "#3", "übrig")


def test_the_file_that_is_written(tmp_path: Path) -> None:
    chain = read_mallet_state(write(tmp_path, HEADER + TOKENS, "x.state"))
    write_mallet_state(chain, tmp_path / "y.state.gz")
    lines = gzip.decompress((tmp_path / "y.state.gz").read_bytes()).decode().splitlines()
    assert lines == [
        "#doc source pos typeindex type topic",
        "#alpha : 0.5 0.1 2.0 ",
        "#beta : 0.01",
        "#empty-document : 1 NA",
        "0 NA 0 0 dies 2",
        "0 NA 1 0 dies 1",
        "0 NA 2 1 sein 0",
        "2 NA 0 2 übrig 2",
    ]


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]))
words = words.filter(lambda word: word.split() == [word])


@settings(derandomize=True, deadline=None, max_examples=80)
@given(data=st.data(), chunk_bytes=st.sampled_from([1000, 2**20]))
def test_round_trip(data: st.DataObject, chunk_bytes: int) -> None:
    counts = data.draw(
        hnp.arrays(
            np.int64,
            hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
            elements=st.sampled_from([0, 0, 1, 3]),
        ).filter(lambda counts: counts.sum() > 0)
    )
    n_docs, n_words = counts.shape
    names = data.draw(st.none() | st.lists(words, min_size=n_docs, max_size=n_docs))
    vocabulary = data.draw(
        st.none() | st.lists(words, min_size=n_words, max_size=n_words, unique=True)
    )
    corpus = Corpus.from_matrix(counts, vocabulary, doc_names=names)
    n_topics = data.draw(st.integers(1, 4))
    alpha = data.draw(st.lists(st.floats(1e-9, 1e9), min_size=n_topics, max_size=n_topics))
    chain = Chain(corpus, n_topics, alpha=alpha, beta=data.draw(st.floats(1e-9, 1e9)), seed=3)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "x.state.gz"
        write_mallet_state(chain, path)
        patch.setattr(line_chunks, "CHUNK_BYTES", chunk_bytes)
        again = read_mallet_state(path)
        write_mallet_state(again, Path(folder) / "y.state.gz")
        assert (Path(folder) / "y.state.gz").read_bytes() == path.read_bytes()
    are_numbers = vocabulary == [str(number) for number in range(n_words)]
    assert again.corpus.vocabulary == (None if are_numbers else corpus.vocabulary)
    assert again.corpus.fingerprint == corpus.fingerprint
    assert again.corpus.doc_names == (None if set(names or ()) <= {"NA"} else tuple(names or ()))
    assert (again.block_counts() != chain.block_counts()).nnz == 0
    assert again.assignments().tolist() == chain.assignments().tolist()
    assert again.priors.alpha.tolist() == chain.priors.alpha.tolist()
    assert again.priors.beta.tolist() == chain.priors.beta.tolist()
    assert again.log_joint() == chain.log_joint()


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize("source", [b"NA", b"my texts/a.txt"])
def test_a_state_in_the_order_of_another(tmp_path: Path, source: bytes) -> None:
    """What MALLET needs to go on with its own instances: the same tokens on the same lines."""
    tokens = TOKENS.replace(b"NA", source)
    content = HEADER + b"#unused-word : 3 cat\n" + tokens + b"\n"
    path = write(tmp_path, content, "x.state")
    chain = read_mallet_state(path)
    write_mallet_state(chain, tmp_path / "y.state", like=path)
    again = (tmp_path / "y.state").read_bytes()
    assert again == content.rstrip().replace(b"1.0E-1", b"0.1") + b"\n"
    chain = Chain(chain.corpus, 3, alpha=[1, 2, 3], init=[1, 1, 0, 2])
    write_mallet_state(chain, tmp_path / "y.state.gz", like=path)
    lines = gzip.decompress((tmp_path / "y.state.gz").read_bytes()).splitlines()
    assert lines[1] == b"#alpha : 1.0 2.0 3.0 "
    assert [line.rsplit(b" ", 1)[0] for line in lines[4:]] == [
        line.rsplit(b" ", 1)[0] for line in tokens.splitlines()
    ]
    assert [line.rsplit(b" ", 1)[1] for line in lines[4:]] == [b"1", b"0", b"1", b"2"]
    assert (read_mallet_state(tmp_path / "y.state.gz").assignments() == [1, 1, 0, 2]).all()


def test_another_state_must_have_the_same_tokens(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + TOKENS, "x.state")
    other = Chain(Corpus.from_matrix([[2, 1, 1]], ["dies", "sein", "übrig"]), 3)
    with pytest.raises(
        InputError, match=r"x\.state does not have the documents and words of the chain"
    ):
        write_mallet_state(other, tmp_path / "y.state", like=path)
    with pytest.raises(InputError, match="leave out doc_names and number_as_mallet, or like"):
        write_mallet_state(other, tmp_path / "y.state", like=path, number_as_mallet=True)
    assert not (tmp_path / "y.state").exists()


def first_seen(lines: list[list[str]]) -> list[int]:
    """The numbers that MALLET gives to words as it meets them."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(word, len(numbers)) for line in lines for word in line]


def test_a_state_for_the_lines_that_mallet_imports(tmp_path: Path) -> None:
    """MALLET goes through the tokens of its instances in order and compares the typeindex."""
    corpus = blocklda.simulate.bars(n_docs=15, seed=2).corpus
    corpus = Corpus.from_matrix(corpus, [f"w{i}" for i in range(corpus.n_words)])
    chain = Chain(corpus, 5, seed=1)
    chain.sweep(2)
    write_corpus(corpus, tmp_path / "x.mallet")
    write_mallet_state(chain, tmp_path / "x.state", number_as_mallet=True)
    lines = (tmp_path / "x.mallet").read_text().splitlines()
    texts = [line.split(" ")[2:] for line in lines]
    state = [
        line.split(" ")
        for line in (tmp_path / "x.state").read_text().splitlines()
        if not line.startswith("#")
    ]
    assert [int(fields[3]) for fields in state] == first_seen(texts)
    assert [fields[4] for fields in state] == [word for text in texts for word in text]
    again = read_mallet_state(tmp_path / "x.state")
    assert again.corpus.vocabulary is not None
    columns = [corpus.vocabulary.index(word) for word in again.corpus.vocabulary]
    assert (again.topic_word_counts() == chain.topic_word_counts()[:, columns]).all()
    assert (again.doc_topic_counts() == chain.doc_topic_counts()).all()


@pytest.mark.realdata
def test_kos(data_dir: Path, tmp_path: Path) -> None:
    corpus = read_corpus(data_dir / "docword.kos.txt.gz")
    chain = Chain(corpus, 20, alpha=np.linspace(0.1, 1, 20), init="variational")
    write_mallet_state(chain, tmp_path / "kos.state.gz")
    again = read_mallet_state(tmp_path / "kos.state.gz", sampler="sparse", seed=7)
    assert again.corpus == corpus
    assert again.sampler == "sparse"
    assert (again.assignments() == chain.assignments()).all()
    assert again.log_posterior() == chain.log_posterior()


# --- what is wrong


@pytest.mark.usefixtures("_pieces")
@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"", 1, '"" was found; a MALLET state begins with'),
        (TOKENS, 1, "a MALLET state begins with"),
        (b"#doc source pos\n" + TOKENS, 1, '"#doc source pos" was found'),
        (HEADER, 3, "there is no token"),
        (HEADER[:37] + TOKENS, 1, 'there is no "#alpha : …" above the tokens'),
        (HEADER[:62] + TOKENS, 2, 'there is no "#beta : …" above the tokens'),
        (HEADER.replace(b"2.0", b"x") + TOKENS, 2, '#alpha has "x"; priors are numbers above 0'),
        (HEADER.replace(b"2.0", b"nan") + TOKENS, 2, '#alpha has "nan"'),
        (HEADER.replace(b"2.0", b"0") + TOKENS, 2, '#alpha has "0"'),
        (HEADER.replace(b"0.01", b"0.01 3") + TOKENS, 3, "#beta has 2 numbers"),
        (HEADER.replace(b"0.5 1.0E-1 2.0 ", b"") + TOKENS, 2, "#alpha has 0 numbers"),
        (HEADER + TOKENS + b"0 NA 0 0 dies\n", 8, '5 columns ("0 NA 0 0 dies")'),
        (HEADER + TOKENS + b"0\n", 8, '1 columns ("0")'),
        (HEADER + TOKENS + b"0 NA 0 0 dies x\n", 8, 'the topic "x" was found'),
        (HEADER + TOKENS + b"0 NA 0 0 dies -1\n", 8, 'the topic "-1" was found'),
        (HEADER + TOKENS + b"0 NA 0 0 dies 3\n", 8, "#alpha has 3 numbers, so topics are from 0"),
        (HEADER + TOKENS + b"0 NA 0 x dies 1\n", 8, 'the typeindex "x" was found'),
        (HEADER + TOKENS + b"0 NA 0 0 new york 1\n", 8, 'the typeindex "new" was found'),
        (HEADER + TOKENS + b"x NA 0 0 dies 1\n", 8, 'the doc "x" was found'),
        (HEADER + TOKENS + b"0 NA 0 0 sein 1\n", 8, 'that is "dies" on line 4'),
        (HEADER + TOKENS + b"0 NA 0 0 diesx 1\n", 8, 'that is "dies" on line 4'),
        (HEADER + b"0 NA 0 3 a 1\n0 NA 0 3 b 1\n", 5, 'that is "a" on line 4'),
        (HEADER + TOKENS + b"0 NA 0 3 dies 1\n", 8, "the type 'dies' has the typeindex 3"),
        (HEADER + TOKENS + b"0 NA 0 3 d\xff 1\n", 8, "is not UTF-8 text"),
        (
            HEADER + b"#unused-word : x y\n" + TOKENS,
            4,
            '"x y" was found instead of a number and a name',
        ),
        (HEADER + b"#unused-word : 0 y\n" + TOKENS, 5, "which the header says is unused"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, content: bytes, line: int, said: str) -> None:
    message = refused_state(write(tmp_path, content, "x.state"))
    assert f"x.state, line {line}: " in message
    assert said in message


def test_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, HEADER + b"2147483647 NA 0 0 a 0\n", "x.state")
    assert "line 4: the doc 2147483647 was found" in refused_state(path, CapacityError)
    path = write(tmp_path, HEADER + b"0 NA 0 99999999999999999999 a 0\n", "x.state")
    assert "line 4: the typeindex 999" in refused_state(path, CapacityError)
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 10**6)
    path = write(tmp_path, HEADER + b"0 NA 0 900000 a 0\n", "x.state")
    assert "line 4: a state of 900001 types needs" in refused_state(path, CapacityError)
    path = write(tmp_path, HEADER + b"900000 NA 0 0 a 0\n", "x.state")
    assert "a state of 900001 documents" in refused_state(path, CapacityError)


def test_damaged_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(HEADER + TOKENS * 1000)
    message = refused_state(write(tmp_path, packed[:-9], "x.state.gz"))
    assert "the gzip data end too early" in message
    assert "there is no file" in refused_state(tmp_path / "none.gz", InputError)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    place=st.integers(0, len(TOKENS) - 1),
    byte=st.sampled_from(b"0123 \n\tx-\xff\x00"),
    chunk_bytes=st.sampled_from([64, 2**20]),
)
def test_fast_and_slow_reading_agree(place: int, byte: int, chunk_bytes: int) -> None:
    content = bytearray(TOKENS)
    content[place] = byte

    def outcome(folder: str, fast: bool) -> Any:
        path = write(Path(folder), HEADER + bytes(content), "x.state")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(line_chunks, "CHUNK_BYTES", chunk_bytes)
            if not fast:
                patch.setattr(mallet_state_tokens, "field_table", lambda *_: None)
            try:
                chain = read_mallet_state(path)
            except BlockldaError as error:
                return str(error)
        notes = (chain.corpus.vocabulary, chain.corpus.doc_names, chain.corpus.fingerprint)
        return *notes, chain.assignments().tolist()

    with tempfile.TemporaryDirectory() as folder:
        assert outcome(folder, fast=True) == outcome(folder, fast=False)


# --- what cannot be written


def test_chains_that_mallet_cannot_have(tmp_path: Path) -> None:
    corpus = Corpus.from_matrix([[1, 2]], ["a", "b c"])
    chain = Chain(corpus, 2)
    with pytest.raises(InputError, match=r"the word \(column\) 1 is called 'b c'"):
        write_mallet_state(chain, tmp_path / "x.state.gz")
    chain = Chain([[1, 2]], 2, beta=[[0.1, 0.2], [0.3, 0.4]])
    with pytest.raises(InputError, match="MALLET has one beta for all words and topics"):
        write_mallet_state(chain, tmp_path / "x.state.gz")
    with pytest.raises(InputError, match="a Chain is needed, not a Corpus"):
        write_mallet_state(corpus, tmp_path / "x.state.gz")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="mallet-state files can be read, but not written"):
        write_corpus(corpus, tmp_path / "x.state.gz")
    assert not any(tmp_path.iterdir())
