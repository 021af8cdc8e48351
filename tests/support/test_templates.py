"""The notation of messages: what each mark stands for, and every template in the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import blocklda
from blocklda.support import errors
from blocklda.support.messages import Allowed, Given, Mention, Message, Remedy, Setting
from blocklda.support.templates import Field, parsed

SOURCE = Path(blocklda.__file__).parent
ABOUT = {"parameter", "value"}
"""Keywords that say what an error is about; they fill no field."""


def filled(template, **values):
    return Message.of(template).where(**values)


# --- the notation


@pytest.mark.parametrize(
    ("template", "values", "said"),
    [
        ("plain.", {}, "plain."),
        (
            "{done} of {n:,} in {name!r:.3}",
            {"done": 5, "n": 1000, "name": "abc"},
            "5 of 1,000 in 'ab",
        ),
        (
            "{x.n_docs} of {x.y.z!s:.2}",
            {"x": SimpleNamespace(n_docs=1, y=SimpleNamespace(z=345))},
            "1 of 34",
        ),
        ("{thin=}", {"thin": 4}, "thin=4"),
        ("{thin=}", {}, "thin="),
        ("{thin=2}", {"thin": 4}, "thin=2"),
        ("{thin=!s}", {"thin": "4"}, "thin=4"),
        ("{words=:.4}", {"words": [10, 20]}, "words=[10,"[:10]),
        ("{init=}", {"init": "x" * 200}, f"init='{'x' * 79}"),
        ("{output=}", {"output": Path("x" * 200)}, f"output='{'x' * 200}'"),
        ('{encoding="utf-16"}', {}, 'encoding="utf-16"'),
        ("{burn_in}", {}, "burn_in"),
        ("[give <one>].", {}, "give one."),
        ("x[[{i}]] <<{{}}>> ['a[[b]]']", {"i": 1}, "x[1] <{}> 'a[b]'"),
    ],
)
def test_templates_read_as_the_sentence(template, values, said):
    assert filled(template, **values) == said


def test_fields_are_parts_of_the_message():
    message = filled(
        "{thin=} of {n}: [give a {thin}, {format=} or {keep_draws=False}, <1 or 2>].", thin=0, n=7
    )
    given, named, format_, keep = message.mentions()
    assert (type(given), given.parameter, given.value) == (Given, "thin", 0)
    assert (type(named), str(named)) == (Mention, "thin")
    assert (type(format_), str(format_)) == (Setting, "format=")
    assert (type(keep), keep.value) == (Setting, False)
    assert str(message.passage(Remedy)) == "give a thin, format= or keep_draws=False, 1 or 2"
    assert str(message.passage(Allowed)) == "1 or 2"


@pytest.mark.parametrize(
    "text", ["{n}", "{thin=}", "[x]", "<x>", "]", "{", "{{", "[[", "{x.__class__}"]
)
def test_values_are_never_parsed(text):
    message = filled("{found}: {thin=} [use {found}].", found=text, thin=text)
    assert message == f"{text}: thin={text!r} use {text}."
    assert [mention.parameter for mention in message.mentions()] == ["thin"]
    assert str(message.passage(Remedy)) == f"use {text}"
    assert str(blocklda.InputError(text)) == text


def test_parts_of_messages_stay_what_they_are():
    inner = filled("{thin=} and [stop]", thin=2)
    message = filled("{a}, {b}, {c}", a=inner, b=Given("seed", 1), c=Allowed("x", ("x",)))
    assert message == "thin=2 and stop, seed=1, x"
    assert [mention.parameter for mention in message.mentions()] == ["thin", "seed"]
    assert str(message.passage(Remedy)) == "stop"
    assert message.passage(Allowed).choices == ("x",)


@pytest.mark.parametrize(
    "template",
    ["[x", "x]", "<x", "x>", "[<x]>", "{", "}", "{}", "{0}", "{a b}", "{x!z}", "{x", "{a{b}}"],
)
def test_marks_that_do_not_match_are_refused(template):
    with pytest.raises(ValueError, match="template"):
        parsed(template)


def test_a_template_is_parsed_once():
    assert parsed("{once}") is parsed("{once}")


# --- every template in the source


CLASSES = {"Message", *(name for name in errors.__all__ if name[0].isupper())}


def templates(tree: ast.AST) -> Iterator[tuple[ast.Call, list[ast.keyword]]]:
    """Give the calls of ``of`` with the keywords of the ``where`` that follows."""
    wheres = {
        id(node.func.value): node.keywords
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "where"
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="of")):
                if name in CLASSES:
                    yield node, wheres.get(id(node), [])


def mistakes(tree: ast.AST, parameters: set[str]) -> list[tuple[int, str]]:
    """Return where a template is none, lacks a value, or has one too many."""
    found = []
    for call, keywords in templates(tree):
        match call.args:
            case [ast.Constant(value=str(text))]:
                pass
            case _:
                found.append((call.lineno, "not a literal"))
                continue
        try:
            template = parsed(text)
        except ValueError as error:
            found.append((call.lineno, str(error)))
            continue
        given = {keyword.arg for keyword in keywords} - ABOUT
        found += [(call.lineno, why) for why in _mistakes(template.fields, given, parameters)]
    return found


def _mistakes(fields: tuple[Field, ...], given: set[str], parameters: set[str]) -> Iterator[str]:
    used = {field.keyword for field in fields if not field.literal}
    yield from (f"{name} is not used" for name in given - used)
    for field in fields:
        if field.literal:
            ast.literal_eval(field.literal)
        is_parameter = field.literal or field.has_equals or field.keyword not in given
        if is_parameter and field.name not in parameters:
            yield f"{field.name} is no parameter"
        if field.has_format and field.keyword not in given:
            yield f"{field.name} has a format and no value"


def names_in(tree: ast.AST) -> set[str]:
    """Return the arguments of functions and the fields of classes."""
    nodes = list(ast.walk(tree))
    fields = {ast.unparse(node.target) for node in nodes if isinstance(node, ast.AnnAssign)}
    return fields | {node.arg for node in nodes if isinstance(node, ast.arg)}


ATTRIBUTES = {"unstable_topics"}
"""What messages mention that is no parameter, and has a command of its own."""


def test_every_template_has_the_values_it_needs():
    trees = {
        path.relative_to(SOURCE): ast.parse(path.read_text(encoding="utf-8"))
        for path in SOURCE.rglob("*.py")
        if path != Path(errors.__file__)  # which hands templates on
    }
    parameters = ATTRIBUTES.union(*map(names_in, trees.values()))
    found = [
        (str(path), *one) for path, tree in trees.items() for one in mistakes(tree, parameters)
    ]
    assert not found
    assert sum(len(list(templates(tree))) for tree in trees.values()) > 100


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("InputError.of(f'{x}')", "not a literal"),
        ("InputError.of(text)", "not a literal"),
        ("InputError.of('[x')", "']' is missing in a template"),
        ("InputError.of('x').where(n=1)", "n is not used"),
        ("InputError.of('{thin=2}').where(thin=1)", "thin is not used"),
        ("InputError.of('{n}')", "n is no parameter"),
        ("InputError.of('{n=}').where(n=1)", "n is no parameter"),
        ("InputError.of('{thin:,}')", "thin has a format and no value"),
        ("Message.of('{thin.x}')", "thin.x is no parameter"),
    ],
)
def test_such_mistakes_would_be_seen(source, why):
    assert why in [found for _, found in mistakes(ast.parse(source), {"thin"})]


def test_right_templates_are_not_mistaken():
    source = "InputError.of('{thin=} of {n:,}, {thin} or {thin=2}').where(thin=1, n=2, value=3)"
    assert not mistakes(ast.parse(source), {"thin"})
