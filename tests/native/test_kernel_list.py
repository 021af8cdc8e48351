"""One list of kernels: what it names is bound, and the stub describes all that is bound."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import blocklda
from blocklda import _native

REPOSITORY = Path(__file__).resolve().parents[2]
STUB = ast.parse((Path(blocklda.__file__).parent / "_native.pyi").read_text("utf-8"))
LIST = REPOSITORY / "native" / "kernels.def"

Functions = dict[str, list[str]]


def stub_functions() -> Functions:
    """Return the names of arguments of all functions in the stub, and of all constructors."""
    found: Functions = {}
    for node in STUB.body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = [argument.arg for argument in node.args.args]
        if isinstance(node, ast.ClassDef):
            found[node.name] = [
                argument.arg
                for method in node.body
                if isinstance(method, ast.FunctionDef)
                for argument in method.args.args
            ]
    return found


def bound_functions(module: Any = _native) -> Functions:
    """Return the same of the module, as nanobind tells it."""
    names = [name for name in dir(module) if not name.startswith("__")]
    return {name: argument_names(getattr(module, name)) for name in names}


def argument_names(bound: Any) -> list[str]:
    function = bound.__init__ if isinstance(bound, type) else bound
    if not hasattr(function, "__nb_signature__"):
        return []  # a class that only its children are made of
    ((signature, *_),) = function.__nb_signature__
    inner = re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", signature))
    arguments = inner[inner.index("(") + 1 : inner.rindex(")")]
    return [part.split(":")[0].strip() for part in arguments.split(",") if part.strip()]


def test_the_stub_has_what_is_bound():
    assert stub_functions() == bound_functions()


def test_every_kernel_of_the_list_is_bound_and_described():
    kernels = _native.kernels()
    assert set(kernels.values()) <= bound_functions().keys()
    assert set(kernels.values()) <= stub_functions().keys()
    assert set(kernels) == set(
        re.findall(r"^(?:LIST_)?KERNEL\([^,]+, (\w+),", LIST.read_text("utf-8"), flags=re.MULTILINE)
    )


@pytest.mark.parametrize("kernel", sorted(_native.kernels()))
def test_every_kernel_runs_under_the_sanitizers(kernel):
    """The driver calls each by name; some of them inside a sweep over a grid."""
    sources = [*(REPOSITORY / "native" / "sanitize").glob("*.?pp")]
    sources += [REPOSITORY / "native" / part / "grid.hpp" for part in ("dense", "sparse", "hdp")]
    text = "".join(source.read_text("utf-8") for source in sources)
    assert re.search(rf"kernels_?(\.|->){kernel}\(", text)


def test_a_kernel_that_is_left_out_is_noticed():
    """The comparison sees a missing function and another argument."""
    bound = bound_functions()
    assert {**bound, "nested": bound["nested"][:-1]} != stub_functions()
    assert {name: taken for name, taken in bound.items() if name != "nested"} != stub_functions()
    assert bound["nested"][:3] == ["corpus", "priors", "topics"]
    assert bound["Corpus"] == ["self", "doc_offsets", "word_ids", "counts", "n_words"]
