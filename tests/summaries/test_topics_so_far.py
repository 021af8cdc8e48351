"""While a run is under way, its largest topics are lines of words."""

from __future__ import annotations

import numpy as np

import blocklda
from blocklda.summaries.topics_so_far import TOPICS, topics_so_far
from tests.summaries.models import small_lda

NAMES = tuple(f"word{v}" for v in range(9))


def test_without_names_there_is_nothing_to_read() -> None:
    assert topics_so_far(small_lda().fitted_run()) == []


def test_the_largest_topics_of_the_chain_ahead() -> None:
    counts = blocklda.simulate.bars(n_docs=30, side=3, seed=2).corpus.to_matrix()
    corpus = blocklda.Corpus.from_matrix(counts, NAMES)
    settings = {"n_chains": 2, "n_sweeps": 40, "random_state": 1, "progress": False}
    run = blocklda.LDA(12, alpha=0.1, beta=0.01, **settings).fit(corpus).fitted_run()
    lines = topics_so_far(run)
    assert len(lines) == TOPICS
    shares = [float(line.split("%")[0]) for line in lines]
    assert shares == sorted(shares, reverse=True)
    ahead = max(run.chains, key=lambda part: part.log_levels[part.kept_sweeps[-1] - 1])
    largest = int(np.argmax(ahead.last_draw.topic_counts()))
    best = NAMES[int(ahead.last_draw.topic_word()[largest].argmax())]
    assert lines[0].split("%")[1].split()[0] == best
