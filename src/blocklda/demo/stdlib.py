"""One fit to the standard library's documentation: gather, fit two chains, summarise."""

from __future__ import annotations

import time
import warnings
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.demo.stdlib_texts import standard_library, standard_library_texts
from blocklda.files.atomic_write import named_path, replace_file
from blocklda.files.csv_output import csv_rows
from blocklda.summaries.topics import TopicSummary
from blocklda.support.arrays import Floats
from blocklda.support.defaults import GIVEN_ALPHA
from blocklda.support.errors import DataWarning, InterruptedFitWarning
from blocklda.support.messages import Message

__all__ = ["StdlibRun", "StdlibTopic", "run_stdlib", "save_stdlib_texts"]

N_CHAINS = 2
"""The fewest that can show which topics are reproducible."""

BETA = 0.05
"""More than the usual 0.01, since most words are rare: of 20 topics 8 to 13 are found in both
chains with seeds 0 to 5 and 400 sweeps, 4 to 10 with 0.01 (Python 3.11)."""

N_WORDS = 12
N_DOCUMENTS = 5

TYPICAL_TOKENS = 40
"""Documents with fewer tokens are not named as typical: they are about one thing too easily."""


@dataclass(frozen=True)
class StdlibTopic:
    """A topic, and the documents that are most about it with their shares."""

    summary: TopicSummary
    documents: tuple[tuple[str, float], ...]


@dataclass(frozen=True, eq=False)
class StdlibRun:
    """A finished fit: topics that both chains found first, then by prevalence."""

    corpus: Corpus
    topics: tuple[StdlibTopic, ...]
    verdict: Message
    sampler: str
    seed: int
    n_sweeps: int
    gather_seconds: float
    fit_seconds: float


def run_stdlib(
    n_topics: int,
    n_sweeps: int,
    sampler: str,
    seed: int,
    *,
    progress: bool = False,
    while_gathering: AbstractContextManager[None] | None = None,
) -> StdlibRun:
    """Gather the documents and fit them.

    ``progress`` shows that of the fit; the context ``while_gathering`` is open before it.
    """
    # scikit-learn, behind the estimator, takes longer to import than all the rest.
    from blocklda.estimator.lda import LDA  # noqa: PLC0415

    begin = time.perf_counter()
    with while_gathering or nullcontext():
        corpus = standard_library()
    gathered = time.perf_counter()
    model = LDA(
        n_topics=n_topics,
        alpha=GIVEN_ALPHA,
        beta=BETA,
        sampler=sampler,
        n_sweeps=n_sweeps,
        n_chains=N_CHAINS,
        n_jobs=N_CHAINS,
        random_state=seed,
        progress=progress,
    )
    with warnings.catch_warnings():
        for kind in (DataWarning, InterruptedFitWarning):
            warnings.simplefilter("ignore", kind)
        model.fit(corpus)
    if model.n_sweeps_ < n_sweeps:
        raise KeyboardInterrupt  # a fit keeps the draws it has, an example has nothing to show then
    fitted = time.perf_counter()
    found = [
        StdlibTopic(summary, typical_documents(corpus, model.doc_topic_[:, summary.topic]))
        for summary in model.topic_summaries(n_words=N_WORDS)
    ]
    found.sort(key=lambda topic: (not topic.summary.is_stable, -topic.summary.prevalence.mean))
    return StdlibRun(
        corpus=corpus,
        topics=tuple(found),
        verdict=model.diagnostics().verdict,
        sampler=model.chains_[0].sampler,
        seed=seed,
        n_sweeps=n_sweeps,
        gather_seconds=gathered - begin,
        fit_seconds=fitted - gathered,
    )


def typical_documents(corpus: Corpus, shares: Floats) -> tuple[tuple[str, float], ...]:
    """Return the documents with the highest shares of a topic among those of some length."""
    names = corpus.doc_names or ()
    long = corpus.doc_lengths() >= TYPICAL_TOKENS
    order = np.argsort(-np.where(long, shares, -1), kind="stable")[:N_DOCUMENTS]
    return tuple((names[d], float(shares[d])) for d in order if long[d])


def save_stdlib_texts(path: Path) -> int:
    """Write the documents to a CSV file with the columns name and text; return how many."""
    texts = standard_library_texts()
    with replace_file(named_path(path)) as file, csv_rows(file) as write_row:
        write_row(("name", "text"))
        for row in texts.items():
            write_row(row)
    return len(texts)
