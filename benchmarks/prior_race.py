"""Given against learned priors, and starts: held-out perplexity after the same CPU time.

Each contender is a whole fit, with its log posterior, its draws and its updates of the priors. All
take turns with tomotopy, which learns nothing: it sweeps, and every fit follows until it has used
as much CPU time. "one state" is the perplexity of the last state, "mean" that of the mean over
draws, by document completion.

`python -m benchmarks.priors` runs the race with all contenders; this module by itself runs it for
some: `python -m benchmarks.prior_race --corpora KOS,NIPS --seeds 1,2 --contenders sampled`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import blocklda
from benchmarks.contenders import ALPHA, BETA, Task, Tomotopy
from benchmarks.harness import corpora, machine, table
from blocklda.estimator.plan import FitPlan
from blocklda.models.lda.predictive import perplexity

GIVEN = {"alpha": ALPHA, "beta": BETA}
CONTENDERS: dict[str, dict[str, object]] = {
    "given, burn-in 4": GIVEN,
    "given, burn-in 100": {**GIVEN, "burn_in": 100},
    "optimised": {"learn_how": "optimised", "burn_in": 100},
    "sampled": {"learn_how": "sampled", "burn_in": 100},
    "sampled, burn-in 20": {"learn_how": "sampled", "burn_in": 20},
    "annealed": {"init": "annealed", "burn_in": 100},
    "α symmetric, sampled": {
        "learn_alpha": "symmetric",
        "learn_how": "sampled",
        "burn_in": 100,
    },
}
HEADER = ["priors", "sweeps", "α", "Σ α", "β", "one state", "mean"]
TEST = {"KOS": 430, "NIPS": 250, "simulated": 400}
"""Documents at the end of a corpus of which half of the tokens are held out."""
STEP = 10
ENDLESS = 10**6
MEAN_OF = 40
"""Draws that the mean is taken of, at most: more change it by less than a seed does."""


@dataclass
class Fit:
    """One chain of the default fit with a clock of its own."""

    task: Task
    settings: dict[str, object]
    seconds: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.seconds += cpu_time(self._start)

    def _start(self) -> None:
        lda = blocklda.LDA(
            self.task.n_topics, n_sweeps=ENDLESS, random_state=self.task.seed, **self.settings
        )
        self.schedule = (plan := FitPlan.create(lda, self.task.train)).schedule
        (self.part,) = plan.start().chains

    def catch_up(self, seconds: float) -> None:
        """Sweep until the clock shows ``seconds``."""
        while self.seconds < seconds:
            until = self.part.n_sweeps + 2
            self.seconds += cpu_time(
                lambda until=until: self.part.advance(until, self.schedule, lambda: False)
            )

    def row(self, name: str) -> list[str]:
        """Return priors and perplexities as a row of the table."""
        test, priors = self.task.test, self.part.chain.state.priors
        kept = self.part.draws[:: max(1, len(self.part.draws) // MEAN_OF)]
        means = [draw.predictive(test) for draw in kept]
        low, high = priors.alpha.min(), priors.alpha.max()
        return [
            name,
            str(self.part.n_sweeps),
            f"{low:.3f}" if low == high else f"{low:.3f} to {high:.3f}",
            f"{priors.alpha.sum():.2f}",
            f"{priors.beta[0, 0]:.4f}",
            f"{perplexity(self.part.chain.draw(0).predictive(test), test):.0f}",
            f"{perplexity(np.mean(means, axis=0), test):.0f}" if means else "–",
        ]


def cpu_time(run: Callable[[], object]) -> float:
    """Return the CPU seconds that a call took."""
    start = time.process_time()
    run()
    return time.process_time() - start


def race(task: Task, sweeps: int, names: tuple[str, ...] = tuple(CONTENDERS)) -> list[list[str]]:
    """Return a row for each contender, after the CPU time of a number of sweeps of tomotopy."""
    rival, seconds = Tomotopy(task), 0.0
    fits = {name: Fit(task, CONTENDERS[name]) for name in names}
    for done in range(0, sweeps, STEP):
        n = min(STEP, sweeps - done)
        seconds += cpu_time(lambda n=n: rival.run(n))
        for fit in fits.values():
            fit.catch_up(seconds)
    return [fit.row(name) for name, fit in fits.items()]


def unequal_topics(n_docs: int = 2000, n_words: int = 4000, n_topics: int = 40) -> blocklda.Corpus:
    """Return documents whose topics and words have unequal frequencies, as those of text."""
    rng = np.random.default_rng(5)
    theta = rng.dirichlet(0.8 / np.arange(1, n_topics + 1), size=n_docs)
    phi = rng.dirichlet(np.full(n_words, 0.05), size=n_topics)
    return blocklda.simulate.draw_corpus(theta, phi, 120, rng)


def split(corpus: blocklda.Corpus, n_test: int) -> tuple[blocklda.Corpus, blocklda.Corpus]:
    """Hold out half of the tokens of the last documents."""
    train, heldout = blocklda.split_tokens(corpus, slice(corpus.n_docs - n_test, None), seed=0)
    return train, blocklda.Corpus.from_matrix(heldout)


def main() -> None:
    """Run the race of some contenders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="toy sizes, to see that it runs")
    parser.add_argument("--corpora", default="KOS,NIPS", help="of KOS, NIPS and simulated")
    parser.add_argument("--seeds", default="1,2", help="of the fits (default: 1,2)")
    parser.add_argument("--contenders", default="sampled", help=f"of {'; '.join(CONTENDERS)}")
    options = parser.parse_args()
    n_topics, sweeps = (5, 20) if options.quick else (40, 500)
    simulated = unequal_topics(*((60, 50, 5) if options.quick else ()))
    known = {**corpora(options.quick), "simulated": simulated}
    print(machine())
    for name in known if options.quick else options.corpora.split(","):
        for seed in map(int, options.seeds.split(",")):
            task = Task(name, *split(known[name], TEST.get(name, 10)), n_topics, seed)
            rows = race(task, sweeps, tuple(options.contenders.split(";")))
            print(f"\n{name}, seed {seed}, CPU time of {sweeps} sweeps of tomotopy\n")
            print(table(HEADER, rows), flush=True)


if __name__ == "__main__":
    main()
