"""Scripts in which a pattern of letters does not find words."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from blocklda.data.text_settings import TextSettings
from blocklda.support.errors import DataWarning
from blocklda.support.messages import Message

__all__ = ["ScriptWatch"]

MOST_CHARACTERS = 200_000
"""Characters of texts that are looked at: enough to know the script of a corpus."""

FEW_LETTERS = 50
"""Of fewer letters nothing is concluded."""

MOSTLY = 0.5
"""From this share of the letters on a script without spaces is the script of the texts."""

MANY_MARKS = 0.05
"""From this share on marks are part of how words are written; accents in NFC are rarer."""

_WITHOUT_SPACES = re.compile(
    "["
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\U00020000-\U0003ffff"
    "]"
)


class ScriptWatch:
    """Looks at texts that pass by, and warns if a pattern cannot have found their words."""

    def __init__(self, settings: TextSettings) -> None:
        self._pattern = re.compile(settings.token_pattern)
        self._is_needed = settings.tokenizer is None
        self._runs: dict[str, bool] = {}
        self._n_looked_at = 0
        self._n_letters = self._n_without_spaces = self._n_marks = 0

    def watched(self, texts: Iterable[Any]) -> Iterator[Any]:
        """Yield the texts."""
        for text in texts:
            if self._is_needed and self._n_looked_at < MOST_CHARACTERS and text:
                self._look(text[:MOST_CHARACTERS])
            yield text

    def _look(self, text: str) -> None:
        self._n_looked_at += len(text)
        if text.isascii():
            self._n_letters += sum(map(str.isalpha, text))
            return
        text = unicodedata.normalize("NFC", text)
        marks = [letter for letter in text if unicodedata.category(letter) in ("Mn", "Mc")]
        self._n_letters += sum(map(str.isalpha, text)) + len(marks)
        self._n_without_spaces += sum(map(self._takes_runs_of, _WITHOUT_SPACES.findall(text)))
        self._n_marks += sum(self._cuts_at(mark) for mark in marks)

    def _takes_runs_of(self, letter: str) -> bool:
        """Return True if the pattern takes many such letters for one word."""
        if letter not in self._runs:
            self._runs[letter] = self._pattern.fullmatch(8 * letter) is not None
        return self._runs[letter]

    def _cuts_at(self, mark: str) -> bool:
        """Return True if the pattern does not take a mark for a part of a word."""
        match = self._pattern.fullmatch(f"aa{mark}a")
        return match is None or (self._pattern.groups == 1 and match[1] != match[0])

    def warn(self, stacklevel: int) -> None:
        """Warn once if the words that were found cannot be the words of the texts."""
        if self._n_letters < FEW_LETTERS:
            return
        if self._n_without_spaces > MOSTLY * self._n_letters:
            warning = Message.of(
                "most letters of these texts are from a script without spaces between words, such "
                "as Chinese, Japanese or Thai, so {token_pattern} treats whole phrases as words: "
                "[split the texts into words first and give them as {tokens_column=}, or in "
                "Python give a tokenizer; see docs/how-to/languages.md]."
            )
        elif self._n_marks > MANY_MARKS * self._n_letters:
            warning = Message.of(
                "the words of these texts have vowel signs or other marks, as in Hindi, where "
                "{token_pattern} splits words: [give {token_pattern='unicode'}, which keeps marks "
                "with their letters]."
            )
        else:
            return
        warnings.warn(DataWarning(warning), stacklevel=stacklevel + 1)
