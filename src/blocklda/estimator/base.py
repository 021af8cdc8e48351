"""What all estimators share: scikit-learn's contract on top of chains and draws."""

from __future__ import annotations

import inspect
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from blocklda.data.corpus import Corpus
from blocklda.data.matrix_entries import column_names
from blocklda.diagnostics.arviz_export import to_arviz
from blocklda.diagnostics.arviz_groups import (
    log_likelihood_group,
    posterior_predictive_group,
)
from blocklda.diagnostics.report import Diagnostics, diagnose, warn_if_unfinished
from blocklda.diagnostics.topic_counts import TopicCountSummary, topic_count_summary
from blocklda.estimator.base_plan import BasePlan
from blocklda.estimator.fit import forked_run, run_fit
from blocklda.estimator.inputs import new_corpus, training_corpus, warn_of_empty_documents
from blocklda.estimator.saved import load_model, save_model
from blocklda.models.lda.new_documents.infer import Completion
from blocklda.results.fixed_topics import topics_of
from blocklda.results.posterior import log_predictive
from blocklda.results.result import FitResult, require_draws, result_of, result_of_run
from blocklda.run.engine import DrawCallback
from blocklda.run.run import Run
from blocklda.support import defaults
from blocklda.support.arrays import Bools, Floats
from blocklda.support.errors import InputError
from blocklda.support.memory import overcommit_allowed

if TYPE_CHECKING:
    from blocklda.report import Report

__all__ = ["ChainEstimator", "prior_text", "run_of"]


class ChainEstimator(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """An estimator whose fit samples Markov chains of a model.

    A child has a constructor, :meth:`plan`, :meth:`transform` and :meth:`score`.
    """

    model_kind: ClassVar[str]
    """What files and the command line call its model."""

    transform_options: ClassVar[tuple[str, ...]] = ()
    """The settings of :meth:`transform`."""

    topics_are_given: ClassVar[bool] = False
    """Whether a document's topics have a Dirichlet prior with a number for each of K topics."""

    n_jobs: int | None
    warm_start: bool
    callback: DrawCallback | None
    progress: bool
    allow_memory_overcommit: bool

    # --- what a fit leaves

    result_: FitResult
    log_posterior_: Floats
    draws_: tuple[Any, ...]
    chains_: tuple[Any, ...]
    n_sweeps_: int
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    has_column_names_: bool

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the state of a pickle; parameters that are newer than it have their defaults."""
        super().__setstate__(state)
        for name, parameter in inspect.signature(type(self).__init__).parameters.items():
            if name != "self" and name not in state:
                setattr(self, name, parameter.default)

    @abstractmethod
    def plan(self, corpus: Corpus, burn_in: int | None = None) -> BasePlan:
        """Check the parameters; ``burn_in`` is that of a fit that is continued."""

    @abstractmethod
    def transform(self, X: Any) -> Floats:
        """Return the topics of documents."""

    @abstractmethod
    def score(self, X: Any, y: object = None) -> float:
        """Return the mean log predictive probability of a token of new documents, in nats."""

    @abstractmethod
    def completion(self, corpus: Corpus) -> Completion:
        """Return how well half of each new document predicts the other half."""

    # --- fitting

    def fit(
        self,
        X: Any,
        y: object = None,
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        every: int = defaults.EVERY,
    ) -> Self:
        """Sample the posterior of the topics of a matrix of counts (documents × words).

        X is a :class:`~blocklda.Corpus`, anything :meth:`Corpus.from_matrix` takes, or a list or
        column of texts, which are counted as :meth:`Corpus.from_texts` does by default. ``y`` is
        not used; scikit-learn passes it.

        With ``checkpoint``, a folder, the run is written there every ``every`` sweeps. If the
        folder holds a run, it is resumed; a run that was killed and resumed ends with the same
        bits. Ctrl-C ends a fit after the current sweep and keeps the draws so far.
        """
        corpus = training_corpus(X)
        earlier = self.result_ if self.warm_start and hasattr(self, "result_") else None
        with overcommit_allowed(bool(self.allow_memory_overcommit)):
            plan = self.plan(corpus, None if earlier is None else earlier.burn_in)
            self.question(corpus, stacklevel=2)
            run, plan, ending = run_fit(
                plan,
                None if earlier is None else forked_run(earlier, plan),
                self.callback,
                checkpoint=checkpoint,
                every=every,
                show_progress=self.progress,
            )
        result = result_of_run(run, plan.schedule, plan.settings, plan.seed, ending)
        result = replace(result, labels=self.labels_to_keep(earlier))
        self.take(result, has_column_names=column_names(X) is not None)
        warn_if_unfinished(result, stacklevel=2)
        return self

    def take(self, result: FitResult, *, has_column_names: bool = False) -> None:
        """Set the fitted attributes together, after everything that can fail.

        ``has_column_names``: the words are the columns of a data frame, whose names scikit-learn
        checks in later calls.
        """
        run = run_of(result)
        self.result_ = result
        self.log_posterior_ = result.log_posterior
        self.draws_ = run.draws
        self.chains_ = tuple(part.chain for part in run.chains)
        self.n_sweeps_ = run.n_sweeps
        self.n_features_in_ = result.corpus.n_words
        self.has_column_names_ = has_column_names
        self.__dict__.pop("feature_names_in_", None)
        if result.corpus.vocabulary is not None:
            self.feature_names_in_ = np.array(result.corpus.vocabulary, dtype=object)

    def labels_to_keep(self, earlier: FitResult | None) -> dict[int, str]:
        """Return the labels of topics that a fit begins with."""
        return {}

    def question(self, corpus: Corpus, stacklevel: int) -> None:
        """Warn of what looks like a mistake before a fit begins."""
        warn_of_empty_documents(corpus, stacklevel + 1)

    def fitted_run(self) -> Run:
        """Return the chains of the fit at their last sweep; advance a fork of it, not the run."""
        check_is_fitted(self)
        return run_of(self.result_)

    # --- results

    @property
    def components_(self) -> Floats:
        """The posterior mean of φ, shape (topics, words)."""
        check_is_fitted(self)
        return self.result_.topic_word

    @property
    def doc_topic_(self) -> Floats:
        """The posterior mean of θ of the training documents, shape (documents, topics)."""
        check_is_fitted(self)
        return self.result_.doc_topic

    @property
    def stable_topics_(self) -> Bools | None:
        """Which topics were found in every chain; None with one chain, or one without draws."""
        check_is_fitted(self)
        return self.result_.stable

    def log_predictive(self, heldout: Any) -> Floats:
        """Return the log predictive probability of every stored entry of ``heldout``.

        ``heldout`` holds other tokens of the training documents, as :func:`blocklda.split_tokens`
        returns them; the numbers follow the entries of its canonical CSR form. Each is the log of
        the mean over draws of Σ_k θ_dk φ_kv, for one token of the entry.
        """
        check_is_fitted(self)
        require_draws(self.draws_, "log_predictive")
        return log_predictive(self.draws_, heldout)

    def diagnostics(self) -> Diagnostics:
        """Return R-hat, effective sample sizes and a verdict in words.

        See docs/explanation/diagnostics.md.
        """
        result_of(self).require_trace()  # an interrupted fit may have a chain without any
        return diagnose(result_of(self))

    def count_summary(self) -> TopicCountSummary:
        """Return several measures of the number of topics, for models in which it is not fixed."""
        result_of(self).require_trace()
        found = topic_count_summary(result_of(self))
        if found is None:
            raise InputError(
                "the number of topics of this model was given: count_summary is for an HDP, and "
                "for a mixture without n_components."
            )
        return found

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        texts: Sequence[str] | None = None,
        groups: Sequence[Any] | None = None,
        group_name: str | None = None,
        title: str | None = None,
        interval: float = defaults.INTERVAL,
    ) -> Report:
        """Return a page about the model, which a notebook displays; ``path`` also saves it.

        The parameters are those of :func:`blocklda.report.report`; see docs/how-to/report.md.
        """
        # With the page come all formats of files, which a fit does not wait for.
        from blocklda.report import report  # noqa: PLC0415

        page = report(
            self, texts=texts, groups=groups, group_name=group_name, title=title, interval=interval
        )
        if path is not None:
            page.save(path)
        return page

    def prior_facts(self) -> dict[str, str]:
        """Return the priors for display: names and values in words."""
        return {}

    def to_pyldavis(self, **options: Any) -> Any:
        """Return the model for pyLDAvis's page; topics keep their numbers, from 0.

        ``options`` go to ``pyLDAvis.prepare``; see :mod:`blocklda.exports.pyldavis`.
        """
        from blocklda.exports.pyldavis import to_pyldavis  # noqa: PLC0415

        return to_pyldavis(self, **options)

    def to_arviz(self, *, log_likelihood: bool = False, posterior_predictive: bool = False) -> Any:
        """Return the label-invariant quantities and the aligned topic sizes for ArviZ.

        ``posterior_predictive`` adds the check of :meth:`posterior_predictive_check` for every kept
        draw of every chain, as observed and with the words of each topic shuffled.

        ``log_likelihood`` adds log p(w_d | θ_d, φ) of every training document in every kept draw.
        Do not rank models by the LOO or WAIC that ArviZ computes from it: each document has its
        own fitted θ_d, so importance sampling fails (Pareto k was above 0.7 for every document of
        KOS) and the estimate favours many topics. To compare models, use documents that were not
        in the fit: `score`, `perplexity`, `evaluate.left_to_right`. See
        docs/how-to/posterior-checks.md.
        """
        model, more = topics_of(self), {}
        if log_likelihood:
            more["log_likelihood"] = log_likelihood_group(model)
        if posterior_predictive:
            more["posterior_predictive"] = posterior_predictive_group(model)
        return to_arviz(result_of(self).require_trace(), result_of(self).alignment.order, more)

    # --- new documents

    def _new_corpus(self, X: Any) -> Corpus:
        return new_corpus(self, X, has_column_names=self.has_column_names_)

    def fit_transform(self, X: Any, y: object = None, **fit_params: Any) -> Floats:
        """Fit and return ``transform(X)``.

        ``doc_topic_`` is the posterior mean of the same documents, sampled together with the
        topics. The two agree up to Monte Carlo error and the influence of a document on the words
        of the topics.
        """
        return self.fit(X, y, **fit_params).transform(X)

    def perplexity(self, X: Any) -> float:
        """Return exp(−score); lower is better."""
        return float(np.exp(-self.score(X)))

    # --- files

    def save(self, folder: str | os.PathLike[str], *, draws: bool = True) -> None:
        """Write the model to a folder: JSON and NPZ, no code. Without draws it is smaller.

        The folder is created if necessary; an existing model stays until the new one is complete.
        The parameters must be those of the fit, except n_sweeps, n_jobs, warm_start and progress.
        The callback is not saved, nor is a random_state that is not a whole number.
        """
        check_is_fitted(self)
        save_model(self, folder, with_draws=draws and len(self.draws_) > 0)

    @classmethod
    def load(
        cls,
        folder: str | os.PathLike[str],
        *,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
    ) -> Self:
        """Read a model that :meth:`save` wrote; ``warm_start=True`` can continue it.

        A model without draws has ``keep_draws=False``. ``tokenizer`` is the function that split
        the texts of the fit into words, if there was one: files store only its name.
        """
        return load_model(cls, folder, tokenizer)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True
        return tags


def run_of(result: FitResult) -> Run:
    """Return the chains of a result, which a fit on shards does not have."""
    if result.run is None:
        raise InputError("this is the result of a fit on shards: get an estimator with to_lda().")
    return result.run


def prior_text(value: Any, how_learned: str = "") -> str:
    """Return a prior in words: a number or the range of several, and how it was learned."""
    numbers = np.asarray(value, dtype=np.float64)
    low, high = float(numbers.min()), float(numbers.max())
    text = f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
    return f"{text}, learned ({how_learned})" if how_learned else text
