"""Latent Dirichlet allocation by blocked collapsed Gibbs sampling."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from blocklda import evaluate, simulate
from blocklda.data.corpus import Corpus
from blocklda.data.split import split_tokens
from blocklda.formats import read_corpus, write_corpus
from blocklda.formats.mallet_state import read_mallet_state
from blocklda.formats.mallet_states.output import write_mallet_state
from blocklda.models.hdp.chain import HDPChain
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.moves.registry import MOVES
from blocklda.models.lda.samplers.registry import APPROXIMATE_SAMPLERS, SAMPLERS
from blocklda.models.mixture.chain import DPMixtureChain
from blocklda.support.errors import (
    BlockldaError,
    BlockldaWarning,
    CapacityError,
    CheckpointWarning,
    ClusterError,
    ConvergenceWarning,
    DataWarning,
    DrawOrderWarning,
    FileFormatError,
    InputError,
    InterruptedFitWarning,
    KernelError,
)
from blocklda.support.instruction_set import choose_instruction_set

if TYPE_CHECKING:
    from blocklda.estimator.hdp import HDP
    from blocklda.estimator.lda import LDA
    from blocklda.estimator.mixture import DPMixture

__version__ = "0.1.0"

choose_instruction_set()

__all__ = [
    "APPROXIMATE_SAMPLERS",
    "HDP",
    "LDA",
    "MOVES",
    "SAMPLERS",
    "BlockldaError",
    "BlockldaWarning",
    "CapacityError",
    "Chain",
    "CheckpointWarning",
    "ClusterError",
    "ConvergenceWarning",
    "Corpus",
    "DPMixture",
    "DPMixtureChain",
    "DataWarning",
    "DrawOrderWarning",
    "FileFormatError",
    "HDPChain",
    "InputError",
    "InterruptedFitWarning",
    "KernelError",
    "__version__",
    "evaluate",
    "read_corpus",
    "read_mallet_state",
    "simulate",
    "split_tokens",
    "write_corpus",
    "write_mallet_state",
]


_ESTIMATORS = {
    "DPMixture": "blocklda.estimator.mixture",
    "HDP": "blocklda.estimator.hdp",
    "LDA": "blocklda.estimator.lda",
}


def __getattr__(name: str) -> Any:
    # scikit-learn takes longer to import than all the rest: only those who fit wait for it.
    if name in _ESTIMATORS:
        return getattr(import_module(_ESTIMATORS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
