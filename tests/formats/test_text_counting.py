"""Counting texts gives what scikit-learn's CountVectorizer gives, for every setting."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from blocklda.data.text_settings import TextSettings
from blocklda.formats.words import counting
from blocklda.formats.words.counting import count_texts
from blocklda.formats.words.tokenizing import vectorizer
from blocklda.support.errors import CapacityError, InputError

WORDS = [
    "the",
    "cat",
    "Cat",
    "sat",
    "mat",
    "a",
    "naïve",
    "ΣΊΣΥΦΟΣ",
    "İx",
    "b2b",
    "don't",
    "_x",
    "42",
]

texts_of_words = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=8
)
any_settings = st.builds(
    TextSettings,
    stop_words=st.sampled_from(["english", "none", (), ("cat", "sat"), ("cat sat",)]),
    min_df=st.sampled_from([1, 2, 3, 0.0, 0.3, 1.0]),
    max_df=st.sampled_from([1.0, 0.5, 2, 3, 0.0]),
    ngrams=st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 3)]),
    max_words=st.sampled_from([None, 1, 2, 5, 100]),
    lowercase=st.booleans(),
    token_pattern=st.sampled_from([r"(?u)\b\w\w+\b", r"\S+", r"(?u)\b(\w)\w*", r"[a-z]+"]),
)


def by_scikit_learn(
    texts: list[str], chosen: TextSettings, words: list[str] | None = None
) -> tuple[list[str], np.ndarray] | None:
    """What CountVectorizer counts; None if it finds nothing to count."""
    counter = CountVectorizer(
        lowercase=chosen.lowercase,
        token_pattern=chosen.token_pattern,
        stop_words=None if chosen.stop_words == "none" else _listed(chosen.stop_words),
        min_df=chosen.min_df,
        max_df=chosen.max_df,
        ngram_range=chosen.ngrams,
        max_features=chosen.max_words,
        vocabulary=words,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            matrix = counter.fit_transform(texts)
        except ValueError:
            return None
    return counter.get_feature_names_out().tolist(), matrix.toarray()


def _listed(stop_words: str | tuple[str, ...]) -> str | list[str]:
    return stop_words if isinstance(stop_words, str) else list(stop_words)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(texts=texts_of_words, chosen=any_settings, piece=st.sampled_from([1, 7, 2**22]))
def test_all_settings_count_as_scikit_learn_does(
    texts: list[str], chosen: TextSettings, piece: int
) -> None:
    expected = by_scikit_learn(texts, chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "PIECE_TOKENS", piece)
        if expected is None:
            with pytest.raises(InputError, match="no word is left to count: "):
                count_texts(iter(texts), chosen)
            return
        corpus = count_texts(iter(texts), chosen)
    assert list(corpus.vocabulary or ()) == expected[0]
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), expected[1])
    assert corpus.text_settings == chosen


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    texts=texts_of_words,
    chosen=any_settings,
    words=st.lists(
        st.sampled_from(["sat", "cat", "the", "cat sat", "naïve", "zebra", "42"]),
        min_size=1,
        unique=True,
    ),
    piece=st.sampled_from([1, 7, 2**22]),
)
def test_given_words_are_counted_as_scikit_learn_does(
    texts: list[str], chosen: TextSettings, words: list[str], piece: int
) -> None:
    expected = by_scikit_learn(texts, chosen, words)
    assert expected is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "PIECE_TOKENS", piece)
        corpus = count_texts(iter(texts), chosen, vocabulary=words)
    assert list(corpus.vocabulary or ()) == words == expected[0]
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), expected[1])


def test_the_most_frequent_of_many_words() -> None:
    """With hundreds of ties, the same of them are kept."""
    random = np.random.default_rng(3)
    texts = [" ".join(f"w{i}" for i in random.integers(0, 2000, size=200)) for _ in range(30)]
    chosen = TextSettings(max_words=500)
    expected = by_scikit_learn(texts, chosen)
    corpus = count_texts(texts, chosen)
    assert expected is not None
    assert list(corpus.vocabulary or ()) == expected[0]
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), expected[1])


def test_the_vectorizer_of_settings_counts_the_same() -> None:
    chosen = TextSettings(ngrams=(1, 2), stop_words=("the",), min_df=2)
    texts = ["the cat sat", "a cat sat down", "the dog sat"]
    corpus = count_texts(texts, chosen)
    counter = vectorizer(chosen)
    np.testing.assert_array_equal(
        counter.fit_transform(texts).toarray(), corpus.to_matrix().toarray()
    )
    assert tuple(counter.get_feature_names_out()) == corpus.vocabulary == ("cat", "cat sat", "sat")


def test_texts_are_taken_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names may come with the texts, and nothing is asked for before it is needed."""
    monkeypatch.setattr(counting, "PIECE_TOKENS", 4)
    names: list[str] = []

    def texts() -> Any:
        for i in range(10):
            names.append(f"doc {i}")
            yield "word " * i

    corpus = count_texts(texts(), doc_names=names)
    assert corpus.doc_names == tuple(names)
    assert corpus.to_matrix().toarray().ravel().tolist() == list(range(10))


def test_stop_words_that_are_no_tokens_are_no_matter() -> None:
    chosen = TextSettings(stop_words=("don't", "the"), ngrams=(1, 2))
    assert count_texts(["the cat don't"], chosen).vocabulary == ("cat", "cat don", "don")


def test_capitals_in_a_vocabulary_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="words with capitals \\(for example 'NATO'\\)"):
        corpus = count_texts(["NATO met"], vocabulary=["met", "NATO"])
    assert corpus.to_matrix().toarray().tolist() == [[1, 0]]
    exact = count_texts(["NATO met"], TextSettings(lowercase=False), vocabulary=["met", "NATO"])
    assert exact.to_matrix().toarray().tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("texts", "chosen", "said"),
    [
        ([], {}, "there is no document to count"),
        ([""], {}, "no word is left to count: the texts are empty, or contain only stop words"),
        (["the and"], {}, "(stop_words='english')"),
        (["a b c"], {"stop_words": "none"}, r"token_pattern='(?u)\\b\\w\\w+\\b'"),
        (["cat", "dog"], {"min_df": 2}, "min_df=2 and max_df=1.0 leave out all of them"),
        (["cat", "cat dog"], {"min_df": 2, "max_df": 1}, "min_df=2 and max_df=1 leave out all"),
    ],
)
def test_nothing_to_count(texts: list[str], chosen: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        count_texts(texts, TextSettings(**chosen), source=Path("some") / "file.txt")
    assert str(caught.value).startswith(f"{Path('some') / 'file.txt'}: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("vocabulary", "said"),
    [
        ([], "the vocabulary is empty"),
        (["cat", "cat"], "has the word 'cat' twice"),
        ({"cat": 0}, "is a dict"),
        ("cat", "is a str"),
        (7, "is a int"),
        (["cat", 7], "is 7, a int"),
    ],
)
def test_wrong_vocabularies(vocabulary: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        count_texts(["cat"], vocabulary=vocabulary)
    assert said in str(caught.value)


def test_an_error_of_the_texts_passes_through() -> None:
    def texts() -> Any:
        yield "cat"
        raise CapacityError("too long")

    with pytest.raises(CapacityError, match="too long"):
        count_texts(texts())


# --- what settings are beside what tests/data/test_text_settings.py says


def test_numbers_of_numpy_survive_json() -> None:
    chosen = TextSettings(
        min_df=np.int64(2), max_df=np.float64(0.5), max_words=np.int32(7), ngrams=np.array([1, 2])
    )
    assert json.dumps(chosen.to_dict()).startswith('{"stop_words": "english", "min_df": 2, "max_')
    assert TextSettings.from_dict(json.loads(json.dumps(chosen.to_dict()))) == chosen


def test_a_set_of_stop_words_has_an_order() -> None:
    assert TextSettings(stop_words=frozenset("cab")).stop_words == ("a", "b", "c")  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", [b"x", r"\w*", "x?"])
def test_patterns_that_find_no_words(pattern: Any) -> None:
    with pytest.raises(InputError, match=r"^token_pattern=.*\.$"):
        TextSettings(token_pattern=pattern)
