"""The pages for people, and what they hold: code, links, headings, commands."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

_FENCED = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```", re.M | re.S)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_REPOSITORY_LINK = re.compile(
    r"^https://(?:github\.com/blocklda/blocklda/blob|raw\.githubusercontent\.com/blocklda/blocklda)/main/"
)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """Code between fences, with empty lines before it so that its lines have the page's numbers."""

    code: str
    line: int


@dataclass(frozen=True)
class PlacedBlock:
    """Code for a file, which the fence names after the language: all of it, or changes (diff)."""

    language: str
    path: str
    code: str


@dataclass(frozen=True)
class Page:
    """A Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(REPOSITORY).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def prose(self) -> str:
        """The text without fenced code."""
        return _FENCED.sub("", self.text)

    def blocks(self, language: str) -> list[Block]:
        """Return the code in a language that no file is named for."""
        found = []
        for match in _FENCED.finditer(self.text):
            if match[1] == language and match[2] is None:
                line = self.text.count("\n", 0, match.start(3)) + 1
                found.append(Block("\n" * (line - 1) + match[3], line))
        return found

    def placed_blocks(self) -> list[PlacedBlock]:
        """Return the code that belongs into files."""
        return [PlacedBlock(*fenced) for fenced in _FENCED.findall(self.text) if fenced[1]]

    def require_output(self, printed: str) -> None:
        """Compare what code printed with the blocks that show it: the same seed prints the same."""
        for block in self.blocks("output"):
            shown = block.code.lstrip("\n")
            assert shown in printed, f"{self.name} shows\n{shown}\nbut its code prints\n{printed}"

    def spans(self) -> list[str]:
        """Return the code in sentences."""
        return _SPAN.findall(self.prose)

    def commands(self) -> list[str]:
        """Code in sentences, and the lines of blocks that are not Python."""
        lines = [
            line
            for language, _, code in _FENCED.findall(self.text)
            if language != "python"
            for line in code.splitlines()
        ]
        return [*self.spans(), *lines]

    def links(self) -> list[str]:
        """Return links to files and headings, those to other sites left out.

        Links to the repository's own address are links to its files: README.md has such ones,
        since package indexes show it too.
        """
        found = [self._local(link) for link in _LINK.findall(_SPAN.sub("", self.prose))]
        return [link for link in found if not re.match(r"[a-z]+:", link)]

    def _local(self, link: str) -> str:
        path = _REPOSITORY_LINK.sub("", link)
        return path if path == link else os.path.relpath(REPOSITORY / path, self.path.parent)

    def anchors(self) -> set[str]:
        """What a link to a heading says, as GitHub makes it: lower case, dashes for spaces."""
        headings = re.findall(r"^#+ (.*)$", self.prose, re.M)
        return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


PAGES = [
    Page(path)
    for path in sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")], key=str)
]
