"""``blocklda compare``."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import Result

import blocklda
from blocklda import simulate
from blocklda.cli.terminal.comparison_curves import comparison_curves
from blocklda.evaluate import Comparison, compare_samplers
from blocklda.support.extras import install_command
from tests.cli import terminal
from tests.evaluate.test_compare_result import made_up

SMALL = ["-k", "4", "--sweeps", "6", "--starts", "2", "--window", "3", "--seed", "7"]


def run(*arguments: object, columns: int = 80) -> Result:
    return terminal.run("compare", *arguments, columns=columns)


@pytest.fixture(scope="module")
def docword(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bars as a file in UCI's format."""
    matrix = simulate.bars(n_docs=24, seed=3).corpus.to_matrix().tocoo()
    lines = [f"{d + 1} {w + 1} {c}" for d, w, c in zip(*matrix.coords, matrix.data, strict=True)]
    file = tmp_path_factory.mktemp("bars") / "docword.bars.txt"
    file.write_text("\n".join(["24", "25", str(len(lines)), *lines]) + "\n")
    return file


@pytest.mark.parametrize("columns", [80, 120])
def test_it_prints_a_table_curves_and_a_reading(docword: Path, columns: int) -> None:
    result = run(docword, *SMALL, "--samplers", "nested, single-site", columns=columns)
    assert (result.exit_code, result.stderr) == (0, "")
    out = result.stdout
    assert "24 documents, 2,400 tokens, 25 words, K = 4" in out
    for heading in ("log posterior", "perplexity", "ms a sweep", "sweeps*", "seconds*"):
        assert heading in out
    assert len(re.findall(r"^nested ", out, re.M)) == (5 if columns == 80 else 3)
    assert out.count("single-site") == 6  # the table, four curves, the reading
    assert "█" in out
    assert "\x1b" not in out
    assert "Until the log posterior that all samplers reached (medians of 2 starts)" in " ".join(
        out.split()
    )
    assert max(map(len, out.splitlines())) <= columns


def test_json_holds_the_comparison(docword: Path) -> None:
    result = run(docword, *SMALL, "--samplers", "auto,backward", "--alpha", "0.3", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    values = json.loads(result.stdout)
    corpus = blocklda.read_corpus(docword)
    expected = compare_samplers(
        corpus, ["single-site", "backward"], 4, alpha=0.3, n_sweeps=6, n_starts=2, window=3, seed=7
    )
    assert values["samplers"] == ["single-site", "backward"]
    assert (values["alpha"], values["beta"], values["seed"]) == (0.3, 0.01, 7)
    assert values["input"] == str(docword)
    assert (values["documents"], values["words"], values["tokens"]) == (24, 25, 2400)
    np.testing.assert_array_equal(values["log_posterior"], expected.log_posterior)
    np.testing.assert_array_equal(values["perplexity"], expected.perplexity)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_figure_is_written_and_nothing_beside_it(
    docword: Path, tmp_path: Path, suffix: str
) -> None:
    result = run(docword, *SMALL, "--samplers", "nested", "--plot", tmp_path / f"out.{suffix}")
    assert result.exit_code == 0, result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [f"out.{suffix}"]
    assert f"out.{suffix}" in "".join(result.stdout.split())


def one_line(result: Result, complaint: str) -> None:
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("blocklda: ")
    assert result.stderr.count("\n") == 1
    assert complaint in result.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--samplers", "nested,magic"], "--samplers 'nested,magic' names 'magic', which is"),
        (["--samplers", "nested,,sparse"], "empty name"),
        (["--samplers", ""], "empty name"),
        (["--samplers", "nested,nested"], "more than once"),
        (["--sweeps", "0"], "--sweeps 0 is not allowed"),
        (["--starts", "none"], "--starts"),
        (["--window", "0"], "--window 0 is not allowed"),
        (["--seed", "-1"], "--seed -1 is not allowed"),
        (["--heldout", "2"], "2"),
        (["--alpha", "-1"], "alpha"),
        (["-k", "0"], "--topics 0 is not allowed"),
    ],
)
def test_mistakes_get_one_line(docword: Path, arguments: list[str], complaint: str) -> None:
    one_line(run(docword, *arguments), complaint)


def test_a_missing_file_gets_one_line(tmp_path: Path) -> None:
    one_line(run(tmp_path / "docword.none.txt"), "docword.none.txt")


def test_an_unknown_sampler_is_refused_before_the_input_is_read(tmp_path: Path) -> None:
    one_line(run(tmp_path / "docword.none.txt", "--samplers", "nested,slow"), "'slow'")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("out.gif", ".png, .svg, .pdf"), ("none/out.png", "there is no folder")],
)
def test_a_figure_without_a_place_is_refused_before_the_run(
    docword: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, complaint: str
) -> None:
    monkeypatch.setattr("blocklda.cli.commands.compare.compare_samplers", must_not_run)
    one_line(run(docword, "--plot", tmp_path / name), complaint)


def test_missing_matplotlib_is_told_before_the_run(
    docword: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blocklda.cli.commands.compare.compare_samplers", must_not_run)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    one_line(run(docword, "--plot", tmp_path / "a.png"), install_command("plot"))


def must_not_run(*_: object, **__: object) -> None:
    raise AssertionError("the run began")


def test_without_plot_matplotlib_is_not_touched(docword: Path) -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from blocklda.cli import app\n"
        "app(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "compare", docword, *SMALL, "--samplers", "nested", "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_ends_quietly(docword: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("blocklda.cli.commands.compare.compare_samplers", interrupted)
    result = run(docword)
    assert (result.exit_code, result.stdout) == (130, "")


def test_the_help_has_examples() -> None:
    result = run("--help")
    assert result.exit_code == 0
    assert "blocklda compare docword.kos.txt.gz -k 32" in result.stdout


def lines_of(comparison: Comparison, **settings: Any) -> list[str]:
    console = Console(file=io.StringIO(), **{"width": 50, **settings})
    console.print(comparison_curves(comparison, console))
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


def test_curves_share_one_scale_and_end_with_their_sampler() -> None:
    """The made up sampler "slow" takes half the seconds of "fast", and ends below it."""
    lines = [line.rstrip() for line in lines_of(made_up())]
    slow, fast = ([line for line in lines if line.startswith(name)] for name in ("slow", "fast"))
    by_sweeps, by_seconds = slow[0], slow[1]
    assert fast[0].endswith("████")
    assert by_sweeps[-1] in "▅▆"
    assert len(by_seconds) == pytest.approx(len("slow ") + (len(fast[1]) - len("slow ")) / 2, abs=1)
    assert lines[1] == "log posterior from -84 to -19"  # half of the chains, after a sweep
    assert next(line for line in lines if line.endswith(" 12")).split() == [
        "0",
        "seconds",
        "within",
        "sweeps",
        "12",
    ]


def test_curves_of_a_single_window_and_sweep() -> None:
    corpus = simulate.bars(n_docs=8, seed=0).corpus
    single = compare_samplers(corpus, ["nested"], 2, n_sweeps=1, n_starts=1)
    lines = lines_of(single)
    assert sum("nested" in line for line in lines) == 4
    assert all(len(line) <= 50 for line in lines)
