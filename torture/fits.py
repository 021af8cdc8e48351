"""The runs that are disturbed: every sampler, several chains, priors of every kind."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

import blocklda
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
}

OPTIONS = {
    "n_topics": "--topics",
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


def make(name: str) -> blocklda.LDA:
    return blocklda.LDA(**{**USUAL, **FITS[name]})


def command(name: str, corpus: Path, checkpoint: Path, model: Path) -> list[str]:
    """Return the arguments of the command line that make the same model."""
    settings = {**USUAL, **FITS[name]}
    flags = [] if settings.pop("keep_draws", True) else ["--no-draws"]
    options = [text for key, value in settings.items() for text in (OPTIONS[key], str(value))]
    return [
        *("fit", str(corpus), *options, *flags, "--quiet"),
        *("--checkpoint", str(checkpoint), "--every", str(EVERY), "-o", str(model)),
    ]


def write_corpus(path: Path) -> Path:
    """Write the matrix that all fits are fitted to; both doors read it from the file."""
    matrix = blocklda.simulate.bars(n_docs=80, seed=2).corpus.to_matrix()
    sparse.save_npz(path, matrix)
    return path


def contents(model: Path) -> dict[str, str]:
    """Return digests of what is in a model, and of its files where they are the same every time.

    The file of the run is not: it says how long the run took.
    """
    manifest = json.loads((model / "model.json").read_text())
    files = {
        f"file of {part}": digest for part, digest in manifest["digests"].items() if part != "run"
    }
    return contents_of(blocklda.LDA.load(model)) | files


def contents_of(lda: blocklda.LDA) -> dict[str, str]:
    """Return digests of everything that two equal fits have equal, to the bit."""
    return {name: _digest(values) for name, values in results(lda).items()}


def differences(one: dict[str, str], other: dict[str, str]) -> list[str]:
    return [name for name in one | other if one.get(name) != other.get(name)]


def _digest(values: np.ndarray[Any, Any]) -> str:
    array = np.ascontiguousarray(values)
    return hashlib.sha256(f"{array.dtype} {array.shape} ".encode() + array.tobytes()).hexdigest()
