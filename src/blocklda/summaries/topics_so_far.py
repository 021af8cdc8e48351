"""The topics of a run while it is under way, a line each."""

from __future__ import annotations

import numpy as np

from blocklda.run.run import Run

__all__ = ["topics_so_far"]

TOPICS, WORDS = 8, 8
"""The largest topics, and their words: what fits under a bar."""


def topics_so_far(run: Run) -> list[str]:
    """Return the largest topics of the latest draw of the chain that is ahead; empty before it."""
    vocabulary = run.corpus.vocabulary
    with_draws = [part for part in run.chains if part.last_draw is not None]
    if vocabulary is None or not with_draws:
        return []
    ahead = max(with_draws, key=lambda part: part.log_levels[part.kept_sweeps[-1] - 1])
    phi, sizes = ahead.last_draw.topic_word(), ahead.last_draw.topic_counts()
    shares = sizes / sizes.sum()
    lines = []
    for k in np.argsort(-sizes, kind="stable")[:TOPICS]:
        words = np.argsort(-phi[k], kind="stable")[:WORDS]
        lines.append(f"{shares[k]:6.1%}  {' '.join(vocabulary[v] for v in words)}")
    return lines
