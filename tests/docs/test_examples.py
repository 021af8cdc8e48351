"""The examples in docstrings run, and public functions and models have one."""

from __future__ import annotations

import doctest
import inspect
import warnings
from importlib import import_module
from pathlib import Path

import pytest

from blocklda import ConvergenceWarning
from tests.docs.test_site import DOCUMENTED

EXPLAINED_ELSEWHERE = [
    "blocklda.diagnostics.diagnose",
    "blocklda.formats.find_writer",
    "blocklda.formats.read_texts",
    "blocklda.formats.read_vocabulary",
    "blocklda.parallel.fit",
    "blocklda.parallel.load",
]
"""Functions without an example: docs/how-to/parallel.md runs those that start processes, and the
others are for code that adds a format or has no estimator."""


def documented(path: str) -> object:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


WITH_EXAMPLES = sorted(
    path for path in DOCUMENTED if ">>>" in (inspect.getdoc(documented(path)) or "")
)


@pytest.mark.parametrize("path", WITH_EXAMPLES)
def test_an_example_runs(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(documented(path)) or ""
    test = doctest.DocTestParser().get_doctest(text, {}, path, None, None)
    said: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        results = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert results.attempted > 0
    assert results.failed == 0, "".join(said)


def test_functions_and_models_have_an_example():
    functions = {path for path in DOCUMENTED if inspect.isfunction(documented(path))}
    models = {f"blocklda.{name}" for name in ("LDA", "HDP", "DPMixture", "Chain", "Corpus")}
    few = {path for path in functions | models if path.startswith("blocklda.")} - set(WITH_EXAMPLES)
    assert sorted(few) == EXPLAINED_ELSEWHERE
