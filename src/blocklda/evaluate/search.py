"""Several numbers of topics side by side: the same split, the same measures, several chains."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.data.split import split_tokens
from blocklda.evaluate.diversity import COHERENCE_WORDS
from blocklda.evaluate.search_result import KRow, KSearch
from blocklda.models.lda.priors import MAX_TOPICS
from blocklda.support import defaults
from blocklda.support.checks import random_generator, seed_sequence, whole_number
from blocklda.support.errors import InputError, not_allowed
from blocklda.support.messages import Given

if TYPE_CHECKING:
    from blocklda.evaluate.search_fits import KScores

__all__ = ["search_n_topics"]

SET_HERE = ("n_topics", "warm_start", "callback", "keep_draws")
"""Settings of the estimator that a search has no use for: every K is fitted to the end, and scored
by its draws."""


def search_n_topics(
    X: Any,
    n_topics_grid: Iterable[int],
    *,
    n_chains: int = 2,
    docs: Any = 0.25,
    n_words: int = COHERENCE_WORDS,
    n_jobs: int | None = defaults.N_JOBS,
    random_state: Any = None,
    **lda_settings: Any,
) -> KSearch:
    """Fit LDA with several numbers of topics and measure each on the same held-out tokens.

    Half of the tokens of some documents are held out (:func:`blocklda.split_tokens`), and every K
    is fitted to the rest. :class:`~blocklda.evaluate.search_result.KRow` has the measures of each
    chain, with their errors. The function does not choose a K: docs/how-to/choosing-k.md explains
    the measures.

    Parameters
    ----------
    X
        A Corpus, or anything `Corpus.from_matrix` takes. All of it is the reference corpus of the
        coherences.
    n_topics_grid
        The numbers of topics, each once. Adding one does not change the fits of the others.
    n_chains
        Chains for each K. A single chain cannot show how much its numbers vary by chance.
    docs
        Documents of which half of the tokens are held out: a share of those with two tokens or
        more, drawn at random, or documents as in `split_tokens` (numbers, a slice, true/false
        values).
    n_words
        Number of top words for coherence, diversity and exclusivity.
    n_jobs, random_state
        As in :class:`blocklda.LDA`. A whole number gives the same search every time.
    lda_settings
        Further parameters of :class:`blocklda.LDA`, the same for every K: alpha, beta, n_sweeps,
        burn_in, thin, … All chains have a variational start unless ``init`` says otherwise,
        because a random start would dominate the spread over chains.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=4, seed=1).corpus
    >>> found = blocklda.evaluate.search_n_topics(
    ...     corpus, [3, 6], n_chains=2, n_sweeps=20, burn_in=10, random_state=0
    ... )
    >>> [row.n_topics for row in found.rows]
    [3, 6]
    """
    # scikit-learn, behind the estimator, takes longer to import than all the rest.
    from blocklda.evaluate.search_fits import fit_and_score  # noqa: PLC0415

    grid = _checked_grid(n_topics_grid)
    corpus = Corpus.from_matrix(X)
    n_chains = whole_number("n_chains", n_chains, 1)
    n_words = whole_number("n_words", n_words, 2, corpus.n_words)
    for name in SET_HERE:
        if name in lda_settings:
            raise InputError.of(
                "{given} cannot be set in a search, which runs a complete fit for every K of "
                "n_topics_grid and scores its draws: [leave it out]."
            ).where(given=Given(name, lda_settings[name]))
    choice, split, fits = seed_sequence("random_state", random_state).spawn(3)
    train, heldout = split_tokens(corpus, _heldout_docs(corpus, docs, choice), split)
    _check_heldout(heldout)
    scores = {
        K: fit_and_score(
            train,
            heldout,
            corpus,
            n_words,
            n_topics=K,
            n_chains=n_chains,
            n_jobs=n_jobs,
            random_state=_child(fits, K),
            **{"init": "variational", **lda_settings},
        )
        for K in grid
    }
    return KSearch(_rows(scores), n_words, {K: score.heldout for K, score in scores.items()})


def _rows(scores: dict[int, KScores]) -> list[KRow]:
    best = max((score.heldout for score in scores.values()), key=lambda s: s.per_token.mean)
    return [
        KRow(
            n_topics=K,
            heldout=score.heldout.per_token,
            heldout_se_documents=score.heldout.se_documents,
            to_best=score.heldout.less(best),
            stability=score.stability,
            **score.measures,
        )
        for K, score in scores.items()
    ]


def _child(parent: np.random.SeedSequence, K: int) -> np.random.SeedSequence:
    """Return the stream of one K, which does not depend on what else is in the grid."""
    return np.random.SeedSequence(
        entropy=parent.entropy, spawn_key=(*parent.spawn_key, K), pool_size=parent.pool_size
    )


def _checked_grid(grid: Any) -> list[int]:
    if isinstance(grid, str | bytes) or not isinstance(grid, Iterable):
        raise not_allowed("n_topics_grid", grid, "several numbers of topics, such as [10, 20, 40]")
    numbers = [whole_number(f"n_topics_grid[{i}]", K, 1, MAX_TOPICS) for i, K in enumerate(grid)]
    if not numbers:
        raise InputError("n_topics_grid is empty: give numbers of topics, such as [10, 20, 40].")
    for K in numbers:
        if numbers.count(K) > 1:
            raise InputError(f"n_topics_grid has {K} more than once: give each number once.")
    return sorted(numbers)


def _heldout_docs(corpus: Corpus, docs: Any, seed: np.random.SeedSequence) -> Any:
    """Return documents as `split_tokens` takes them: the user's, or a share drawn at random."""
    if not isinstance(docs, float | np.floating):
        return docs
    if not 0 < docs < 1:
        raise not_allowed("docs", float(docs), "a share between 0 and 1, or document numbers")
    # A document with one token has no half to learn its topics from.
    long_enough = np.flatnonzero(corpus.doc_lengths() >= 2)
    n_chosen = min(len(long_enough), max(2, round(docs * len(long_enough))))
    return random_generator(seed).choice(long_enough, size=n_chosen, replace=False)


def _check_heldout(heldout: Corpus) -> None:
    n_docs = int(np.count_nonzero(heldout.doc_lengths()))
    if n_docs < 2:
        raise InputError(
            f"{n_docs} of {heldout.n_docs} documents have tokens to hold out, but a standard error "
            "over documents needs at least two: give more documents with at least two tokens."
        )
