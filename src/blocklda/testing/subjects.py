"""Samplers as subjects of tests: what each model is tested on, and how a name finds a sampler."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from blocklda.models.hdp import sampler as hdp_sampler
from blocklda.models.hdp.global_step import GlobalStep, Learning
from blocklda.models.hdp.state import SweepOptions as HDPOptions
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.samplers import base as lda_base
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS, SAMPLERS, find_sampler
from blocklda.models.lda.state import SweepOptions as LDAOptions
from blocklda.models.mixture import sampler as mixture_sampler
from blocklda.models.mixture.state import SweepOptions as MixtureOptions
from blocklda.support.errors import InputError, unknown_choice
from blocklda.testing.base import Enumerated, Joint, Subject, Sweep
from blocklda.testing.hdp_problem import HDPProblem
from blocklda.testing.lda_joint import LDAJoint
from blocklda.testing.lda_problem import LDAProblem
from blocklda.testing.mixture_problem import MixtureProblem
from blocklda.testing.urns import HDPJoint, MixtureJoint

__all__ = ["MODELS", "find_subjects", "subject_of"]

# --- LDA


def lda_problems() -> dict[str, Enumerated]:
    """Return problems that show mistakes soon: few states, small priors that all differ."""
    shared = LDAProblem(((3, 0), (2, 1), (0, 1)), 3, 0.8, 0.7)
    return {
        "asymmetric alpha": LDAProblem(((0, 4), (1, 0)), 2, (0.8, 0.4), 0.3),
        "shared words": LDAProblem(((2, 1), (1, 2)), 2, (0.8, 0.4), 0.3),
        "large block": LDAProblem(((6,), (1,)), 2, (0.3, 0.9), 0.3),
        "three topics": shared,
        "parts of 2": replace(shared, options=LDAOptions(max_block=2)),
        "beta matrix": LDAProblem(((3, 1), (0, 2)), 2, 0.6, ((0.2, 0.9), (0.7, 0.3))),
        "9 topics": LDAProblem(((3, 0),), 9, 0.3, 0.4),
    }


def lda_joints() -> dict[str, Joint]:
    """Return joint models with given and with learned priors."""
    learning = PriorLearning.create("asymmetric", "symmetric", "sampled", (2.0, 3.0), (3.0, 5.0))
    return {
        "given priors": LDAJoint((6, 4, 0, 1), 3, 3, alpha=(0.3, 0.6, 1.2), beta=0.2),
        "learned priors": LDAJoint((6, 4, 0, 1), 3, 3, learning=learning),
    }


def _of_lda(name: str, sweep: Sweep) -> Subject:
    return Subject(name, sweep, lda_problems(), lda_joints())


# --- the HDP


def hdp_problems() -> dict[str, Enumerated]:
    """Return problems with large concentrations, where a new topic's weight matters."""
    every = HDPOptions(table_every=1)
    return {
        "large block": HDPProblem(((4, 1), (2, 0)), 5.0, 2.5, 0.7),
        "shared words": HDPProblem(((3, 1), (1, 1)), 5.0, 2.0, 0.4, options=every),
        "small concentrations": HDPProblem(((3, 1), (2, 0)), 0.8, 0.6, 0.2, options=every),
        "parts of 2": HDPProblem(((4, 0),), 5.0, 2.5, 0.7, options=HDPOptions(max_block=2)),
    }


def hdp_joints() -> dict[str, Joint]:
    """Return a joint model with learned concentrations."""
    return {
        "learned concentrations": HDPJoint(
            (6, 6, 5, 5, 4), 4, 0.3, options=HDPOptions(table_every=2)
        )
    }


def _of_hdp(sampler: Any) -> Subject:
    def sweep(learning: Learning) -> Sweep:
        changed = copy.copy(sampler)
        changed.global_step = type(sampler.global_step)(learning)
        found: Sweep = changed.sweep("native")
        return found

    fixed = sweep(Learning(alpha0=False, gamma=False))
    name = f"hdp/{sampler.name}"
    return Subject(name, fixed, hdp_problems(), hdp_joints(), learned_sweep=sweep(Learning()))


# --- mixtures


def mixture_problems() -> dict[str, Enumerated]:
    """Return documents of few kinds, so that they move as blocks, and some that all differ."""
    a, b, c, beta = (1, 1, 0), (0, 2, 1), (0, 0, 1), (0.5, 0.4, 0.6)
    kinds = MixtureProblem((a, b, a, a, c, b), 1.7, beta)
    return {
        "kinds": kinds,
        "one by one": replace(kinds, options=MixtureOptions(max_block=1)),
        "large alpha": MixtureProblem((b, b, b, b), 6.0, beta),
        "all different": MixtureProblem(((3, 0), (2, 0), (2, 1), (0, 2)), 2.0, (0.3, 0.3)),
        "empty documents": MixtureProblem(((0, 0, 0), a, (0, 0, 0), b, a), 0.8, beta),
        "finite": MixtureProblem((b, b, b, a, c), 0.4, beta, n_components=3),
    }


def mixture_joints() -> dict[str, Joint]:
    """Return joint models with a learned and with a given concentration."""
    lengths = (4, 4, 3, 3, 2)
    return {
        "learned alpha": MixtureJoint(lengths, 4, 0.3),
        "finite": MixtureJoint(lengths, 4, 0.3, alpha=0.7, n_components=3),
    }


def _of_mixture(name: str, sweep: Sweep) -> Subject:
    return Subject(f"mixture/{name}", sweep, mixture_problems(), mixture_joints())


# --- by name, or any object


def _hdp_by_name(name: str) -> Subject:
    return _of_hdp(hdp_sampler.find_sampler(name, GlobalStep(Learning())))


def _mixture_by_name(name: str) -> Subject:
    if name != mixture_sampler.BLOCKS.name:
        raise unknown_choice("sampler", name, (mixture_sampler.BLOCKS.name,))
    return subject_of(mixture_sampler.BLOCKS)


def _lda_by_name(name: str) -> Subject:
    return subject_of(find_sampler(name))


MODELS: dict[str, tuple[tuple[str, ...], Callable[[str], Subject]]] = {
    "lda": (SAMPLERS, _lda_by_name),
    "hdp": (hdp_sampler.SAMPLERS, _hdp_by_name),
    "mixture": ((mixture_sampler.BLOCKS.name,), _mixture_by_name),
}
"""The exact samplers of each model, and how one is found by its name."""


def subject_of(sampler: Any, model: str = "lda") -> Subject:
    """Return a sampler as the subject of tests.

    Parameters
    ----------
    sampler
        A :class:`Subject`, which stands for itself; a sampler object of LDA, of the HDP or of
        mixtures; or a function that advances a state in place, given options and a number of
        sweeps.
    model
        The model of a function: "lda" or "mixture".

    Examples
    --------
    >>> from blocklda import testing
    >>> def lazy(state, options, n_sweeps):
    ...     return 0
    >>> testing.subject_of(lazy).name
    'lazy'
    """
    if isinstance(sampler, Subject):
        return sampler
    if isinstance(sampler, lda_base.Sampler):
        return _of_lda(sampler.name, sampler.sweep("native"))
    if isinstance(sampler, mixture_sampler.Sampler):
        return _of_mixture(sampler.name, sampler.sweep("native"))
    if isinstance(sampler, hdp_sampler.Sampler):
        return _of_hdp(sampler)
    if not callable(sampler) or isinstance(sampler, type):
        raise InputError(
            f"{sampler!r} is not a sampler: give a blocklda.testing.Subject, a sampler object, or "
            "a function that takes a state, options and a number of sweeps."
        )
    name = str(getattr(sampler, "__name__", "sampler"))
    if model == "mixture":
        return _of_mixture(name, sampler)
    if model != "lda":
        raise unknown_choice("model", model, ("lda", "mixture"))
    return _of_lda(name, sampler)


def find_subjects(name: str) -> list[Subject]:
    """Return the subjects of a name.

    A name is a model ("lda", "hdp", "mixture") for all its exact samplers, a sampler of LDA
    ("nested"), a model and a sampler ("hdp/sparse"), or where your own sampler is in Python
    ("package.module:NAME", see :func:`subject_of`).

    Examples
    --------
    >>> from blocklda import testing
    >>> [subject.name for subject in testing.find_subjects("hdp")]
    ['hdp/sparse', 'hdp/sparse-single-site', 'hdp/grid']
    """
    if ":" in name:
        return [subject_of(_imported(name))]
    if name in MODELS:
        names, by_name = MODELS[name]
        return [by_name(sampler) for sampler in names]
    model, _, sampler = name.partition("/")
    if sampler and model in MODELS:
        return [MODELS[model][1](sampler)]
    if name not in ALL_SAMPLERS:
        known = ", ".join((*MODELS, *ALL_SAMPLERS))
        raise InputError(
            f"{name!r} is not a model or sampler: give one of {known}, "
            "a model and its sampler as in hdp/sparse, or your own as in package.module:NAME."
        )
    return [_lda_by_name(name)]


def _imported(path: str) -> Any:
    """Return the object of an import path."""
    module, _, attribute = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
    except Exception as error:  # a module of a user's may raise anything
        raise InputError(
            f"{path!r}: the module {module!r} cannot be imported ({type(error).__name__}: {error})."
            " Is it in the current folder, or installed?"
        ) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise InputError(f"{path!r}: {module} has no {attribute!r}. Give package.module:NAME.")
        found = getattr(found, part)
    return found
