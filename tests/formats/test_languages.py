"""Texts in any language: tokenizers, token lists, stop words, normal forms, phrases, warnings."""

from __future__ import annotations

import json
import unicodedata
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pytest
from pyarrow import parquet

from blocklda import LDA, Corpus, DataWarning, InputError, read_corpus
from blocklda.formats.words import phrases
from tests.cli.commands import complaint, run_json
from tests.optional import need

TOKENS = [["Soup", "hot", "soup"], [], ["train", "late"]]
CHINESE = [
    "今天天气很好我们去公园散步",
    "明天可能下雨所以带上雨伞",
    "他在北京大学学习计算机科学与技术专业",
] * 3
HINDI = ["मैं किताब पढ़ता हूँ और चाय पीता हूँ", "वह स्कूल जाती है और हिन्दी पढ़ती है"] * 3


def cut(text: str) -> list[str]:
    """Take pairs of characters for words."""
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def counts(corpus: Corpus) -> dict[str, int]:
    words = corpus.vocabulary or ()
    return dict(zip(words, corpus.word_counts().tolist(), strict=True))


# --- lists of words


def test_words_are_taken_as_they_are() -> None:
    corpus = Corpus.from_tokens(TOKENS)
    assert counts(corpus) == {"Soup": 1, "hot": 1, "late": 1, "soup": 1, "train": 1}
    assert corpus.doc_lengths().tolist() == [3, 0, 2]
    low = Corpus.from_tokens(TOKENS, lowercase=True, stop_words=["late"], min_df=1)
    assert counts(low) == {"hot": 1, "soup": 2, "train": 1}
    assert Corpus.from_tokens([["of", "the"], None]).n_tokens == 2  # type: ignore[list-item]


@pytest.mark.parametrize(
    "given",
    [
        tuple(map(tuple, TOKENS)),
        pd.Series(TOKENS),
        pyarrow.array(TOKENS),
        [np.array(words, dtype=object) for words in TOKENS],
    ],
    ids=["tuples", "series", "arrow", "arrays"],
)
def test_lists_of_any_kind(given: Any) -> None:
    assert Corpus.from_tokens(given) == Corpus.from_tokens(TOKENS)


def test_a_column_of_a_frame() -> None:
    frame = pd.DataFrame({"words": TOKENS, "year": [1, 2, 3]}, index=[5, 6, 7])
    corpus = Corpus.from_tokens(frame, tokens_column="words")
    assert corpus == Corpus.from_tokens(TOKENS)
    assert corpus.doc_names == ("5", "6", "7")
    with pytest.raises(InputError, match="tokens_column=, one of: 'words', 'year'"):
        Corpus.from_tokens(frame)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (["hot soup"], "is the text 'hot soup', not a list of words"),
        ("soup", "documents is a str"),
        ([["soup", 3]], "has 3, a int, among its words"),
        ([7], "is 7, a int; it must be a list of words"),
        ([], "there is no document to count"),
    ],
)
def test_what_is_not_lists_of_words(documents: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.from_tokens(documents)


def test_new_lists_are_counted_like_the_old_and_texts_are_refused() -> None:
    old = Corpus.from_tokens(TOKENS)
    assert Corpus.from_tokens([["soup", "soup"]], like=old).to_matrix().sum() == 2
    with pytest.raises(InputError, match="were lists of words, but these are texts"):
        Corpus.from_texts(["soup"], like=old)
    lda = LDA(2, n_sweeps=20, random_state=0, progress=False).fit(Corpus.from_tokens(TOKENS[::2]))
    with pytest.raises(InputError, match="were lists of words"):
        lda.transform(["soup"])
    texts = Corpus.from_texts(["Hot soup", "the late train"])
    assert Corpus.from_tokens([["Hot", "the", "soup"]], like=texts).n_tokens == 2


def test_files_of_lists(tmp_path: Path) -> None:
    expected = Corpus.from_tokens(TOKENS)
    rows = [{"id": str(i), "words": words} for i, words in enumerate(TOKENS)]
    lines = tmp_path / "words.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    table = tmp_path / "words.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), table)
    spaced = tmp_path / "words.csv"
    spaced.write_text("words\n" + "\n".join(f'"{" ".join(w)}"' for w in TOKENS), encoding="utf-8")
    for path in (lines, table, spaced):
        assert read_corpus(path, tokens_column="words") == expected
    with pytest.raises(InputError, match=r"not a text.*or of lists of words with tokens_column="):
        read_corpus(lines, text_column="words")
    with pytest.raises(InputError, match=r"'id' is a text .*not a list of words"):
        read_corpus(lines, tokens_column="id")
    with pytest.raises(InputError, match="holds string, not lists of words"):
        read_corpus(table, tokens_column="id")
    with pytest.raises(InputError, match="exclude each other"):
        read_corpus(lines, tokens_column="words", text_column="id")
    model = tmp_path / "model"
    fit = ("--tokens", "words", "-k", "2", "--quick", "--sweeps", "20", "-q", "--json")
    lines.write_text("\n".join(map(json.dumps, rows[::2])), encoding="utf-8")
    parquet.write_table(pyarrow.Table.from_pylist(rows[::2]), table)
    facts = run_json("fit", lines, *fit, "-o", model)
    assert facts["text_settings"]["tokenizer"] == "tokens"
    assert len(run_json("transform", model, table, "--tokens", "words", "--json")["doc_topic"]) == 2
    assert "were lists of words" in complaint("transform", model, table, "--text-column", "id")


# --- a tokenizer of one's own


def test_a_function_cuts_texts() -> None:
    corpus = Corpus.from_texts(["abcdab", "CD"], tokenizer=cut, stop_words=["ab"])
    assert counts(corpus) == {"cd": 2}
    pairs = Corpus.from_texts(["abcdab"], tokenizer=cut, ngrams=(2, 2))
    assert counts(pairs) == {"ab cd": 1, "cd ab": 1}


def test_a_function_is_asked_for_again_after_loading(tmp_path: Path) -> None:
    lda = LDA(2, n_sweeps=20, random_state=0, progress=False)
    lda.fit(Corpus.from_texts(["abcdab", "cdcdef", "efgh"], tokenizer=cut))
    expected = lda.transform(["abcd"])
    lda.save(tmp_path / "model")
    loaded = LDA.load(tmp_path / "model")
    with pytest.raises(
        InputError, match=r"split into words by tests\.formats\.test_languages\.cut"
    ):
        loaded.transform(["abcd"])
    again = Corpus.from_texts(["abcd"], like=loaded.result_.corpus, tokenizer=cut)
    np.testing.assert_array_equal(loaded.transform(again), expected)
    loaded = LDA.load(tmp_path / "model", tokenizer=cut)
    np.testing.assert_array_equal(loaded.transform(["abcd"]), expected)
    assert "pickle" not in (tmp_path / "model" / "model.json").read_text("utf-8")


def test_a_function_for_a_model_that_had_none(tmp_path: Path) -> None:
    LDA(2, n_sweeps=20, random_state=0).fit(["hot soup", "late train"]).save(tmp_path / "model")
    with pytest.raises(InputError, match="is only for models whose texts were split by a function"):
        LDA.load(tmp_path / "model", tokenizer=cut)


@pytest.mark.parametrize(
    ("function", "message"),
    [(lambda text: text, "returned a str"), (lambda _: [1], "returned 1, a int, among the words")],
)
def test_functions_that_find_no_words(function: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(["soup"], tokenizer=function)


# --- scripts


def test_a_script_without_spaces_is_told() -> None:
    with pytest.warns(
        DataWarning, match="without spaces between words.*tokens_column=.*tokenizer"
    ) as w:
        Corpus.from_texts(CHINESE, stop_words="none")
    assert len(w) == 1
    Corpus.from_texts(CHINESE, tokenizer=cut)  # a warning would be an error


def test_words_cut_apart_at_marks_are_told_and_the_pattern_for_them_keeps_them() -> None:
    with pytest.warns(DataWarning, match="splits words.*token_pattern='unicode'"):
        Corpus.from_texts(HINDI, stop_words="none")
    corpus = Corpus.from_texts(HINDI, stop_words="none", token_pattern="unicode")
    assert {"पढ़ता", "किताब", "हिन्दी"} <= set(corpus.vocabulary or ())


def test_accents_and_a_few_foreign_words_are_not_told() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Corpus.from_texts(["Das schöne Café hat süße Brötchen und Straßenbahnen 你好 hier"] * 5)


def test_the_command_line_names_its_options(tmp_path: Path) -> None:
    path = tmp_path / "titles.txt"
    path.write_text("\n".join(HINDI), encoding="utf-8")
    command = ("fit", path, "-k", "2", "--quick", "--sweeps", "20", "--json", "-q")
    done = run_json(*command, "--stop-words", "none", "--token-pattern", "unicode")
    assert done["words"] > 10


# --- normal forms


def test_decomposed_letters_are_the_composed_ones(tmp_path: Path) -> None:
    both = ["café", unicodedata.normalize("NFD", "café")]
    assert counts(Corpus.from_texts(both)) == {"café": 2}
    assert len(counts(Corpus.from_texts(both, unicode="none"))) == 2
    assert counts(Corpus.from_tokens([both])) == {"café": 2}


# --- stop words by language


def test_stop_words_of_a_language() -> None:
    need("stop_words")
    texts = ["die Suppe und der Zug", "ein Zug für die Stadt"]
    german = Corpus.from_texts(texts, stop_words="german")
    assert german.vocabulary == ("stadt", "suppe", "zug")
    assert german == Corpus.from_texts(texts, stop_words="de")
    assert german.text_settings is not None
    assert "und" in german.text_settings.stop_words  # the words, so that files need no package
    with pytest.raises(InputError, match=r"a language: arabic,.*, german,"):
        Corpus.from_texts(texts, stop_words="klingon")


# --- phrases


def test_words_that_belong_together_are_one() -> None:
    rng = np.random.default_rng(0)
    letters = rng.choice([*"abcdefgh"], size=(30, 20))
    texts = [" ".join(f"{c}{c}" for c in row) + " in new york" for row in letters]
    texts += ["york aa new bb", "york cc new dd"] * 5
    corpus = Corpus.from_texts(texts, phrases=True)
    assert corpus.text_settings is not None
    assert ("new", "york") in corpus.text_settings.phrases  # type: ignore[operator]
    found = counts(corpus)
    assert found["new_york"] == 30
    assert found["new"] == found["york"] == 10
    new = Corpus.from_texts(["york new york"], like=corpus)
    assert counts(new)["new_york"] == 1
    assert counts(new)["york"] == 1


def test_the_score_of_a_phrase() -> None:
    """Of words that are always together it is 1; of independent ones about 0."""
    rng = np.random.default_rng(0)
    fill = [[f"w{i}" for i in row] for row in rng.integers(0, 9, (20, 40))]
    together = [[*words[:20], "a", "b", *words[20:]] for words in fill]
    assert phrases.find_phrases(together, frozenset(), 0.9)[0] == (("a", "b"),)
    mixed = [[str(word) for word in rng.integers(0, 5, 200)] for _ in range(20)]
    assert phrases.find_phrases(mixed, frozenset(), 0.1)[0] == ()
    assert phrases.find_phrases(together, frozenset({"b"}), 0.5)[0] == ()
    assert phrases.find_phrases([["a", "b"]] * 9, frozenset(), 0.5)[0] == ()  # too few
    assert phrases.find_phrases([["a"], ["b"]] * 20, frozenset(), 0.1)[0] == ()  # not neighbours


def test_phrases_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("in new york\nsoup of leeks\n" * 12, encoding="utf-8")
    model = tmp_path / "model"
    run_json(
        "fit", path, "-k", "2", "--quick", "--sweeps", "20", "--phrases", "--json", "-o", model
    )
    assert "new_york" in (LDA.load(model).result_.corpus.vocabulary or ())


def test_single_characters_stand_in_for_words_where_nothing_cuts_them() -> None:
    texts = ["数据库连接失败，请检查用户名和密码", "文件或目录不存在，无法打开文件"] * 10
    with pytest.warns(UserWarning, match="without spaces between words"):
        Corpus.from_texts(texts, stop_words="none")
    pairs = Corpus.from_texts(
        texts, stop_words="none", token_pattern="[\u4e00-\u9fff]", ngrams=(2, 2), min_df=2
    )
    assert {"数 据", "文 件"} <= set(pairs.vocabulary or ())
