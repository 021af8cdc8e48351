"""results.md: the claims, one row each, and what was done to check them."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

import blocklda
from blocklda.diagnostics.mixing import measure
from blocklda.evaluate.compare_result import Comparison
from blocklda.experiments.claims import Claim, PairedDifference
from blocklda.experiments.studies import ALPHA, BETA, MixingStudy, TimingStudy
from blocklda.experiments.timing import WARM_UP, Timing

__all__ = [
    "claims_section",
    "mixing_section",
    "page",
    "timing_section",
]

BASE = "single-site"
"""What samplers are compared with on the way."""

ON_THE_WAY = (0.1, 0.2, 0.4, 0.6, 1.0)
"""Where they are compared: shares of all sweeps."""


def page(sections: Iterable[str], *, is_quick: bool) -> str:
    """Return the whole page."""
    note = (
        "\n**Quick settings**: fewer runs, sweeps and documents than the paper; the results below "
        "test the program, not the paper.\n"
        if is_quick
        else ""
    )
    head = (
        f"# The paper's experiments, reproduced\n{note}\nblocklda {blocklda.__version__}, Python "
        f"{platform.python_version()}, NumPy {np.__version__}, {platform.machine()}. Priors: α = "
        f"{ALPHA}, β = {BETA}. A difference is the mean over starts ± its standard error, and "
        "counts if its 95 % interval excludes 0.\n"
    )
    return "\n".join([head, *sections])


def claims_section(claims: Sequence[Claim]) -> str:
    """Return the table of claims."""
    rows = [(claim.study, claim.says, claim.measured, claim.holds) for claim in claims]
    header = ("study", "the paper says", "we measured", "holds?")
    return "## Claims\n\n" + _table(header, rows)


def mixing_section(study: MixingStudy, comparison: Comparison) -> str:
    """Return the settings of a study, where its figure is, and the samplers at the end."""
    docs = f", the first {study.n_docs:,} documents" if study.n_docs else ""
    rows = [
        (
            row.sampler,
            f"{row.log_posterior:,.0f}",
            f"{row.perplexity:,.2f}",
            f"{1e3 * row.seconds_per_sweep:.3g}",
            _number(efficiency.ess_per_sweep),
            _number(efficiency.ess_per_second),
        )
        for row, efficiency in zip(comparison.rows(), _efficiencies(comparison), strict=True)
    ]
    header = (
        "sampler", "final log q", "final perplexity", "ms a sweep", "ESS a sweep", "ESS a second",
    )  # fmt: skip
    return (
        f"## {study.name}: Figure {study.figure}\n\nK = {study.n_topics}{docs}; half of the words "
        f"of the last {study.n_heldout_docs} documents held out; {study.n_starts} starts, "
        f"{study.n_sweeps} sweeps, windows of {study.window}; seed {study.seed}. Medians over "
        "starts; effective samples of log q over the second half of the sweeps, each start by "
        "itself.\n\n![log q and "
        f"perplexity]({study.name}/figure.svg)\n\n{_table(header, rows)}\nLog q minus that of "
        f"{BASE}, by number of sweeps:\n\n{_ahead(comparison)}"
    )


def _ahead(comparison: Comparison) -> str:
    """Return how far each sampler is ahead on the way: what is equal at the end may not have been.

    Differences between samplers at the same start, their mean and its standard error.
    """
    n_sweeps = comparison.log_posterior.shape[2] - 1
    sweeps = sorted({max(1, round(share * n_sweeps)) for share in ON_THE_WAY})
    base = comparison.log_posterior[comparison.samplers.index(BASE)]
    rows = [
        (name, *(str(PairedDifference.of(levels[:, t], base[:, t])) for t in sweeps))
        for name, levels in zip(comparison.samplers, comparison.log_posterior, strict=True)
        if name != BASE
    ]
    return _table(("sampler", *map(str, sweeps)), rows)


def timing_section(study: TimingStudy, timings: Sequence[Timing]) -> str:
    """Return the ratios to single-site for every number of topics."""
    others = [name for name in study.samplers if name != "single-site"]
    rows = [
        (
            timing.corpus,
            timing.backend,
            str(timing.n_topics),
            f"{timing.median('single-site'):.4g}",
            *(f"{timing.ratio(name, 'single-site'):.2f}" for name in others),
        )
        for timing in timings
    ]
    header = ("corpus", "backend", "K", "single-site, s a sweep", *(f"{name} ÷" for name in others))
    docs = ", ".join(f"{number} of {name}" for name, number in study.twin_docs.items())
    native = "all documents" if study.n_docs is None else f"the first {study.n_docs:,} documents"
    return (
        f"## timing: Figure {study.figure}\n\n"
        f"All samplers from one state, {WARM_UP} sweeps after a random start, in turns; medians of "
        f"{study.repeats} sweeps over {native} for the kernels, of {study.twin_repeats} over the "
        f"first documents ({docs}) for the twins in Python; seed {study.seed}.\n\n"
        "![seconds per sweep](timing/figure.svg)\n\n" + _table(header, rows)
    )


def _number(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:.3g}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


BURN_IN = 0.5
"""The share of the sweeps that is left out."""


@dataclass(frozen=True)
class _Efficiency:
    """Medians over starts of one sampler after the burn-in; NaN where sweeps are too few.

    Of each start by itself: chains from different starts sit in different modes, and together
    they would measure that.
    """

    sampler: str
    ess_per_sweep: float
    ess_per_second: float


def _efficiencies(comparison: Comparison) -> list[_Efficiency]:
    """Return how fast each sampler makes effective samples of log q."""
    first = 1 + int(BURN_IN * comparison.n_sweeps)
    n_kept = comparison.n_sweeps + 1 - first
    found = []
    for s, name in enumerate(comparison.samplers):
        seconds = comparison.seconds[s, :, -1] - comparison.seconds[s, :, first - 1]
        starts = [
            measure("log q", comparison.log_posterior[s, r : r + 1, first:], float(seconds[r]))
            for r in range(comparison.n_starts)
        ]
        per_sweep = np.median([start.ess_bulk / n_kept for start in starts])
        per_second = np.median([start.ess_per_second for start in starts])
        found.append(_Efficiency(name, float(per_sweep), float(per_second)))
    return found
