"""Try out an installed package: wheels are tested with it, on every system.

python tools/try_installed.py            everything that needs no extra
python tools/try_installed.py kernels    only what NumPy and SciPy are enough for
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import blocklda

TEXTS = ["soup bread soup salad", "bed room sleep bed", "bread soup salad bread"] * 20
TOPICS = 3


def kernels() -> None:
    """Run every sampler; the kernels must agree to the bit with their twins in Python."""
    corpus = blocklda.simulate.bars(n_docs=8).corpus
    for sampler in blocklda.SAMPLERS:
        chains = [
            blocklda.Chain(corpus, 10, sampler=sampler, backend=backend, seed=1)
            for backend in ("native", "python")
        ]
        for chain in chains:
            chain.sweep(2)
        counts = [chain.topic_word_counts() for chain in chains]
        assert counts[0].sum() == corpus.n_tokens, sampler
        assert np.array_equal(*counts), f"{sampler}: kernel and twin differ"
    print(f"{len(blocklda.SAMPLERS)} samplers agree with their twins")


def estimators(folder: Path) -> None:
    """Fit, save, load and describe a model of each kind."""
    settings = {"n_sweeps": 20, "n_chains": 2, "random_state": 0, "progress": False}
    models = [
        blocklda.LDA(TOPICS, **settings),
        blocklda.HDP(**settings),
        blocklda.DPMixture(**settings),
    ]
    for model in models:
        kind = type(model).__name__
        model.fit(TEXTS)
        model.save(folder / kind)
        loaded = type(model).load(folder / kind)
        assert np.array_equal(loaded.components_, model.components_), kind
        page = folder / f"{kind}.html"
        model.report(page, texts=TEXTS)
        assert "vegaEmbed" in page.read_text("utf-8"), kind
        print(f"{kind}: fitted, saved, loaded, reported")


def commands(folder: Path) -> None:
    """Run the program as a user does."""
    table = folder / "texts.csv"
    table.write_text("body\n" + "\n".join(TEXTS) + "\n", encoding="utf-8")
    model, page = folder / "model", folder / "page.html"
    options = ["--text-column", "body", "-k", str(TOPICS), "--sweeps", "20", "-o", str(model)]
    assert run("--version").stdout.split()[-1] == blocklda.__version__
    run("fit", str(table), *options)
    run("report", str(model), "-o", str(page))
    assert page.stat().st_size > 500_000
    refused = run("fit", str(folder / "nothing.csv"), *options, fails=True)
    assert "nothing.csv" in refused.stderr, refused
    assert "Traceback" not in refused.stderr, refused
    print("fit, report and a refusal from the command line")


def run(*arguments: str, fails: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command of the program; say what it said if it ends otherwise than it should."""
    done = subprocess.run(
        [sys.executable, "-m", "blocklda", *arguments],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    if (done.returncode != 0) != fails:
        raise SystemExit(f"blocklda {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done


def main() -> None:
    print(f"blocklda {blocklda.__version__} in {Path(blocklda.__file__).parent}")
    kernels()
    if sys.argv[1:] != ["kernels"]:
        with tempfile.TemporaryDirectory() as folder:
            estimators(Path(folder))
            commands(Path(folder))


if __name__ == "__main__":
    main()
