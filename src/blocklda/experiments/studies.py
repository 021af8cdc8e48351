"""The studies of the paper's section 4, as settings; `quick` forms of them take seconds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from blocklda.models.lda.samplers.registry import SAMPLERS

__all__ = ["ALPHA", "BETA", "MIXING", "STUDIES", "TIMING", "MixingStudy", "TimingStudy", "quick"]

ALPHA, BETA = 0.1, 0.01
"""The priors of all the paper's studies."""


@dataclass(frozen=True)
class MixingStudy:
    """Samplers from the same starts: log posterior and perplexity against sweeps.

    Attributes
    ----------
    name
        "simulated", "kos" or "nips": the study and its corpus.
    figure
        Which of the paper's figures it is.
    n_topics
        K.
    n_heldout_docs
        How many of the last documents have half of their words held out.
    n_starts, n_sweeps, window
        Runs of every sampler, their length, and the sweeps that one perplexity averages.
    n_docs
        Documents of the simulated corpus, or how many of the first of a real one; None for all.
    opened
        Samplers that are shown once more, after sweeps of their companion; no claim is about them.
    """

    name: str
    figure: str
    n_topics: int
    n_heldout_docs: int
    n_starts: int
    n_sweeps: int
    n_docs: int | None = None
    window: int = 10
    samplers: tuple[str, ...] = SAMPLERS
    seed: int = 2016
    opened: tuple[str, ...] = ()

    def settings(self) -> dict[str, Any]:
        """Return what a run depends on, but for which of the starts it is."""
        settings = {**asdict(self), "alpha": ALPHA, "beta": BETA, "samplers": list(self.samplers)}
        opened = settings.pop("opened")
        return {**settings, "opened": list(opened)} if opened else settings


@dataclass(frozen=True)
class TimingStudy:
    """Seconds per sweep against the number of topics.

    Attributes
    ----------
    corpora
        Names of real corpora.
    topics
        The numbers of topics.
    samplers
        The samplers that are timed.
    repeats
        Sweeps of each sampler that are timed, in turns.
    n_docs
        How many of the first documents are used; None for all.
    twin_docs, twin_repeats
        The same for the twins in Python, by corpus.
    """

    corpora: tuple[str, ...]
    topics: tuple[int, ...]
    samplers: tuple[str, ...]
    repeats: int
    n_docs: int | None
    twin_docs: dict[str, int]
    twin_repeats: int
    name: str = "timing"
    figure: str = "3"
    seed: int = 2016

    def settings(self) -> dict[str, Any]:
        """Return what a measurement depends on, but for the corpus and the number of topics."""
        return {**asdict(self), "alpha": ALPHA, "beta": BETA}


MIXING = {
    "simulated": MixingStudy(
        "simulated", "1", 10, 250, n_starts=30, n_sweeps=500, n_docs=2000, opened=("nested",)
    ),
    "kos": MixingStudy("kos", "2a", 32, 430, n_starts=20, n_sweeps=500),
    "nips": MixingStudy("nips", "2b", 40, 250, n_starts=10, n_sweeps=500),
}

TIMING = TimingStudy(
    corpora=("kos", "nips"),
    topics=(8, 16, 32, 64, 128, 256, 512, 1024),
    samplers=("single-site", "backward", "nested", "sparse"),
    repeats=10,
    n_docs=None,
    twin_docs={"kos": 40, "nips": 2},
    twin_repeats=3,
)

STUDIES = (*MIXING, TIMING.name)


def quick(study: MixingStudy | TimingStudy) -> MixingStudy | TimingStudy:
    """Return the same study with fewer runs, sweeps and documents."""
    if isinstance(study, TimingStudy):
        return replace(
            study,
            topics=(8, 64, 512),
            repeats=3,
            n_docs=200,
            twin_docs={"kos": 8, "nips": 1},
            twin_repeats=1,
        )
    shorter: dict[str, dict[str, Any]] = {
        "simulated": {"n_docs": 1000, "n_heldout_docs": 125, "n_starts": 6, "n_sweeps": 150},
        "kos": {"n_docs": 800, "n_heldout_docs": 100, "n_starts": 4, "n_sweeps": 60},
        "nips": {"n_docs": 200, "n_heldout_docs": 33, "n_starts": 2, "n_sweeps": 60},
    }
    return replace(study, **shorter[study.name])
