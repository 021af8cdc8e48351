"""`blocklda check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import complaint, run, run_json

WRONG = """
def forgetful(state, options, n_sweeps):
    state.topics[:] = state.rng.integers(state.priors.n_topics, size=len(state.topics))
    return len(state.topics)
"""


def test_a_table_of_p_values_and_a_plot_of_ranks(tmp_path: Path):
    result = run("check", "mixture", "--quick", "--plot", tmp_path / "ranks.svg")
    assert result.exit_code == 0, result.output
    assert "one-step" in result.stdout
    assert "calibration" in result.stdout
    assert "Not rejected" in result.stdout
    assert "rank of the truth" in (tmp_path / "ranks.svg").read_text()


def test_json():
    found = run_json("check", "single-site", "--quick")
    (sampler,) = found["samplers"]
    assert sampler["accepted"]
    assert {"test", "case", "n_draws", "p_value", "details"} == set(sampler["tests"][0])
    assert sum(sampler["ranks"]["given priors"]["largest topic"]) == 100


def test_a_sampler_of_a_user_is_found_in_the_current_folder_and_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "samplers_of_a_user.py").write_text(WRONG)
    monkeypatch.chdir(tmp_path)
    result = run("check", "samplers_of_a_user:forgetful", "--quick")
    assert result.exit_code == 1
    assert "Rejected" in result.stdout


def test_refusals(tmp_path: Path):
    assert "is not a model or sampler" in complaint("check", "nest")
    assert "one sampler" in complaint("check", "lda", "--plot", tmp_path / "ranks.svg")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def own(state):\n    pass\n", "own raised TypeError in "),
        ("def own(state, options, n):\n    return 1 / 0\n", "ZeroDivisionError"),
        ("def own(:\n", "cannot be imported (SyntaxError"),
        ("raise OSError('no disk')\n", "cannot be imported (OSError: no disk)"),
    ],
)
def test_code_of_users_that_fails_is_told_in_a_sentence(tmp_path, monkeypatch, code, said):
    name = f"fails_{abs(hash(code))}"
    (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    assert said in complaint("check", f"{name}:own", "--quick")
