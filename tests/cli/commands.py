"""What the tests of the command line share: how it is run, and a small corpus in a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import blocklda
from tests.cli.terminal import run

QUICK = ["--sweeps", "60", "--thin", "2", "--chains", "1"]
"""Options of fits that end soon."""

GIVEN = ["--alpha", "0.1", "--beta", "0.01"]
"""Options of fits that learn no priors: their draws begin after a burn-in of 4 sweeps."""


def run_json(*arguments: object) -> Any:
    """Run a command with --json, which prints nothing else."""
    result = run(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout, parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def complaint(*arguments: object) -> str:
    """Return the one line that a command with a mistake in it ends with."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("blocklda: ")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    return result.stderr


STARTER = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of shells ignore it
from blocklda.cli import main
main()
"""


def start(*arguments: object, **environment: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own, which listens to Ctrl-C."""
    return subprocess.Popen(
        [sys.executable, "-c", STARTER, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def write_uci(folder: Path, name: str, corpus: blocklda.Corpus) -> Path:
    """Write a corpus as UCI's pair of files, by hand."""
    matrix = corpus.to_matrix().tocoo()
    entries = np.column_stack([matrix.row + 1, matrix.col + 1, matrix.data])
    lines = [str(corpus.n_docs), str(corpus.n_words), str(corpus.n_entries)]
    lines += [" ".join(map(str, entry)) for entry in entries]
    path = folder / f"docword.{name}.txt"
    path.write_text("\n".join(lines) + "\n")
    words = corpus.vocabulary or ()
    (folder / f"vocab.{name}.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    return path


def bars(n_docs: int, seed: int = 1) -> blocklda.Corpus:
    """Return documents whose ten topics are easily told apart; one word is not ASCII."""
    corpus = blocklda.simulate.bars(n_docs=n_docs, alpha=0.1, seed=seed).corpus
    words = [f"cell{v:02d}" for v in range(corpus.n_words - 1)]
    return blocklda.Corpus.from_matrix(corpus, [*words, "größe"])
