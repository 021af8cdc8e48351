"""Which build of the kernels runs: the widest this machine has, or the one the user names."""

from __future__ import annotations

import os

from blocklda import _native
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed, Given, Remedy

__all__ = ["VARIABLE", "choose_instruction_set"]

VARIABLE = "BLOCKLDA_ISA"
"""The environment variable that names an instruction set; all give the same results."""


def choose_instruction_set() -> None:
    """Follow the environment variable, if it is set."""
    name = os.environ.get(VARIABLE)
    if not name:
        return
    names = _native.instruction_sets()
    if name not in names:
        raise InputError(
            Given(VARIABLE, name),
            " is not among the instruction sets of this machine: ",
            Remedy(
                "choose one of ",
                Allowed(", ".join(names), choices=names),
                ", or unset it for the last of them",
            ),
            ".",
        )
    _native.use_instruction_set(name)
