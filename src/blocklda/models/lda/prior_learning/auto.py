"""What "auto" stands for: a prior that was not given is learned, a given one is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from blocklda.models.lda.prior_learning.settings import (
    FIRST_UPDATE,
    LEARN_ALPHA,
    LEARN_BETA,
    checked_choice,
    spelled,
)
from blocklda.support.defaults import GIVEN_ALPHA, GIVEN_BETA
from blocklda.support.errors import not_allowed

__all__ = ["AUTO", "PriorChoice", "given_priors"]

AUTO = "auto"


@dataclass(frozen=True)
class PriorChoice:
    """α and β as numbers or arrays, and what is learned of them: nothing is "auto" any more."""

    alpha: Any
    beta: Any
    learn_alpha: Any
    learn_beta: Any
    automatic: tuple[str, ...]
    """Which of ``learn_alpha`` and ``learn_beta`` were not given."""

    @classmethod
    def resolve(
        cls,
        alpha: Any,
        beta: Any,
        learn_alpha: Any,
        learn_beta: Any,
        *,
        has_seed_words: bool = False,
    ) -> PriorChoice:
        """Check what a user gave, and choose the rest.

        Seed words make β a matrix, for which no single number can be learned.
        """
        learned = {
            "learn_alpha": _learned("learn_alpha", learn_alpha, LEARN_ALPHA),
            "learn_beta": _learned("learn_beta", learn_beta, LEARN_BETA),
        }
        automatic = tuple(name for name, value in learned.items() if _is_auto(value))
        if "learn_alpha" in automatic:
            learned["learn_alpha"] = "asymmetric" if _is_auto(alpha) else "none"
        if "learn_beta" in automatic:
            is_learned = _is_auto(beta) and not has_seed_words
            learned["learn_beta"] = "symmetric" if is_learned else "none"
        return cls(*given_priors(alpha, beta), **learned, automatic=automatic)

    def within(self, burn_in: int, how: str) -> PriorChoice:
        """Return the choice for a burn-in, which may be too short to optimise a prior.

        What was not asked to be learned is then fixed; the rest is left for the burn-in's check.
        """
        if spelled(how) != "optimised" or burn_in >= FIRST_UPDATE:
            return self
        changes: dict[str, Any] = dict.fromkeys(self.automatic, "none")
        return replace(self, **changes)

    def settings(self) -> dict[str, Any]:
        """Return the values under the names of the estimator's parameters."""
        names = ("alpha", "beta", "learn_alpha", "learn_beta")
        return {name: getattr(self, name) for name in names}


def given_priors(alpha: Any, beta: Any) -> tuple[Any, Any]:
    """Return α and β as given, and numbers for "auto"."""
    return (
        _given("alpha", alpha, GIVEN_ALPHA, "a number or one per topic"),
        _given("beta", beta, GIVEN_BETA, "a number or a matrix (topics, words)"),
    )


def _given(name: str, value: Any, default: float, allowed: str) -> Any:
    if _is_auto(value):
        return default
    if isinstance(value, str):
        raise not_allowed(name, value, f'{allowed}, above 0, or "{AUTO}"')
    return value


def _learned(name: str, value: Any, allowed: tuple[str, ...]) -> Any:
    is_switch = isinstance(value, bool | np.bool_)
    if is_switch and name == "learn_alpha":
        return "asymmetric" if value else "none"
    return value if is_switch else checked_choice(name, value, (AUTO, *allowed))


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO
