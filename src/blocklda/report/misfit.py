"""Does the model fit: the check of each topic's word use, as far as a page can wait for it."""

from __future__ import annotations

from typing import Any

from blocklda.report.page import short
from blocklda.results.result import FitResult
from blocklda.summaries.word_checks import MOST_DRAWS, N_REPLICATES, check_topics

__all__ = ["misfit"]

MOST_SHUFFLED = 60_000_000
"""Tokens that are shuffled for a page, all replicates of all draws together: about 5 seconds."""

NOTE = (
    "Mutual information of word and document within a topic, in nats: observed, and expected by "
    "the model, in which the words of a topic do not depend on the document. The deviation is "
    "their difference in standard deviations. Nearly all topics of real text deviate, since words "
    "come in bursts; the topics at the top may combine two themes, or contain text that some "
    "documents repeat."
)


def misfit(model: FitResult) -> dict[str, Any]:
    """Return a row for each topic, and what to say of them; no rows where none can be had."""
    if not model.draws:
        return {"rows": [], "note": "The fit of topics cannot be checked without draws."}
    n_draws = MOST_SHUFFLED // max(1, N_REPLICATES * model.corpus.n_tokens)
    if n_draws == 0:
        return {
            "rows": [],
            "note": "The corpus is too large for this check; blocklda misfit MODEL prints it.",
        }
    found = check_topics(model, most_draws=min(n_draws, MOST_DRAWS))
    rows = [{name: short(value) for name, value in row.items()} for row in found.rows()]
    return {"rows": rows, "note": NOTE}
