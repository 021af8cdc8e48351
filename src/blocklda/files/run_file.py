"""Runs on disk: chains and what was kept of them; draws are in files of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.data.corpus import Corpus
from blocklda.files.archive import Archive, open_archive, write_archive
from blocklda.files.chain_file import priors_arrays, restore_priors
from blocklda.models.lda.chain import Chain
from blocklda.models.lda.draw import Draw, topic_dtype
from blocklda.models.lda.starts.choose import check_topics
from blocklda.results.posterior import ChainMeans
from blocklda.run.chain_run import ChainRun, KeptValues, RunPlan
from blocklda.run.run import Run
from blocklda.support.checks import whole_number
from blocklda.support.errors import FileFormatError, InputError

__all__ = ["read_draws", "read_run", "read_run_header", "write_draws", "write_run"]

RUN_KIND, RUN_VERSION = "blocklda run", 1
DRAWS_KIND, DRAWS_VERSION = "blocklda draws", 1
A_RUN = "a blocklda run"
SOME_DRAWS = "a set of blocklda draws"


def write_run(path: Path, run: Run, facts: dict[str, Any]) -> None:
    """Write everything of a run but its draws; ``facts`` is what the caller wants back."""
    headers: list[dict[str, Any]] = []
    arrays: dict[str, NDArray[Any]] = {}
    for piece in run.chains:
        prefix = f"chain{piece.number}_"
        header, of_chain = piece.chain.to_parts(prefix)
        headers.append(header)
        arrays |= of_chain
        arrays |= {prefix + name: values for name, values in _kept_arrays(piece).items()}
    header = {
        "kind": RUN_KIND,
        "version": RUN_VERSION,
        "corpus": run.corpus.fingerprint,
        "seconds": run.seconds,
        "chains": headers,
        "facts": facts,
    }
    write_archive(path, header, arrays)


def read_run_header(path: Path) -> dict[str, Any]:
    """Return the header of a run's file."""
    with open_archive(path, RUN_KIND, RUN_VERSION, A_RUN) as archive:
        return archive.header


def read_run(path: Path, corpus: Corpus, plan: RunPlan) -> Run:
    """Read what :func:`write_run` wrote; the draws have to be added by :func:`read_draws`."""
    with open_archive(path, RUN_KIND, RUN_VERSION, A_RUN) as archive:
        if archive.header.get("corpus") != corpus.fingerprint:
            raise InputError(
                f"{path} holds a run on another corpus: give the documents and words it ran on, in "
                "the same order."
            )
        with archive.reading():
            pieces = [
                _read_piece(archive, number, header, corpus, plan)
                for number, header in enumerate(archive.header["chains"])
            ]
            if len({piece.chain.n_topics for piece in pieces}) != 1:
                raise archive.damaged("it has no chains, or chains of different numbers of topics")
            return Run(pieces, float(archive.header["seconds"]))


def _kept_arrays(piece: ChainRun) -> dict[str, NDArray[Any]]:
    """Return what was kept of a chain, as arrays that begin with one row per draw."""
    chain, values = piece.chain, piece.values
    n = piece.n_draws
    arrays: dict[str, NDArray[Any]] = {
        "log_posterior": np.array(piece.log_posterior, dtype=np.float64),
        "sweeps": np.array(values.sweeps, dtype=np.int64),
        "topic_sizes": np.array(values.topic_sizes, dtype=np.int64).reshape(n, chain.n_topics),
        "co_assignment": np.array(values.co_assignment, dtype=np.float64).reshape(
            n, len(piece.plan.pairs)
        ),
        "alpha_draws": np.array(values.alpha, dtype=np.float64).reshape(-1, chain.n_topics),
        "beta_draws": np.array(values.beta, dtype=np.float64),
    }
    if piece.means is not None:
        arrays["doc_topic_sum"] = np.ascontiguousarray(piece.means.doc_topic_sum)
        arrays["word_topic_sum"] = np.ascontiguousarray(piece.means.topic_word_sum.T)
    return arrays


def _read_piece(
    archive: Archive, number: int, header: dict[str, Any], corpus: Corpus, plan: RunPlan
) -> ChainRun:
    prefix = f"chain{number}_"
    piece = ChainRun(number, Chain.from_parts(archive, header, prefix, corpus), plan)
    n_topics, learning = piece.chain.n_topics, plan.learning
    levels = archive.shaped(f"{prefix}log_posterior", np.float64, (piece.n_sweeps,))
    piece.log_posterior = levels.tolist()
    sweeps = archive.array(f"{prefix}sweeps", np.int64, 1)
    n = len(sweeps)
    is_ascending = (np.diff(sweeps) > 0).all() and (n == 0 or 0 < sweeps[0] <= sweeps[-1])
    if not is_ascending or (n and sweeps[-1] > piece.n_sweeps):
        raise archive.damaged("the sweeps of its draws are out of order")
    n_alpha = n if learning.alpha != "none" else 0
    n_beta = n if learning.beta != "none" else 0
    n_pairs = len(plan.pairs)
    piece.values = KeptValues(
        sweeps=sweeps.tolist(),
        topic_sizes=list(archive.shaped(f"{prefix}topic_sizes", np.int64, (n, n_topics))),
        co_assignment=list(archive.shaped(f"{prefix}co_assignment", np.float64, (n, n_pairs))),
        alpha=list(archive.shaped(f"{prefix}alpha_draws", np.float64, (n_alpha, n_topics))),
        beta=archive.shaped(f"{prefix}beta_draws", np.float64, (n_beta,)).tolist(),
    )
    if n:
        doc_shape, word_shape = (corpus.n_docs, n_topics), (corpus.n_words, n_topics)
        piece.means = ChainMeans(
            n,
            archive.shaped(f"{prefix}doc_topic_sum", np.float64, doc_shape),
            archive.shaped(f"{prefix}word_topic_sum", np.float64, word_shape).T,
        )
        _require_plausible(archive, piece.values, piece.means, corpus)
    return piece


def _require_plausible(
    archive: Archive, values: KeptValues, means: ChainMeans, corpus: Corpus
) -> None:
    """Refuse numbers that no draws have: they would go unnoticed into every result."""
    sizes, shared = np.array(values.topic_sizes), np.array(values.co_assignment)
    if (sizes < 0).any() or (sizes.sum(axis=1) != corpus.n_tokens).any():
        raise archive.damaged("the sizes of its topics do not add up")
    if not ((shared >= 0) & (shared <= 1 + 1e-9)).all():
        raise archive.damaged("its co-assignments are no probabilities")
    for priors in (values.alpha, values.beta):
        if not (np.isfinite(priors) & (np.array(priors) > 0)).all():
            raise archive.damaged("the priors of its draws are not positive numbers")
    for sums in (means.doc_topic_sum, means.topic_word_sum):
        if not ((sums >= 0).all() and np.allclose(sums.sum(axis=1), means.n_draws, rtol=1e-6)):
            raise archive.damaged("its averages are no probabilities")


def write_draws(path: Path, draws: Sequence[Draw], *, with_priors: bool) -> None:
    """Write draws; their priors too if those are learned, else they are those of the chain."""
    arrays: dict[str, NDArray[Any]] = {}
    for i, draw in enumerate(draws):
        arrays[f"topics{i}"] = draw.topics
        if with_priors:
            arrays |= priors_arrays(draw.priors, f"draw{i}_")
    header = {
        "kind": DRAWS_KIND,
        "version": DRAWS_VERSION,
        "draws": [[draw.chain, draw.sweep] for draw in draws],
        "with_priors": with_priors,
    }
    write_archive(path, header, arrays)


def read_draws(paths: Iterable[Path], run: Run) -> None:
    """Give the draws in some files to the chains they belong to; all of them must be there."""
    for path in paths:
        opened = open_archive(path, DRAWS_KIND, DRAWS_VERSION, SOME_DRAWS)
        with opened as archive, archive.reading():
            if archive.header["with_priors"] is not run.plan.learning.is_active:
                raise archive.damaged("its draws and its run do not both have learned priors")
            for i, (number, sweep) in enumerate(archive.header["draws"]):
                chain = whole_number("chain", number, 0, len(run.chains) - 1)
                piece = run.chains[chain]
                draw = _read_draw(archive, i, chain, int(sweep), piece)
                _require_next(archive, draw, piece)
                piece.draws.append(draw)
                piece.last_draw = draw
    for piece in run.chains:
        if len(piece.draws) != piece.n_draws:
            raise FileFormatError(
                f"the draws of chain {piece.number} are not complete ({len(piece.draws)} of "
                f"{piece.n_draws} were found): use another copy."
            )


def _require_next(archive: Archive, draw: Draw, piece: ChainRun) -> None:
    """Refuse a draw that is not the one which the chain has next."""
    place, values = len(piece.draws), piece.values
    is_next = (
        place < piece.n_draws
        and draw.sweep == values.sweeps[place]
        and np.array_equal(draw.topic_counts(), values.topic_sizes[place])
    )
    if not is_next:
        raise archive.damaged(
            f"its draw of chain {draw.chain} at sweep {draw.sweep} is not the next one of the run"
        )


def _read_draw(archive: Archive, i: int, chain: int, sweep: int, piece: ChainRun) -> Draw:
    corpus, n_topics = piece.chain.corpus, piece.chain.n_topics
    dtype = topic_dtype(n_topics)
    topics = check_topics(archive.array(f"topics{i}", dtype, 1), corpus, n_topics).astype(dtype)
    topics.setflags(write=False)
    priors = piece.chain.priors
    if archive.header["with_priors"]:
        priors = restore_priors(archive, f"draw{i}_", corpus.n_words)
        if priors.n_topics != n_topics:
            raise archive.damaged("its priors are those of another number of topics")
    return Draw(chain, sweep, topics, corpus, priors)
