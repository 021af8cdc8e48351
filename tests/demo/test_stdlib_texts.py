"""The standard library as a corpus: what is read, what is passed over, what may be missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from blocklda import Corpus, InputError
from blocklda.demo import stdlib_texts
from blocklda.demo.stdlib_texts import standard_library, standard_library_texts

LONG = " ".join(f"word{i}" for i in range(70))
MIDDLE = " ".join(f"other{i}" for i in range(35))


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return standard_library_texts()


def test_modules_classes_builtins_and_chapters_are_there(texts: dict[str, str]) -> None:
    assert {"json", "email.message.Message", "decimal.Context", "str", "itertools"} <= set(texts)
    assert "shallow" in texts["collections.ChainMap"] or "mapping" in texts["collections.ChainMap"]
    assert len(texts) > 600
    assert min(len(text.split()) for text in texts.values()) >= stdlib_texts.DOCUMENT_WORDS


def test_tests_programs_and_other_packages_are_not(texts: dict[str, str]) -> None:
    parts = {part for name in texts for part in name.split(".")}
    assert not parts & {"test", "idlelib", "antigravity", "numpy", "site-packages", "__init__"}


def test_no_paragraph_counts_twice(texts: dict[str, str]) -> None:
    paragraphs = [one for text in texts.values() for one in text.split("\n\n")]
    assert len(paragraphs) == len(set(paragraphs))


@pytest.fixture(scope="module")
def corpus(texts: dict[str, str]) -> Corpus:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stdlib_texts, "standard_library_texts", lambda: texts)
        return standard_library()


def test_the_corpus_has_names_and_words_that_tell_topics_apart(
    texts: dict[str, str], corpus: Corpus
) -> None:
    assert corpus.doc_names == tuple(texts)
    words = set(corpus.vocabulary or ())
    assert {"thread", "socket", "decimal", "logger", "header"} <= words
    assert not words & {"the", "return", "self", "none", "argument", "object"}
    assert all(len(word) >= 3 and word.isascii() and word.isalpha() for word in words)
    assert corpus.n_docs == len(texts)


def test_a_build_without_optional_modules_has_the_same_texts_and_corpus(
    texts: dict[str, str], corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entry in stdlib_texts.library_folder().iterdir():
        if entry.stem not in stdlib_texts.OPTIONAL:
            (tmp_path / entry.name).symlink_to(entry)
    assert not (tmp_path / "tkinter").exists()
    for name in stdlib_texts.OPTIONAL:
        monkeypatch.setitem(sys.modules, name, None)  # importing it raises ImportError
        monkeypatch.setitem(sys.modules, f"_{name}", None)
    monkeypatch.setattr(stdlib_texts, "library_folder", lambda: tmp_path)
    bare = standard_library()
    assert bare.doc_names == tuple(texts)
    assert bare.vocabulary == corpus.vocabulary
    assert (bare.to_matrix() != corpus.to_matrix()).nnz == 0


def test_the_modules_written_in_c_are_in_every_build() -> None:
    assert stdlib_texts.OPTIONAL.isdisjoint(stdlib_texts.WRITTEN_IN_C)


def test_reading_imports_none_of_it() -> None:
    code = (
        "import sys\n"
        "from blocklda.demo.stdlib_texts import standard_library_texts\n"
        "before = set(sys.modules)\n"
        "standard_library_texts()\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    allowed = {"pydoc_data", "pydoc_data.topics", *stdlib_texts.WRITTEN_IN_C}
    assert set(done.stdout.split()) <= allowed
    assert done.stderr == ""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of our own, without C and without the language reference."""
    monkeypatch.setattr(stdlib_texts, "library_folder", lambda: tmp_path)
    monkeypatch.setattr(stdlib_texts, "WRITTEN_IN_C", ())
    monkeypatch.setattr(stdlib_texts, "FEWEST_DOCUMENTS", 1)
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    return tmp_path


def test_large_classes_stand_alone_and_small_ones_with_their_module(folder: Path) -> None:
    (folder / "abc.py").write_text(
        f'"""{MIDDLE}"""\n'
        f'class Large:\n    """{LONG}"""\n    def own(self):\n        """Method of large."""\n'
        'class Small:\n    """Of little weight."""\n'
        'def free():\n    """Free function."""\n    def inner():\n        """Not for readers."""\n'
    )
    found = standard_library_texts()
    assert list(found) == ["abc", "abc.Large"]
    assert found["abc"].split("\n\n") == [MIDDLE, "Free function.", "Of little weight."]
    assert found["abc.Large"].split("\n\n") == [LONG, "Method of large."]


def test_what_hangs_on_the_platform_is_found(folder: Path) -> None:
    (folder / "os.py").write_text(
        f'"""{MIDDLE}"""\n'
        "try:\n    pass\n"
        'except ImportError:\n    def one():\n        """First."""\n'
        "else:\n    if True:\n        pass\n"
        '    else:\n        def two():\n            """Second."""\n'
        'finally:\n    async def three():\n        """Third."""\n'
    )
    assert standard_library_texts()["os"].split("\n\n") == [MIDDLE, "Second.", "First.", "Third."]


def test_packages_names_and_what_is_passed_over(folder: Path) -> None:
    for name in (
        "json/__init__.py",
        "json/decoder.py",
        "json/tests/checks.py",
        "test/support.py",
        "_pydecimal.py",
        "no_module_of_the_library.py",
        "antigravity.py",
    ):
        file = folder / name
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(f'"""{name.replace("/", " ")} {MIDDLE}"""\n')
    assert list(standard_library_texts()) == ["decimal", "json", "json.decoder"]


def test_optional_modules_are_passed_over_where_they_are_there(folder: Path) -> None:
    (folder / "abc.py").write_text(f'"""{MIDDLE}"""\n')
    for name in ("tkinter", "sqlite3", "ensurepip"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(f'"""{LONG}"""\n')
    for name in ("lzma", "readline", "turtle"):
        (folder / f"{name}.py").write_text(f'"""{LONG}"""\n')
    assert list(standard_library_texts()) == ["abc"]


def test_repeated_paragraphs_and_broken_files(folder: Path) -> None:
    (folder / "abc.py").write_text(f'"""{MIDDLE}\n\nSaid twice."""\n')
    (folder / "ast.py").write_text(f'"""Said   twice.\n\n{LONG}\n"""\n')
    (folder / "bdb.py").write_text("def broken(:\n")
    (folder / "cmd.py").write_bytes(b"\0\0")
    (folder / "csv.py").write_text('"""' + MIDDLE.replace("other", "old") + '"""\nx = "\\d"\n')
    found = standard_library_texts()
    assert list(found) == ["abc", "ast", "csv"]
    assert found["ast"] == LONG


def test_without_the_language_reference_the_rest_is_there(
    texts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    monkeypatch.setattr(stdlib_texts, "parsed_modules", lambda: [("one", LONG)])
    monkeypatch.setattr(stdlib_texts, "FEWEST_DOCUMENTS", 1)
    found = set(standard_library_texts())
    assert {"one", "str", "math"} <= found
    assert not any(name.startswith("topic: ") for name in found)
    assert sum(name.startswith("topic: ") for name in texts) > 50


def test_without_sources_one_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdlib_texts, "library_folder", lambda: tmp_path)
    with pytest.raises(InputError, match="no sources of its standard library"):
        standard_library_texts()
