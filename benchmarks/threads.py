"""What threads are worth: one chain in several, and several chains in two.

a  tokens/s of `grid`, of LDA and of an HDP, and of `partially-collapsed` in 2 threads ÷ in 1: one
   chain, in turns.
b  seconds to a log posterior: `grid` and `partially-collapsed` in 2 threads beside `sparse` and
   `sparse-single-site` in 1, from the same start. The target is what `sparse` has after some
   sweeps; chains take turns, sweep by sweep.
c  seconds of a fit with n_chains=4, n_jobs=2 ÷ twice those of a fit with one chain, in turns.
d  the HDP in CPU time, which depends less on what else the machine does: a sweep of `sparse` and of
   `grid` in 1 thread, the share of word blocks, which are what threads divide, and the most that 2
   threads can be worth by it: `sparse` and `grid` in 1 thread ÷ `grid` in 2.
e  `partially-collapsed` with several sweeps of the documents for each φ, which is as exact as with
   one: CPU time to the log posterior of part b, from the same random start, ÷ that of `grid`. Of
   one φ and one sweep of documents the share of φ in the CPU time.
f  a sweep of `grid` with dense cells beside one of what `auto` takes, in turns: both in 1 thread
   and in CPU time; then by the clock with 2 threads of `grid`, against 1 thread of each.
g  `partially-collapsed` in one thread: the CPU time of a draw of φ and of a sweep of documents.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import blocklda
from benchmarks.harness import (
    alternate,
    corpora,
    machine,
    median_ratio,
    medians,
    table,
)
from blocklda.models.hdp.sampler import ONE_BY_ONE
from blocklda.models.hdp.state import SweepOptions
from blocklda.models.lda.samplers.partially_collapsed import sweep as partially_collapsed
from blocklda.models.lda.samplers.powers import WHOLE
from blocklda.models.lda.samplers.sweep_streams import sweep_key

ALPHA, BETA = 0.1, 0.01
WARM_UP = 10
N_THREADS = 2
N_SWEEPS = 200
IN_A_ROW = 5
THREADED = ("grid", "partially-collapsed")
PARTS = "abcdefg"
DENSE_TOPICS = (20, 40, 100, 200)
HDP_GRID = "grid of an HDP"
MOST = 6
"""Times the sweeps of `sparse` after which a chain that is not there yet is given up."""


def scaling(sampler: str, corpus: blocklda.Corpus, n_topics: int, rounds: int) -> list[str]:
    """Return tokens/s by threads, and their ratio: of one chain, which has them in turns.

    Several sweeps in a row, as chains run: a core that was idle takes some time to come back.
    """
    chain: blocklda.Chain | blocklda.HDPChain
    if sampler == HDP_GRID:
        chain = hdp_chain(corpus, n_topics, "grid")
    else:
        chain = blocklda.Chain(corpus, n_topics, ALPHA, BETA, sampler, seed=1, init="variational")
    chain.sweep(WARM_UP)

    def sweep(n_threads: int) -> None:
        chain.use_threads(n_threads)
        chain.sweep(IN_A_ROW)

    seconds = alternate({str(n): partial(sweep, n) for n in (1, N_THREADS)}, rounds)
    n_tokens = IN_A_ROW * corpus.n_tokens
    speeds = [n_tokens / statistics.median(times) / 1e6 for times in seconds.values()]
    ratio = median_ratio(seconds["1"], seconds[str(N_THREADS)])
    return [sampler, *(f"{speed:.1f}" for speed in speeds), f"{ratio:.2f}"]


def hdp_chain(corpus: blocklda.Corpus, n_topics: int, sampler: str) -> blocklda.HDPChain:
    """Return a chain of an HDP that starts with so many topics."""
    return blocklda.HDPChain(
        corpus, sampler=sampler, seed=1, init="variational", initial_topics=n_topics
    )


def serial_share(corpus: blocklda.Corpus, n_topics: int, rounds: int) -> list[str]:
    """Return what `sparse` and `grid` take for a sweep in one thread, and what two can be worth."""
    chains = {name: hdp_chain(corpus, n_topics, name) for name in ("sparse", "grid")}
    for chain in chains.values():
        chain.sweep(WARM_UP)
    grid = chains["grid"]
    sweeps = grid.model.find_sampler("grid").sweep("native")
    alone = SweepOptions(table_every=0)
    contenders = {name: partial(chain.sweep, 1) for name, chain in chains.items()}
    contenders["cells"] = lambda: sweeps.in_enough_slots(grid.state, alone, ONE_BY_ONE, 0)
    seconds = medians(alternate(contenders, IN_A_ROW * rounds, clock=time.process_time))
    in_two = seconds["grid"] - seconds["cells"] / 2
    numbers = [1e3 * seconds[name] for name in chains]
    ratios = [seconds["cells"] / seconds["grid"], *(seconds[name] / in_two for name in chains)]
    return [str(grid.n_topics), *(f"{x:.0f}" for x in numbers), *(f"{x:.2f}" for x in ratios)]


def time_to_level(
    corpus: blocklda.Corpus, n_topics: int, init: str, n_sweeps: int
) -> list[list[str]]:
    """Return the seconds and sweeps of each to what `sparse` has after ``n_sweeps``."""
    threads = {"sparse": 1, "sparse-single-site": 1, **dict.fromkeys(THREADED, N_THREADS)}
    chains = {
        name: blocklda.Chain(corpus, n_topics, ALPHA, BETA, name, seed=1, init=init, n_threads=n)
        for name, n in threads.items()
    }
    curves: dict[str, list[tuple[float, float]]] = {name: [] for name in chains}

    def sweep(name: str) -> None:
        before = curves[name][-1][1] if curves[name] else 0.0
        start = time.perf_counter()
        chains[name].sweep()
        seconds = before + time.perf_counter() - start
        curves[name].append((chains[name].log_posterior(), seconds))

    for _ in range(n_sweeps):
        for name in chains:
            sweep(name)
    level, of_sparse = curves["sparse"][-1]
    rows = []
    for name in list(threads)[1:]:
        curve = curves[name]
        while max(curve)[0] < level and len(curve) < MOST * n_sweeps:
            sweep(name)
        there = [i for i, (reached, _) in enumerate(curve) if reached >= level]
        n_needed, seconds = (f"{there[0] + 1}", curve[there[0]][1]) if there else ("more", np.inf)
        ratio = f"{seconds / of_sparse:.2f}"
        rows.append(
            [init, name, str(n_sweeps), n_needed, f"{of_sparse:.1f}", f"{seconds:.1f}", ratio]
        )
    return rows


def sweeps_given_phi(corpus: blocklda.Corpus, n_topics: int, n_sweeps: int) -> list[list[str]]:
    """Return CPU seconds to what `sparse` has after ``n_sweeps``, by document sweeps for each φ."""
    start = partial(blocklda.Chain, corpus, n_topics, ALPHA, BETA, seed=1, init="random")
    sparse, grid = start(sampler="sparse"), start(sampler="grid")
    sparse.sweep(n_sweeps)
    level = sparse.log_posterior()
    of_grid, n_of_grid = _cpu_to(level, grid, lambda: grid.sweep(1), MOST * n_sweeps)
    rows = [["grid", str(n_of_grid), f"{of_grid:.1f}", "1.00", ""]]
    for n_documents in (1, 2, 3):
        chain, seconds = start(sampler="partially-collapsed"), [0.0, 0.0]
        sweep = partial(_phi_and_documents, chain, n_documents, seconds)
        cpu, n = _cpu_to(level, chain, sweep, MOST * n_sweeps)
        share = seconds[0] / sum(seconds)
        numbers = [f"{cpu:.1f}", f"{cpu / of_grid:.2f}", f"{share:.2f}"]
        rows.append([f"φ, then {n_documents} × documents", str(n), *numbers])
    return rows


def _cpu_to(
    level: float, chain: blocklda.Chain, sweep: Callable[[], object], most: int
) -> tuple[float, int]:
    """Return the CPU seconds and the sweeps to a log posterior, in one thread."""
    seconds = 0.0
    for number in range(1, most + 1):
        start = time.process_time()
        sweep()
        seconds += time.process_time() - start
        if chain.log_posterior() >= level:
            return seconds, number
    return np.inf, most


def _phi_and_documents(chain: blocklda.Chain, n_documents: int, seconds: list[float]) -> None:
    """Draw φ once, then sweep all documents some times, each time with streams of its own."""
    state, options = chain.state, chain.options
    workspace = partially_collapsed._workspace(state, options)
    with partially_collapsed.Threads(1) as threads:
        start = time.process_time()
        workspace.draw_phi(state, sweep_key(state.rng), threads, WHOLE)
        seconds[0] += time.process_time() - start
        start = time.process_time()
        for _ in range(n_documents):
            workspace.sweep_documents(state, options, sweep_key(state.rng), threads)
        seconds[1] += time.process_time() - start


def dense_cells(corpus: blocklda.Corpus, n_topics: int, rounds: int) -> list[str]:
    """Return sweeps of `grid` beside those of what `auto` takes, by the processor and the clock."""
    chains = {
        name: blocklda.Chain(
            corpus, n_topics, ALPHA, BETA, sampler, seed=1, init="variational", n_threads=n
        )
        for name, sampler, n in (("auto", "auto", 1), ("one", "grid", 1), ("two", "grid", 2))
    }
    sweeps = {name: partial(chain.sweep, IN_A_ROW) for name, chain in chains.items()}
    alternate(sweeps, 1)
    clock = alternate(sweeps, rounds)
    cpu = alternate({name: sweeps[name] for name in ("auto", "one")}, rounds, time.process_time)
    return [
        f"`{chains['auto'].sampler}`",
        f"{1e3 * statistics.median(cpu['auto']) / IN_A_ROW:.1f}",
        f"{median_ratio(cpu['one'], cpu['auto']):.2f}",
        f"{median_ratio(clock['one'], clock['two']):.2f}",
        f"{median_ratio(clock['auto'], clock['two']):.2f}",
    ]


def phi_and_documents(corpus: blocklda.Corpus, n_topics: int, rounds: int) -> list[str]:
    """Return the CPU time of φ and of documents in a sweep of `partially-collapsed`."""
    chain = blocklda.Chain(
        corpus, n_topics, ALPHA, BETA, "partially-collapsed", seed=1, init="variational"
    )
    chain.sweep(WARM_UP)
    parts = []
    for _ in range(rounds):
        seconds = [0.0, 0.0]
        _phi_and_documents(chain, 1, seconds)
        parts.append(seconds)
    phi, documents = (1e3 * statistics.median(times) for times in zip(*parts, strict=True))
    return [f"{phi:.0f}", f"{documents:.0f}", f"{phi / (phi + documents):.2f}"]


def chains_over_cores(corpus: blocklda.Corpus, n_topics: int, rounds: int) -> list[str]:
    """Return the cost of four chains in two threads beside that of one, at LDA's own settings.

    What comes after the sweeps, matching the topics of the chains, takes some seconds once.
    """

    def fit(n_chains: int, n_jobs: int) -> object:
        lda = blocklda.LDA(n_topics, n_chains=n_chains, n_jobs=n_jobs, random_state=1)
        lda.set_params(alpha=0.1, beta=0.01, init="random", n_sweeps=N_SWEEPS)
        return lda.fit(corpus)

    seconds = alternate({"one": lambda: fit(1, 1), "four": lambda: fit(4, 2)}, rounds)
    ratio = median_ratio(seconds["four"], [2 * one for one in seconds["one"]])
    return [f"{statistics.median(seconds[name]):.1f}" for name in seconds] + [f"{ratio:.2f}"]


def dense_rows(parts: str, quick: bool, rounds: int) -> None:
    """Print parts f and g."""
    topics = (8,) if quick else DENSE_TOPICS
    cases = [(name, c, k) for name, c in corpora(quick).items() for k in topics]
    if "f" in parts:
        header = ["corpus", "K", "`auto`", "its sweep, CPU ms", "`grid` ÷ `auto`, CPU"]
        header += ["one thread ÷ two, clock", "`auto` ÷ two threads, clock"]
        rows = [["f", name, str(k), *dense_cells(c, k, rounds)] for name, c, k in cases]
        print("\n" + table(["", *header], rows), flush=True)
    if "g" in parts:
        header = ["corpus", "K", "φ, CPU ms", "documents, CPU ms", "share of φ"]
        rows = [["g", name, str(k), *phi_and_documents(c, k, rounds)] for name, c, k in cases]
        print("\n" + table(["", *header], rows), flush=True)


def chosen() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--repeat", type=int, default=7, help="timed rounds (default: 7)")
    parser.add_argument("--parts", default=PARTS, help="such as fg (default: all)")
    return parser.parse_args()


def main() -> None:
    options = chosen()
    parts = options.parts
    rounds = 2 if options.quick else options.repeat
    n_topics, n_sweeps = (8, 5) if options.quick else (200, 60)
    corpus = list(corpora(options.quick).values())[-1]
    print(f"{corpus.n_tokens:,} tokens, K = {n_topics}; {machine()} unless said otherwise\n")
    if "a" in parts:
        header = ["M tokens/s, 1 thread", f"{N_THREADS} threads", "ratio"]
        rows = [["a", *scaling(name, corpus, n_topics, rounds)] for name in (*THREADED, HDP_GRID)]
        print(table(["", "sampler", *header], rows), flush=True)
    if "b" in parts:
        header = ["start", "sampler", "sparse, sweeps", "its sweeps", "sparse, s", "its s", "ratio"]
        rows = [
            ["b", *row]
            for init in ("random", "variational")
            for row in time_to_level(corpus, n_topics, init, n_sweeps)
        ]
        print("\n" + table(["", *header], rows), flush=True)
    if "c" in parts:
        header = ["one chain, s", "four in two threads, s", "ratio to twice one"]
        n_rounds = 1  # of a few minutes
        of_chains = [["c", *chains_over_cores(corpus, n_topics, n_rounds)]]
        print("\n" + table(["", *header], of_chains), flush=True)
    if "e" in parts:
        header = ["", "sweeps", "CPU s", "÷ `grid`", "share of φ"]
        rows = [["e", *row] for row in sweeps_given_phi(corpus, n_topics, n_sweeps)]
        print("\n" + table(["", *header], rows), flush=True)
    if "d" in parts:
        header = ["topics", "`sparse`, CPU ms", "`grid`", "word blocks ÷ `grid`"]
        header += ["`sparse` ÷ two threads", "`grid` ÷ two threads"]
        starts = (8,) if options.quick else (200, 1_000)
        of_corpora = corpora(options.quick).items()
        rows = [
            ["d", name, *serial_share(one, n, rounds)] for name, one in of_corpora for n in starts
        ]
        print("\n" + table(["", "corpus", *header], rows), flush=True)
    dense_rows(parts, options.quick, rounds)


if __name__ == "__main__":
    main()
