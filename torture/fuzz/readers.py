"""What a reader is to the fuzzer, and all of them by name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from torture.fuzz.mutations import Mutator

__all__ = ["Prepared", "Reader", "all_readers"]


@dataclass(frozen=True)
class Prepared:
    """A reader in a folder of its own: put bytes at ``path``, then ``read``.

    ``read`` returns nothing: what was read has been looked at a second time.
    """

    path: Path
    seeds: tuple[bytes, ...]
    read: Callable[[], None]

    def read_seeds(self) -> None:
        """Read the valid files, so that all that is imported on the way is there before."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for seed in self.seeds:
                self.path.write_bytes(seed)
                self.read()


@dataclass(frozen=True)
class Reader:
    """One way into blocklda, how to prepare it in an empty folder, and how its files are broken.

    ``library`` parses the bytes in C before blocklda sees anything of them.
    """

    prepare: Callable[[Path], Prepared]
    mutate: Mutator
    library: str = ""


def all_readers() -> Mapping[str, Reader]:
    """Return the readers by name."""
    # Here, because both of them need the classes above.
    from torture.fuzz.corpora import CORPUS_READERS  # noqa: PLC0415
    from torture.fuzz.saved import SAVED_READERS  # noqa: PLC0415

    return {**CORPUS_READERS, **SAVED_READERS}
