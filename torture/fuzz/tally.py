"""What happened to the inputs of one reader, in a file that the next run goes on from."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from blocklda.files.atomic_write import replace_file

__all__ = ["Failure", "Tally"]


@dataclass
class Failure:
    """Something else than a refusal came out; ``file`` has the first input that did it."""

    said: str
    file: str
    inputs: int = 0


@dataclass
class Tally:
    """Counts of one reader; ``died`` are inputs that ended the process or took all its time.

    ``seconds`` are of processor time, which does not depend on what else runs.
    """

    folder: Path
    reader: str
    plain: int = 0
    guided: int = 0
    read: int = 0
    refused: int = 0
    died: int = 0
    seconds: float = 0.0
    peak_mib: int = 0
    failures: dict[str, Failure] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, reader: str) -> Tally:
        """Return the counts in a folder, or new ones."""
        tally = cls(folder, reader)
        if tally.path.exists():
            stored = json.loads(tally.path.read_bytes())
            found = {key: Failure(**one) for key, one in stored.pop("failures").items()}
            tally = cls(folder, **stored, failures=found)
        return tally

    def save(self) -> None:
        """Write the counts down."""
        content = asdict(self)
        content.pop("folder")
        with replace_file(self.path) as file:
            file.write(json.dumps(content, indent=1).encode())

    @property
    def slug(self) -> str:
        """The reader's name as part of a file's name."""
        return re.sub(r"\W+", "-", self.reader)

    @property
    def path(self) -> Path:
        """Where the counts are."""
        return self.folder / f"{self.slug}.json"

    @property
    def inputs(self) -> int:
        """How many inputs there were."""
        return self.plain + self.guided

    def add_failure(self, key: str, said: str, data: bytes) -> None:
        """Keep an input that failed, if it is the first of its kind."""
        if key not in self.failures:
            name = f"{self.slug}-{hashlib.sha256(data).hexdigest()[:8]}.bin"
            (self.folder / name).write_bytes(data)
            self.failures[key] = Failure(f"{said:.300}", name)
        self.failures[key].inputs += 1
