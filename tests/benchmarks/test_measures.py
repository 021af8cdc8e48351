"""What the benchmarks measure with: an autocorrelation time, targets, a drawn corpus."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import newswire
from benchmarks.mixing import autocorrelation_time
from benchmarks.results import Figure, Target, figures_table


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_autocorrelation_time_of_a_known_series(rho: float) -> None:
    rng = np.random.default_rng(1)
    n = 200_000
    series = np.zeros(n)
    noise = rng.normal(size=n)
    for t in range(1, n):
        series[t] = rho * series[t - 1] + noise[t]
    exact = (1 + rho) / (1 - rho)
    # Sokal: the variance is about 2 (2 window + 1) / n in units of the time, window about 5 times.
    error = exact * np.sqrt(2 * (10 * exact + 1) / n)
    assert abs(autocorrelation_time(series) - exact) < 4 * error


def test_a_missed_target_is_in_bold() -> None:
    text = figures_table(
        [
            Figure("speed", "KOS", 1.5, Target("≥", 1.3)),
            Figure("speed", "NIPS", 1.2, Target("≥", 1.3)),
            Figure("cost", "KOS", 1.5, Target("≤", 1.3)),
        ]
    )
    assert "| speed | 1.5 | ≥ 1.3 | **1.2** | ≥ 1.3 |" in text
    assert "| cost | **1.5** | ≤ 1.3 |  |  |" in text


def test_the_drawn_corpus_and_its_topics_fit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newswire, "DOCS_PER_CHUNK", 7)
    drawn = newswire.draw(30, seed=3, n_words=400)
    assert drawn.corpus.n_docs == 30
    assert drawn.topics.shape == (drawn.corpus.n_tokens,)
    part = newswire.first_documents(drawn, 10)
    assert part.corpus.n_docs == 10
    assert np.array_equal(part.corpus.doc_lengths(), drawn.corpus.doc_lengths()[:10])
    assert part.topics.shape == (part.corpus.n_tokens,)
