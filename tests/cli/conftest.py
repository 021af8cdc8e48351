"""Files that several tests of the command line read: documents and models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import blocklda
from tests.cli.commands import QUICK, bars, write_uci
from tests.cli.terminal import run


@dataclass(frozen=True)
class Files:
    """Documents to fit, documents to come, and models of the former."""

    documents: Path
    new: Path
    one_chain: Path
    three_chains: Path
    without_draws: Path
    train: blocklda.Corpus
    test: blocklda.Corpus


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("cli")
    train, test = bars(80), bars(15, seed=2)
    found = Files(
        documents=write_uci(folder, "bars", train),
        new=write_uci(folder, "new", test),
        one_chain=folder / "one",
        three_chains=folder / "three",
        without_draws=folder / "without-draws",
        train=train,
        test=test,
    )
    for model, options in [
        (found.one_chain, []),
        (found.three_chains, ["--chains", "3", "--jobs", "2"]),
        (found.without_draws, ["--no-draws"]),
    ]:
        done = run("fit", found.documents, "-k", "10", *QUICK, *options, "-o", model, "--quiet")
        assert (done.exit_code, done.output) == (0, "")
    return found
