"""Which build of the kernels runs: the widest this machine has, or the one the user names."""

from __future__ import annotations

import os

from blocklda import _native
from blocklda.support.errors import InputError
from blocklda.support.messages import Allowed, Given

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
        raise InputError.of(
            "{given} is not an instruction set of this machine: [choose one of {allowed}, or "
            "unset it to use the last of them]."
        ).where(given=Given(VARIABLE, name), allowed=Allowed(", ".join(names), choices=names))
    _native.use_instruction_set(name)
