"""Claims are judged by what was measured: each is made to hold and made to fail."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.experiments.claims import PairedDifference
from blocklda.experiments.mixing_claims import corpus_claims, mixing_claims, trapped
from blocklda.experiments.timing import Timing
from blocklda.experiments.timing_claims import timing_claims
from tests.experiments.toy import comparison

HIGH, LOW = 0.0, -20_000.0
NAMES = ("augmented", "single-site", "backward", "nested")


def answers(claims) -> dict[str, str]:
    return {one.says: one.holds for one in claims}


def test_a_paired_difference():
    found = PairedDifference.of(np.array([1.0, 2, 3]), np.array([0.0, 0, 3]))
    assert found.mean == pytest.approx(1)
    assert found.error == pytest.approx(np.std([1, 2, 0], ddof=1) / np.sqrt(3))
    assert found.margin == pytest.approx(4.302653 * found.error, rel=1e-6)
    assert not found.is_above
    assert PairedDifference.of(np.array([1.0, 1.1]), np.zeros(2)).is_above
    assert not PairedDifference.of(
        np.array([1.0, 1.3]), np.zeros(2)
    ).is_above  # by t, not by 2 errors
    assert PairedDifference.of(np.array([-1.0, -1.1]), np.zeros(2)).is_below
    assert not PairedDifference.of(np.array([5.0]), np.zeros(1)).is_above  # one start tells nothing


def test_local_modes_are_counted():
    levels = {name: [HIGH] * 4 for name in NAMES} | {"augmented": [HIGH, LOW, LOW, HIGH]}
    found = comparison(levels, {name: [10.0] * 4 for name in NAMES})
    assert trapped(found, "augmented").tolist() == [False, True, True, False]
    assert not trapped(found, "nested").any()


def test_the_simulated_claims_as_in_the_paper():
    levels = {name: [HIGH, HIGH, HIGH, LOW] for name in NAMES}
    levels["augmented"] = [HIGH, LOW, LOW, HIGH]
    perplexities = {
        "augmented": [12.0, 12.1, 12.2, 12.1],
        "single-site": [11.0, 11.1, 11.2, 11.1],
        "backward": [10.9, 11.01, 11.1, 11.0],
        "nested": [10.9, 11.0, 11.1, 11.01],
    }
    claims = mixing_claims("simulated", comparison(levels, perplexities))
    assert [one.holds for one in claims] == ["yes"] * 5


def test_the_simulated_claims_turned_round():
    levels = {name: [LOW, LOW, HIGH, HIGH] for name in NAMES} | {"augmented": [HIGH] * 4}
    perplexities = {name: [12.0, 12.1, 12.2, 12.1] for name in NAMES}
    perplexities |= {"augmented": [11.0, 11.1, 11.2, 11.1], "nested": [12.5, 12.7, 12.6, 12.6]}
    claims = mixing_claims("simulated", comparison(levels, perplexities))
    assert [one.holds for one in claims] == ["yes", "no", "no", "no", "no"]


@pytest.mark.parametrize(("better", "holds"), [(0.0, ["yes", "no"]), (500.0, ["no", "yes"])])
def test_the_claims_about_kos(better, holds):
    base, noise = np.array([1.0, 5.0, 3.0, 2.0]), np.array([1.0, -1.0, 0.5, -0.5])
    levels = {name: base.tolist() for name in NAMES}
    perplexities = {name: (1000 + base).tolist() for name in NAMES}
    for name in ("nested", "backward"):
        levels[name] = (base + better + noise).tolist()
        perplexities[name] = (1000 + base - better / 10 + noise).tolist()
    claims = mixing_claims("kos", comparison(levels, perplexities))
    assert [one.holds for one in claims][:2] == holds


def test_how_often_words_occur_once():
    corpus = blocklda.Corpus.from_matrix([[1, 2, 0], [1, 1, 0]])
    sizes, once = corpus_claims("kos", corpus)
    assert sizes.holds == "no"
    assert "75.0%" in once.measured
    assert "60.0% of all words" in once.measured


def timings(nested: float, backward: float) -> list[Timing]:
    names = ("single-site", "backward", "nested", "sparse")
    seconds = np.array([[1.0] * 3, [backward] * 3, [nested] * 3, [0.5] * 3])
    return [
        Timing(corpus, "python", n_topics, names, seconds * n_topics)
        for corpus in ("kos", "nips")
        for n_topics in (8, 1024)
    ]


def test_the_claims_about_time():
    slow = [one.holds for one in timing_claims(timings(nested=1.5, backward=1.25))]
    assert slow == ["no", "yes", "no", "no", "no"]
    fast = timing_claims(timings(nested=0.8, backward=2.5))
    assert [one.holds for one in fast] == ["yes", "no", "yes", "yes", "yes"]
    assert "saves 20.0%" in fast[-1].measured
    assert {one.study for one in fast} == {"timing, python"}
