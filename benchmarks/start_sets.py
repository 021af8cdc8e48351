"""Sets of four chains by kind of start: how high they end, how many topics all four found, and how
well they predict together."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import blocklda
from benchmarks.harness import table
from benchmarks.recorded import record
from blocklda.estimator.plan import annealed_sweeps
from blocklda.models.lda.predictive import perplexity, predictive
from blocklda.results.stability import STABLE_BELOW, stable_topics

ALPHA, BETA = 0.1, 0.01
THIN = 4

KINDS: dict[str, tuple[str, str, str, str]] = {
    "plain": ("variational", "variational", "variational", "random"),
    "variational": ("variational",) * 4,
    "annealed": ("annealed",) * 4,
    "half annealed": ("annealed", "annealed", "variational", "variational"),
}
"""Where the four chains of a set start."""


@dataclass(frozen=True)
class Setting:
    """What all sets of one table have in common."""

    corpus: blocklda.Corpus
    n_topics: int
    burn_in: int
    n_kept: int
    """Sweeps after the burn-in."""
    heldout: blocklda.Corpus | None = None
    """Tokens to predict."""

    def chain(self, init: str, seed: np.random.SeedSequence) -> blocklda.Chain:
        sweeps: int | str = annealed_sweeps(self.burn_in) if init == "annealed" else "auto"
        return blocklda.Chain(
            self.corpus,
            self.n_topics,
            ALPHA,
            BETA,
            sampler="auto",
            seed=seed,
            init=init,
            opening_sweeps=sweeps,
        )


@dataclass(frozen=True)
class Finding:
    """What one set of chains came to."""

    log_q: list[float]
    """Of each chain, the mean over its draws."""
    n_found: int
    """Topics with a partner closer than ``STABLE_BELOW`` in all four chains."""
    cpu_seconds: float
    perplexity: float | None = None
    """Of held-out tokens, by the mean over the draws of all chains."""


def run_set(setting: Setting, kind: str, seed: int) -> Finding:
    """Run the four chains of a set; a seed gives each kind of start the same streams."""
    begin = time.process_time()
    seeds = np.random.SeedSequence(seed).spawn(4)
    chains = [setting.chain(init, own) for init, own in zip(KINDS[kind], seeds, strict=True)]
    found = record(chains, setting.burn_in + setting.n_kept, setting.burn_in, THIN)
    stable = stable_topics(found.alignment.distances, STABLE_BELOW)
    score = None
    if setting.heldout is not None:
        mean = np.mean([predictive(draw, setting.heldout) for draw in found.draws], axis=0)
        score = perplexity(mean, setting.heldout)
    return Finding(
        log_q=[float(levels.mean()) for levels in found.trace.log_posterior],
        n_found=int(np.count_nonzero(stable)),
        cpu_seconds=time.process_time() - begin,
        perplexity=score,
    )


def rows_of(kind: str, findings: Sequence[Finding]) -> list[list[str]]:
    """Return one row per set, and their medians."""
    rows = [
        [
            f"{kind}, set {number}",
            " ".join(f"{level:,.0f}" for level in finding.log_q),
            str(finding.n_found),
            _shown(finding.perplexity),
            f"{finding.cpu_seconds:.0f}",
        ]
        for number, finding in enumerate(findings, start=1)
    ]
    lowest = statistics.median(min(finding.log_q) for finding in findings)
    highest = statistics.median(max(finding.log_q) for finding in findings)
    n_found = statistics.median(finding.n_found for finding in findings)
    cpu = statistics.median(finding.cpu_seconds for finding in findings)
    known = [f.perplexity for f in findings if f.perplexity is not None]
    score = _shown(statistics.median(known) if known else None)
    medians = [f"{lowest:,.0f} to {highest:,.0f}", f"{n_found:g}", score, f"{cpu:.0f}"]
    return [*rows, [f"**{kind}**, medians", *medians]]


def _shown(score: float | None) -> str:
    return "–" if score is None else f"{score:,.0f}"


def print_sets(setting: Setting, kinds: Sequence[str], n_sets: int, seed: int) -> None:
    """Run sets of every kind in turn, and print what each came to."""
    findings: dict[str, list[Finding]] = {kind: [] for kind in kinds}
    for number in range(n_sets):
        for kind in kinds:
            finding = run_set(setting, kind, seed + number)
            print(f"{kind}: {finding}", file=sys.stderr, flush=True)  # a set takes minutes
            findings[kind].append(finding)
    header = [
        "starts of the four chains",
        "log q of the chains",
        f"topics in all four, of {setting.n_topics}",
        "perplexity",
        "CPU s",
    ]
    rows = [row for kind in kinds for row in rows_of(kind, findings[kind])]
    print(
        f"K = {setting.n_topics}, {setting.burn_in} sweeps of burn-in, draws every {THIN} of "
        f"{setting.n_kept} more; topics closer than {STABLE_BELOW}\n"
    )
    print(table(header, rows), flush=True)
