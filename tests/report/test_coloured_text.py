"""Words are found in a text where they were counted."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from blocklda.data.text_settings import TextSettings
from blocklda.formats.words.tokenizing import vectorizer
from blocklda.report.coloured_text import beginning, coloured_text, found_words

SETTINGS = [
    TextSettings(stop_words="none"),
    TextSettings(stop_words="none", lowercase=False, token_pattern=r"[A-Za-z]+"),
    TextSettings(stop_words="none", token_pattern=r"\b([a-z])\w*"),
]


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=60), st.sampled_from(SETTINGS))
def test_the_words_are_those_that_scikit_learn_counts(text, counted_by):
    found = [word for _, _, word in found_words(text, counted_by)]
    assert found == vectorizer(counted_by).build_analyzer()(text)


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=60), st.sampled_from(SETTINGS))
def test_no_character_is_lost(text, counted_by):
    marks = {word: (1, 50) for _, _, word in found_words(text, counted_by)}
    parts = coloured_text(text, marks, counted_by)
    assert len(parts) % 4 == 1
    assert "".join(part for part in parts if isinstance(part, str)) == text


def test_places_are_right_where_small_letters_are_longer():
    text = "İ xİ word"
    assert [text[start:end] for start, end, _ in found_words(text, SETTINGS[0])] == ["xİ", "word"]


def test_places_are_right_where_accents_are_characters_of_their_own():
    text = "le cafe\u0301 noir, un cafe\u0301"
    found = [(text[start:end], word) for start, end, word in found_words(text, SETTINGS[0])]
    assert found[1] == ("cafe\u0301", "café")
    assert found[-1] == ("cafe\u0301", "café")


def test_phrases_are_one_word():
    settings = TextSettings(stop_words="none", phrases=[("new", "york")])
    text = "In New York, new yorkers"
    found = [(text[start:end], word) for start, end, word in found_words(text, settings)]
    assert found[1] == ("New York", "new_york")
    assert [word for _, word in found] == ["in", "new_york", "new", "yorkers"]


def test_a_function_finds_the_words():
    cut = TextSettings(tokenizer=lambda text: [text[i : i + 2] for i in range(0, len(text), 2)])
    assert [word for _, _, word in found_words("abcd", cut)] == ["ab", "cd"]


def test_words_that_do_not_count_are_left_with_what_is_between():
    parts = coloured_text("A cat, a dog.", {"cat": (3, 90), "a": None}, TextSettings())
    assert parts == ["A ", "cat", 3, 90, ", a dog."]


def test_a_text_is_cut_between_words():
    assert beginning("one two three", 9) == "one two"
    assert beginning("one two", 9) == "one two"
    assert beginning("oneword", 3) == "one"
    assert beginning("   x", 2) == "  "
    assert beginning("日本語 の", 9) == "日本語"
    assert beginning("\ud800 half of a character", 6) == "\ud800"
