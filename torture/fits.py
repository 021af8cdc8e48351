"""The runs that are disturbed: every sampler, several chains, priors of every kind."""

from __future__ import annotations

import hashlib
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import blocklda
from blocklda import parallel
from blocklda.formats.sharded import write_shards
from tests.files.fits import results

EVERY = 8
"""Sweeps between checkpoints: so few that a good part of a run is spent writing them."""

USUAL: dict[str, Any] = {
    "n_topics": 5,
    "alpha": 0.1,
    "beta": 0.01,
    "n_sweeps": 144,
    "burn_in": 20,
    "thin": 6,
    "random_state": 3,
    "n_chains": 1,  # the command line has another default
}

N_GENERATIONS = USUAL["n_sweeps"] // EVERY + 1
"""Checkpoints of a whole run; the first is written before the first sweep."""

LEARNED = {"learn_alpha": "asymmetric", "learn_beta": "symmetric", "learn_how": "optimised"}

FITS: dict[str, dict[str, Any]] = {
    "augmented": {"sampler": "augmented", "init": "random"},
    "single-site": {"sampler": "single-site", "n_chains": 2, "n_jobs": 2, **LEARNED},
    "backward": {
        "sampler": "backward",
        "n_chains": 3,
        "n_jobs": 2,
        **LEARNED,
        "learn_how": "sampled",
    },
    "nested": {"sampler": "nested", "init": "variational", "learn_alpha": "symmetric"},
    "sparse": {"sampler": "sparse", "n_chains": 2, **LEARNED, "learn_how": "sampled"},
    "sparse-single-site": {
        "sampler": "sparse-single-site",
        "n_chains": 2,
        "n_jobs": 2,
        "keep_draws": False,
    },
    "partially-collapsed": {"sampler": "partially-collapsed", "n_jobs": 2, **LEARNED},
    "grid": {"sampler": "grid", "n_jobs": 2, **LEARNED},
    "auto": {"alpha": "auto", "beta": "auto", "n_chains": 3, "n_jobs": 2},
    "merge-split": {"moves": ("merge-split",), "n_chains": 2, **LEARNED, "learn_how": "sampled"},
    "annealed": {"init": "annealed", "n_chains": 2, **LEARNED, "learn_how": "sampled"},
    "stopping rule": {"n_sweeps": "auto", "burn_in": "auto", "thin": 4, "n_chains": 2},
    "hdp": {"model": "hdp", "n_chains": 2, "n_jobs": 2},
    "hdp, grid": {"model": "hdp", "sampler": "grid", "n_chains": 1, "n_jobs": 2},
    "mixture": {"model": "mixture", "n_chains": 2},
    "mixture, finite": {"model": "mixture", "n_components": 4, "n_chains": 2},
    # The library has another default for the start here than the command line.
    "out of core": {"out_of_core": True, "n_sweeps": 30, "burn_in": 6, "init": "random"},
}

ESTIMATORS = {"lda": blocklda.LDA, "hdp": blocklda.HDP, "mixture": blocklda.DPMixture}
OF_LDA = ("n_topics", "alpha", "beta")
"""Usual settings that other models have no use for, or another default."""

OPTIONS = {
    "model": "--model",
    "n_topics": "--topics",
    "n_components": "--topics",
    "alpha": "--alpha",
    "beta": "--beta",
    "n_sweeps": "--sweeps",
    "burn_in": "--burn-in",
    "thin": "--thin",
    "random_state": "--seed",
    "sampler": "--sampler",
    "init": "--init",
    "n_chains": "--chains",
    "n_jobs": "--jobs",
    "learn_alpha": "--learn-alpha",
    "learn_beta": "--learn-beta",
    "learn_how": "--learn-how",
}


def settings_of(name: str) -> dict[str, Any]:
    """Return all settings of a fit, "model" among them."""
    settings = {"model": "lda", **USUAL, **FITS[name]}
    if settings["model"] != "lda":
        settings = {key: value for key, value in settings.items() if key not in OF_LDA}
    return settings


def make(name: str) -> Any:
    settings = settings_of(name)
    return ESTIMATORS[settings.pop("model")](**settings)


def fit(name: str, corpus: Path, checkpoint: Path, model: Path) -> None:
    """Fit as the library does, with a checkpoint, and save the model."""
    if "out_of_core" in FITS[name]:
        fit_out_of_core(name, corpus, checkpoint, model)
    else:
        read = blocklda.read_corpus(corpus)
        with warnings.catch_warnings():
            # These fits are short; anything else on standard error is a fault.
            warnings.simplefilter("ignore", blocklda.ConvergenceWarning)
            make(name).fit(read, checkpoint=checkpoint, every=EVERY).save(model)


def fit_out_of_core(name: str, corpus: Path, checkpoint: Path, model: Path) -> None:
    settings = settings_of(name)
    del settings["model"]
    # The stream that the command line takes.
    settings["seed"] = np.random.SeedSequence(settings.pop("random_state")).spawn(1)[0]
    found = parallel.fit(None, shards_of(corpus), **settings, checkpoint=checkpoint, progress=False)
    found.save(model)


def command(name: str, corpus: Path, checkpoint: Path, model: Path) -> list[str]:
    """Return the arguments of the command line that make the same model."""
    settings = settings_of(name)
    flags = [] if settings.pop("keep_draws", True) else ["--no-draws"]
    flags += [text for move in settings.pop("moves", ()) for text in ("--moves", move)]
    every = ["--every", str(EVERY)]
    if settings.pop("out_of_core", False):
        flags, every, corpus = [*flags, "--out-of-core"], [], shards_of(corpus)
    options = [text for key, value in settings.items() for text in (OPTIONS[key], str(value))]
    return [
        *("fit", str(corpus), *options, *flags, "--quiet"),
        *("--checkpoint", str(checkpoint), *every, "-o", str(model)),
    ]


def write_corpus(path: Path) -> Path:
    """Write the matrix that all fits are fitted to; both doors read it from the file."""
    matrix = blocklda.simulate.bars(n_docs=80, seed=2).corpus.to_matrix()
    sparse.save_npz(path, matrix)
    if not shards_of(path).exists():
        # A shard has at least a piece of a sweep, so the whole corpus several times is cut.
        write_shards(blocklda.simulate.bars(n_docs=800, seed=2).corpus, shards_of(path), 2)
    return path


def shards_of(corpus: Path) -> Path:
    """Return where the shards of a fit out of core are, beside the matrix."""
    return corpus.with_name("shards")


def contents(model: Path) -> dict[str, str]:
    """Return digests of what is in a model, and of its files where they are the same every time.

    The file of the run is not: it says how long the run took.
    """
    manifest = json.loads((model / "model.json").read_text())
    files = {
        f"file of {part}": digest for part, digest in manifest["digests"].items() if part != "run"
    }
    if manifest["model"] != "lda":
        fitted = ESTIMATORS[manifest["model"]].load(model)
        arrays = {name: getattr(fitted, name) for name in ("components_", "doc_topic_")}
        return {name: _digest(values) for name, values in arrays.items()} | files
    return contents_of(blocklda.LDA.load(model)) | files


def contents_of(lda: blocklda.LDA) -> dict[str, str]:
    """Return digests of everything that two equal fits have equal, to the bit."""
    return {name: _digest(values) for name, values in results(lda).items()}


def differences(one: dict[str, str], other: dict[str, str]) -> list[str]:
    return [name for name in one | other if one.get(name) != other.get(name)]


def _digest(values: np.ndarray[Any, Any]) -> str:
    array = np.ascontiguousarray(values)
    return hashlib.sha256(f"{array.dtype} {array.shape} ".encode() + array.tobytes()).hexdigest()
