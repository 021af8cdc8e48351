"""Latent Dirichlet allocation by blocked collapsed Gibbs sampling."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from blocklda.support.instruction_set import choose_instruction_set

if TYPE_CHECKING:
    from blocklda import evaluate, simulate
    from blocklda.data.corpus import Corpus
    from blocklda.data.split import split_tokens
    from blocklda.estimator.hdp import HDP
    from blocklda.estimator.lda import LDA
    from blocklda.estimator.mixture import DPMixture
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

_HOMES = {
    "blocklda.data.corpus": ("Corpus",),
    "blocklda.data.split": ("split_tokens",),
    "blocklda.estimator.hdp": ("HDP",),
    "blocklda.estimator.lda": ("LDA",),
    "blocklda.estimator.mixture": ("DPMixture",),
    "blocklda.formats": ("read_corpus", "write_corpus"),
    "blocklda.formats.mallet_state": ("read_mallet_state",),
    "blocklda.formats.mallet_states.output": ("write_mallet_state",),
    "blocklda.models.hdp.chain": ("HDPChain",),
    "blocklda.models.lda.chain": ("Chain",),
    "blocklda.models.lda.moves.registry": ("MOVES",),
    "blocklda.models.lda.samplers.registry": ("APPROXIMATE_SAMPLERS", "SAMPLERS"),
    "blocklda.models.mixture.chain": ("DPMixtureChain",),
    "blocklda.support.errors": (
        "BlockldaError",
        "BlockldaWarning",
        "CapacityError",
        "CheckpointWarning",
        "ClusterError",
        "ConvergenceWarning",
        "DataWarning",
        "DrawOrderWarning",
        "FileFormatError",
        "InputError",
        "InterruptedFitWarning",
        "KernelError",
    ),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}
_MODULES = ("compat", "evaluate", "parallel", "plots", "simulate")


def __getattr__(name: str) -> Any:
    # Imported when asked for: SciPy and scikit-learn take longer to import than all the rest.
    if name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
    elif name in _MODULES:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
