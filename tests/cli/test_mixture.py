"""``blocklda fit --model mixture`` and what reads its models."""

from __future__ import annotations

import json

import pytest

from tests.cli.terminal import run

TITLES = "cats chase mice\ndogs chase cats\nstock market fell\nstocks rose market\n" * 4


@pytest.fixture
def titles(tmp_path):
    path = tmp_path / "titles.txt"
    path.write_text(TITLES)
    return path


def test_from_titles_to_components(titles, tmp_path):
    model = tmp_path / "model"
    fitted = run("fit", titles, "--model", "mixture", "--sweeps", 60, "-o", model, "--json")
    assert fitted.exit_code == 0, fitted.stderr
    found = json.loads(fitted.stdout)
    assert found["n_topics"] == len(found["topics"]) >= 1
    shown = run("topics", model, "--json")
    assert len(json.loads(shown.stdout)["topics"]) == found["n_topics"]
    table = run("transform", model, titles)
    rows = table.stdout.splitlines()
    assert len(rows) == 17
    assert all(abs(sum(map(float, row.split(",")[1:])) - 1) < 1e-4 for row in rows[1:])


def test_a_given_number_of_components(titles, tmp_path):
    fitted = run("fit", titles, "--model", "mixture", "-k", 5, "--sweeps", 40, "--json")
    assert json.loads(fitted.stdout)["n_topics"] == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "mixture", "--sampler", "sparse"), "is for LDA, not for a mixture"),
        (("--model", "mixture", "-k", 0), "--topics 0"),
        (("--model", "mixture", "--beta", "-1"), "--beta -1"),
        (("--model", "magic"), "--model 'magic' is unknown"),
        ((), "the number of topics is missing"),
    ],
)
def test_wrong_options_are_refused(titles, arguments, message):
    refused = run("fit", titles, *arguments)
    assert refused.exit_code == 2
    assert message in refused.stderr


def test_options_without_a_use_are_refused(titles, tmp_path):
    model = tmp_path / "model"
    run("fit", titles, "--model", "mixture", "--sweeps", 40, "-o", model, "--quiet")
    for arguments in (
        ("evaluate", model, titles, "--left-to-right"),
        ("transform", model, titles, "--draws", 3),
    ):
        refused = run(*arguments)
        assert refused.exit_code == 2
        assert "leave it out" in " ".join(refused.stderr.split())
