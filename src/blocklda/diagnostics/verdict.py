"""What the diagnostics amount to, for each purpose, in plain language with a next step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from blocklda.diagnostics.mixing import MIN_DRAWS, Mixing
from blocklda.diagnostics.settling import Change
from blocklda.diagnostics.stopping import CHANGED_SHARE, Since
from blocklda.run.engine import Ending
from blocklda.support.arrays import Floats, Ints
from blocklda.support.messages import Message, Part, Pointer, Setting

__all__ = ["DRIFT_LIMIT", "ESS_NEEDED", "R_HAT_LIMIT", "Evidence", "Finding", "Level", "judge"]

R_HAT_LIMIT = 1.01
"""Vehtari et al. (2021): chains may be used when R-hat is below this."""

ESS_NEEDED = 400.0
"""Vehtari et al. (2021): below 400 effective draws R-hat and the errors themselves are too noisy to
be relied on."""

DRIFT_LIMIT = 4.0
"""Standard errors between the first and the last third of the log posterior, of one chain or of all
together (the sum over √chains). Stationary chains with ten effective draws in a third exceed it
less than once in a hundred times (tests/diagnostics/test_mixing.py); on KOS, four chains that still
climb after 400 sweeps show about 15 together (python -m benchmarks.stability)."""

MAX_NAMED = 40
"""Topics that are named one by one in a sentence; of more only the number is given."""

FEWEST_TOPICS = 2
"""With one topic there is nothing to find."""


class Level(StrEnum):
    """How far something can be relied on."""

    GREEN = "green"
    """Nothing speaks against it."""
    AMBER = "amber"
    """With care, as the sentence says; usual for text."""
    RED = "red"
    """Something is wrong or unfinished; the sentence says what to do."""


class Finding(NamedTuple):
    """What can be said for one purpose."""

    purpose: str
    level: Level
    sentence: Message


@dataclass(frozen=True)
class Evidence:
    """What a verdict is about.

    ``headline`` are the few quantities that must be known well; ``compared`` all that no
    renumbering of topics changes. ``drift`` is that of the log posterior, one number per chain;
    ``n_found`` says for each topic how many chains found it, None with one chain or where a chain
    has no draws; ``change`` how far predictions moved in the last draws, None if that is unknown.
    """

    n_chains: int
    n_draws: int
    headline: Sequence[Mixing]
    compared: Sequence[Mixing]
    drift: Floats
    n_found: Ints | None
    change: Change | None = None
    n_sweeps: int = 0
    ending: Ending = Ending.SCHEDULE
    topics_parameter: str | None = "n_topics"
    """What sets the number of topics, None in a model that finds it."""
    n_alike: int = 0
    """Topics that lie close to another one of the same chain."""
    since: Since | None = None
    """What became of the topics found since half as many sweeps, None if that is unknown."""

    @property
    def topics_are_alike(self) -> bool:
        """Whether topics differ so little that it says nothing if all chains found them."""
        if self.n_found is None or not (self.n_found == self.n_chains).any():
            return False
        return 2 * self.n_alike >= len(self.n_found) > 1


class Verdict(NamedTuple):
    """The findings, the level of all together, and whether the full posterior can be used."""

    level: Level
    headline: Message
    findings: tuple[Finding, ...]
    converged: bool | None


def judge(evidence: Evidence) -> Verdict:
    """Weigh the evidence for prediction, for topics and for the full posterior."""
    prediction = _prediction(evidence)
    topics = _topics(evidence)
    posterior, converged = _posterior(evidence)
    findings = (prediction, topics, posterior)
    # More effective draws sharpen statements about the full posterior; few of them do not speak
    # against using predictions and topics. Chains that disagree do.
    levels = {prediction.level, topics.level, Level.AMBER if converged is False else Level.GREEN}
    level = next(one for one in (Level.RED, Level.AMBER, Level.GREEN) if one in levels)
    return Verdict(level, _headline(level, findings, evidence), findings, converged)


def _headline(level: Level, findings: Sequence[Finding], evidence: Evidence) -> Message:
    prediction, topics, _ = findings
    if level is Level.RED:
        first = next(finding for finding in findings if finding.level is Level.RED)
        return Message("Not finished. " if first is prediction else "", first.sentence)
    n_found = evidence.n_found
    if level is Level.GREEN:
        return Message(
            "Green light: predictions have settled, and every topic was found in every chain. "
            "(A mode that no chain visited cannot show up here.)"
        )
    if evidence.n_draws == 0:
        return Message("Too early to tell: a chain has no draws yet. Continue the fit.")
    if evidence.n_draws < MIN_DRAWS:
        return Message(
            f"Too early to tell: {_counted(evidence.n_draws, 'draw')} of each chain, but "
            f"{MIN_DRAWS} are needed. Run more sweeps: ",
            Setting("n_sweeps", math.ceil(MIN_DRAWS / evidence.n_draws * evidence.n_sweeps)),
            ".",
        )
    usable = "predictions have settled"
    if prediction.level is not Level.GREEN:
        usable = "predictions are nearly settled" if evidence.change else "predictions not assessed"
    if n_found is None:
        return Message(f"Usable: {usable}. ", topics.sentence)
    n_stable = int((n_found == evidence.n_chains).sum())
    of_all = f"of {len(n_found)} topics"
    topics_said = f"and {n_stable} {of_all} were found in all {evidence.n_chains} chains"
    if evidence.topics_are_alike:
        topics_said = f"but {evidence.n_alike} {of_all} differ little from another one"
    return Message(f"Usable, with care: {usable}, {topics_said}.")


def _prediction(evidence: Evidence) -> Finding:
    """Say whether predictions have settled."""
    change = evidence.change
    if change is None:
        return Finding("prediction", Level.AMBER, _climbing(evidence))
    percent = f"{abs(change.share):.1%} over the last quarter of the draws"
    if change.has_settled:
        noise = ", no more than chance explains" if change.is_noise else ""
        sentence = Message(
            f"Predictions have settled: their perplexity changed by {percent}{noise}."
        )
        return Finding("prediction", Level.GREEN, sentence)
    verb = "improve" if change.share < 0 else "get worse"
    advice = Message.of("{n_sweeps=}.").where(n_sweeps=_twice(evidence))
    if evidence.ending is Ending.TIME:
        advice = Message.of("give a larger {max_seconds}, since the fit ended at its time limit.")
    if not change.is_unfinished:
        sentence = Message(f"Predictions {verb} slightly: by {percent}. If that matters: ", advice)
        return Finding("prediction", Level.AMBER, sentence)
    sentence = Message(f"Predictions still {verb}: by {percent}. Run more sweeps: ", advice)
    return Finding("prediction", Level.RED, sentence)


def _climbing(evidence: Evidence) -> Message:
    """Say what the log posterior does where no predictions were recorded."""
    known = evidence.drift[np.isfinite(evidence.drift)]
    if not known.size:
        return Message("Not assessed: too few draws.")
    together = known.sum() / math.sqrt(known.size)
    largest = max(together, *known, key=abs)
    if abs(largest) < DRIFT_LIMIT:
        return Message("Not assessed: no predictions were recorded. The log posterior is stable.")
    verb = "climbs" if largest > 0 else "falls"
    return Message.of(
        "Not assessed: no predictions were recorded. The log posterior still {verb}. Run more "
        "sweeps: {n_sweeps=}."
    ).where(verb=verb, n_sweeps=_twice(evidence))


def _topics(evidence: Evidence) -> Finding:
    """Say which topics can be reported."""
    found, n_chains = evidence.n_found, evidence.n_chains
    if found is None and n_chains > 1:
        sentence = Message("Topics were not assessed: a chain has no draws yet. Continue the fit.")
        return Finding("topics", Level.AMBER, sentence)
    if found is None:
        sentence = Message.of(
            "Topics were not assessed: one chain. To see which topics another run would find, use "
            "{n_chains=4}."
        )
        return Finding("topics", Level.AMBER, sentence)
    n_topics = len(found)
    stable = np.flatnonzero(found == n_chains).tolist()
    if evidence.topics_are_alike:
        return _alike(evidence, n_topics)
    if len(stable) == n_topics:
        sentence = Message(
            f"All {n_topics} topics were found in all {n_chains} chains: report them."
        )
        return Finding("topics", Level.GREEN, sentence)
    if not stable:
        return _none_stable(evidence, found)
    sentence = Message(
        f"{len(stable)} of {n_topics} topics were found in all {n_chains} chains",
        _named(stable),
        ". Report those; the others depend on the chain. This is usual for text.",
        *_longer(evidence),
    )
    return Finding("topics", Level.AMBER, sentence)


def _longer(evidence: Evidence) -> list[Part]:
    """Say whether a longer fit would find more topics, as far as the stopping rule knows."""
    # docs/explanation/stopping.md has what five times the sweeps added.
    if evidence.ending is Ending.SETTLED:
        return [" The set had settled when the fit ended; a longer fit may add a few."]
    has_settled = evidence.change is None or evidence.change.has_settled
    if evidence.ending is Ending.CAP and has_settled:  # else more sweeps are advised already
        said = " The fit ended at its limit of sweeps, and the chains may still find more topics: "
        return [said, Setting("n_sweeps", _twice(evidence)), "."]
    if evidence.ending is Ending.SCHEDULE and evidence.since is not None:
        return _since(evidence, evidence.since)
    return []


def _since(evidence: Evidence, since: Since) -> list[Part]:
    """Say whether more topics were found since half as many sweeps."""
    n_topics = 0 if evidence.n_found is None else len(evidence.n_found)
    if since.n_now - since.n_then <= max(1, CHANGED_SHARE * n_topics):
        return [f" Hardly more than after {since.sweep:,} sweeps: a longer fit is not worth it."]
    said = f" Since sweep {since.sweep:,} more were found. If it is worth the time: "
    return [said, Setting("n_sweeps", _twice(evidence)), "."]


def _none_stable(evidence: Evidence, found: Ints) -> Finding:
    """Say what to do where chains share no topic; two topics cannot be made fewer."""
    level = Level.RED if evidence.n_draws >= MIN_DRAWS else Level.AMBER
    n_topics = len(found)
    said = Message.of(
        "None of {n} topics was found in all {n_chains} chains ({some} in more than one). "
    ).where(n=n_topics, n_chains=evidence.n_chains, some=int((found > 1).sum()))
    advice = Message("The corpus may be too small to distinguish topics: add documents.")
    parameter = evidence.topics_parameter
    if parameter is not None and n_topics > FEWEST_TOPICS:
        advice = Message.of("Try fewer topics: {fewer}.").where(
            fewer=Setting(parameter, max(FEWEST_TOPICS, n_topics // 2))
        )
    return Finding("topics", level, Message(said, advice))


def _alike(evidence: Evidence, n_topics: int) -> Finding:
    """Say what to do where topics differ little, as those of noise or of common words do."""
    said = Message(
        f"{evidence.n_alike} of {n_topics} topics differ little from another one of the same "
        "chain, so it means nothing that other chains have similar ones. Common words may "
        "dominate all topics: remove them"
    )
    parameter = evidence.topics_parameter
    if parameter is None or n_topics <= FEWEST_TOPICS:
        return Finding("topics", Level.AMBER, Message(said, ". The corpus may have no topics."))
    fewer = Setting(parameter, max(FEWEST_TOPICS, n_topics // 2))
    return Finding("topics", Level.AMBER, Message(said, ", or try fewer topics: ", fewer, "."))


def _named(topics: list[int]) -> Part:
    if len(topics) > MAX_NAMED:
        return Pointer(" (see stable_topics_)")
    return ": " + ", ".join(map(str, topics))


def _posterior(evidence: Evidence) -> tuple[Finding, bool | None]:
    """Say whether chains agree in everything that no renumbering of topics changes."""
    unknown = _not_assessed(evidence)
    if unknown is not None:
        return _of_posterior(Level.AMBER, "Not assessed: ", unknown), None
    apart = [row for row in evidence.compared if _disagrees(row)]
    if apart:
        finding = _of_posterior(
            Level.AMBER,
            f"Chains explored different parts of the posterior: R-hat of {len(apart)} of "
            f"{len(evidence.compared)} quantities is higher than chance allows. This is usual for "
            "text; statements about single topics and predictions do not depend on it.",
        )
        return finding, False
    judged = [row for row in evidence.headline if not math.isnan(row.ess_bulk)]
    fewest = min(map(_least_ess, judged))
    worst = max(row.r_hat for row in judged)
    if fewest < ESS_NEEDED:
        said = f"The chains agree as far as {fewest:.0f} effective draws show"
        return _more_sweeps(said, math.ceil(ESS_NEEDED / max(fewest, 1.0)), evidence), None
    if worst > R_HAT_LIMIT:
        said = f"The largest R-hat is {worst:.3f}, which may be chance with this many draws"
        return _more_sweeps(said, 2, evidence), None
    agree = f"Chains agree: R-hat ≤ {R_HAT_LIMIT} and at least {fewest:.0f} effective draws."
    return _of_posterior(Level.GREEN, agree), True


def _not_assessed(evidence: Evidence) -> str | None:
    if evidence.n_draws < MIN_DRAWS:
        return f"{_counted(evidence.n_draws, 'draw')} of each chain."
    if evidence.n_chains == 1:
        return "R-hat compares several chains."
    if all(math.isnan(row.ess_bulk) for row in evidence.headline):
        return "nothing varies from draw to draw."
    return None


def _of_posterior(level: Level, *parts: Part) -> Finding:
    return Finding("full posterior", level, Message(*parts))


def _more_sweeps(said: str, factor: int, evidence: Evidence) -> Finding:
    n_sweeps = Setting("n_sweeps", factor * evidence.n_sweeps)
    return _of_posterior(Level.AMBER, f"{said}. If you need more precision: ", n_sweeps, ".")


def _disagrees(row: Mixing) -> bool:
    return row.r_hat > max(R_HAT_LIMIT, row.r_hat_by_chance)


def _twice(evidence: Evidence) -> int:
    return 2 * evidence.n_sweeps


def _least_ess(row: Mixing) -> float:
    return min(row.ess_bulk, row.ess_tail)


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
