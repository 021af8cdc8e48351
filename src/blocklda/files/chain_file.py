"""Chains on disk: what a chain needs in order to go on as if it had never stopped."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.data.corpus import Corpus
from blocklda.files.archive import Archive, open_archive, write_archive
from blocklda.files.atomic_write import named_path
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.convolution import check_convolution
from blocklda.models.lda.starts.choose import check_topics
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.arrays import Floats
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = [
    "ChainRecord",
    "priors_arrays",
    "read_chain",
    "restore_chain",
    "restore_generator",
    "restore_priors",
    "store_chain",
    "write_chain",
]

KIND = "blocklda chain"
VERSION = 1
GENERATOR = "PCG64"


@dataclass
class ChainRecord:
    """Everything about a chain that a file keeps."""

    state: State
    options: SweepOptions
    sampler: str
    backend: str
    n_steps: int


def write_chain(path: str | os.PathLike[str], record: ChainRecord) -> None:
    """Write a chain aside, sync it, and put it in the place of the old file."""
    header, arrays = store_chain(record)
    header = {
        "kind": KIND,
        "version": VERSION,
        "corpus": record.state.corpus.fingerprint,
        **header,
    }
    write_archive(named_path(path), header, arrays)


def read_chain(
    path: str | os.PathLike[str], corpus: Corpus, known_samplers: Collection[str]
) -> ChainRecord:
    """Read a chain that ran on ``corpus``; anything else in the file is refused."""
    path = named_path(path)
    with open_archive(path, KIND, VERSION, "a chain") as archive:
        if archive.header.get("corpus") != corpus.fingerprint:
            raise InputError(
                f"{path} holds a chain on another corpus: give the documents and words it ran on, "
                "in the same order."
            )
        return restore_chain(archive, archive.header, "", corpus, known_samplers)


def store_chain(
    record: ChainRecord, prefix: str = ""
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the part of a header and the arrays, their names prefixed, that hold a chain."""
    state = record.state
    header = {
        "sampler": record.sampler,
        "backend": record.backend,
        "n_sweeps": state.n_sweeps,
        "random_start": state.random_start,
        "n_steps": record.n_steps,
        "max_block": record.options.max_block,
        "convolution": record.options.convolution,
        "n_threads": record.options.n_threads,
        "shards": record.options.shards,
        "generator": state.rng.bit_generator.state,
    }
    return header, {f"{prefix}topics": state.topics, **priors_arrays(state.priors, prefix)}


def restore_chain(
    archive: Archive,
    header: dict[str, Any],
    prefix: str,
    corpus: Corpus,
    known_samplers: Collection[str],
) -> ChainRecord:
    """Return the chain that :func:`store_chain` put into an archive."""
    priors = restore_priors(archive, prefix, corpus.n_words)
    with archive.reading():
        topics = archive.array(f"{prefix}topics", np.int32, 1)
        topics = check_topics(topics, corpus, priors.n_topics)
        max_block = header["max_block"]
        options = SweepOptions(
            max_block=None if max_block is None else whole_number("max_block", max_block, 1),
            convolution=check_convolution(header["convolution"]),
            n_threads=whole_number("n_threads", header["n_threads"], 1),
            shards=_shards(header.get("shards", ()), corpus),
        )
        record = ChainRecord(
            state=State(
                corpus,
                priors,
                topics,
                restore_generator(header["generator"]),
                n_sweeps=whole_number("n_sweeps", header["n_sweeps"], 0),
                random_start=header.get("random_start") is True,
            ),
            options=options,
            sampler=str(header["sampler"]),
            backend=str(header["backend"]),
            n_steps=whole_number("n_steps", header["n_steps"], 0),
        )
    if record.sampler not in known_samplers:
        raise archive.damaged(f"its sampler {record.sampler!r} is unknown here")
    return record


def priors_arrays(priors: Priors, prefix: str) -> dict[str, Floats]:
    """Return the arrays that hold priors."""
    return {
        f"{prefix}alpha": priors.alpha,
        f"{prefix}beta": priors.beta,
        f"{prefix}beta_sum": priors.beta_sum,
    }


def restore_priors(archive: Archive, prefix: str, n_words: int) -> Priors:
    """Return priors that fit the number of words and each other."""
    alpha = archive.array(f"{prefix}alpha", np.float64, 1)
    beta = archive.array(f"{prefix}beta", np.float64, 2)
    beta_sum = archive.array(f"{prefix}beta_sum", np.float64, 1)
    n_topics = len(alpha)
    shapes_fit = (
        n_topics >= 1
        and beta_sum.shape == (n_topics,)
        and beta.shape in ((1, n_topics), (n_words, n_topics))
    )
    if not shapes_fit:
        raise archive.damaged("its priors do not fit each other")
    for values in (alpha, beta, beta_sum):
        if not (np.isfinite(values) & (values > 0)).all():
            raise archive.damaged("its priors are not positive numbers")
    expected = beta.sum(axis=0) * (1 if len(beta) == n_words else n_words)
    shared_row = len(beta) < n_words
    if not np.allclose(beta_sum, expected, rtol=1e-9, atol=0) or (shared_row and np.ptp(beta)):
        raise archive.damaged("its priors do not fit each other")
    return Priors(alpha, beta, beta_sum)


def _shards(starts: Any, corpus: Corpus) -> tuple[int, ...]:
    checked = tuple(whole_number("shards", start, 0, corpus.n_docs) for start in starts)
    if list(checked) != sorted(set(checked)):
        raise InputError("its shards are out of order")
    return checked


def restore_generator(state: Any) -> np.random.Generator:
    """Return a generator in the state that a file holds."""
    bit_generator = np.random.PCG64()
    if state["bit_generator"] != GENERATOR:
        raise ValueError(f"unknown generator {state['bit_generator']!r}")
    bit_generator.state = state
    return np.random.Generator(bit_generator)
