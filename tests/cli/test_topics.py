"""``blocklda topics``: the table, at every width, and the same numbers as JSON."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from rich.console import Console

import blocklda
from blocklda.cli.terminal.tables import short_topics, topics_table
from blocklda.summaries.intervals import Estimate
from blocklda.summaries.relevance import relevance
from blocklda.summaries.topic_rows import TopicRow
from tests.cli.commands import QUICK, complaint, run_json
from tests.cli.terminal import run


def test_json_has_the_numbers_of_the_library(files):
    result = run_json("topics", files.three_chains, "--words", 4, "--interval", 0.8)
    model = blocklda.LDA.load(files.three_chains)
    summaries = model.topic_summaries(4, 0.8)
    by_size = sorted(summaries, key=lambda topic: -topic.prevalence.mean)
    assert [topic["topic"] for topic in result["topics"]] == [topic.topic for topic in by_size]
    for shown, topic in zip(result["topics"], by_size, strict=True):
        assert shown["prevalence"] == vars(topic.prevalence)
        assert (shown["stable"], shown["distance"]) == (topic.is_stable, topic.distance)
        assert [word["word"] for word in shown["words"]] == [word.word for word in topic.words]
        expected = [vars(word.probability) for word in topic.words]
        assert [word["probability"] for word in shown["words"]] == expected


def test_relevant_words_are_those_of_the_formula(files):
    (topic, *_) = run_json("topics", files.one_chain, "--lambda", 0.3, "--words", 3)["topics"]
    model = blocklda.LDA.load(files.one_chain)
    levels = relevance(model.components_[topic["topic"]], files.train.word_counts(), 0.3)
    columns = np.argsort(-levels)[:3]
    assert [word["word"] for word in topic["relevant"]] == [
        files.train.vocabulary[v] for v in columns
    ]
    assert [word["relevance"] for word in topic["relevant"]] == levels[columns].tolist()


@pytest.mark.parametrize("columns", [80, 100, 120])
@pytest.mark.parametrize("colour", ["", "1"], ids=["plain", "coloured"])
def test_the_table_fits(files, columns, colour):
    environment = {"FORCE_COLOR": colour} if colour else {}
    done = run("topics", files.three_chains, columns=columns, **environment)
    assert (done.exit_code, done.stderr) == (0, "")
    assert ("\x1b[" in done.stdout) is bool(colour)
    if colour:
        return
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= columns
    model = blocklda.LDA.load(files.three_chains)
    for topic in model.topic_summaries(8):
        start = next(line for line in lines if line.split()[:1] == [str(topic.topic)])
        assert f"{topic.prevalence.mean:.1%}" in start
        assert f" {topic.words[0].word} {topic.words[1].word}" in start
        below = lines[lines.index(start) + 1]
        interval = f"{topic.prevalence.low * 100:.1f}–{topic.prevalence.high * 100:.1f}%"
        assert interval in below
        found = "in all" if topic.is_stable else f"in {topic.found_in}"
        assert found in " ".join(below.split())
    legend = " ".join(done.stdout.split())
    assert "most relevant words, λ = 0.6" in legend
    assert "in all, in 2: how many chains found the topic." in legend


def test_one_chain_says_nothing_of_stability(files):
    done = run("topics", files.one_chain)
    assert "in all" not in done.stdout
    assert {topic["stable"] for topic in run_json("topics", files.one_chain)["topics"]} == {None}


def test_the_order(files):
    by_number = run_json("topics", files.one_chain, "--sort", "number")["topics"]
    assert [topic["topic"] for topic in by_number] == list(range(10))
    by_size = run_json("topics", files.one_chain, "--sort", "size")["topics"]
    shares = [topic["prevalence"]["mean"] for topic in by_size]
    assert shares == sorted(shares, reverse=True)


def test_without_draws_only_the_intervals_of_words_are_missing(files):
    without = run_json("topics", files.without_draws)["topics"]
    with_draws = run_json("topics", files.one_chain)["topics"]
    for one, other in zip(without, with_draws, strict=True):
        assert one["prevalence"] == other["prevalence"]
        assert one["relevant"] == other["relevant"]
        assert [word["word"] for word in one["words"]] == [word["word"] for word in other["words"]]
        for word, known in zip(one["words"], other["words"], strict=True):
            assert word["probability"]["low"] is None
            assert word["probability"]["mean"] == pytest.approx(known["probability"]["mean"])
    assert run("topics", files.without_draws).stdout == run("topics", files.one_chain).stdout


def test_more_words_than_there_are(files):
    topics = run_json("topics", files.one_chain, "--words", 1000)["topics"]
    assert {len(topic["words"]) for topic in topics} == {25}


def test_words_that_a_terminal_cannot_show(files):
    done = subprocess.run(
        [sys.executable, "-m", "blocklda", "topics", str(files.one_chain), "--words", "25"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "100"},
    )
    text = done.stdout.decode("ascii")
    assert "gr??e" in text
    assert "####" in text
    assert "lambda = 0.6" in " ".join(text.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--words", "0"], "--words 0 is not allowed"),
        (["--lambda", "1.5"], "--lambda 1.5 is not allowed"),
        (["--lambda", "nan"], "--lambda nan is not allowed"),
        (["--interval", "1"], "--interval 1.0 is not allowed"),
        (["--sort", "colour"], "--sort"),
    ],
)
def test_wrong_numbers(files, options, said):
    assert said in complaint("topics", files.one_chain, *options)


@pytest.mark.parametrize("command", ["topics", "transform", "evaluate"])
def test_what_is_no_model(files, tmp_path, command):
    rest = [] if command == "topics" else [files.new]
    (tmp_path / "file").write_text("text")
    assert "does not exist" in complaint(command, tmp_path / "nothing", *rest)
    assert "is a file" in complaint(command, tmp_path / "file", *rest)
    assert "does not hold a model: give a folder" in complaint(command, tmp_path, *rest)


def test_a_checkpoint_is_no_model(files, tmp_path):
    folder = tmp_path / "run"
    fit = ["fit", files.documents, "-k", "3", *QUICK, "--checkpoint", folder]
    assert run(*fit).exit_code == 0
    said = complaint("topics", folder)
    assert f"{folder} holds a checkpoint, not a model" in said
    assert "again with -o MODEL_DIR" in said
    assert run(*fit, "-o", tmp_path / "model").exit_code == 0
    assert run("topics", tmp_path / "model").exit_code == 0


@pytest.mark.parametrize("name", ["n" * 300, "nul\0byte"])
def test_names_that_no_file_can_have(files, tmp_path, name):
    for arguments in (
        ["fit", tmp_path / name, "-k", 3],
        ["fit", files.documents, "-k", 3, "-o", tmp_path / name],
        ["fit", files.documents, "-k", 3, "--checkpoint", tmp_path / name],
        ["topics", tmp_path / name],
        ["transform", files.one_chain, tmp_path / name],
        ["transform", files.one_chain, files.new, "-o", tmp_path / f"{name}.csv"],
        ["convert", files.documents, tmp_path / name],
    ):
        complaint(*arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("part", ["model.json", "corpus", "run", "draws", "parameters"])
def test_a_damaged_model(files, tmp_path, part):
    model = tmp_path / "model"
    shutil.copytree(files.one_chain, model)
    (path,) = model.glob(f"{part}*")
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 40] = b"\xff" * 40
    path.write_bytes(content)
    assert str(model) in complaint("topics", model)


@pytest.mark.parametrize(("encoding", "mark"), [("utf-8", "p λ"), ("ascii", "p r")])
def test_lists_that_are_the_same_are_shown_once(encoding, mark):
    one, other = ({"word": "sea"}, {"word": "ship"}), ({"word": "ship"}, {"word": "sea"})
    same = TopicRow(0, Estimate(0.6, 0.5, 0.7), None, np.nan, one, one)
    different = TopicRow(1, Estimate(0.4, 0.3, 0.5), None, np.nan, one, other)
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(file=file, width=80)
    console.print(topics_table(console, [same, different], 0.6, 0.9))
    file.flush()
    shown = file.buffer.getvalue().decode(encoding)
    assert f"{mark} sea ship\n" in "\n".join(map(str.rstrip, shown.splitlines())) + "\n"
    assert shown.count("sea ship") == 2
    assert shown.count("ship sea") == 1


def test_words_without_names_are_explained(files, tmp_path):
    path = tmp_path / "counts.npz"
    scipy.sparse.save_npz(path, files.train.to_matrix())
    fitted = run("fit", path, "-k", "3", *QUICK, "-o", tmp_path / "model")
    said = "Words are shown as numbers, because there is no vocabulary: "
    assert f"{said}give one with --vocabulary FILE." in " ".join(fitted.stdout.split())
    shown = run("topics", tmp_path / "model").stdout
    assert f"{said}blocklda fit takes one with --vocabulary FILE." in " ".join(shown.split())
    assert said not in run("topics", files.one_chain).stdout
    words = tmp_path / "words.txt"
    words.write_text("\n".join(files.train.vocabulary) + "\n", encoding="utf-8")
    named = run("fit", path, "-k", "3", *QUICK, "--vocabulary", words)
    assert named.exit_code == 0
    assert said not in named.stdout


def test_long_words_leave_room_for_numbers_and_shares():
    words = ({"word": "incomprehensibilities" * 3},) * 8
    row = TopicRow(7, Estimate(0.25, 0.2, 0.3), None, np.nan, words, words)
    shown = io.StringIO()
    Console(file=shown, width=60).print(short_topics([row], 5))
    line = shown.getvalue().splitlines()[-1]
    assert line.split()[:2] == ["7", "25.0%"]
    assert line.rstrip().endswith("…")
