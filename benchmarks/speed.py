"""Seconds per sweep, contenders taking turns (parts a, b and c of `benchmarks.peers`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import blocklda
from benchmarks.contenders import ALPHA, BETA, Task, Tomotopy
from benchmarks.harness import alternate, median_ratio
from benchmarks.results import Figure, Target, at_least, at_most

SPARSE = ("sparse", "sparse-single-site")
PAST_THE_START = 30
"""Sweeps after which tomotopy's time per sweep no longer depends on its random start."""

TOKENS_PER_TURN = 1_000_000
"""A turn lasts for whole sweeps over about this many tokens: long against the clock's error,
short against what else the machine does."""

AGAINST_TOMOTOPY = {
    40: at_least(1.3, 1.3),
    200: at_least(2, 1.8),
    1000: at_least(8, 6),
}
AGAINST_SINGLE_SITE = at_most(1.2, 1.2)
AGAINST_DENSE = at_most(0.2, 0.3)


def warm_chains(task: Task, samplers: Sequence[str], sweeps: int) -> dict[str, blocklda.Chain]:
    """Return chains at one state: the variational start and some sweeps from there."""
    start = blocklda.Chain(
        task.train,
        task.n_topics,
        ALPHA,
        BETA,
        sampler=SPARSE[1],
        init="variational",
        seed=task.seed,
    )
    start.sweep(sweeps)
    topics = start.assignments()
    return {
        name: blocklda.Chain(
            task.train, task.n_topics, ALPHA, BETA, sampler=name, seed=task.seed, init=topics
        )
        for name in samplers
    }


def against_tomotopy(task: Task, rounds: int) -> Iterator[Figure]:
    """Part a: tokens per second of the faster sparse sampler ÷ tomotopy's."""
    chains = warm_chains(task, SPARSE, 10)
    tomotopy = Tomotopy(task)
    tomotopy.sweep(PAST_THE_START)
    n = _sweeps_per_turn(task)
    contenders = {name: (lambda c=chain: c.sweep(n)) for name, chain in chains.items()}
    contenders["tomotopy"] = lambda: tomotopy.sweep(n)
    alternate(contenders, 1)
    seconds = alternate(contenders, rounds)
    ratios = {name: median_ratio(seconds["tomotopy"], seconds[name]) for name in SPARSE}
    K, corpus = task.n_topics, task.corpus_name
    target = AGAINST_TOMOTOPY.get(K, {}).get(corpus)
    yield Figure(f"tokens/s, faster sparse ÷ tomotopy, K={K}", corpus, max(ratios.values()), target)
    for name, ratio in ratios.items():
        yield Figure(f"— `{name}` ÷ tomotopy, K={K}", corpus, ratio)


def against_single_site(task: Task, rounds: int) -> Iterator[Figure]:
    """Part b: seconds per sweep of sparse ÷ sparse-single-site."""
    ratio = _ratio(task, SPARSE[0], SPARSE[1], rounds)
    yield _sweep_figure(task, *SPARSE, ratio, AGAINST_SINGLE_SITE)


def against_dense(task: Task, rounds: int) -> Iterator[Figure]:
    """Part c: seconds per sweep of sparse ÷ dense single-site."""
    ratio = _ratio(task, SPARSE[0], "single-site", rounds)
    yield _sweep_figure(task, SPARSE[0], "single-site", ratio, AGAINST_DENSE)


def _ratio(task: Task, sampler: str, base: str, rounds: int) -> float:
    chains = warm_chains(task, (sampler, base), 10)
    n = _sweeps_per_turn(task)
    contenders = {name: (lambda c=chain: c.sweep(n)) for name, chain in chains.items()}
    alternate(contenders, 1)
    seconds = alternate(contenders, rounds)
    return median_ratio(seconds[sampler], seconds[base])


def _sweep_figure(
    task: Task, sampler: str, base: str, ratio: float, targets: dict[str, Target]
) -> Figure:
    measure = f"s/sweep, `{sampler}` ÷ `{base}`, K={task.n_topics}"
    return Figure(measure, task.corpus_name, ratio, targets.get(task.corpus_name))


def _sweeps_per_turn(task: Task) -> int:
    return max(1, round(TOKENS_PER_TURN / task.train.n_tokens))
