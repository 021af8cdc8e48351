"""The claims of the paper's section 4.4 about time, measured for the kernels and for the twins."""

from __future__ import annotations

from collections.abc import Sequence

from blocklda.experiments.claims import Claim, answer
from blocklda.experiments.timing import BACKENDS, Timing

__all__ = ["timing_claims"]

SAVED = {"kos": 0.144, "nips": 0.365}
"""What nested simulation saves of a single-site sweep in the paper with 1,024 topics."""


def timing_claims(timings: Sequence[Timing]) -> list[Claim]:
    """Return the claims for every backend; the paper timed Python."""
    claims = []
    for backend in BACKENDS:
        by_corpus = {
            name: [
                timing for timing in timings if (timing.corpus, timing.backend) == (name, backend)
            ]
            for name in SAVED
        }
        if all(by_corpus.values()):
            claims += _of_backend(backend, by_corpus)
    return claims


def _of_backend(backend: str, by_corpus: dict[str, list[Timing]]) -> list[Claim]:
    study = f"timing, {backend}"
    backward = {name: _ratios(group, "backward") for name, group in by_corpus.items()}
    nested = {name: _ratios(group, "nested") for name, group in by_corpus.items()}
    largest = max(nested["kos"])
    claims = [
        Claim(
            study,
            "KOS: single-site runs more than twice as fast as backward, for any K",
            f"backward ÷ single-site {_listed(backward['kos'])}",
            answer(min(backward["kos"].values()) > 2),
        ),
        Claim(
            study,
            "NIPS: backward takes about 25 % more",
            f"backward ÷ single-site {_listed(backward['nips'])}",
            answer(all(1.1 < ratio < 1.4 for ratio in backward["nips"].values())),
        ),
        Claim(
            study,
            "nested overtakes single-site as K grows",
            "; ".join(f"{name} {_overtakes(ratios)}" for name, ratios in nested.items()),
            answer(all(ratios[max(ratios)] < 1 for ratios in nested.values())),
        ),
    ]
    for name, saved in SAVED.items():
        ratio = nested[name][largest]
        claims.append(
            Claim(
                study,
                f"{name.upper()}: nested saves {saved:.1%} of single-site at K = 1024",
                f"nested ÷ single-site {ratio:.2f} at K = {largest}: "
                + (f"saves {1 - ratio:.1%}" if ratio < 1 else f"costs {ratio - 1:.1%} more"),
                answer(ratio < 1),
            )
        )
    return claims


def _ratios(group: list[Timing], sampler: str) -> dict[int, float]:
    return {timing.n_topics: timing.ratio(sampler, "single-site") for timing in group}


def _listed(ratios: dict[int, float]) -> str:
    return ", ".join(f"{ratio:.2f} (K={n_topics})" for n_topics, ratio in ratios.items())


def _overtakes(ratios: dict[int, float]) -> str:
    """Say from which number of topics on a ratio stays below 1."""
    sizes = sorted(ratios)
    for i, n_topics in enumerate(sizes):
        if all(ratios[later] < 1 for later in sizes[i:]):
            return f"from K = {n_topics} on"
    return f"never up to K = {sizes[-1]} ({_listed(ratios)})"
