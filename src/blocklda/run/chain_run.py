"""One chain and what was kept of it: the piece of a run that one worker advances."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

from blocklda.diagnostics.token_pairs import TokenPairs
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.results.posterior import ChainMeans
from blocklda.run.schedule import Schedule
from blocklda.support.arrays import Floats, Ints

__all__ = ["ChainRun", "KeptValues", "RunPlan"]


@dataclass(frozen=True)
class RunPlan:
    """What is done with every chain of a run beside sweeping it."""

    learning: PriorLearning
    pairs: TokenPairs
    keep_draws: bool


@dataclass
class KeptValues:
    """Small quantities of a chain, one entry per kept draw."""

    sweeps: list[int] = field(default_factory=list)
    topic_sizes: list[Ints] = field(default_factory=list)
    co_assignment: list[Floats] = field(default_factory=list)
    alpha: list[Floats] = field(default_factory=list)
    """The priors at each draw, if they are learned."""
    beta: list[float] = field(default_factory=list)

    def copy(self) -> KeptValues:
        """Return lists of their own with the same values, which nobody changes."""
        return KeptValues(*(list(values) for values in vars(self).values()))


class ChainRun:
    """A chain, its log posterior after every sweep, and its draws, their means and values."""

    def __init__(self, number: int, chain: Chain, plan: RunPlan) -> None:
        self.number = number
        self.chain = chain
        self.plan = plan
        self.log_posterior: list[float] = []
        self.values = KeptValues()
        self.means: ChainMeans | None = None
        self.draws: list[Draw] = []
        self.last_draw: Draw | None = None

    @property
    def n_sweeps(self) -> int:
        """Sweeps that the chain has done."""
        return self.chain.n_sweeps

    @property
    def n_draws(self) -> int:
        """Draws that were taken, whether they are still there or only their means."""
        return len(self.values.sweeps)

    def advance(self, until: int, schedule: Schedule, is_stopped: Callable[[], bool]) -> None:
        """Go on until the chain has ``until`` sweeps or somebody wants to stop."""
        while self.n_sweeps < until and not is_stopped():
            self.chain.sweep()
            if self.plan.learning.is_due(self.n_sweeps, schedule.burn_in):
                self.chain.update_priors(self.plan.learning)
            self.log_posterior.append(self._level())
            if schedule.keeps(self.n_sweeps):
                self.keep(self.chain.draw(self.number))

    def _level(self) -> float:
        """Return the log posterior up to a constant, which must not hold what is learned."""
        learning = self.plan.learning
        if not learning.is_active:
            return self.chain.log_posterior()
        return self.chain.log_joint() + learning.log_density(self.chain.priors)

    def keep(self, draw: Draw) -> None:
        """Take a draw into the means and values."""
        values, learning = self.values, self.plan.learning
        values.sweeps.append(draw.sweep)
        values.topic_sizes.append(draw.topic_counts())
        values.co_assignment.append(self.plan.pairs.co_assignment(draw.topics))
        if learning.alpha != "none":
            values.alpha.append(draw.priors.alpha)
        if learning.beta != "none":
            values.beta.append(float(draw.priors.beta.flat[0]))
        if self.means is None:
            self.means = ChainMeans.of([draw])
        else:
            self.means.add(draw)
        self.last_draw = draw
        if self.plan.keep_draws:
            self.draws.append(draw)

    def fork(self) -> ChainRun:
        """Return a piece at the same point; advancing it leaves this one as it is."""
        other = ChainRun(self.number, copy.copy(self.chain), self.plan)
        other.log_posterior = list(self.log_posterior)
        other.values = self.values.copy()
        other.means = None if self.means is None else self.means.copy()
        other.draws = list(self.draws)
        other.last_draw = self.last_draw
        return other
