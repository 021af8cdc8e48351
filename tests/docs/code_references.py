"""What pages say of the code: `path`, or `path: name, Class.method`, in the tree as it is.

Paths begin at the repository or at src/blocklda/.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import REPOSITORY, Page

PACKAGE = REPOSITORY / "src" / "blocklda"

_REFERENCE = re.compile(
    r"((?:src|native|tests|docs|benchmarks|torture)/[\w./-]*|[\w./-]+\.(?:py|pyi|cpp|hpp|def))"
    r"(?:: ([\w., ]+))?"
)


@dataclass(frozen=True)
class Reference:
    """A file or folder, and what it has to define."""

    path: str
    names: tuple[str, ...]

    @property
    def place(self) -> Path | None:
        """Where it is, None if there is no such file."""
        places = (root / self.path for root in (REPOSITORY, PACKAGE))
        return next((place for place in places if place.exists()), None)

    def missing(self) -> list[str]:
        """Return what is not there: the file, or names in it."""
        place = self.place
        if place is None:
            return [self.path]
        if not self.names:
            return []
        text = place.read_text("utf-8")
        known = defined(text) if place.suffix == ".py" else set(re.findall(r"\w+", text))
        return [f"{self.path}: {name}" for name in self.names if name not in known]


def references(page: Page) -> list[Reference]:
    found = [_REFERENCE.fullmatch(span) for span in page.spans()]
    return [
        Reference(match[1], tuple((match[2] or "").replace(",", " ").split()))
        for match in found
        if match
    ]


def defined(text: str) -> set[str]:
    """Return the names that a module defines, and of its classes those of their methods."""
    names = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            names |= {f"{node.name}.{method.name}" for method in methods}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names
