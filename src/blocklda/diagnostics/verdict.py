"""What the diagnostics amount to, in a sentence or two of plain language."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from blocklda.diagnostics.mixing import MIN_DRAWS, Mixing
from blocklda.support.arrays import Bools, Floats
from blocklda.support.messages import Message, Part, Pointer

__all__ = ["DRIFT_LIMIT", "ESS_NEEDED", "R_HAT_LIMIT", "Evidence", "Verdict", "judge"]

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

MAX_NAMED = 12
"""Topics that are named one by one in a sentence; of more only the number is given."""


@dataclass(frozen=True)
class Evidence:
    """What a verdict is about.

    ``headline`` are the few quantities that must be known well; ``compared`` all that no
    renumbering of topics changes. ``drift`` is that of the log posterior, one number per chain;
    ``stable`` one flag per topic, or None.
    """

    n_chains: int
    n_draws: int
    headline: Sequence[Mixing]
    compared: Sequence[Mixing]
    drift: Floats
    stable: Bools | None


class Verdict(NamedTuple):
    """Whether the chains converged, None if it cannot be told, and why."""

    converged: bool | None
    sentence: Message


def judge(evidence: Evidence) -> Verdict:
    """Weigh the evidence: first what rules convergence out, then what is missing."""
    if evidence.n_draws < MIN_DRAWS:
        return Verdict(
            None,
            Message(
                f"Too few draws: {_counted(evidence.n_draws, 'draw')} of each chain, and from "
                f"{MIN_DRAWS} on something can be said. Run more sweeps, or keep more of them."
            ),
        )
    troubles = [*_moving(evidence), *_disagreement(evidence)]
    if evidence.n_chains == 1:
        troubles.append(
            Message.of(
                "Only one chain: nothing can be said about whether another would find the same "
                "topics; use {n_chains=4}."
            )
        )
        return Verdict(False if len(troubles) > 1 else None, Message.joined(" ", troubles))
    if troubles:
        return Verdict(False, Message.joined(" ", troubles))
    return _enough(evidence)


def _moving(evidence: Evidence) -> list[Message]:
    """Say whether the log posterior has come to rest."""
    known = evidence.drift[np.isfinite(evidence.drift)]
    if not known.size:
        return []
    together = known.sum() / math.sqrt(known.size)
    largest = max(together, *known, key=abs)
    if abs(largest) < DRIFT_LIMIT:
        return []
    verb = "climbs" if largest > 0 else "falls"
    return [
        Message.of(
            "The log posterior still {verb}: the last third of the draws lies {distance:.1f} "
            "standard errors from the first. Run more sweeps, five times as many, say, half of "
            "them as {burn_in}."
        ).where(verb=verb, distance=abs(largest))
    ]


def _disagreement(evidence: Evidence) -> list[Message]:
    """Say where the chains differ by more than chance explains."""
    apart = [row for row in evidence.compared if _disagrees(row)]
    unstable = [] if evidence.stable is None else np.flatnonzero(~evidence.stable).tolist()
    if not apart and not unstable:
        return []
    sentences = []
    if apart:
        worst = max(apart, key=lambda row: row.r_hat)
        sentences.append(
            Message(
                f"Chains disagree: {len(apart)} of {len(evidence.compared)} quantities that do not "
                "depend on the numbering of topics lie further apart than chance allows, with "
                f"{_up_to(worst.r_hat)} ({worst.quantity})."
            )
        )
    if evidence.stable is not None:
        sentences.append(_named(unstable, len(evidence.stable), after_disagreement=bool(apart)))
    return sentences


def _disagrees(row: Mixing) -> bool:
    return row.r_hat > max(R_HAT_LIMIT, row.r_hat_by_chance)


def _named(unstable: list[int], n_topics: int, *, after_disagreement: bool) -> Message:
    if not unstable:
        return Message("Still, every topic comes back in every chain.")
    lead, this, these = (
        ("", "This", "These") if after_disagreement else ("Chains disagree: ", "this", "these")
    )
    if len(unstable) > MAX_NAMED:
        stable = sorted(set(range(n_topics)) - set(unstable))
        topics = f"{len(unstable)} of {n_topics} topics are not stable"
        return Message(lead, topics, _other_than(stable), ".")
    if len(unstable) == 1:
        return Message(lead, f"{this} one of {n_topics} topics is not stable: {unstable[0]}.")
    names = ", ".join(map(str, unstable))
    return Message(lead, f"{these} {len(unstable)} of {n_topics} topics are not stable: {names}.")


def _other_than(stable: list[int]) -> Part:
    """Name the topics that come back if they are few."""
    if not stable:
        return ": none comes back in every chain"
    if len(stable) > MAX_NAMED:
        return Pointer(Message.of(" (see {unstable_topics})"))
    return "; those that come back in every chain: " + ", ".join(map(str, stable))


def _enough(evidence: Evidence) -> Verdict:
    """Nothing rules convergence out: say whether the draws suffice to be content with that."""
    judged = [row for row in evidence.headline if not math.isnan(row.ess_bulk)]
    if not judged:
        return Verdict(None, Message("Nothing varies from draw to draw, so nothing can be said."))
    fewest = min(judged, key=_least_ess)
    worst = max(judged, key=lambda row: row.r_hat)
    if _least_ess(fewest) < ESS_NEEDED:
        return Verdict(
            None,
            Message(
                f"Too few effective draws to tell: {_least_ess(fewest):.0f} of the "
                f"{fewest.quantity}, and {ESS_NEEDED:.0f} are needed. The chains do not visibly "
                f"disagree; run about {math.ceil(ESS_NEEDED / max(_least_ess(fewest), 1.0))} times "
                "as many sweeps."
            ),
        )
    if worst.r_hat > R_HAT_LIMIT:
        return Verdict(
            None,
            Message(
                f"Not settled: R-hat of the {worst.quantity} is {worst.r_hat:.3f}, above "
                f"{R_HAT_LIMIT}, which may be chance with this many draws. Run more sweeps."
            ),
        )
    return Verdict(
        True,
        Message(
            f"No sign of trouble: R-hat ≤ {R_HAT_LIMIT} and at least {_least_ess(fewest):.0f} "
            "effective draws of the log posterior, the mean co-assignment and the median pair and "
            "rank; no quantity lies further apart than chance allows, and every topic comes back "
            "in every chain. That is no proof of convergence: what no chain has seen cannot show."
        ),
    )


def _least_ess(row: Mixing) -> float:
    return min(row.ess_bulk, row.ess_tail)


def _up_to(r_hat: float) -> str:
    return f"R-hat up to {r_hat:.2f}" if math.isfinite(r_hat) else "infinite R-hat"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
