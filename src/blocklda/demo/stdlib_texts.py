"""A corpus that every Python has: the documentation in its own standard library.

Documents are the docstrings of modules, those of large classes by themselves, and the chapters of
the language reference that `help("FORMATTING")` and the like show. Sources are parsed and not
imported: modules that open windows or print poems stay as they are.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
import types
import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.data.text_settings import TextSettings
from blocklda.formats.words.counting import count_texts
from blocklda.support.errors import InputError

__all__ = ["standard_library", "standard_library_texts"]

CLASS_WORDS = 60
"""A class with at least this many words is a document; smaller ones belong to their module."""

DOCUMENT_WORDS = 30
"""Shorter documents say too little to be about something."""

FEWEST_DOCUMENTS = 200
"""A whole library has about 750; with fewer than this its sources are missing."""

# The formatter would give each word a line.
# fmt: off
OPTIONAL = frozenset([
    "bz2", "compression", "ctypes", "curses", "dbm", "distutils", "ensurepip", "idlelib",
    "idle_test", "lib2to3", "lzma", "macholib", "msilib", "readline", "sqlite3", "ssl", "tix",
    "tkinter", "turtle", "turtledemo", "venv", "zlib",
])
"""Modules that a CPython may lack: those that need another library when it is built, and those that
Linux distributions package apart or leave out. They are passed over even where they are there, so
that two builds of one version have the same documents."""

LEFT_OUT = OPTIONAL | {
    "test", "tests", "encodings", "pydoc_data", "antigravity", "this", "__main__", "__phello__",
    "__hello__",
}
"""Also tests, tables and jokes: parts of names that are passed over."""

WRITTEN_IN_C = (
    "_codecs", "_csv", "_operator", "_random", "_socket", "_struct", "_thread", "_weakref",
    "array", "binascii", "builtins", "cmath", "gc", "itertools", "marshal", "math", "mmap",
    "posix", "select", "time", "unicodedata",
)
"""Modules without a source to parse that every build has and that can be imported at no cost.
Not sys: which functions it has depends on who put a hook in their place."""

DOCSTRING_WORDS = (
    "added", "also", "arg", "args", "argument", "arguments", "attribute", "attributes", "bar",
    "call", "called", "calling", "calls", "case", "changed", "class", "classes", "cls",
    "contains", "def", "default", "defaults", "does", "example", "examples", "false",
    "following", "foo", "function", "functions", "given", "import", "instance", "instances",
    "int", "kwargs", "like", "list", "lists", "make", "makes", "may", "method", "methods",
    "module", "modules", "must", "name", "names", "new", "none", "note", "number", "object",
    "objects", "optional", "otherwise", "parameter", "parameters", "pass", "passed", "print",
    "python", "raise", "raised", "raises", "result", "results", "return", "returned",
    "returning", "returns", "section", "see", "self", "set", "sets", "specified", "str",
    "string", "strings", "support", "supported", "true", "type", "types", "use", "used", "uses",
    "using", "value", "values", "version",
)
"""Words in which docstrings speak of anything at all: they are among the most frequent of every
topic and tell none from another, as "the" and "of" do in prose."""
# fmt: on

_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def standard_library() -> Corpus:
    """Return the documentation of this Python's standard library as counts of words.

    Only words of three letters or more count, and of names in the code only those that are words.
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415

    texts = standard_library_texts()
    settings = TextSettings(
        stop_words=tuple(sorted(ENGLISH_STOP_WORDS.union(DOCSTRING_WORDS))),
        min_df=4,
        max_df=0.2,
        token_pattern=r"\b[a-z]{3,}\b",
    )
    return count_texts(texts.values(), settings, doc_names=[*texts])


def standard_library_texts() -> dict[str, str]:
    """Return the documents by name: "email.message.Message", "topic: formatstrings".

    What is written in several places, such as a method's docstring that a subclass repeats, counts
    once, where it comes first.
    """
    found: dict[str, list[str]] = {}
    for name, text in (*parsed_modules(), *_compiled_modules(), *_reference_chapters()):
        found.setdefault(name, []).append(text)
    seen: set[str] = set()
    texts = {name: _unseen(parts, seen) for name, parts in found.items()}
    kept = {name: text for name, text in texts.items() if _n_words(text) >= DOCUMENT_WORDS}
    if len(kept) < FEWEST_DOCUMENTS:
        raise InputError(
            f"there is too little documentation in {library_folder()}: this Python has no sources "
            'of its standard library; use one that has them, or run the example "bars".'
        )
    return kept


def _unseen(parts: Iterable[str], seen: set[str]) -> str:
    """Join the paragraphs that were not seen before."""
    kept = []
    for part in parts:
        for paragraph in part.split("\n\n"):
            words = " ".join(paragraph.split())
            if words and words not in seen:
                seen.add(words)
                kept.append(words)
    return "\n\n".join(kept)


# --- modules with a source


def parsed_modules() -> Iterator[tuple[str, str]]:
    for name, file in _source_files():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of old escapes in strings
                tree = ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue  # what cannot be read has nothing to say
        yield from _documents(name, tree)


def _source_files() -> Iterator[tuple[str, Path]]:
    """Yield the modules and their files, in the order of their names."""
    folder = library_folder()
    for top in sorted(sys.stdlib_module_names - LEFT_OUT):
        single = [folder / f"{top}.py"]
        for file in single if single[0].is_file() else sorted((folder / top).rglob("*.py")):
            parts = file.relative_to(folder).with_suffix("").parts
            if LEFT_OUT.isdisjoint(parts):
                yield _public_name([part for part in parts if part != "__init__"]), file


def library_folder() -> Path:
    return Path(sysconfig.get_path("stdlib"))


def _public_name(parts: list[str]) -> str:
    """Return the name that people import: _pydecimal is decimal in Python, _socket socket in C."""
    for prefix in ("_py_", "_py", "_"):
        public = parts[0].removeprefix(prefix)
        if public != parts[0] and public in sys.stdlib_module_names:
            return ".".join([public, *parts[1:]])
    return ".".join(parts)


def _documents(module: str, tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the module, then its large classes."""
    own, large = _docstrings(tree), {}
    for statement in _statements(tree.body):
        if isinstance(statement, ast.ClassDef):
            text = _docstrings(statement)
            if _n_words(text) >= CLASS_WORDS:
                large[f"{module}.{statement.name}"] = text
            else:
                own += text
    yield module, own
    yield from large.items()


def _docstrings(node: ast.Module | ast.ClassDef) -> str:
    """Return the docstrings of a module or a class and of its functions, as paragraphs."""
    functions = (
        statement for statement in _statements(node.body) if isinstance(statement, _DEFINITIONS[1:])
    )
    found = (ast.get_docstring(documented) for documented in (node, *functions))
    return "".join(f"{text}\n\n" for text in found if text)


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield statements, and those within if and try: definitions often depend on the platform."""
    for statement in body:
        yield statement
        if not isinstance(statement, _DEFINITIONS):
            for part in ("body", "orelse", "handlers", "finalbody"):
                yield from _statements(getattr(statement, part, ()))


def _n_words(text: str) -> int:
    return len(text.split())


# --- modules without a source


def _compiled_modules() -> Iterator[tuple[str, str]]:
    for name in WRITTEN_IN_C:
        try:
            module = import_module(name)
        except ImportError:
            continue  # not on this platform
        public = _public_name([name])
        own = f"{module.__doc__ or ''}\n\n"
        for thing in _defined_in(module, (name, public)):
            text = _compiled_docstrings(thing)
            if isinstance(thing, type) and _n_words(text) >= CLASS_WORDS:
                yield thing.__name__ if name == "builtins" else f"{public}.{thing.__name__}", text
            else:
                own += text
        yield public, own


def _defined_in(
    module: types.ModuleType, names: tuple[str, str]
) -> Iterator[type | types.BuiltinFunctionType]:
    """Yield functions and classes but exceptions, each under its own name only."""
    for name, thing in sorted(vars(module).items()):
        if isinstance(thing, type | types.BuiltinFunctionType):
            is_exception = isinstance(thing, type) and issubclass(thing, BaseException)
            if thing.__name__ == name and thing.__module__ in names and not is_exception:
                yield thing


def _compiled_docstrings(thing: type | types.BuiltinFunctionType) -> str:
    members = vars(thing).items() if isinstance(thing, type) else ()
    # Those of operators, such as __add__, all say the same.
    public = (member for name, member in members if not name.startswith("__"))
    found = (getattr(documented, "__doc__", None) for documented in (thing, *public))
    return "".join(f"{text}\n\n" for text in found if isinstance(text, str))


# --- the language reference


def _reference_chapters() -> Iterator[tuple[str, str]]:
    """Yield the chapters that `help` shows, short ones first, since long ones repeat them."""
    try:
        topics: dict[str, str] = import_module("pydoc_data.topics").topics
    except (ImportError, AttributeError):
        return  # some distributions leave them out
    for name, text in sorted(topics.items(), key=lambda item: (len(item[1]), item[0])):
        yield f"topic: {name}", text
