"""Settings that say how texts become words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blocklda import InputError
from blocklda.data.text_settings import TextSettings


@pytest.mark.parametrize(
    "settings",
    [
        TextSettings(),
        TextSettings(stop_words="none", min_df=3, max_df=0.5, ngrams=(1, 3), max_words=10),
        TextSettings(stop_words=("a", "ü"), lowercase=False, token_pattern=r"\S+"),
        TextSettings(token_pattern="unicode", unicode="none", phrases=[("new", "york")]),
        TextSettings(tokenizer=str.split, phrases=True),
    ],
)
def test_settings_survive_json(settings: TextSettings) -> None:
    assert TextSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"stop_words": "klingon"},
        {"stop_words": None},
        {"stop_words": 3},
        {"stop_words": ["a", 3]},
        {"min_df": 0},
        {"min_df": 1.5},
        {"min_df": True},
        {"max_df": -0.1},
        {"max_df": "half"},
        {"max_df": float("nan")},
        {"ngrams": 2},
        {"ngrams": (2, 1)},
        {"ngrams": (0, 1)},
        {"ngrams": (1, 2, 3)},
        {"max_words": 0},
        {"max_words": 1.0},
        {"lowercase": "yes"},
        {"token_pattern": "("},
        {"token_pattern": "(a)(b)"},
        {"token_pattern": None},
        {"tokenizer": 3},
        {"unicode": "NFKC"},
        {"phrases": 2},
        {"phrases": [("a",)]},
    ],
    ids=str,
)
def test_wrong_settings_are_refused_by_name(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(InputError, match=rf"^{name}=") as caught:
        TextSettings(**wrong)
    assert str(caught.value).endswith(".")


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(InputError, match="there is no text setting 'mindf'; use lowercase"):
        TextSettings.from_dict({"mindf": 2})


def test_two_ways_of_joining_words_are_refused() -> None:
    with pytest.raises(InputError, match="phrases and ngrams both join words"):
        TextSettings(ngrams=(1, 2), phrases=True)


def test_settings_of_files_from_before_have_no_normal_form() -> None:
    old = {name: value for name, value in TextSettings().to_dict().items() if name != "unicode"}
    assert TextSettings.from_file(old).unicode == "none"
    assert TextSettings.from_file(TextSettings().to_dict()).unicode == "NFC"


def test_a_function_is_kept_by_name() -> None:
    class Cutter:
        def __call__(self, text: str) -> list[str]:
            return text.split()

    assert TextSettings(tokenizer=Cutter()).tokenizer.endswith("Cutter")
    assert "function" not in TextSettings(tokenizer=Cutter()).to_dict()
    assert TextSettings(tokenizer=Cutter()).keywords()["tokenizer"] is not None
