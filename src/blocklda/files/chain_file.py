"""Chains on disk: what a chain needs in order to continue as if it had never stopped."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.files.archive import open_archive, write_archive
from blocklda.files.atomic_write import named_path
from blocklda.models.base import Arrays, Model, Stored, options_header
from blocklda.run.chain import BaseChain
from blocklda.support.checks import whole_number
from blocklda.support.errors import DrawOrderWarning, InputError

__all__ = [
    "read_chain",
    "restore_chain",
    "restore_generator",
    "store_chain",
    "warn_of_draw_order",
    "write_chain",
]

KIND, VERSION = "blocklda chain", 1
GENERATOR = "PCG64"

FIRST_MODEL = "lda"
"""The model of files that do not name theirs: those of the version that had no other."""

FIRST_DRAW_ORDER = 1
"""That of files that name none."""

Chained = TypeVar("Chained", bound=BaseChain)
Made_co = TypeVar("Made_co", bound=BaseChain, covariant=True)


class MakesChains(Protocol[Made_co]):
    """A chain's constructor from its parts."""

    def __call__(
        self, model: Any, state: Any, sampler: Any, backend: str, options: Any, n_steps: int
    ) -> Made_co:
        """Return a chain at a state of a model."""


def write_chain(path: str | os.PathLike[str], chain: BaseChain) -> None:
    """Write a chain aside, sync it, and put it in the place of the old file."""
    header, arrays = store_chain(chain)
    header = {
        "kind": KIND,
        "version": VERSION,
        "model": chain.model.kind,
        "corpus": chain.corpus.fingerprint,
        **header,
    }
    write_archive(named_path(path), header, arrays)


def read_chain(
    path: str | os.PathLike[str],
    corpus: Corpus,
    kind: str,
    restore: Callable[[Stored], Chained],
) -> Chained:
    """Read a chain of a model that ran on ``corpus``; anything else in the file is refused."""
    path = named_path(path)
    with open_archive(path, KIND, VERSION, "a chain") as archive:
        if archive.header.get("corpus") != corpus.fingerprint:
            raise InputError(
                f"{path} holds a chain on another corpus: give the documents and words of that "
                "chain, in the same order."
            )
        require_model(archive, kind)
        return restore(archive)


def require_model(stored: Stored, kind: str) -> None:
    """Refuse a file of another model; files that name none are LDA's."""
    found = stored.header.get("model", FIRST_MODEL)
    if found != kind:
        raise stored.damaged(f"it is a chain of the model {found!r}, not of {kind!r}")


def store_chain(chain: BaseChain) -> tuple[dict[str, Any], Arrays]:
    """Return the part of a header and the arrays that hold a chain."""
    of_state, arrays = chain.model.state_parts(chain.state)
    header = {
        "sampler": chain.sampler,
        "backend": chain.backend,
        "n_sweeps": chain.n_sweeps,
        "n_steps": chain.n_simulation_steps,
        "draw_order": chain.model.draw_order,
        "generator": chain.state.rng.bit_generator.state,
        **options_header(chain.options),
        **of_state,
    }
    return header, arrays


def restore_chain(
    make: MakesChains[Chained],
    model: Model,
    stored: Stored,
    *,
    sampler: str | None = None,
    backend: str | None = None,
) -> Chained:
    """Return the chain that :func:`store_chain` was given, or continue with another sampler."""
    header = stored.header
    with stored.reading():
        n_sweeps = whole_number("n_sweeps", header["n_sweeps"], 0)
        state = model.restore_state(stored, restore_generator(header["generator"]), n_sweeps)
        options = model.restore_options(header)
        n_steps = whole_number("n_steps", header["n_steps"], 0)
        draw_order = whole_number("draw_order", header.get("draw_order", FIRST_DRAW_ORDER), 1)
        own_sampler, own_backend = str(header["sampler"]), str(header["backend"])
    try:
        model.find_sampler(own_sampler)
    except InputError as error:
        raise stored.damaged(f"its sampler {own_sampler!r} is unknown here") from error
    chain = make(model, state, sampler or own_sampler, backend or own_backend, options, n_steps)
    chain.draw_order = draw_order
    return chain


def warn_of_draw_order(chains: Iterable[BaseChain], stacklevel: int) -> None:
    """Give one warning if any of the chains has swept with draws in another order."""
    others = [c for c in chains if c.draw_order != c.model.draw_order and c.n_sweeps > 0]
    for chain in others:
        chain.draw_order = chain.model.draw_order
    if others:
        warnings.warn(
            DrawOrderWarning(
                "the chains come from a version of blocklda in which seeds gave different draws: "
                "they continue from their current state, but not with the draws that the other "
                "version would have made."
            ),
            stacklevel=stacklevel + 1,
        )


def restore_generator(state: Any) -> np.random.Generator:
    """Return a generator in the state that a file holds."""
    bit_generator = np.random.PCG64()
    if state["bit_generator"] != GENERATOR:
        raise ValueError(f"unknown generator {state['bit_generator']!r}")
    bit_generator.state = state
    return np.random.Generator(bit_generator)
