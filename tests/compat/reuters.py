"""The corpus that the package `lda` brings along: 395 news stories."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import lda.datasets
import lda.utils
import numpy as np

_FOLDER = Path(lda.datasets.__file__).parent / "tests"


@cache
def reuters() -> tuple[np.ndarray, tuple[str, ...]]:
    """Return counts and words; the package's own readers leave their files open."""
    with (_FOLDER / "reuters.ldac").open() as lines:
        counts = lda.utils.ldac2dtm(lines)
    return counts, tuple((_FOLDER / "reuters.tokens").read_text().split())
