"""The readers of what blocklda saved: chains, models, checkpoints, parts of studies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import blocklda
from blocklda.estimator.plan import FitPlan
from blocklda.evaluate.compare import ComparisonPlan
from blocklda.evaluate.compare_start import StartCurves
from blocklda.experiments.run_files import RunFiles
from blocklda.files.checkpoint import Checkpoint
from torture.fuzz.containers import json_mutated, zip_mutated
from torture.fuzz.corpora import CORPUS
from torture.fuzz.readers import Prepared, Reader
from torture.fuzz.sanity import (
    InsaneError,
    require_probabilities,
    require_sane_chain,
    require_sane_model,
)

__all__ = ["SAVED_READERS"]

SETTINGS = {"n_topics": 2, "n_sweeps": 6, "burn_in": 2, "thin": 2, "random_state": 1}
LEARNED = {"learn_alpha": "asymmetric", "learn_beta": "symmetric", "learn_how": "sampled"}


def _model(n_chains: int = 2) -> blocklda.LDA:
    return blocklda.LDA(**SETTINGS, **LEARNED, n_chains=n_chains)


def _of_chain(folder: Path) -> Prepared:
    path = folder / "chain.npz"
    seeds = []
    for beta in (0.1, np.full((2, CORPUS.n_words), 0.1)):
        chain = blocklda.Chain(CORPUS, 2, beta=beta, seed=1)
        chain.sweep(2)
        chain.save(path)
        seeds.append(path.read_bytes())
    return Prepared(
        path, tuple(seeds), lambda: require_sane_chain(blocklda.Chain.load(path, CORPUS))
    )


def _forget_digests(manifest: Path) -> None:
    """Make a model one without digests, which is read as well: they would refuse every change."""
    content = json.loads(manifest.read_bytes())
    content.pop("digests", None)
    content.pop("sha256", None)
    manifest.write_text(json.dumps(content))


def _of_model(part: str, n_chains: int = 1) -> Callable[[Path], Prepared]:
    """Read a model again and again while one of its files changes.

    All of it is read, so there are several chains only where they are in that file.
    """

    def prepare(folder: Path) -> Prepared:
        model = folder / "model"
        _model(n_chains).fit(CORPUS).save(model)
        _forget_digests(model / "model.json")
        (path,) = model.glob(part)
        seeds = (path.read_bytes(),)
        return Prepared(path, seeds, lambda: require_sane_model(blocklda.LDA.load(model)))

    return prepare


def _of_nonparametric(estimator: Any) -> Callable[[Path], Prepared]:
    """Read the run of a model whose number of topics or components is found."""

    def prepare(folder: Path) -> Prepared:
        model = folder / "model"
        fitted = estimator(n_sweeps=6, burn_in=2, thin=2, random_state=1).fit(CORPUS)
        fitted.save(model)
        _forget_digests(model / "model.json")
        (path,) = model.glob("run-*")
        return Prepared(
            path, (path.read_bytes(),), lambda: require_probabilities(estimator.load(model))
        )

    return prepare


def _of_checkpoint(part: str) -> Callable[[Path], Prepared]:
    """Read the last of two generations: a broken one leaves the other, which must not be read."""

    def prepare(folder: Path) -> Prepared:
        place = folder / "checkpoint"
        lda = _model()
        lda.fit(CORPUS, checkpoint=place, every=3)
        *earlier, path = sorted(place.glob(part))
        if part.startswith("run"):
            for one in earlier:
                one.unlink()
        plan = FitPlan.create(lda, CORPUS, None)

        def read() -> None:
            opened = Checkpoint(place, 3, plan.settings, plan.schedule.burn_in)
            run = opened.read(plan.read_run)
            if run is None:
                raise InsaneError("there is a checkpoint")
            for piece in run.chains:
                require_sane_chain(piece.chain)

        for one in sorted(place.glob("run-*"))[:-1]:
            one.unlink()
        return Prepared(path, (path.read_bytes(),), read)

    return prepare


def _of_study(*, under_way: bool) -> Callable[[Path], Prepared]:
    def prepare(folder: Path) -> Prepared:
        plan = ComparisonPlan.create(
            CORPUS, ("single-site", "nested"), 2, alpha=0.1, beta=0.1, n_sweeps=4, n_starts=1,
            heldout_docs=[2], window=2, seed=1,
        )  # fmt: skip
        files = RunFiles(folder, {"n_sweeps": 4})
        start = plan.start(0)
        for _ in range(2 if under_way else 4):
            start.turn()
        facts, arrays = start.to_parts()
        files.write("start-00", arrays, facts if under_way else None)

        def go_on() -> None:
            other = plan.start(0)
            with files.opened("start-00") as archive:
                other.go_on_from(archive)
            if not 0 <= other.n_done <= other.n_sweeps or not other.is_between_windows:
                raise InsaneError("a start goes on between its windows")
            while other.n_done < other.n_sweeps:
                other.turn()
            other.curves()

        def read() -> None:
            plan.joined([StartCurves(**files.read("start-00", plan.curve_shapes))])

        path = folder / "start-00.npz"
        return Prepared(path, (path.read_bytes(),), go_on if under_way else read)

    return prepare


SAVED_READERS = {
    "chain": Reader(_of_chain, zip_mutated),
    "model, manifest": Reader(_of_model("model.json"), json_mutated),
    "model, corpus": Reader(_of_model("corpus-*"), zip_mutated),
    "model, run": Reader(_of_model("run-*", n_chains=2), zip_mutated),
    "model, draws": Reader(_of_model("draws-*", n_chains=2), zip_mutated),
    "model, parameters": Reader(_of_model("parameters-*"), zip_mutated),
    "model of an HDP, run": Reader(_of_nonparametric(blocklda.HDP), zip_mutated),
    "model of a mixture, run": Reader(_of_nonparametric(blocklda.DPMixture), zip_mutated),
    "checkpoint, run": Reader(_of_checkpoint("run-*"), zip_mutated),
    "checkpoint, draws": Reader(_of_checkpoint("draws-*"), zip_mutated),
    "study, curves": Reader(_of_study(under_way=False), zip_mutated),
    "study, start put aside": Reader(_of_study(under_way=True), zip_mutated),
}
