"""Numbers at the ends of their ranges: priors, blocks, documents and numbers of topics.

`python -m torture.extremes` goes through a grid of extremes with every sampler and everything that
is computed from a chain; `--quick` takes a part of it. A case is "right" if all counts add up, all
results are finite and probabilities sum to 1; "refused" if one of the package's own errors said
why not. Anything else is "wrong". A case that takes longer than `LIMIT_SECONDS` ends the process
with a traceback.
"""

from __future__ import annotations

import argparse
import faulthandler
import itertools
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse

import blocklda
from blocklda.support.errors import BlockldaError

LIMIT_SECONDS = 900.0

PRIORS = (1e-10, 0.1, 1e6)

Row = dict[str, Any]
Case = tuple[str, Callable[[], str]]


class WrongError(Exception):
    """A result that no run may have."""


def main(quick: bool = False) -> Iterator[Row]:
    """Run all cases; yield what came of each."""
    for name, case in cases(quick):
        start = time.perf_counter()
        faulthandler.dump_traceback_later(LIMIT_SECONDS, exit=True)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                detail, outcome = case(), "right"
        except WrongError as error:
            detail, outcome = str(error), "wrong"
        except BlockldaError as error:
            detail, outcome = str(error), "refused"
        finally:
            faulthandler.cancel_dump_traceback_later()
        seconds = time.perf_counter() - start
        yield {"case": name, "outcome": outcome, "detail": detail, "seconds": seconds}


def cases(quick: bool) -> Iterator[Case]:
    """Yield all cases, each with its name."""
    yield from _prior_cases(quick)
    yield from _size_cases(quick)
    yield from _fit_cases(quick)


# --- corpora


def _small() -> blocklda.Corpus:
    """Blocks of one to 40 tokens, documents of one token, and an empty one."""
    counts = np.array([[3, 1, 0, 40, 2], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0], [2, 0, 9, 5, 1]])
    return blocklda.Corpus.from_matrix(counts)


def _one_block(size: int) -> blocklda.Corpus:
    """Return a word that is in one document so many times, and a few tokens around it."""
    return blocklda.Corpus.from_matrix(np.array([[size, 1, 0], [2, 0, 3], [0, 1, 0]]))


def _long_document(n_tokens: int) -> blocklda.Corpus:
    """Return a document of so many tokens beside documents of a single one."""
    counts = np.random.default_rng(1).multinomial(n_tokens, np.full(2000, 1 / 2000))
    single = scipy.sparse.eye(50, 2000, dtype=np.int64, format="csr")
    return blocklda.Corpus.from_matrix(scipy.sparse.vstack([counts[None], single]).tocsr())


# --- cases


def _prior_cases(quick: bool) -> Iterator[Case]:
    """Every sampler with every pair of priors; uneven ones too, by both backends."""
    corpus, n_topics = _small(), 5
    uneven = (np.geomspace(1e-10, 1e6, n_topics), np.geomspace(1e6, 1e-10, 25).reshape(5, 5))
    pairs: list[tuple[Any, Any]] = [*itertools.product(PRIORS, PRIORS), uneven]
    for sampler, (alpha, beta) in itertools.product(blocklda.SAMPLERS, pairs):
        said = "uneven" if np.ndim(alpha) else f"alpha={alpha:g}, beta={beta:g}"

        def both(sampler: str = sampler, alpha: Any = alpha, beta: Any = beta) -> str:
            ends = []
            for backend in ("native", "python"):
                chain = blocklda.Chain(
                    corpus, n_topics, alpha, beta, sampler=sampler, backend=backend, seed=1
                )
                chain.sweep(4 if quick else 20)
                check_chain(chain)
                ends.append(chain.assignments())
            if (ends[0] != ends[1]).any():
                raise WrongError("the backends end in different states")
            return "both backends alike"

        yield f"{sampler}, {said}", both


def _size_cases(quick: bool) -> Iterator[Case]:
    """Large blocks, long documents and many topics, with priors at both ends."""
    if quick:
        sizes = [(3, 3000, 0), (2000, 20, 0), (20, 0, 100_000)]
    else:
        sizes = [(3, 100_000, 0), (100, 10_000, 0), (20_000, 100, 0), (20_000, 100_000, 0)]
        sizes += [(100, 0, 1_000_000), (20_000, 0, 1_000_000)]
    for sampler, (n_topics, block, length), prior in itertools.product(
        blocklda.SAMPLERS, sizes, PRIORS
    ):
        if (n_topics, length) == (20_000, 1_000_000) and not sampler.startswith("sparse"):
            continue  # hours by nature: each token looks at all topics
        what = f"a block of {block:,}" if block else f"a document of {length:,}"

        def one(
            sampler: str = sampler,
            n_topics: int = n_topics,
            block: int = block,
            length: int = length,
            prior: float = prior,
        ) -> str:
            corpus = _one_block(block) if block else _long_document(length)
            chain = blocklda.Chain(corpus, n_topics, prior, prior, sampler=sampler, seed=1)
            chain.sweep(2)
            check_chain(chain)
            return f"log posterior {chain.log_posterior():.6g}"

        yield f"{sampler}, K={n_topics:,}, {what} tokens, priors {prior:g}", one


def _fit_cases(quick: bool) -> Iterator[Case]:
    """Whole fits and everything that follows from them."""
    learned: list[dict[str, Any]] = [
        {},
        {"learn_alpha": "asymmetric", "learn_beta": "symmetric", "learn_how": "optimised"},
        {"learn_alpha": "asymmetric", "learn_beta": "symmetric", "learn_how": "sampled"},
    ]
    for alpha, beta, learning in itertools.product(PRIORS, PRIORS, learned):
        said = learning.get("learn_how", "given")
        for corpus in (_small(), _long_document(300 if quick else 100_000)):

            def fit(
                alpha: float = alpha,
                beta: float = beta,
                learning: dict[str, Any] = learning,
                corpus: blocklda.Corpus = corpus,
            ) -> str:
                lda = blocklda.LDA(
                    4,
                    alpha=alpha,
                    beta=beta,
                    n_sweeps=12,
                    burn_in=4,
                    n_chains=2,
                    random_state=1,
                    progress=False,
                    **learning,
                )
                return check_fit(lda.fit(corpus))

            yield f"fit, alpha={alpha:g}, beta={beta:g}, {said}, {corpus.n_docs} documents", fit


# --- what must hold


def check_chain(chain: blocklda.Chain) -> None:
    """Raise WrongError unless counts add up and all numbers of a state are sane."""
    topics = chain.assignments()
    if topics.min() < 0 or topics.max() >= chain.n_topics:
        raise WrongError("a topic is out of range")
    if (chain.corpus.counts != chain.block_counts().sum(axis=1).A1).any():
        raise WrongError("tokens were lost")
    _finite("log posterior", [chain.log_posterior(), chain.log_joint()])
    draw = chain.draw()
    _distributions("theta", draw.doc_topic())
    _distributions("phi", draw.topic_word())


def check_fit(lda: blocklda.LDA) -> str:
    """Raise WrongError unless everything that a fit tells is sane."""
    corpus = lda.chains_[0].corpus
    _finite("log posterior", lda.log_posterior_)
    _finite("priors", [*lda.alpha_, *np.ravel(lda.beta_)])
    if min(*lda.alpha_, *np.ravel(lda.beta_)) <= 0:
        raise WrongError("a prior is not positive")
    _distributions("doc_topic_", lda.doc_topic_)
    _distributions("components_", lda.components_)
    _distributions("transform", lda.transform(corpus))
    _finite("score", [lda.score(corpus)])
    _finite("log_predictive", lda.log_predictive(corpus))
    for summary in lda.topic_summaries(n_words=2):
        _finite("topic summaries", [summary.prevalence.mean])
    verdict = lda.diagnostics().verdict
    if corpus.doc_lengths().max() <= 2_000:  # its time grows with the square of this
        estimate = blocklda.evaluate.left_to_right(
            lda.components_, lda.alpha_, corpus, n_particles=2, seed=1
        )
        _finite("left to right", estimate.log_probability)
    return str(verdict).split(".", maxsplit=1)[0][:60]


def _finite(what: str, numbers: Any) -> None:
    if not np.isfinite(np.asarray(numbers, dtype=np.float64)).all():
        raise WrongError(f"{what}: {np.asarray(numbers)!r:.80}")


def _distributions(what: str, rows: np.ndarray[Any, Any]) -> None:
    _finite(what, rows)
    if rows.min() < 0 or not np.allclose(rows.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise WrongError(f"{what}: rows are no distributions")


def _line(row: Row) -> str:
    return f"{row['outcome']:8} {row['seconds']:8.2f} s  {row['case']}: {row['detail']}"


def _totals(rows: list[Row]) -> str:
    numbers = [
        f"{sum(row['outcome'] == outcome for row in rows)} {outcome}"
        for outcome in ("right", "refused", "wrong")
    ]
    return f"{len(rows)} cases: {', '.join(numbers)}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a part of the grid")
    found = []
    for row in main(parser.parse_args().quick):
        found.append(row)
        print(_line(row), flush=True)
    print(_totals(found))
    sys.exit(1 if any(row["outcome"] == "wrong" for row in found) else 0)
