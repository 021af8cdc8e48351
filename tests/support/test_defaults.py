"""Each default is written once, and the command line has those of the library."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
import typer

import blocklda
from blocklda import evaluate, parallel, plots
from blocklda.cli import app
from blocklda.cli.commands.fit import fit_command
from blocklda.report import report
from blocklda.summaries.relevance import relevance
from blocklda.support import defaults

SOURCE = Path(blocklda.__file__).parent
GROUP = typer.main.get_command(app)

OTHER_IN_FIT = {"random_state", "n_sweeps", "n_chains", "n_jobs", "moves"}
"""A command repeats itself exactly unless told otherwise; an estimator follows scikit-learn. How
much a command does depends on the kind of fit. Moves are a list on the command line."""


def of(function):
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


def of_command(name):
    return {one.name: one.default for one in GROUP.commands[name].params}


FIT = {**of(blocklda.LDA), **of(blocklda.LDA.fit)}


@pytest.mark.parametrize(
    "name", sorted((set(of(fit_command)) & set(FIT)) - OTHER_IN_FIT - {"checkpoint", "n_topics"})
)
def test_fit_has_the_defaults_of_the_estimator(name):
    assert of_command("fit")[name] == FIT[name]
    assert type(of_command("fit")[name]) is type(FIT[name])


def test_fit_has_the_moves_of_the_estimator():
    assert of_command("fit")["moves"] == (FIT["moves"],)


def test_compare_has_the_defaults_of_the_function():
    library, command = of(evaluate.compare_samplers), of_command("compare")
    assert command.pop("samplers") == ",".join(library.pop("samplers"))
    shared = set(library) & set(command)
    assert {"n_topics", "n_sweeps", "n_starts", "heldout_docs", "window", "alpha"} <= shared
    assert {name: command[name] for name in shared} == {name: library[name] for name in shared}


@pytest.mark.parametrize(
    ("command", "option", "function", "parameter"),
    [
        ("topics", "interval", blocklda.LDA.topic_summaries, "interval"),
        ("topics", "weight", relevance, "weight"),
        ("report", "interval", report, "interval"),
        ("transform", "n_jobs", blocklda.LDA, "n_jobs"),
        ("evaluate", "n_words", evaluate.npmi, "n_words"),
        ("evaluate", "n_jobs", blocklda.LDA, "n_jobs"),
    ],
)
def test_other_commands_have_the_defaults_of_what_they_call(command, option, function, parameter):
    assert of_command(command)[option] == of(function)[parameter]


@pytest.mark.parametrize("name", ["n_sweeps", "n_draws"])
def test_options_that_some_models_have_no_use_for_show_the_default_of_the_others(name):
    (option,) = (one for one in GROUP.commands["transform"].params if one.name == name)
    assert option.default is None
    assert option.show_default == str(of(blocklda.LDA.transform)[name])


@pytest.mark.parametrize("name", ["alpha", "beta", "burn_in", "thin"])
def test_fits_of_any_kind_share_defaults(name):
    assert of(parallel.fit)[name] == FIT[name]
    given = {"alpha": defaults.GIVEN_ALPHA, "beta": defaults.GIVEN_BETA}
    assert of(blocklda.Chain).get(name) == given.get(name)


def test_figures_show_the_intervals_that_summaries_have():
    figures = [getattr(plots, name) for name in plots.__all__]
    found = [of(one)["interval"] for one in figures if callable(one) and "interval" in of(one)]
    assert found
    assert set(found) == {defaults.INTERVAL}


APART = {
    ("compat/lda.py", "alpha"),  # of the package it stands in for
    ("simulate.py", "alpha"),  # of the paper's simulation
    ("experiments/studies.py", "window"),  # of the paper's study
    ("run/progress.py", "n_chains"),  # how many a line of progress is about
}
"""Defaults that are equal by chance, or that another text decides."""


def test_shared_defaults_are_written_in_one_place():
    shared = {
        name.lower(): value
        for name, value in vars(defaults).items()
        if name.isupper() and not isinstance(value, bool)
    }
    shared["weight"] = shared.pop("relevance_weight")
    numbers = {name: shared.pop(f"given_{name}") for name in ("alpha", "beta")}
    shared["window"] = evaluate.document_completion.__defaults__[0]
    found = []
    for path in SOURCE.rglob("*.py"):
        file = path.relative_to(SOURCE).as_posix()
        for name, literal, line in _literals(ast.parse(path.read_text(encoding="utf-8"))):
            values = [one[name] for one in (shared, numbers) if name in one]
            if literal in values and (file, name) not in APART:
                found.append(f"{file}:{line}: {name} = {literal!r}")
    assert not found


def _literals(tree: ast.AST):
    """Give the defaults of parameters that are written out."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        given = node.args.posonlyargs + node.args.args
        pairs = list(zip(reversed(given), reversed(node.args.defaults), strict=False))
        pairs += zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        for argument, default in pairs:
            if isinstance(default, ast.Constant) and default.value is not None:
                yield argument.arg, default.value, default.lineno
