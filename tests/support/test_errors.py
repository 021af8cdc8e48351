"""Errors and warnings: fields, copies, and that nothing in src looks for words in them."""

from __future__ import annotations

import ast
import copy
import pickle
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import blocklda
from blocklda.data.text_settings import TextSettings
from blocklda.diagnostics.mixing import Mixing
from blocklda.diagnostics.verdict import Evidence, judge
from blocklda.files.checkpoint import open_checkpoint
from blocklda.formats import read_corpus, write_corpus
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS, AUTO
from blocklda.report.given_texts import check_texts
from blocklda.run.schedule import Schedule
from blocklda.summaries.group_labels import group_documents
from blocklda.summaries.intervals import check_interval
from blocklda.support import checks, errors
from blocklda.support.memory import require_memory
from blocklda.support.messages import Message

SOURCE = Path(blocklda.__file__).parent
X = np.array([[1, 2], [3, 0]])


def chain(**settings):
    return blocklda.Chain(X, **{"n_topics": 2, **settings})


def fit(**settings):
    return blocklda.LDA(**{"n_topics": 2, "n_sweeps": 8, "progress": False, **settings}).fit(X)


def sent(error):
    return pickle.loads(pickle.dumps(error))  # noqa: S301


REFUSALS = [
    # (what is called, parameter, value, allowed, remedy)
    (
        lambda: checks.whole_number("thin", 0, 1),
        ("thin", 0, "a whole number from 1 up", "give a whole number from 1 up"),
    ),
    (
        lambda: checks.whole_number("thin", 9, 1, 8),
        ("thin", 9, "a whole number from 1 to 8", "give a whole number from 1 to 8"),
    ),
    (
        lambda: checks.true_or_false("keep_draws", "yes"),
        ("keep_draws", "yes", (True, False), "give True or False"),
    ),
    (
        lambda: checks.n_workers(0),
        (
            "n_jobs",
            0,
            "a whole number from 1 up, −1 for all processors, or None for one",
            "give a whole number from 1 up, −1 for all processors, or None for one",
        ),
    ),
    (
        lambda: chain(sampler="magic"),
        (
            "sampler",
            "magic",
            (AUTO, *ALL_SAMPLERS),
            "choose one of " + ", ".join(map(repr, (AUTO, *ALL_SAMPLERS))),
        ),
    ),
    (
        lambda: chain(backend="rust"),
        ("backend", "rust", ("native", "python"), "choose one of 'native', 'python'"),
    ),
    (lambda: chain(alpha=-1.0), ("alpha", -1.0, "finite and > 0", None)),
    (lambda: chain(alpha=[0.5, -1.0]), ("alpha", [0.5, -1.0], "finite and > 0", None)),
    (
        lambda: chain(init="there"),
        (
            "init",
            "there",
            ("random", "variational", "annealed"),
            "choose 'random' or 'variational' or 'annealed', or give one topic per token as "
            "chain.assignments() returns them",
        ),
    ),
    (
        lambda: fit(n_topics=7),
        ("n_topics", 7, None, "give fewer topics or more documents"),
    ),
    (
        lambda: fit(burn_in="long"),
        (
            "burn_in",
            "long",
            'a whole number from 0 up, or "auto"',
            'give a whole number from 0 up, or "auto"',
        ),
    ),
    (
        lambda: fit(learn_how="guessed"),
        (
            "learn_how",
            "guessed",
            ("optimised", "sampled"),
            "choose 'optimised' or 'sampled'",
        ),
    ),
    (
        lambda: Schedule.create(4, 4, 4),
        ("n_sweeps", 4, None, "give n_sweeps of at least burn_in + thin = 8"),
    ),
    (
        lambda: check_interval(2),
        ("interval", 2, "a number between 0 and 1", "give a number between 0 and 1"),
    ),
    (
        lambda: TextSettings(stop_words=3),
        (
            "stop_words",
            3,
            '"english", "none" or a list of words',
            'use "english", "none" or a list of words',
        ),
    ),
    (
        lambda: check_texts("one", 2),
        (
            "texts",
            "one",
            "a list with the text of every document",
            "give a list with the text of every document",
        ),
    ),
    (lambda: group_documents([1], 2), ("groups", [1], None, None)),
]


@pytest.mark.parametrize(("call", "fields"), REFUSALS)
def test_errors_have_fields(call, fields):
    with pytest.raises(blocklda.InputError) as caught:
        call()
    error = caught.value
    assert (error.parameter, error.value, error.allowed, error.remedy) == fields
    if error.remedy is not None:
        assert error.remedy in str(error)


def test_errors_of_files_have_fields(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_text("a,b,c\n1,2,3\n")
    with pytest.raises(blocklda.InputError) as caught:
        read_corpus(path, text_column="body")
    error = caught.value
    assert (error.parameter, error.value) == ("text_column", "body")
    assert error.allowed == ("a", "b", "c")
    assert error.remedy == "name another with text_column=, one of: 'a', 'b', 'c'"
    with pytest.raises(blocklda.InputError) as caught:
        write_corpus(blocklda.Corpus.from_matrix(X), tmp_path / "out.xyz", "best")
    assert caught.value.parameter == "format"
    assert caught.value.allowed[:1] == ("auto",)


def test_a_checkpoint_that_is_a_file_is_named(tmp_path):
    (tmp_path / "run").write_text("")
    with (
        pytest.raises(blocklda.InputError) as caught,
        open_checkpoint(tmp_path / "run", 1, {}, 0),
    ):
        pass
    assert caught.value.parameter == "checkpoint"
    assert caught.value.remedy == "give the name of a folder"


def test_capacity_errors_have_a_remedy(monkeypatch):
    monkeypatch.delenv("BLOCKLDA_ALLOW_MEMORY_OVERCOMMIT", raising=False)
    with pytest.raises(blocklda.CapacityError) as caught:
        require_memory(2**70, "a test", Message.of("leave {n_topics=} out"))
    assert caught.value.remedy == "leave n_topics= out"
    assert caught.value.parameter is None


def test_plain_sentences_still_are_errors():
    error = blocklda.InputError("n_topics=0 is text.")
    assert str(error) == "n_topics=0 is text."
    assert error.args == ("n_topics=0 is text.",)
    assert (error.parameter, error.value, error.allowed, error.remedy) == (None,) * 4
    assert str(blocklda.InputError()) == ""


CLASSES = [getattr(errors, name) for name in errors.__all__ if name[0].isupper()]


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, sent])
def test_errors_and_warnings_are_copied_and_sent_whole(kind, copied):
    first = kind.of("{thin=} is no; [give {thin=4}].").where(thin=0)
    second = kind("The texts are gone.", parameter="texts", value=["a"])
    for error in (first, second):
        other = copied(error)
        assert type(other) is kind
        assert str(other) == str(error)
        assert other.message.worded(lambda mention: "?") == error.message.worded(lambda _: "?")
        assert (other.parameter, other.value) == (error.parameter, error.value)
        assert (other.allowed, other.remedy) == (error.allowed, error.remedy)


def test_an_error_about_something_that_cannot_be_sent_is_sent():
    error = blocklda.InputError("It is no.", parameter="callback", value=lambda draw: None)
    other = sent(error)
    assert (str(other), other.parameter, other.value) == ("It is no.", "callback", "function")


# --- warnings


@pytest.mark.parametrize(
    "name",
    [
        "CheckpointWarning",
        "ConvergenceWarning",
        "DataWarning",
        "DrawOrderWarning",
        "InterruptedFitWarning",
    ],
)
def test_warnings_have_public_classes(name):
    kind = getattr(blocklda, name)
    assert name in blocklda.__all__
    assert issubclass(kind, blocklda.BlockldaWarning)
    assert issubclass(kind, UserWarning)


def test_empty_documents_are_a_data_warning():
    with pytest.warns(blocklda.DataWarning, match="1 of 2 documents is empty"):
        blocklda.LDA(2, n_sweeps=8, progress=False).fit(np.array([[1, 2], [0, 0]]))


def test_a_fit_that_adds_nothing_is_a_convergence_warning():
    lda = fit(warm_start=True)
    with pytest.warns(blocklda.ConvergenceWarning) as caught:
        lda.fit(X)
    (warning,) = caught
    assert warning.message.parameter == "n_sweeps"
    assert warning.message.remedy == "increase it to continue"


def test_warnings_can_be_switched_off_by_class():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", blocklda.DataWarning)
        blocklda.LDA(2, n_sweeps=8, progress=False).fit(np.array([[1, 2], [0, 0]]))


def test_a_verdict_knows_what_it_advises():
    row = Mixing("log posterior", 0.0, 1.0, 1.0, 500.0, 500.0, 1.0, 1.0)
    verdict = judge(Evidence(1, 100, [row], [row], np.zeros(1), None))
    (sentence,) = (one.sentence for one in verdict.findings if one.purpose == "topics")
    assert sentence.endswith("use n_chains=4.")
    (mention,) = sentence.mentions()
    assert (mention.parameter, mention.value) == ("n_chains", 4)


# --- nobody looks for words in messages

LOOKING = {
    "count",
    "endswith",
    "find",
    "index",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rpartition",
    "startswith",
    "translate",
}
"""Methods of a string by which its text would decide or be rewritten; so would split(separator)."""


def offences(tree: ast.AST) -> list[tuple[int, str]]:
    """Return where text of an error decides something, or is rewritten."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            targets = [t for t in node.targets if isinstance(t, ast.Attribute)]
            found += [(node.lineno, "args are set") for t in targets if t.attr == "args"]
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("filterwarnings"):
            found.append((node.lineno, "a warning is known by its text"))
        if isinstance(node, ast.ExceptHandler) and node.name is not None:
            found += [(line, f"text of {node.name}") for line in _uses_of_text(node)]
    return found


def _uses_of_text(handler: ast.ExceptHandler) -> list[int]:
    texts = {f"str({handler.name})", f"repr({handler.name})", f"{handler.name}.args[0]"}
    texts |= {f"{handler.name}.message", f"{handler.name}.format_message()"}
    for node in ast.walk(handler):  # a name that the text is given
        if isinstance(node, ast.Assign) and ast.unparse(node.value) in texts:
            texts |= {ast.unparse(target) for target in node.targets}
    found = []
    for node in ast.walk(handler):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                looks = attr in LOOKING or (attr == "split" and node.args)
                looked_at = [value] if looks else []
                if ast.unparse(value) == "re":
                    looked_at = node.args
            case ast.Compare():
                looked_at = [node.left, *node.comparators]
            case _:
                continue
        found += [node.lineno for one in looked_at if ast.unparse(one) in texts]
    return found


@pytest.mark.parametrize(
    "source",
    [
        "try: f()\nexcept E as error:\n    error.args = ('x',)",
        "try: f()\nexcept E as error:\n    if str(error).startswith('x'): g()",
        "try: f()\nexcept E as error:\n    raise E(str(error).replace('a', 'b'))",
        "try: f()\nexcept E as error:\n    if 'x' in str(error): g()",
        "try: f()\nexcept E as error:\n    why = str(error)\n    if 'x' in why: g()",
        "try: f()\nexcept E as error:\n    re.sub('a', 'b', str(error))",
        "warnings.filterwarnings('ignore', 'the fit was')",
    ],
)
def test_such_things_would_be_seen(source):
    assert offences(ast.parse(source))


def test_no_module_looks_for_words_in_messages():
    found = {
        f"{path.relative_to(SOURCE)}:{line}: {what}"
        for path in SOURCE.rglob("*.py")
        for line, what in offences(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert not found


def test_every_warning_has_a_class_of_its_own():
    warned = re.compile(r"(\w+)(\.of\(.*\)\.where)?\(.*\)", re.DOTALL)
    plain = {
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn"
        if (match := warned.fullmatch(ast.unparse(node.args[0]))) is None
        or not issubclass(getattr(errors, match[1], type(None)), errors.BlockldaWarning)
    }
    assert not plain
