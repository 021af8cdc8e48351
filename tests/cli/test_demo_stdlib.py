"""``blocklda demo stdlib``."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import Result

from blocklda import LDA, Corpus, read_corpus
from blocklda.demo import stdlib as stdlib_run
from blocklda.demo import stdlib_texts
from blocklda.formats.words.counting import count_texts
from blocklda.support.messages import Mention, Message, Pointer
from tests.cli import terminal
from tests.demo.small_library import use_small_library

THEMES = {
    "net": ["socket", "server", "port", "host", "packet", "route"],
    "draw": ["canvas", "colour", "turtle", "angle", "shape", "pen"],
    "time": ["month", "year", "clock", "zone", "second", "week"],
}


def run(*arguments: str, columns: int = 80, charset: str = "utf-8") -> Result:
    return terminal.run("demo", "stdlib", *arguments, columns=columns, charset=charset)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """Thirty documents of three themes in the place of the library's."""
    rng = np.random.default_rng(0)
    texts = {
        f"{theme}.part{i}": " ".join(rng.choice(words, 50))
        for theme, words in THEMES.items()
        for i in range(10)
    }
    corpus = count_texts(texts.values(), doc_names=[*texts])
    monkeypatch.setattr(stdlib_run, "standard_library", lambda: corpus)
    return corpus


def themes(topics: list[dict[str, Any]]) -> list[set[str]]:
    return [{one["name"].split(".")[0] for one in topic["documents"]} for topic in topics]


def test_json_has_topics_with_words_shares_and_documents(small: Corpus) -> None:
    result = run("--topics", "3", "--sweeps", "120", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    values = json.loads(result.stdout)
    assert (values["example"], values["documents"], values["tokens"]) == ("stdlib", 30, 1500)
    assert (values["chains"], values["sweeps"], values["seed"]) == (2, 120, 1)
    topics = values["topics"]
    assert sorted(map(tuple, themes(topics))) == [("draw",), ("net",), ("time",)]
    for topic, (theme,) in zip(topics, themes(topics), strict=True):
        assert {one["word"] for one in topic["words"][:6]} == set(THEMES[theme])
        assert topic["is_stable"] is True
        share = topic["prevalence"]
        assert 0.3 < share["low"] <= share["mean"] <= share["high"] < 0.4
        assert topic["documents"][0]["share"] > 0.9
    assert values["verdict"]


@pytest.mark.parametrize("columns", [80, 120])
def test_topics_are_printed_with_a_verdict_and_what_to_do_next(small: Corpus, columns: int) -> None:
    result = run("--topics", "3", "--sweeps", "120", columns=columns)
    assert (result.exit_code, result.stderr) == (0, "")
    out = result.stdout
    for text in ("3 topics that both chains found", "share, interval", "turtle", "net.part"):
        assert text in out
    assert "do not agree on" not in out.split("Shares are")[0]
    assert "Verdict" in out
    assert "blocklda fit" in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= columns


def test_topics_that_do_not_come_back_are_set_apart(small: Corpus) -> None:
    result = run("--topics", "9", "--sweeps", "20")
    assert result.exit_code == 0
    found = json.loads(run("--topics", "9", "--sweeps", "20", "--json").stdout)["topics"]
    stable = [topic["is_stable"] for topic in found]
    assert stable == sorted(stable, reverse=True)
    assert not all(stable)
    assert f"{stable.count(False)} topics that they do not agree on" in result.stdout


def test_the_verdict_names_options_and_shows_what_it_speaks_of(
    small: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Message(
        "Run more sweeps, with a longer ",
        Mention("burn_in", None),
        ". 9 topics are not stable",
        Pointer(Message.of(" (see {unstable_topics})")),
        ".",
    )
    monkeypatch.setattr(LDA, "diagnostics", lambda _: SimpleNamespace(verdict=said))
    expected = "Run more sweeps, with a longer --burn-in. 9 topics are not stable."
    arguments = ("--topics", "3", "--sweeps", "20")
    assert json.loads(run(*arguments, "--json").stdout)["verdict"] == expected
    assert f"Verdict  {expected}" in run(*arguments, columns=120).stdout


def test_the_same_seed_prints_the_same(small: Corpus) -> None:
    one, two, other = (
        json.loads(run("--topics", "4", "--sweeps", "20", "--seed", seed, "--json").stdout)
        for seed in ("3", "3", "4")
    )
    assert one["topics"] == two["topics"]
    assert one["topics"] != other["topics"]


def test_where_only_ascii_can_be_written_it_still_prints(small: Corpus) -> None:
    result = run("--topics", "3", "--sweeps", "12", charset="ascii")
    assert result.exit_code == 0
    assert "turtle" in result.stdout


def test_short_documents_are_not_called_typical(small: Corpus) -> None:
    shares = np.zeros(30)
    shares[[2, 7]] = 0.9, 0.8
    lengths = small.doc_lengths()
    assert lengths.min() >= stdlib_run.TYPICAL_TOKENS
    names = [name for name, _ in stdlib_run.typical_documents(small, shares)]
    assert names[:2] == ["net.part2", "net.part7"]
    short = Corpus.from_matrix(np.array([[30, 0], [0, 50]]), doc_names=["short", "long"])
    assert stdlib_run.typical_documents(short, np.array([0.9, 0.2])) == (("long", 0.2),)


def test_ctrl_c_ends_it(small: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> Corpus:
        raise KeyboardInterrupt

    monkeypatch.setattr(stdlib_run, "standard_library", interrupted)
    result = run()
    assert (result.exit_code, result.stdout) == (130, "")


def test_a_python_without_sources_gets_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdlib_texts, "library_folder", lambda: tmp_path)
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("blocklda: there is too little documentation in ")
    assert result.stderr.count("\n") == 1


def test_the_real_library() -> None:
    result = run("--topics", "5", "--sweeps", "12", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    values = json.loads(result.stdout)
    assert values["documents"] > 600
    assert len(values["topics"]) == 5


def test_the_texts_become_a_table_for_other_commands(tmp_path, monkeypatch):
    use_small_library(tmp_path / "library", monkeypatch)
    path = tmp_path / "stdlib.csv"
    result = run("--texts", str(path))
    assert (result.exit_code, result.stderr) == (0, "")
    corpus = read_corpus(path, id_column="name")
    assert corpus.doc_names == tuple(stdlib_texts.standard_library_texts())
    assert f"{corpus.n_docs} texts" in result.stdout


def test_the_texts_of_another_example(tmp_path):
    path = tmp_path / "x.csv"
    assert (
        "--texts is for the example stdlib" in terminal.run("demo", "bars", "--texts", path).stderr
    )
    assert not path.exists()


def test_with_texts_json_is_all_that_is_printed_and_settings_of_a_fit_are_refused(
    tmp_path, monkeypatch
):
    use_small_library(tmp_path / "library", monkeypatch)
    path = tmp_path / "stdlib.csv"
    refused = run("--texts", str(path), "--sweeps", "10")
    assert refused.exit_code == 2
    assert "leave --sweeps out" in refused.stderr
    assert not path.exists()
    result = run("--texts", str(path), "--json")
    values = json.loads(result.stdout)
    n_docs = len(stdlib_texts.standard_library_texts())
    assert values == {"example": "stdlib", "documents": n_docs, "output": str(path)}
