"""Held-out perplexity against time: our default fit and the peers (parts f and g).

The fit is the default one, with the priors that all are given (benchmarks/prior_race.py has learned
ones). Its clock stops whenever it hands over a draw. In that pause the draw is judged and every
peer sweeps until its own clock shows as much time, so all meet the same disturbances. The fit ends
when it has had the time that tomotopy took for its sweeps.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

import blocklda
from benchmarks.contenders import ALPHA, BETA, Contender, Point, Task, Tomotopy
from benchmarks.results import Figure, at_most
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.log_posterior import log_posterior
from blocklda.models.lda.predictive import perplexity

TIME_TO_QUALITY = at_most(1 / 6, 1 / 6)
MEAN_QUALITY = {40: at_most(0.85, 0.95), 200: at_most(0.85, 0.91)}
STATE_QUALITY = at_most(0.97, 0.98)

MEAN, STATE = "mean over draws", "one state"


@dataclass
class DefaultFit:
    """`LDA(n_topics, alpha=…, beta=…).fit` with a clock that stops between the draws."""

    task: Task
    seconds: float = 0.0
    points: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._sum = np.zeros(self.task.test.n_entries)
        self._n_draws = 0

    def fit(self, rival: Contender, others: Sequence[Contender], sweeps: int) -> None:
        """Fit until the time that the rival needs for ``sweeps`` sweeps has passed."""

        def pause(draw: Draw) -> bool:
            self.seconds += time.perf_counter() - self._started
            self._judge(draw)
            rival.catch_up(self.seconds, sweeps)
            for other in others:
                other.catch_up(self.seconds)
            self._started = time.perf_counter()
            return rival.sweeps == sweeps and self.seconds >= rival.seconds

        model = blocklda.LDA(
            n_topics=self.task.n_topics,
            alpha=ALPHA,
            beta=BETA,
            random_state=self.task.seed,
            callback=pause,
        )
        self._started = time.perf_counter()
        model.fit(self.task.train)
        rival.catch_up(math.inf, sweeps)

    def curve(self, estimate: str) -> list[Point]:
        return [point for point in self.points if point.estimate == estimate]

    def _judge(self, draw: Draw) -> None:
        test = self.task.test
        probabilities = draw.predictive(test)
        self._sum += probabilities
        self._n_draws += 1
        log_q = log_posterior(self.task.draw(draw.topics.astype(np.int32), draw.sweep))
        self._record(MEAN, draw, perplexity(self._sum / self._n_draws, test), math.nan)
        self._record(STATE, draw, perplexity(probabilities, test), log_q)

    def _record(self, estimate: str, draw: Draw, value: float, log_q: float) -> None:
        task = self.task
        self.points.append(
            Point(
                "blocklda",
                task.corpus_name,
                task.n_topics,
                task.seed,
                estimate,
                self.seconds,
                draw.sweep,
                value,
                log_q,
            )
        )


@dataclass(frozen=True)
class Ratios:
    """One round of the default fit against tomotopy."""

    time: float
    mean: float
    state: float


def race(
    task: Task, peers: Sequence[type[Contender]], sweeps: int
) -> tuple[Ratios, list[Point], float]:
    """Run one round; return its ratios, all curves, and the seconds that tomotopy took."""
    rival = Tomotopy(task)
    others = [peer(task) for peer in peers if peer is not Tomotopy]
    fit = DefaultFit(task)
    fit.fit(rival, others, sweeps)
    goal = rival.points[-1].perplexity
    reached = (p.seconds for p in fit.curve(MEAN) if p.perplexity <= goal)
    ratios = Ratios(
        next(reached, math.inf) / rival.seconds,
        _within(fit.curve(MEAN), rival.seconds) / goal,
        _within(fit.curve(STATE), rival.seconds) / goal,
    )
    curves = [*fit.points, *rival.points, *(p for other in others for p in other.points)]
    return ratios, curves, rival.seconds


def _within(curve: Sequence[Point], seconds: float) -> float:
    """Return the last perplexity that was there in time."""
    return next((p.perplexity for p in reversed(curve) if p.seconds <= seconds), math.inf)


def quality_figures(
    task: Task, rounds: Sequence[Ratios], sweeps: int, parts: str
) -> Iterator[Figure]:
    """Yield the medians over rounds that the parts ask for."""
    K, corpus = task.n_topics, task.corpus_name
    after = f"tomotopy's after {sweeps} sweeps, K={K}"
    if "f" in parts:
        value = statistics.median(r.time for r in rounds)
        yield Figure(
            f"time of the default fit to the perplexity of {after} ÷ its time",
            corpus,
            value,
            TIME_TO_QUALITY.get(corpus),
        )
    if "g" in parts:
        mean = statistics.median(r.mean for r in rounds)
        state = statistics.median(r.state for r in rounds)
        yield Figure(
            f"perplexity of the default fit in that time ÷ {after}, {MEAN}",
            corpus,
            mean,
            MEAN_QUALITY.get(K, {}).get(corpus),
        )
        yield Figure(
            f"perplexity of the default fit in that time ÷ {after}, {STATE}",
            corpus,
            state,
            STATE_QUALITY.get(corpus),
        )
