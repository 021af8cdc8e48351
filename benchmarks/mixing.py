"""How far a sweep takes a chain: sweeps to a log posterior, and autocorrelation (parts d and e)."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import blocklda
from benchmarks.contenders import ALPHA, BETA, Task
from benchmarks.results import Figure, at_most
from benchmarks.speed import SPARSE, warm_chains
from blocklda import simulate

SWEEPS_NEEDED = at_most(200, 190)
AUTOCORRELATION = at_most(0.8)

SMOOTHED_OVER = 10
"""The log posterior goes up and down by more than a sweep gains near the end; means over this many
sweeps are compared, single values as well."""


def sweeps_needed(task: Task, seeds: int, after: int) -> Iterator[Figure]:
    """Part d: sweeps that sparse needs to where sparse-single-site is after ``after`` sweeps."""
    needed = []
    for i in range(seeds):
        needed.append(_sweeps_needed(replace(task, seed=task.seed + i), after))
        print(f"{task.corpus_name}, seed {i}: smoothed and single sweeps", *needed[-1], flush=True)
    smooth, single = (statistics.fmean(column) for column in zip(*needed, strict=True))
    K, name = task.n_topics, task.corpus_name
    what = f"sweeps of `sparse` to the log posterior of `sparse-single-site` after {after}, K={K}"
    over = f"mean of {SMOOTHED_OVER} sweeps"
    yield Figure(f"{what}, {over}", name, smooth, SWEEPS_NEEDED.get(name))
    yield Figure("— the same, single sweeps", name, single)


def _sweeps_needed(task: Task, after: int) -> tuple[int, int]:
    """Return the sweeps that sparse needs, by smoothed and by single values of log q.

    Both chains start at the same variational start. A chain that does not get there in twice as
    many sweeps counts as if it had with the next one.
    """
    chains = warm_chains(task, SPARSE, 0)
    goal = log_posteriors(chains["sparse-single-site"], after)
    reached: dict[int, int] = {}
    ours: list[float] = []
    while len(ours) <= 2 * after and len(reached) < 2:
        ours.extend(log_posteriors(chains["sparse"], 1))
        for window in (SMOOTHED_OVER, 1):
            if np.mean(ours[-window:]) >= np.mean(goal[-window:]):
                reached.setdefault(window, len(ours))
    return reached.get(SMOOTHED_OVER, len(ours)), reached.get(1, len(ours))


def autocorrelation(seeds: int, sweeps: int, burn_in: int, n_docs: int) -> Iterator[Figure]:
    """Part e: integrated autocorrelation time of log q on the bars, from the truth."""
    times: dict[str, list[float]] = {name: [] for name in SPARSE}
    for seed in range(seeds):
        drawn = simulate.bars(n_docs=n_docs, alpha=ALPHA, seed=seed)
        rng = np.random.default_rng(seed)
        truth = simulate.draw_assignments(drawn.corpus, drawn.doc_topic, drawn.topics, rng)
        for name in SPARSE:
            chain = blocklda.Chain(
                drawn.corpus, 10, ALPHA, BETA, sampler=name, seed=seed, init=truth
            )
            chain.sweep(burn_in)
            times[name].append(autocorrelation_time(np.array(log_posteriors(chain, sweeps))))
        print(f"bars, seed {seed}:", *(f"{n} {t[-1]:.2f}" for n, t in times.items()), flush=True)
    means = {name: statistics.fmean(values) for name, values in times.items()}
    ratio = means["sparse"] / means["sparse-single-site"]
    what = "autocorrelation time of log q"
    yield Figure(
        f"{what}, `sparse` ÷ `sparse-single-site`, K=10", "bars", ratio, AUTOCORRELATION["bars"]
    )
    for name, mean in means.items():
        spread = statistics.stdev(times[name]) / len(times[name]) ** 0.5 if seeds > 1 else np.nan
        yield Figure(f"— {what}, `{name}`, sweeps (standard error {spread:.2f})", "bars", mean)


def log_posteriors(chain: blocklda.Chain, sweeps: int) -> list[float]:
    """Return log q after each of some sweeps."""
    values = []
    for _ in range(sweeps):
        chain.sweep()
        values.append(chain.log_posterior())
    return values


def autocorrelation_time(series: np.ndarray) -> float:
    """Return 1 + 2 Σ_t ρ_t up to Sokal's window, the first t that is at least 5 times the sum."""
    n = len(series)
    spectrum = np.fft.rfft(series - series.mean(), 2 * n)
    covariance = np.fft.irfft(spectrum * spectrum.conj())[:n]
    sums = 2 * np.cumsum(covariance / covariance[0]) - 1
    window = np.flatnonzero(np.arange(n) >= 5 * sums)
    return float(sums[window[0] if window.size else -1])
