"""The topics that the tokens of a shard start with: random, or drawn around a variational start.

A variational start goes from document to document, and each of them depends on those before. So it
is worked out by the client, from documents spread over all shards with a few million tokens in all,
and written to the folder of the run. Given it, documents are independent: each shard draws its own
topics. Every token takes one number of the chain's stream, so that a shard knows where its own
begin: the topics do not depend on who draws them, and a corpus that is small enough to be used
whole starts like a chain on one machine, to the bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from scipy import sparse

from blocklda.data.corpus import Corpus
from blocklda.files.archive import open_archive, write_archive
from blocklda.files.chain_file import restore_generator
from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.models.lda.starts.first_counts import padded_topics
from blocklda.models.lda.starts.variational import draw_topics, fitted_counts
from blocklda.parallel.plan import ShardedPlan
from blocklda.support.arrays import Float32s, Int32s

__all__ = ["START", "SampledDocuments", "first_topics", "write_variational_start"]

START = "start.npz"
"""What a variational start is drawn from; gone when all shards have their topics."""

KIND, VERSION = "blocklda variational start", 1

SAMPLED_TOKENS = 5_000_000
"""A variational start is worked out from about so many tokens: six passes at K = 200 take a few
seconds. docs/explanation/starts.md compares starts from a part of a corpus with one from all."""


class SampledDocuments:
    """Documents spread evenly over all shards, read when they are first asked for."""

    def __init__(
        self, corpus: ShardedCorpus, read: Callable[[int], list[sparse.csr_matrix[Any]]]
    ) -> None:
        """Take a function that returns every so many documents, shard by shard."""
        self._read = read
        self._words = corpus.n_words
        self.every = max(1, -(-corpus.n_tokens // SAMPLED_TOKENS))
        self._n_tokens = corpus.n_tokens

    @cached_property
    def corpus(self) -> Corpus:
        """The documents as one corpus."""
        rows = sparse.vstack(self._read(self.every), format="csr")
        return Corpus.from_matrix(cast("sparse.csr_matrix[np.int64]", rows))

    @property
    def share(self) -> float:
        """Their part of all tokens; 1 if they are all documents."""
        return self.corpus.n_tokens / self._n_tokens


def write_variational_start(
    folder: Path, plan: ShardedPlan, documents: SampledDocuments, rng: np.random.Generator
) -> None:
    """Work out n_vk of a variational start and write it, with the stream that topics come from."""
    n_vk = fitted_counts(documents.corpus, plan.priors, rng, "native")
    if documents.every > 1:
        n_vk *= np.float32(1 / documents.share)
    header = {
        "kind": KIND,
        "version": VERSION,
        "run": plan.run,
        "generator": rng.bit_generator.state,
    }
    write_archive(folder / START, header, {"n_vk": n_vk})


def first_topics(folder: Path, plan: ShardedPlan, shard: int) -> Int32s:
    """Draw the topics of a shard from where its tokens are in the chain's stream."""
    if plan.init != "variational":
        rng = _at_shard(plan.generator, plan, shard)
        n_tokens = plan.corpus.shards[shard].n_tokens
        return (rng.random(n_tokens) * plan.n_topics).astype(np.int32)
    generator, n_vk = _read_start(folder, plan)
    rng = _at_shard(generator, plan, shard)
    return draw_topics(plan.corpus.read(shard), plan.priors, n_vk, rng, "native")


def _at_shard(generator: dict[str, Any], plan: ShardedPlan, shard: int) -> np.random.Generator:
    rng = restore_generator(generator)
    rng.bit_generator.advance(plan.first_token(shard))  # type: ignore[attr-defined]
    return rng


def _read_start(folder: Path, plan: ShardedPlan) -> tuple[dict[str, Any], Float32s]:
    path = folder / START
    with open_archive(path, KIND, VERSION, "a variational start") as archive, archive.reading():
        if archive.header["run"] != plan.run:
            raise archive.damaged("it is of another run")
        shape = (plan.n_words, padded_topics(plan.n_topics))
        return dict(archive.header["generator"]), archive.shaped("n_vk", np.float32, shape)
