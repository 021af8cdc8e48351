"""The command line's frame, and ``blocklda demo``."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import blocklda
from blocklda import simulate
from blocklda.cli.terminal.bars_demo import topic_pictures, verdict
from blocklda.cli.terminal.progress import sweep_with_progress
from blocklda.demo.bars import BarsRun, run_bars
from blocklda.models.lda.chain import Chain
from blocklda.support.errors import KernelError
from tests.cli.terminal import run

SMALL = ["--docs", "40", "--sweeps", "12"]


def quiet() -> Console:
    return Console(file=io.StringIO(), force_interactive=False)


@pytest.fixture(scope="module")
def finished() -> BarsRun:
    return run_bars(40, 12, "nested", (), 0)


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"blocklda {blocklda.__version__}\n")


def test_without_a_command_the_commands_are_listed() -> None:
    result = run()
    assert result.exit_code == 0
    assert "demo" in result.stdout


def test_the_demo_shows_true_and_recovered_topics() -> None:
    result = run("demo", *SMALL)
    assert result.exit_code == 0
    assert result.stderr == ""
    for text in ("true", "recovered", "distance", "log posterior", "held-out perplexity", "bars"):
        assert text in result.stdout
    assert "██████████  ··········" in result.stdout
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_example_may_be_named() -> None:
    named, default = (
        json.loads(run("demo", *name, *SMALL, "--json").stdout) for name in (["bars"], [])
    )
    for result in (named, default):
        del result["seconds"], result["tokens_per_second"]
    assert named == default


def test_json_holds_the_result_and_nothing_else() -> None:
    result = run("demo", *SMALL, "--seed", "5", "--sampler", "backward", "--json")
    assert result.exit_code == 0
    assert result.stderr == ""
    values = json.loads(result.stdout)
    assert values["sampler"] == "backward"
    assert values["seed"] == 5
    assert values["sweeps"] == 12
    assert values["documents"] == 40
    assert values["training_tokens"] == 40 * 100 - 5 * 50
    assert values["recovered"] == sum(distance < 0.1 for distance in values["distances"])
    assert values["all_recovered"] == (values["recovered"] == 10)
    topics = np.array(values["topic_word"])
    distances = np.abs(topics - simulate.bars(1).topics).sum(axis=1) / 2
    np.testing.assert_allclose(values["distances"], distances, atol=1e-12)


def test_moves_are_tried_unless_they_are_left_out() -> None:
    first, other = (
        json.loads(run("demo", *SMALL, *given, "--json").stdout)
        for given in ([], ["--moves", "none"])
    )
    assert (first["moves"], other["moves"]) == (["merge-split"], [])
    assert first["log_posterior"] != other["log_posterior"]
    refused = run("demo", "stdlib", "--moves", "merge-split")
    assert "--moves is for the example bars, not for stdlib" in refused.stderr


def test_a_run_that_is_caught_is_told_what_to_try(finished: BarsRun) -> None:
    level = finished.true_log_posterior - 10_000
    caught = dataclasses.replace(
        finished, log_posterior=level, n_sweeps=300, distances=np.full(10, 0.5)
    )
    assert verdict(caught).plain.endswith("Try --moves merge-split.")
    with_moves = dataclasses.replace(caught, moves=("merge-split",))
    assert verdict(with_moves).plain.endswith("Try another --seed.")


def test_as_a_module() -> None:
    command = [sys.executable, "-m", "blocklda", "demo"]
    command += ["--docs", "200", "--sweeps", "30", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stderr == ""
    assert json.loads(done.stdout)["sweeps"] == 30


def test_where_only_ascii_can_be_written_ascii_is() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "blocklda", "demo", *SMALL],
        capture_output=True,
        check=True,
        timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "80"},
    )
    assert "##########  .........." in done.stdout.decode("ascii")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["demo", "--sampler", "magic"], "--sampler 'magic' is unknown"),
        (["demo", "--docs", "0"], "--docs 0 is not allowed"),
        (["demo", "--docs", "many"], "--docs"),
        (["demo", "--docs", "1000000000000000"], "memory"),
        (["demo", "--sweeps", "0"], "--sweeps 0 is not allowed"),
        (["demo", "--seed", "-1"], "--seed -1 is not allowed"),
        (["demo", "--colour", "blue"], "--colour"),
        (["demo", "rings"], "rings"),
        (["demo", "bars", "--topics", "5"], "--topics is for the example stdlib, not for bars"),
        (["demo", "stdlib", "--docs", "5"], "--docs is for the example bars, not for stdlib"),
        (["dem"], "demo"),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(arguments: list[str], complaint: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("blocklda: ")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    assert complaint in result.stderr


def raising(error: BaseException) -> Any:
    def fail(*_: object) -> None:
        raise error

    return fail


def test_a_sampler_that_fails_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "blocklda.cli.commands.demo.run_bars", raising(KernelError("no weight\nleft."))
    )
    result = run("demo")
    assert (result.exit_code, result.stderr) == (1, "blocklda: no weight left.\n")


def test_an_unexpected_error_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    unexpected = RuntimeError("what nobody foresaw")
    monkeypatch.setattr("blocklda.cli.commands.demo.run_bars", raising(unexpected))
    result = run("demo")
    assert result.exit_code == 1
    assert result.exception is unexpected


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blocklda.cli.commands.demo.run_bars", raising(KeyboardInterrupt()))
    result = run("demo")
    assert (result.exit_code, result.stdout) == (130, "")


def test_success_is_claimed_only_for_all_bars(finished: BarsRun) -> None:
    level = finished.true_log_posterior
    found, lost = np.full(10, 0.02), np.array([0.02] * 9 + [0.1])

    def sentence(distances: np.ndarray, log_posterior: float, n_sweeps: int) -> str:
        changed = dataclasses.replace(
            finished, distances=distances, log_posterior=log_posterior, n_sweeps=n_sweeps
        )
        return verdict(changed).plain

    assert "All 10 bars were recovered" in sentence(found, level, 300)
    for distances, log_posterior, n_sweeps, reason in [
        (lost, level, 300, "too few"),
        (lost, level - 1000, 300, "local mode"),
        (lost, level - 1000, 20, "not converged"),
    ]:
        text = sentence(distances, log_posterior, n_sweeps)
        assert text.startswith("9 of the 10 bars were recovered: ")
        assert reason in text


def test_the_true_model_is_hard_to_beat(finished: BarsRun) -> None:
    assert 1 < finished.true_perplexity < finished.perplexity < 25
    assert finished.tokens_per_second > 0


def test_progress_changes_no_draw_and_shows_only_when_watched() -> None:
    corpus = simulate.bars(n_docs=30).corpus
    chains = [Chain(corpus, 10, seed=3) for _ in range(3)]
    unwatched = quiet()
    watched = Console(file=io.StringIO(), force_terminal=True, force_interactive=True, width=80)
    chains[0].sweep(25)
    sweep_with_progress(chains[1], 25, unwatched)
    sweep_with_progress(chains[2], 25, watched, total=40)
    for chain in chains:
        assert chain.n_sweeps == 25
        np.testing.assert_array_equal(chain.assignments(), chains[0].assignments())
    assert unwatched.file.getvalue() == ""  # type: ignore[attr-defined]
    assert "sweep 25 of 40" in watched.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("settings", "cells"),
    [
        ({"color_system": "truecolor"}, "▀"),
        ({"color_system": "truecolor", "no_color": True}, "██"),
        ({"color_system": None}, "██"),
    ],
)
@pytest.mark.parametrize("width", [80, 40])
def test_pictures_fit(settings: dict[str, Any], cells: str, width: int, finished: BarsRun) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, **settings)
    captions = [console.render_str("0.000")] * 10
    rows = [("true", finished.truth.topics), ("recovered", finished.topics)]
    with console.capture() as capture:
        console.print(topic_pictures(console, 5, rows, "distance", captions))
    plain = console.render_str("").from_ansi(capture.get()).plain
    assert cells in plain
    assert plain.count("0.000") == 10
    assert max(map(len, plain.splitlines())) <= width
