"""The p-values so far, as counts of bins, in a file that the next run goes on from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from scipy import stats

from blocklda.files.atomic_write import replace_file
from torture.exactness.ranks import N_BINS

__all__ = ["Counts", "Suspicion", "uniformity"]


@dataclass
class Suspicion:
    """A test with the smallest rank: what became of it with more draws."""

    seed: int
    tags: dict[str, str]
    p_value: float


@dataclass
class Counts:
    """How many p-values of each kind of case lie in each bin."""

    path: Path
    n_blocks: int = 0
    """Problems that are done; the next one has this number."""
    seconds: float = 0.0
    bins: dict[str, list[int]] = field(default_factory=dict)
    n_looked_at: int = 0
    worst: list[Suspicion] = field(default_factory=list)
    mutants: dict[str, int] = field(default_factory=dict)
    """The tests until a mutant was found, 0 if it was not."""

    @classmethod
    def load(cls, path: Path) -> Counts:
        """Return the counts of a file, or new ones."""
        if not path.exists():
            return cls(path)
        stored = json.loads(path.read_bytes())
        worst = [Suspicion(**one) for one in stored.pop("worst")]
        return cls(path, **stored, worst=worst)

    def save(self) -> None:
        """Write the counts down."""
        content = asdict(self)
        content.pop("path")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(self.path) as file:
            file.write(json.dumps(content, indent=1).encode())

    def add(self, tags: Mapping[str, str], p_value: float) -> None:
        """Count a p-value under "all" and under each of its tags."""
        for name in ("all", *(f"{feature}: {value}" for feature, value in tags.items())):
            bins = self.bins.setdefault(name, [0] * N_BINS)
            bins[int(p_value * N_BINS)] += 1

    def suspect(self, seed: int, tags: Mapping[str, str], p_value: float) -> None:
        """Note the second look at a test; the worst are kept."""
        self.n_looked_at += 1
        self.worst.append(Suspicion(seed, dict(tags), p_value))
        self.worst = sorted(self.worst, key=lambda one: one.p_value)[:20]

    @property
    def n_tests(self) -> int:
        """The number of p-values."""
        return sum(self.bins.get("all", [0]))

    def rows(self) -> Iterator[tuple[str, int, float, float]]:
        """Yield a kind of cases, its tests, their share below 1 %, and how uniform they are."""
        for name, bins in sorted(self.bins.items(), key=lambda item: (item[0] != "all", item[0])):
            n_tests = sum(bins)
            yield name, n_tests, bins[0] / n_tests, uniformity(bins)


def uniformity(bins: list[int]) -> float:
    """Return the p-value of Kolmogorov and Smirnov, a little too large because of the bins."""
    n_tests = sum(bins)
    shares = np.cumsum(bins) / n_tests
    distance = float(np.abs(shares - np.arange(1, N_BINS + 1) / N_BINS).max())
    return float(stats.kstwo.sf(distance, n_tests))
