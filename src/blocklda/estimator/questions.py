"""What can be asked of a fit: labels, groups, documents, words, effects. Thin methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from blocklda.data.anndata_object import check_anndata
from blocklda.data.row_order import check_row_order
from blocklda.exports.answers import (
    check_frame,
    correlation_frame,
    document_interval_frame,
    prevalence_frame,
    representative_frame,
    word_topic_frame,
)
from blocklda.exports.frames import doc_topic_frame, topic_word_frame, topics_frame
from blocklda.results.fixed_topics import topics_of
from blocklda.results.labels import checked_labels
from blocklda.results.merged import merged_result
from blocklda.results.result import FitResult, require_draws, result_of
from blocklda.summaries.effects import EffectEstimate, estimate_effect
from blocklda.summaries.topic_labels import label_topics
from blocklda.summaries.topics import TopicSummaries, topic_summaries
from blocklda.summaries.word_checks import N_REPLICATES
from blocklda.support import defaults
from blocklda.support.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Questions", "TopicView"]


class Questions:
    """Methods that need the result of a fit and nothing else."""

    result_: FitResult

    # --- labels and views

    @property
    def topic_labels_(self) -> dict[int, str]:
        """The labels of topics, by their numbers."""
        return dict(result_of(self).labels)

    def set_topic_labels(self, labels: Mapping[int, str]) -> Self:
        """Set labels of topics, ``{7: "text encoding"}``; other topics keep their labels.

        Labels are saved with the model and used in frames, figures, the report and tables. An empty
        string removes a label. Numbers may be strings, as in the labels.json that a report saves.
        """
        result = result_of(self)
        removed = [k for k, label in labels.items() if label == ""] if _is_map(labels) else []
        given = {k: v for k, v in labels.items() if k not in removed} if _is_map(labels) else labels
        kept = {k: label for k, label in result.labels.items() if k not in removed}
        checked = checked_labels(given, result.n_topics)
        checked = checked_labels({**kept, **checked}, result.n_topics)
        # What was matched already is not matched again.
        align = partial(getattr, result, "alignment")
        self.result_ = replace(result, labels=checked, align=align)
        return self

    def label_topics(
        self,
        function: Callable[..., str],
        *,
        n_words: int = defaults.N_WORDS,
        n_docs: int = 3,
        texts: Sequence[str] | None = None,
    ) -> Self:
        """Label each topic with a function of its words and typical documents.

        ``function(words, documents)`` gets a list of the most probable words and a list of the most
        typical texts (names, if no ``texts`` are given), and returns a label, or "" for none. It
        may be your own rule, or a call to a language model.
        """
        return self.set_topic_labels(label_topics(self, function, n_words, n_docs, texts))

    def merged(self, groups: Iterable[Iterable[int]]) -> TopicView:
        """Return a view in which each group of topics is one, ``merged([[3, 17]])``.

        Tokens are summed draw by draw, so intervals are those of the sum. The fit itself does not
        change. The view has the frames, summaries and methods of a fit, and figures take it.
        """
        return TopicView(merged_result(topics_of(self), groups))

    # --- questions

    def prevalence(
        self, groups: Sequence[Any], interval: float = defaults.INTERVAL
    ) -> pd.DataFrame:
        """Return the share of each topic in groups of documents, as a frame.

        ``groups`` gives a date, a number or a name for each training document. ``low`` and ``high``
        are the ends of the credible interval; see docs/how-to/groups-and-effects.md.
        """
        return prevalence_frame(topics_of(self), groups, interval)

    def estimate_effect(
        self, formula: str, data: Any, *, interval: float = defaults.INTERVAL
    ) -> EffectEstimate:
        """Return a regression of the shares of topics on covariates, over the whole posterior.

        ``formula`` is the right-hand side of a formula, "~ party + year", and ``data`` a data frame
        with a row for each training document. See docs/how-to/groups-and-effects.md.
        """
        return estimate_effect(topics_of(self), formula, data, interval)

    def representative_documents(
        self,
        topic: int | str,
        n_docs: int = 5,
        *,
        interval: float = defaults.INTERVAL,
        texts: Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the documents with the largest shares of a topic, as a frame."""
        return representative_frame(topics_of(self), topic, n_docs, interval, texts)

    def document_intervals(
        self, docs: Iterable[int] | None = None, interval: float = defaults.INTERVAL
    ) -> pd.DataFrame:
        """Return the shares of topics in documents with credible intervals, as a frame.

        ``docs`` lists numbers of documents; the default is all documents.
        """
        return document_interval_frame(topics_of(self), docs, interval)

    def word_topics(self, word: str | int, interval: float = defaults.INTERVAL) -> pd.DataFrame:
        """Return how the tokens of a word are spread over topics, as a frame."""
        return word_topic_frame(topics_of(self), word, interval)

    def topic_correlations(self) -> pd.DataFrame:
        """Return the correlations of the shares of topics over documents, as a frame."""
        return correlation_frame(topics_of(self))

    def posterior_predictive_check(
        self, n_replicates: int = N_REPLICATES, random_state: Any = defaults.SEED
    ) -> pd.DataFrame:
        """Check for topics whose words differ between documents; return a frame.

        A large ``deviation`` and a small ``p_value`` mean that a topic's words depend on documents
        more than the model allows; see docs/how-to/posterior-checks.md.
        """
        return check_frame(topics_of(self), n_replicates, random_state)

    def to_anndata(self, data: Any, key: str = "lda") -> Any:
        """Put topics into the AnnData object that was fitted, and return it.

        ``data.obsm["X_lda"]`` has the topics of observations, ``data.varm["lda"]`` the
        probabilities of variables, and ``data.uns["lda"]`` the names of topics.
        """
        check_anndata(data)
        result = topics_of(self)
        shape = (result.corpus.n_docs, result.corpus.n_words)
        if (len(data.obs_names), len(data.var_names)) != shape:
            raise InputError(
                f"the object has {len(data.obs_names)} observations and {len(data.var_names)} "
                f"variables, but the fit has {shape[0]} and {shape[1]}: give the object that was "
                "fitted."
            )
        check_row_order(data.obs_names, result.corpus, "data")
        data.obsm[f"X_{key}"] = result.doc_topic.copy()
        data.varm[key] = result.topic_word.T.copy()
        data.uns[key] = {"topics": result.topic_names}
        return data

    # --- frames and summaries

    def topic_summaries(
        self, n_words: int = defaults.N_WORDS, interval: float = defaults.INTERVAL
    ) -> TopicSummaries:
        """Return prevalence and top words of every topic, with credible intervals.

        ``interval`` is the probability of the equal-tailed credible intervals.
        """
        result_of(self).require_trace()
        result = topics_of(self)
        require_draws(result.draws, "topic_summaries")
        found = topic_summaries(
            result.draws, result.trace, result.alignment, result.topic_word, n_words, interval
        )
        return TopicSummaries(found[: result_of(self).n_topics])  # without everything else

    def topic_word_frame(self) -> pd.DataFrame:
        """Return ``components_`` as a data frame: a row per topic, a column per word."""
        return topic_word_frame(self)

    def doc_topic_frame(self, X: Any = None, index: Iterable[Any] | None = None) -> pd.DataFrame:
        """Return ``doc_topic_``, or ``transform(X)``, as a data frame with named documents.

        ``index`` names the documents; without it they have their own index, names, or numbers.
        """
        return doc_topic_frame(self, X, index)

    def topics_frame(
        self, n_words: int = defaults.N_WORDS, interval: float = defaults.INTERVAL
    ) -> pd.DataFrame:
        """Return a data frame with a row per topic: prevalence, low, high, stable, words."""
        return topics_frame(self, n_words, interval)


class TopicView(Questions):
    """View of a fit in which some topics are merged; see :meth:`Questions.merged`.

    Figures and summaries take its ``result_``.
    """

    def __init__(self, result: FitResult) -> None:
        self.result_ = result

    def __repr__(self) -> str:
        return f"<TopicView: {self.result_.n_topics} topics of a fit>"

    def transform(self, X: Any) -> Any:
        """Refuse: the topics of new documents are those of the fit."""
        raise InputError(
            "a view with merged topics has only the training documents: use transform of the fit, "
            "and add up the columns of the merged topics."
        )


def _is_map(labels: Any) -> bool:
    return isinstance(labels, Mapping)
