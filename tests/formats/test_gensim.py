"""gensim's corpora and dictionaries, in files and in memory, with gensim itself as the judge."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.corpora import BleiCorpus, Dictionary, MmCorpus, SvmLightCorpus, UciCorpus

from blocklda.data.corpus import Corpus
from blocklda.formats import read_corpus, write_corpus
from blocklda.formats.gensim import corpus_from_gensim, corpus_to_gensim
from blocklda.formats.words.gensim_dictionary import is_dictionary, read_dictionary
from blocklda.support.errors import InputError
from tests.formats.refusals import checked_message, counts_of, refused, write

TEXTS = [["naïve", "cat", "cat"], [], ["dog", "cat"], ["bird"], []]
COUNTS = np.array([[1, 2, 0, 0], [0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])


@pytest.fixture
def dictionary() -> Any:
    made = Dictionary()
    for text in TEXTS:
        for word in text:
            made.doc2bow([word], allow_update=True)
    assert [made[i] for i in range(4)] == ["naïve", "cat", "dog", "bird"]
    return made


@pytest.mark.parametrize("name", ["x.dict.txt", "x.dict"])
@pytest.mark.parametrize("sort_by_word", [True, False])
def test_what_gensim_writes(tmp_path: Path, dictionary: Any, name: str, sort_by_word: bool) -> None:
    MmCorpus.serialize(str(tmp_path / "x.mm"), [dictionary.doc2bow(text) for text in TEXTS])
    assert read_corpus(tmp_path / "x.mm") == Corpus.from_matrix(COUNTS)
    dictionary.save_as_text(str(tmp_path / name), sort_by_word=sort_by_word)
    corpus = read_corpus(tmp_path / "x.mm")
    assert corpus == Corpus.from_matrix(COUNTS, ["naïve", "cat", "dog", "bird"])
    # The same dictionary, named.
    (tmp_path / name).rename(tmp_path / "words")
    assert read_corpus(tmp_path / "x.mm", vocabulary=tmp_path / "words") == corpus


def test_floats_and_words_that_are_not_used(tmp_path: Path, dictionary: Any) -> None:
    bows = [[(0, 2.0)], [(2, 1.0)]]
    MmCorpus.serialize(str(tmp_path / "x.mm"), bows)
    dictionary.save_as_text(str(tmp_path / "x.dict.txt"))
    assert counts_of(read_corpus(tmp_path / "x.mm")) == [[2, 0, 0, 0], [0, 0, 1, 0]]


@pytest.mark.parametrize("name", ["x.mm", "x.mm.gz"])
def test_what_gensim_reads(tmp_path: Path, name: str) -> None:
    corpus = Corpus.from_matrix(COUNTS, ["naïve", "new york", "a\u2028b", "#"])
    write_corpus(corpus, tmp_path / name)
    loaded = Dictionary.load_from_text(str(tmp_path / "x.dict.txt"))
    assert tuple(loaded[i] for i in range(4)) == corpus.vocabulary
    assert loaded.num_docs == 5
    assert [loaded.dfs.get(i, 0) for i in range(4)] == [1, 2, 1, 1]
    documents = list(MmCorpus(str(tmp_path / name)))
    assert documents == corpus_to_gensim(corpus)[0]


@pytest.mark.parametrize(
    ("kind", "name", "named"),
    [(BleiCorpus, "x.ldac", True), (SvmLightCorpus, "x.svm", False), (UciCorpus, "x.txt", False)],
)
def test_gensim_s_other_files(
    tmp_path: Path, dictionary: Any, kind: Any, name: str, named: bool
) -> None:
    bows = [dictionary.doc2bow(text) for text in TEXTS]
    kind.serialize(str(tmp_path / name), bows, id2word=dictionary)
    corpus = read_corpus(tmp_path / name)
    assert corpus == Corpus.from_matrix(COUNTS, ["naïve", "cat", "dog", "bird"] if named else None)


def test_a_pickle_is_refused(tmp_path: Path, dictionary: Any) -> None:
    MmCorpus.serialize(str(tmp_path / "x.mm"), [dictionary.doc2bow(text) for text in TEXTS])
    dictionary.save(str(tmp_path / "x.dict"))
    message = refused(tmp_path / "x.mm")
    assert "x.dict is a pickle" in message
    assert "dictionary.save_as_text(" in message
    assert "is a pickle" in refused(tmp_path / "x.mm", vocabulary=tmp_path / "x.dict")
    assert read_corpus(tmp_path / "x.mm", vocabulary=list("abcd")).vocabulary == tuple("abcd")


def test_an_old_index_is_no_neighbour(tmp_path: Path) -> None:
    write(tmp_path, b"", "x.mm.index")
    with pytest.raises(InputError) as caught:
        write_corpus(Corpus.from_matrix(COUNTS), tmp_path / "x.mm")
    assert "x.mm.index is the index of an older x.mm" in checked_message(caught.value, InputError)
    assert not (tmp_path / "x.mm").exists()


# --- dictionaries


@pytest.mark.parametrize(
    ("content", "yes"),
    [
        (b"5\n0\ta\t1\n", True),
        (b"0\ta\t1\n1\tb\t2\n", True),
        (gzip.compress(b"5\n0\ta\t1\n", mtime=0), True),
        (b"a\nb\n", False),
        (b"1\n2\n3\n", False),
        (b"a\tb\tc\n", False),
        (b"", False),
    ],
)
def test_dictionaries_are_told_from_lists(tmp_path: Path, content: bytes, yes: bool) -> None:
    assert is_dictionary(write(tmp_path, content, "words")) == yes


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"5\n", 1, "there is no word"),
        (b"5\n0\ta\t1\n2\tc\t1\n", 3, "there is an id 2, but no word has the id 1"),
        (b"5\n0\ta\t1\n0\tc\t1\n", 3, "the id 0 is already on line 2"),
        (b"5\n0\ta\t1\n1\ta\t1\n", 3, "the word 'a' is already on line 2"),
        (b"5\n0\ta\t1\n1\tb\n", 3, "a dictionary has id, word and number of documents"),
        (b"5\n0\ta\t1\nx\tb\t1\n", 3, "a dictionary has id, word and number of documents"),
        (b"5\n0\ta\t1\n1\t\t1\n", 3, "a dictionary has id, word and number of documents"),
        (b"5\n0\ta\t1\n1\t\xff\t1\n", 3, "the byte 0xff is not UTF-8"),
    ],
)
def test_wrong_dictionaries(tmp_path: Path, content: bytes, line: int, said: str) -> None:
    path = write(tmp_path, content, "x.dict.txt")
    with pytest.raises(InputError) as caught:
        read_dictionary(path)
    message = checked_message(caught.value)
    assert f"x.dict.txt, line {line}: " in message
    assert said in message


def test_a_dictionary_that_is_too_short(tmp_path: Path) -> None:
    write_corpus(Corpus.from_matrix(COUNTS), tmp_path / "x.mm")
    write(tmp_path, b"0\ta\t1\n", "x.dict.txt")
    message = refused(tmp_path / "x.mm")
    assert "x.mm, line 2: the header announces 4 words, but" in message
    assert "x.dict.txt has 1" in message


# --- in memory


def test_from_gensim(dictionary: Any) -> None:
    bows = [dictionary.doc2bow(text) for text in TEXTS]
    named = Corpus.from_matrix(COUNTS, ["naïve", "cat", "dog", "bird"])
    assert corpus_from_gensim(bows, dictionary) == named
    assert corpus_from_gensim(iter(bows), dict(dictionary.items())) == named
    assert corpus_from_gensim(bows) == Corpus.from_matrix(COUNTS)
    assert counts_of(corpus_from_gensim([[(1, 2.0), (1, 1)]])) == [[0, 3]]


def test_to_gensim_and_back() -> None:
    corpus = Corpus.from_matrix(COUNTS, ["a", "b", "c", "d"])
    documents, words = corpus_to_gensim(corpus)
    assert documents == [[(0, 1), (1, 2)], [], [(1, 1), (2, 1)], [(3, 1)], []]
    assert words == dict(enumerate("abcd"))
    assert corpus_from_gensim(documents, words) == corpus
    assert corpus_to_gensim(Corpus.from_matrix(COUNTS))[1] is None


@pytest.mark.parametrize(
    ("bow", "words", "said"),
    [
        ([[1, 2]], None, "document 0 of the corpus holds 1; a document is a list of (id, count)"),
        ([[], [("a", 1)]], None, "document 1 of the corpus holds ('a', 1)"),
        ([[(0, "x")]], None, "document 0 of the corpus holds (0, 'x')"),
        ([[(-1, 1)]], None, "document 0 of the corpus has the word id -1"),
        ([[(0, 0.5)]], None, "counts must be whole numbers"),
        ([[(0, -1)]], None, "Negative values in data"),
        ([[(3, 1)]], {0: "a"}, "the corpus has the word id 3, but the dictionary has 1 words"),
        ([[(0, 1)]], {0: "a", 2: "b"}, "the dictionary has 2 words but none with the id 1"),
        ([[(0, 1)]], ["a"], "the dictionary is a list"),
        ([[]], None, "0 words (columns)"),
        ([], {0: "a"}, "0 documents (rows)"),
    ],
)
def test_what_is_no_bag_of_words(bow: Any, words: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        corpus_from_gensim(bow, words)
    assert said in checked_message(caught.value, InputError)
