"""Following a guide: its files are put into a copy of the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import blocklda
from tests.docs.pages import PlacedBlock

PACKAGE = Path(blocklda.__file__).parent


def follow(blocks: list[PlacedBlock], folder: Path) -> Path:
    """Do in a copy of the package what blocks say; return the folder for PYTHONPATH."""
    source = folder / "src"
    shutil.copytree(PACKAGE, source / PACKAGE.name)
    for block in blocks:
        path = folder / block.path
        if block.language == "diff":
            path.write_text(changed(path.read_text("utf-8"), block), "utf-8")
        else:
            assert not path.exists(), f"{block.path} is not a new file"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.code, "utf-8")
    return source


def changed(text: str, block: PlacedBlock) -> str:
    """Return a file after the changes of a block: hunks with lines of @@ between them."""
    for hunk in block.code.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        assert text.count(old) == 1, f"{block.path} must have these lines once:\n{old}"
        text = text.replace(old, new)
    return text


def new_files(blocks: list[PlacedBlock]) -> set[str]:
    return {block.path for block in blocks if block.language != "diff"}


def changed_files(blocks: list[PlacedBlock]) -> set[str]:
    return {block.path for block in blocks if block.language == "diff"}
