"""An estimator to and from a model's folder."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy

import blocklda
from blocklda.data.corpus import Corpus
from blocklda.estimator.base_plan import BasePlan, resolved_burn_in
from blocklda.files.model_file import ModelFolder, from_model, write_model
from blocklda.files.model_manifest import not_a_model
from blocklda.files.run_file import read_draws
from blocklda.results.labels import checked_labels
from blocklda.results.result import result_of_run
from blocklda.run.engine import Ending
from blocklda.run.run import Run
from blocklda.run.settings import first_difference
from blocklda.support import defaults
from blocklda.support.checks import whole_number
from blocklda.support.errors import FileFormatError, InputError, said_by
from blocklda.support.messages import Given, Setting

if TYPE_CHECKING:
    from blocklda.estimator.base import ChainEstimator

__all__ = ["load_model", "restored_parameter", "save_model"]

OF_THE_USER = ("allow_memory_overcommit", "callback", "n_jobs")
"""Settings of one machine and program, which a file from someone else must not change."""

Fitted = TypeVar("Fitted", bound="ChainEstimator")


def save_model(estimator: ChainEstimator, folder: Any, *, with_draws: bool) -> None:
    """Write a fitted estimator to a folder, if it is one that :func:`load_model` will take."""
    result, run = estimator.result_, estimator.fitted_run()
    plan = estimator.plan(run.corpus, result.burn_in)
    difference = first_difference(result.settings, plan.settings)
    if difference is not None:
        name, before, now = difference
        raise InputError.of(
            "{given} was {before} in the fit, and a model is saved with the parameters of its fit: "
            "[set it back, or fit again]."
        ).where(given=Given(name, now, shown=now), before=before)
    facts = {
        "blocklda": blocklda.__version__,
        "saved_with": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "platform": platform.platform(),
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
        },
        "burn_in": result.burn_in,
        "has_column_names": estimator.has_column_names_,
        "n_sweeps": estimator.n_sweeps_,
        "n_docs": run.corpus.n_docs,
        "n_words": run.corpus.n_words,
        "n_tokens": run.corpus.n_tokens,
        "sampler": result.sampler,
        "ending": str(result.ending),
        "topic_labels": [[k, label] for k, label in result.labels.items()],
    }
    parameters = {
        name: _savable(name, value)
        for name, value in estimator.get_params(deep=False).items()
        if name not in OF_THE_USER
    }
    write_model(folder, run, parameters, facts, with_draws=with_draws)


def load_model(cls: type[Fitted], folder: Any, tokenizer: Any = None) -> Fitted:
    """Return an estimator as it was when it was saved."""
    return from_model(folder, lambda model: _estimator(cls, folder, model, tokenizer))


def _estimator(cls: type[Fitted], folder: Any, model: ModelFolder, tokenizer: Any) -> Fitted:
    if model.manifest.model != cls.model_kind:
        raise FileFormatError(
            f"{folder} holds a model of kind {model.manifest.model!r}, but {cls.__name__} reads "
            f"{cls.model_kind!r}: load it with the estimator that saved it."
        )
    known = cls._get_param_names()
    facts, draws = model.manifest.facts, model.draws()
    parameters = {
        name: value for name, value in model.parameters().items() if name not in OF_THE_USER
    }
    # A later version may have parameters that this one lacks: they cannot be ignored.
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise FileFormatError(
            f"{folder} has the parameter {unknown[0]!r}, which this version of blocklda "
            f"({blocklda.__version__}) does not know: install the version that wrote it."
        )
    if draws is None:
        parameters["keep_draws"] = False  # so that a resumed fit has all draws or none
    try:
        corpus = _with_tokenizer(model.corpus(), tokenizer)
        estimator = cls(
            **{name: restored_parameter(name, value) for name, value in parameters.items()}
        )
        burn_in = whole_number("burn_in", facts["burn_in"], 0)
        plan = estimator.plan(corpus, burn_in)
        # A plan that continues a run needs neither; a fit of the loaded estimator does.
        resolved_burn_in(estimator.burn_in, estimator.n_sweeps, is_long=True)
        plan.check_starts()
        run = plan.read_run(model.run())
        _require_fitting(run, plan)
        if draws is not None:
            read_draws([draws], run)
        ending = Ending(facts.get("ending", Ending.SCHEDULE))
        result = result_of_run(run, plan.schedule, plan.settings, plan.seed, ending)
        labels = checked_labels(dict(facts.get("topic_labels", ())), result.n_topics)
        result = replace(result, labels=labels)
        estimator.take(result, has_column_names=bool(facts["has_column_names"]))
    except FileFormatError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise not_a_model(folder, said_by(error).clause()) from error
    return estimator


def _with_tokenizer(corpus: Corpus, tokenizer: Any) -> Corpus:
    """Return a corpus that knows the function its texts were cut by."""
    if tokenizer is None:
        return corpus
    settings = corpus.text_settings
    if settings is None or settings.tokenizer is None or settings.has_tokens:
        raise InputError.of(
            "{tokenizer=} is only for models whose texts were split by a function: [leave it out]."
        ).where(tokenizer=tokenizer)
    return Corpus.from_matrix(corpus, text_settings=replace(settings, tokenizer=tokenizer))


def _require_fitting(run: Run, plan: BasePlan) -> None:
    """Refuse a run that the parameters do not lead to."""
    found, wanted = len(run.chains), len(plan.starts)
    if found != wanted:
        raise InputError.of("its run has {found} chains, but {wanted}").where(
            found=found, wanted=Setting("n_chains", wanted)
        )
    if run.n_draws == 0:
        raise InputError("its run has no draws")


def _savable(name: str, value: Any) -> Any:
    """Return a parameter as JSON or an array; what can be neither is left out."""
    if name == "seed_words" and value is not None:
        return [
            [topic if isinstance(topic, str) else int(topic), [_plain(word) for word in words]]
            for topic, words in value.items()
        ]
    if name == "moves" and not isinstance(value, str):
        return [str(move) for move in value]
    if name == "random_state":
        return value if isinstance(value, int) else int(value) if _is_whole(value) else None
    if isinstance(value, Mapping) or value is None or isinstance(value, str):
        return value
    return _plain(value) if np.ndim(value) == 0 else np.asarray(value)


def restored_parameter(name: str, value: Any) -> Any:
    """Return a parameter of a file as the constructor takes it."""
    if name == "seed_words" and value is not None:
        return dict(value)
    if name == "moves" and not isinstance(value, str):
        return tuple(value)
    if name == "init" and isinstance(value, str) and not value.isidentifier():
        return defaults.INIT  # such as a path, which only a user may give
    if name.endswith("_prior"):
        return tuple(np.asarray(value).tolist())
    return value


def _is_whole(value: Any) -> bool:
    return isinstance(value, np.integer)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
