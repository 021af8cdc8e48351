"""Does a model fit? Its topics compared with what it expects of them."""

from __future__ import annotations

from typing import Any

from blocklda.results.result import result_of
from blocklda.summaries.word_checks import N_REPLICATES, TopicChecks, check_topics
from blocklda.support import defaults

__all__ = ["posterior_predictive_check"]


def posterior_predictive_check(
    model: Any, n_replicates: int = N_REPLICATES, random_state: Any = defaults.SEED
) -> TopicChecks:
    """Return how far the words of each topic depend on documents, as arrays over topics.

    The model says that they do not. ``model`` is a fitted LDA, or a view of one with merged topics;
    ``model.posterior_predictive_check()`` returns the same as a data frame. See
    docs/how-to/posterior-checks.md.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=60, side=3, seed=1).corpus
    >>> lda = blocklda.LDA(6, n_sweeps=60, random_state=0, progress=False).fit(corpus)
    >>> len(blocklda.evaluate.posterior_predictive_check(lda).p_value)
    6
    """
    return check_topics(result_of(model), n_replicates, random_state)
