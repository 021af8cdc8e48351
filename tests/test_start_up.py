"""What is imported, and so waited for, before anything is asked of the library."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest
import typer

import blocklda
from blocklda.cli import app

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "dask", "matplotlib", "arviz_stats")


NOT_FOR_A_FIT = (
    *("blocklda.cli", "blocklda.exports.pyldavis", "blocklda.formats", "blocklda.models.hdp"),
    *("blocklda.parallel", "blocklda.plots", "blocklda.report", "blocklda.testing"),
    *("arviz", "arviz_stats", "dask", "formulaic", "gensim", "h5py", "matplotlib", "openpyxl"),
    *("polars", "pooch", "pyLDAvis", "rich", "typer"),
)
"""What a fit of counts does without: scikit-learn is enough to wait for."""


def imported_by(program: str, packages: Sequence[str] = HEAVY) -> list[str]:
    """Return those of the packages that a program has imported when it ends."""
    program += (
        "\nimport json, sys\nprint(json.dumps([m for m in sys.argv[1:] if m in sys.modules]))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program, *packages], capture_output=True, text=True, check=True
    )
    return json.loads(answer.stdout.splitlines()[-1])


def run(*arguments: str) -> str:
    return (
        "from blocklda.cli import app\n"
        f"try: app({list(arguments)!r}, prog_name='blocklda')\n"
        "except SystemExit as end: assert end.code == 0, end.code"
    )


@pytest.mark.parametrize(
    "program",
    ["import blocklda", run("--help"), run("--version"), run()],
    ids=["import", "help", "version", "nothing"],
)
def test_nothing_heavy_is_imported(program: str):
    assert imported_by(program) == []


def test_chains_need_no_scikit_learn():
    assert "sklearn" not in imported_by("from blocklda import Chain, Corpus, read_corpus")


def test_an_estimator_imports_what_a_fit_needs_and_no_more():
    assert imported_by("from blocklda import LDA", NOT_FOR_A_FIT) == []


def test_every_public_name_is_found():
    assert set(blocklda.__all__) <= set(dir(blocklda))
    for name in dir(blocklda):
        assert getattr(blocklda, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'LSA'"):
        _ = blocklda.LSA


def test_the_list_of_commands_says_what_they_say_themselves():
    group = typer.main.get_command(app)
    for name, summary in group.summaries.items():
        assert group.commands[name].help.split("\n\n")[0].replace("\n", " ") == summary
