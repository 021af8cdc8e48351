"""Samplers from the same starts: what is run, what is timed, what is refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import blocklda
from blocklda import Chain, InputError, simulate
from blocklda.evaluate import Comparison, compare_samplers, document_completion
from blocklda.evaluate.compare_start import Turn

CORPUS = simulate.bars(n_docs=24, seed=3).corpus
SETTINGS: dict[str, Any] = {"n_topics": 5, "n_sweeps": 7, "n_starts": 2, "window": 3, "seed": 11}


def compared(samplers: Any = ("single-site", "nested"), **changes: Any) -> Comparison:
    return compare_samplers(CORPUS, samplers, **{**SETTINGS, **changes})


def by_hand(sampler: str, start: int) -> Chain:
    """The chain of one start, from the seeds as compare_samplers divides them."""
    split_seed, starts_seed = np.random.SeedSequence(11).spawn(2)
    train, _ = blocklda.split_tokens(CORPUS, [21, 22, 23], split_seed)
    init_seed, sweep_seed = starts_seed.spawn(2)[start].spawn(2)
    init = Chain(train, 5, 0.1, 0.01, seed=init_seed).assignments()
    return Chain(train, 5, 0.1, 0.01, sampler=sampler, seed=sweep_seed, init=init)


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("sampler", ["single-site", "nested"])
def test_the_numbers_are_those_of_single_chains(sampler: str, start: int) -> None:
    result = compared()
    s = result.samplers.index(sampler)
    chain = by_hand(sampler, start)
    levels = [chain.log_posterior()]
    for _ in range(7):
        chain.sweep()
        levels.append(chain.log_posterior())
    assert result.log_posterior[s, start].tolist() == levels
    split_seed, _ = np.random.SeedSequence(11).spawn(2)
    _, heldout = blocklda.split_tokens(CORPUS, [21, 22, 23], split_seed)
    expected = document_completion(by_hand(sampler, start), heldout, 7, window=3)
    np.testing.assert_array_equal(result.perplexity[s, start], expected)


def test_shapes_and_counts() -> None:
    result = compared(blocklda.SAMPLERS)
    assert result.samplers == blocklda.SAMPLERS
    assert result.seconds.shape == result.log_posterior.shape == (len(blocklda.SAMPLERS), 2, 8)
    assert result.perplexity.shape == (len(blocklda.SAMPLERS), 2, 3)
    assert result.window_ends.tolist() == [3, 6, 7]
    assert (result.n_heldout_docs, result.n_heldout_tokens) == (3, 150)
    assert result.n_train_tokens == CORPUS.n_tokens - 150
    assert (result.n_sweeps, result.n_starts, result.n_topics) == (7, 2, 5)


def test_every_sampler_has_the_same_starts_and_goes_its_own_way() -> None:
    result = compared(blocklda.SAMPLERS)
    starts = result.log_posterior[:, :, 0]
    assert (starts == starts[0]).all()
    assert len(set(starts[0])) == 2
    assert len(set(result.log_posterior[:, 0, 1])) == len(blocklda.SAMPLERS)


def test_a_sampler_does_not_depend_on_its_company() -> None:
    together, alone = compared(("backward", "sparse", "nested")), compared(["sparse"])
    np.testing.assert_array_equal(together.log_posterior[1], alone.log_posterior[0])
    np.testing.assert_array_equal(together.perplexity[1], alone.perplexity[0])


def test_another_seed_is_another_split_and_other_starts() -> None:
    assert not np.array_equal(compared().log_posterior, compared(seed=12).log_posterior)
    np.testing.assert_array_equal(compared().perplexity, compared().perplexity)


def test_seconds_count_sweeps_alone_and_samplers_take_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clock that a sweep moves by 1 (2 with nested), and everything else by 1,000."""
    now = 0.0
    order = []
    sweep, log_posterior, draw = Chain.sweep, Chain.log_posterior, Chain.draw

    def timed(function: Any, cost: float | None) -> Any:
        def call(chain: Chain, *arguments: Any) -> Any:
            nonlocal now
            if cost is None:
                now += 2 if chain.sampler == "nested" else 1
                order.append(chain.sampler)
            else:
                now += cost
            return function(chain, *arguments)

        return call

    monkeypatch.setattr(Chain, "sweep", timed(sweep, None))
    monkeypatch.setattr(Chain, "log_posterior", timed(log_posterior, 1000.0))
    monkeypatch.setattr(Chain, "draw", timed(draw, 1000.0))
    clock = SimpleNamespace(perf_counter=lambda: now)
    monkeypatch.setattr("blocklda.evaluate.compare_start.time", clock)
    result = compared(n_starts=1)
    assert result.seconds[:, 0].tolist() == [list(range(8)), list(range(0, 16, 2))]
    assert order == ["single-site", "nested"] * 7


def test_whoever_asked_is_told_after_every_round() -> None:
    turns: list[Turn] = []
    result = compared(on_turn=turns.append)
    assert [(turn.start, turn.sweep) for turn in turns] == [
        (r, t) for r in range(2) for t in range(1, 8)
    ]
    assert turns[-1].log_posterior == {
        name: result.log_posterior[s, 1, 7] for s, name in enumerate(result.samplers)
    }


def test_auto_becomes_what_it_stands_for() -> None:
    assert compared(["auto", "nested"]).samplers == ("single-site", "nested")


def test_documents_may_be_chosen() -> None:
    result = compared(heldout_docs=[0, 5])
    assert (result.n_heldout_docs, result.n_heldout_tokens) == (2, 100)


def test_a_window_is_never_longer_than_the_run() -> None:
    result = compared(n_sweeps=2, window=10)
    assert (result.window, result.window_ends.tolist()) == (2, [2])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"samplers": "nested"}, "samplers='nested' is not allowed"),
        ({"samplers": 3}, "samplers=3 is not allowed"),
        ({"samplers": []}, "samplers is empty"),
        ({"samplers": ["nested", "magic"]}, "sampler='magic' is unknown"),
        ({"samplers": ["nested", "nested"]}, "'nested' more than once: give"),
        ({"samplers": ["auto", "single-site"]}, "'auto' is 'single-site' with 5 topics"),
        ({"n_topics": 0}, "n_topics=0"),
        ({"n_sweeps": 0}, "n_sweeps=0"),
        ({"n_starts": 0}, "n_starts=0"),
        ({"window": 0}, "window=0"),
        ({"seed": -1}, "seed=-1"),
        ({"alpha": -1.0}, "alpha"),
        ({"heldout_docs": 1.5}, "heldout_docs=1.5"),
        ({"heldout_docs": float("nan")}, "heldout_docs=nan"),
        ({"heldout_docs": []}, "no documents to hold out tokens from"),
        ({"heldout_docs": [99]}, "document number 99"),
    ],
)
def test_wrong_arguments_are_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        compared(**changes)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([[3, 2], [0, 0]], "no documents to hold out tokens from"),
        ([[0, 0], [1, 0]], "none would be left to sample"),
    ],
)
def test_a_corpus_without_enough_tokens_is_refused(counts: list[list[int]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        compare_samplers(np.array(counts), ["nested"], 2, n_sweeps=1)
