"""Files of seed words: a topic a line, ``crime: murder police court``.

A line names a topic, the first line topic 0. Behind the colon are its words, with spaces or commas
between them; a line without words names a topic and leaves its words alone. ``crime [0.5]: …`` also
gives the topic its α. Blank lines and lines that begin with # are left out.
"""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from blocklda.formats.streams.text_stream import ENCODING, text_lines
from blocklda.support.errors import FileFormatError

__all__ = ["SeedFile", "read_seed_file"]

_LINE = re.compile(
    r"\s*(?P<name>[^:\[\]]*?)\s*(?:\[\s*(?P<alpha>[^\]]*?)\s*\]\s*)?:(?P<words>.*)", re.DOTALL
)
_EXAMPLE = "'crime: murder police court'"


@dataclass(frozen=True)
class SeedFile:
    """What a file of seed words says of its topics, by their numbers.

    Attributes
    ----------
    labels
        The names of the topics.
    words
        The seed words of the topics that have some.
    alphas
        α of the topics that have one of their own.
    """

    labels: dict[int, str]
    words: dict[int, list[str]]
    alphas: dict[int, float]


def read_seed_file(path: Path) -> SeedFile:
    """Read a file of seed words."""
    found = SeedFile({}, {}, {})
    with closing(text_lines(path, ENCODING)) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                _add(found, f"{path}, line {number}", line)
    if not found.labels:
        raise FileFormatError(f"{path}: there is no topic; each line has one, such as {_EXAMPLE}.")
    return found


def _add(found: SeedFile, place: str, line: str) -> None:
    match = _LINE.fullmatch(line)
    if match is None or not match["name"]:
        raise FileFormatError(
            f"{place}: {line.strip()!r:.80} is not a name, a colon and words; write it as "
            f"{_EXAMPLE}."
        )
    k, name = len(found.labels), match["name"]
    if name in found.labels.values():
        raise FileFormatError(f"{place}: there are two topics {name!r:.80}; rename one.")
    found.labels[k] = name
    words = match["words"].replace(",", " ").split()
    if words:
        found.words[k] = list(dict.fromkeys(words))
    if match["alpha"] is not None:
        found.alphas[k] = _alpha(place, match["alpha"])


def _alpha(place: str, text: str) -> float:
    try:
        alpha = float(text)
    except ValueError:
        alpha = -1.0
    if not 0 < alpha < float("inf"):
        raise FileFormatError(f"{place}: [{text:.40}] is not a valid α; give a number above 0.")
    return alpha
