"""Memory of fits and chains: the estimate, the measured peak, and peak ÷ estimate.

`python -m benchmarks.fit_memory` runs every case in a process of its own and prints a table;
`--quick` leaves out the real corpora. The peak is that of the resident memory above what the
process had when the corpus was read and a first, tiny fit had imported everything. The ratio must
lie between 1 / 1.5 and 1.5 for all that takes more than 100 MB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse

import blocklda
from benchmarks import memory
from benchmarks.harness import DATA
from blocklda.estimator.plan import FitPlan
from blocklda.models.lda.memory import chain_bytes, draw_bytes
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS, choose_sampler, find_sampler
from blocklda.models.lda.state import SweepOptions
from blocklda.support.memory import return_freed_memory

MIB = 2**20

SHORT = {"alpha": 0.1, "beta": 0.01, "n_sweeps": 2, "burn_in": 1, "thin": 1}
"""One draw of each chain: what is allocated in every sweep is there after the first."""


@dataclass(frozen=True)
class Case:
    """A corpus, "kos", "nips" or (documents, words, tokens), and the parameters of a fit.

    With ``is_chain`` it is a chain that is started and swept, with no draws and no means.
    """

    corpus: str | tuple[int, int, int]
    n_topics: int
    parameters: dict[str, Any] = field(default_factory=dict)
    has_checkpoint: bool = False
    has_seed_words: bool = False
    is_chain: bool = False

    def __str__(self) -> str:
        name = self.corpus if isinstance(self.corpus, str) else "×".join(map(str, self.corpus))
        given = [f"{key}={value}" for key, value in self.parameters.items()]
        extra = ["checkpoint"] * self.has_checkpoint + ["seed words"] * self.has_seed_words
        what = "chain: " if self.is_chain else ""
        return ", ".join([f"{what}{name}, K={self.n_topics}", *given, *extra])


def _chains(n_chains: int, n_jobs: int, **more: Any) -> dict[str, Any]:
    return {"n_chains": n_chains, "n_jobs": n_jobs, **more}


MADE_UP = (12_000, 10_000, 200_000)
MANY_TOPICS = (2000, 4000, 200_000)
QUICK = (
    Case(MADE_UP, 300, _chains(3, 2, sampler="single-site", init="random")),
    Case((20_000, 2000, 8_000_000), 20, {"sampler": "sparse", "init": "random"}),
    Case(MADE_UP, 400, {"sampler": "augmented", "init": "random"}),
)
BY_SAMPLER = tuple(
    Case(MANY_TOPICS, 3000, {"sampler": name}, is_chain=True) for name in ALL_SAMPLERS
)
LONG = (
    *QUICK,
    *BY_SAMPLER,
    *(Case("kos", 500, {"sampler": name}) for name in ALL_SAMPLERS),
    *(Case(corpus, K) for corpus in ("kos", "nips") for K in (20, 100, 1000)),
    Case("kos", 500, _chains(4, 2), has_checkpoint=True),
    Case("kos", 200, _chains(3, 3, sampler="nested")),
    Case("kos", 200, _chains(2, 1), has_seed_words=True),
    Case("nips", 50, {"sampler": "nested"}, has_seed_words=True),
    Case("nips", 50, {"n_sweeps": 44, "thin": 1}),
    Case("nips", 300, {"sampler": "augmented"}),
    Case("kos", 200, {"learn_alpha": "asymmetric", "learn_how": "sampled"}),
    Case((100_000, 1000, 2_000_000), 100),
    Case((1000, 100_000, 1_000_000), 100, {"sampler": "single-site"}),
)

NEWS = (18_774, 61_188, 4_600_000)
"""Documents, words and tokens of a newsgroup corpus."""


def beside_the_chain(corpus: tuple[int, int, int], n_topics: int, n_draws: int) -> float:
    """Return the peak of a fit ÷ (the peak of its chain alone + the draws that it keeps)."""
    start = {"sampler": "sparse", "init": "variational"}
    _, chain = measured(Case(corpus, n_topics, start, is_chain=True))
    _, fit = measured(Case(corpus, n_topics, {**start, "n_sweeps": n_draws + 1}))
    return fit / (chain + n_draws * draw_bytes(corpus[2], n_topics))


def measured(case: Case) -> tuple[int, int]:
    """Return the estimate and the peak of a case, both in bytes, from a process of its own."""
    arguments = [case.corpus, case.n_topics, case.parameters]
    said = json.dumps([*arguments, case.has_checkpoint, case.has_seed_words, case.is_chain])
    command = [sys.executable, "-m", "benchmarks.fit_memory", "--case", said]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    estimate, peak = map(int, answer.stdout.split())
    return estimate, peak


def run_case(case: Case) -> tuple[int, int]:
    """Fit or sweep in this process; return the estimate and the peak."""
    corpus = _corpus(case.corpus)
    # Whatever is imported at first use and whatever threads need once is not the fit's.
    blocklda.LDA(2, n_sweeps=8, n_chains=2, progress=False).fit(np.ones((3, 4), dtype=int))
    if case.is_chain:
        return _run_chain(case, corpus)
    parameters = {"n_topics": case.n_topics, **SHORT, **case.parameters}
    if case.has_seed_words:
        parameters["beta"] = np.full((case.n_topics, corpus.n_words), 0.01)
        parameters["beta"][0, 0] = 1.0
    lda = blocklda.LDA(progress=False, random_state=1, **parameters)
    plan = FitPlan.create(lda, corpus)
    estimate = plan.size().peak_bytes()
    del plan
    before = _resident()
    with tempfile.TemporaryDirectory() as folder:
        lda.fit(corpus, **({"checkpoint": folder, "every": 2} if case.has_checkpoint else {}))
    return estimate, memory.peak() - before


def _run_chain(case: Case, corpus: blocklda.Corpus) -> tuple[int, int]:
    sampler = find_sampler(choose_sampler(case.parameters["sampler"], case.n_topics, corpus))
    init, n_threads = case.parameters.get("init", "random"), case.parameters.get("n_threads", 1)
    priors = Priors.create(case.n_topics, corpus.n_words, 0.1, 0.01)
    estimate = chain_bytes(corpus, priors, sampler, SweepOptions(n_threads=n_threads), init)
    before = _resident()
    blocklda.Chain(corpus, case.n_topics, **case.parameters).sweep()
    return estimate, memory.peak() - before


def _resident() -> int:
    """Return the resident memory, and let the peak begin anew.

    What the C library kept is given back first, or a fit would use that and seem to take nothing.
    """
    return_freed_memory()
    memory.reset_peak()
    return memory.resident()


def _corpus(name: str | tuple[int, int, int]) -> blocklda.Corpus:
    if isinstance(name, str):
        return blocklda.read_corpus(DATA / f"docword.{name}.txt.gz")
    n_docs, n_words, n_tokens = name
    rng = np.random.default_rng(1)
    places = (rng.integers(n_docs, size=n_tokens), rng.integers(n_words, size=n_tokens))
    ones = np.ones(n_tokens, dtype=np.int64)
    return blocklda.Corpus.from_matrix(scipy.sparse.coo_matrix((ones, places), (n_docs, n_words)))


def main() -> None:
    """Print a line per case, or with --case the figures of one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="made-up corpora only")
    parser.add_argument("--case", help="for the processes that this one starts")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.case:
        corpus, *rest = json.loads(options.case)
        print(*run_case(Case(corpus if isinstance(corpus, str) else tuple(corpus), *rest)))
        return
    print(f"{'estimate':>12} {'peak':>12} {'ratio':>6}   fit")
    for case in QUICK if options.quick else LONG:
        estimate, peak = measured(case)
        sizes = f"{estimate / MIB:8.1f} MiB {peak / MIB:8.1f} MiB"
        print(f"{sizes} {peak / estimate:6.2f}   {case}", flush=True)
    if not options.quick:
        print("\nThe fit against its chain alone and the kept draws (at most 1.5)")
        for n_draws in (5, 25):
            ratio = beside_the_chain(NEWS, 200, n_draws)
            print(f"{ratio:6.2f}   {'×'.join(map(str, NEWS))}, K=200, {n_draws} draws", flush=True)


if __name__ == "__main__":
    main()
