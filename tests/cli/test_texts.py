"""Texts through every command: counted the same in the fit and for new documents."""

from __future__ import annotations

import csv
import io
import shlex
from pathlib import Path

import numpy as np
import pytest

import blocklda
from tests.cli.commands import complaint, run_json
from tests.cli.terminal import run

TOPICS = {
    "sea": "whale ship harbour sailor storm anchor",
    "kitchen": "butter flour oven sugar recipe spoon",
    "court": "judge jury lawyer verdict trial witness",
}


def write_texts(path: Path, n_docs: int, seed: int) -> Path:
    """Write a table of texts, each of words of one of three kinds."""
    rng = np.random.default_rng(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "body"])
        for d in range(n_docs):
            kind = list(TOPICS)[d % 3]
            words = rng.choice(TOPICS[kind].split(), size=12)
            rows.writerow([f"{kind}-{d}", f"The {', and the '.join(words)}.\nÇa va!"])
    return path


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("texts")
    found = {
        "old": write_texts(folder / "old.csv", 60, 0),
        "new": write_texts(folder / "new.csv", 9, 1),
        "model": folder / "model",
    }
    settings = ["--text-column", "body", "--id-column", "id", "--min-df", "2", "--ngrams", "1"]
    done = run("fit", found["old"], *settings, "-k", "3", "-o", found["model"], columns=200)
    assert (done.exit_code, done.stderr) == (0, "")
    assert (
        "60 documents, 20 words, 840 tokens (texts counted in lower case, without English stop "
        "words, words in at least 2 documents)"
    ) in done.stdout
    return found


def test_topics_are_the_kinds_of_texts(texts):
    topics = run_json("topics", texts["model"], "--words", 3)["topics"]
    found = [
        {kind for kind, words in TOPICS.items() if word["word"] in words.split()}
        for topic in topics
        for word in topic["words"]
        if word["word"] not in ("ça", "va")
    ]
    assert set.union(*found) == set(TOPICS)


def test_the_next_commands_run_when_they_are_copied(tmp_path):
    old = write_texts(tmp_path / "old table", 60, 0)
    new = write_texts(tmp_path / "new table", 9, 1)
    reading = ["--format", "csv", "--text-column", "body", "--id-column", "id"]
    command = ["fit", old, *reading, "--encoding", "utf-8", "--min-df", "2", "-k", "3"]
    done = run(*command, "-o", tmp_path / "my model")
    assert done.exit_code == 0
    nexts = [line.strip() for line in done.stdout.splitlines() if line.startswith("  blocklda ")]
    assert [line.split()[1] for line in nexts] == ["topics", "report", "transform", "evaluate"]
    for line in nexts:
        filled_in = line.replace("NEW_DOCUMENTS", shlex.quote(str(new)))
        for made in ("topics.csv", "report.html"):
            filled_in = filled_in.replace(made, shlex.quote(str(tmp_path / made)))
        copied = run(*shlex.split(filled_in)[1:])
        assert (copied.exit_code, copied.stderr) == (0, "")
    assert (tmp_path / "topics.csv").read_text(encoding="utf-8").splitlines()[1].startswith("sea-0")


def test_new_texts_are_counted_as_the_old_were(texts):
    done = run(
        "transform", texts["model"], texts["new"], "--text-column", "body", "--id-column", "id"
    )
    assert (done.exit_code, done.stderr) == (0, "")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["document"] for row in rows] == [f"{list(TOPICS)[d % 3]}-{d}" for d in range(9)]
    best = {}
    for row in rows:
        shares = {name: float(row[name]) for name in row if name != "document"}
        best.setdefault(row["document"].split("-")[0], set()).add(max(shares, key=shares.get))
    assert sorted(len(topics) for topics in best.values()) == [1, 1, 1]
    assert len(set.union(*best.values())) == 3


def test_settings_that_the_model_has_made_are_refused(texts, tmp_path):
    command = ["transform", texts["model"], texts["new"], "--text-column", "body"]
    assert "counted with the settings of the model: leave --min-df '1' out" in complaint(
        *command, "--min-df", "1"
    )
    words = tmp_path / "words.txt"
    words.write_text("whale\n")
    assert "leave --vocabulary out" in complaint(*command, "--vocabulary", words)


def test_a_model_is_an_input_with_its_words(texts, tmp_path):
    result = run_json("fit", texts["model"], "-k", "2", "--sweeps", 20, "-o", tmp_path / "again")
    assert (result["documents"], result["words"]) == (60, 20)
    assert result["text_settings"]["min_df"] == 2
    model = blocklda.LDA.load(tmp_path / "again")
    assert model.chains_[0].corpus.doc_names[0] == "sea-0"


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (b"body\n", [], "given.csv"),
        (b"", [], "empty"),
        (b"id,body\n1,a fa\xe7ade\n", ["--text-column", "body"], "--encoding"),
        (b"id,body\n1,some words\n", ["--text-column", "text"], "--text-column"),
        (b"a,b\n1,2\n3,4\n", ["--text-column", "a"], "--text-column"),
        (b"body\nthe and of\n", ["--text-column", "body"], "--stop-words"),
        (b"body\none thing\nother\n", ["--text-column", "body", "--min-df", "2"], "--min-df"),
        (b"body\none thing\n", ["--text-column", "body", "--min-df", "2.5"], "--min-df 2.5"),
        (b"\x00\x01\x02\xff" * 100, [], "binary"),
    ],
)
def test_wrong_files(tmp_path, content, options, said):
    path = tmp_path / "given.csv"
    path.write_bytes(content)
    message = complaint("fit", path, "-k", 2, *options, "-o", tmp_path / "model")
    assert said in message
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_without_texts(tmp_path):
    (tmp_path / "texts").mkdir()
    assert ".txt" in complaint("fit", tmp_path / "texts", "-k", 2)
