"""Latent Dirichlet allocation by blocked collapsed Gibbs sampling."""

from __future__ import annotations

from blocklda import evaluate, simulate
from blocklda.chain import Chain
from blocklda.corpus import Corpus
from blocklda.errors import (
    BlockldaError,
    CapacityError,
    FileFormatError,
    InputError,
    KernelError,
)
from blocklda.estimator import LDA
from blocklda.formats import read_corpus
from blocklda.instruction_set import choose_instruction_set
from blocklda.samplers import SAMPLERS
from blocklda.split import split_tokens

__version__ = "0.1.0"

choose_instruction_set()

__all__ = [
    "LDA",
    "SAMPLERS",
    "BlockldaError",
    "CapacityError",
    "Chain",
    "Corpus",
    "FileFormatError",
    "InputError",
    "KernelError",
    "__version__",
    "evaluate",
    "read_corpus",
    "simulate",
    "split_tokens",
]
