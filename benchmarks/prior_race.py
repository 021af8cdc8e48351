"""Given against learned priors: held-out perplexity after the same CPU time.

Each contender is a whole fit, with its log posterior, its draws and its updates of the priors. All
take turns with tomotopy, which learns nothing: it sweeps, and every fit follows until it has used
as much CPU time. "one state" is the perplexity of the last state, "mean" that of the mean over
draws, by document completion.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import blocklda
from benchmarks.contenders import ALPHA, BETA, Task, Tomotopy
from blocklda.estimator.plan import FitPlan
from blocklda.models.lda.predictive import perplexity

GIVEN = {"alpha": ALPHA, "beta": BETA}
CONTENDERS: dict[str, dict[str, object]] = {
    "given, burn-in 4": GIVEN,
    "given, burn-in 100": {**GIVEN, "burn_in": 100},
    "optimised": {"learn_how": "optimised", "burn_in": 100},
    "sampled": {"learn_how": "sampled", "burn_in": 100},
    "sampled, burn-in 20": {"learn_how": "sampled", "burn_in": 20},
    "α symmetric, sampled": {
        "learn_alpha": "symmetric",
        "learn_how": "sampled",
        "burn_in": 100,
    },
}
HEADER = ["priors", "sweeps", "α", "Σ α", "β", "one state", "mean"]
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
