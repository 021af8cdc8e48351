"""search, groups, compare-models, seed words and labels on the command line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from blocklda import LDA
from tests.cli.commands import QUICK, complaint, run_json
from tests.cli.terminal import run

TEXTS = ["hot soup and bread", "cold soup", "fast train", "slow train, late train"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("questions") / "speeches.csv"
    rows = [f'{d},{1990 + d % 3},"{TEXTS[d % 4]}"' for d in range(40)]
    path.write_text("id,year,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(table: Path) -> Path:
    folder = table.parent / "model"
    seeds = table.parent / "seeds.txt"
    seeds.write_text("# two topics\nfood [0.5]: soup, bread\ntravel: train\n\nother:\n")
    options = ("--text-column", "text", "-k", "4", "--seed-words", seeds, "-o", folder, *QUICK)
    run_json("fit", table, *options)
    return folder


def test_seed_words_lead_and_name_topics(model: Path) -> None:
    lda = LDA.load(model)
    assert lda.topic_labels_ == {0: "food", 1: "travel", 2: "other"}
    assert lda.alpha_.tolist() == [0.5, 0.1, 0.1, 0.1]
    assert next(iter(lda.word_topics("soup")["label"])) == "food"
    said = run("topics", model).stdout
    assert "food" in said
    assert run_json("topics", model)["topics"][0]["label"] in ("food", "travel", "other", None)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("crime murder\n", "line 1: 'crime murder' is not a name, a colon and words"),
        ("a: soup\na: train\n", "line 2: there are two topics 'a'"),
        ("a [x]: soup\n", "line 1: [x] is not a valid α"),
        ("# nothing\n", "there is no topic"),
        ("a: soup\nb: train\nc: bread\n", "has 3 topics, but --topics 2"),
        ("a: sooup\n", "'sooup', which is not in the data; did you mean 'soup'"),
    ],
)
def test_seed_words_that_cannot_be_used(
    table: Path, tmp_path: Path, content: str, said: str
) -> None:
    path = tmp_path / "seeds.txt"
    path.write_text(content, encoding="utf-8")
    options = ("--text-column", "text", "-k", "2", "--seed-words", path, *QUICK)
    assert said in complaint("fit", table, *options)


def test_a_search(table: Path, tmp_path: Path) -> None:
    figure = tmp_path / "search.svg"
    command = ("search", table, "--text-column", "text", "--sweeps", "20", "--words", "3")
    found = run_json(*command, "-k", "2,3", "--plot", figure)
    assert [row["n_topics"] for row in found["rows"]] == [2, 3]
    assert found["n_chains"] == 2
    assert figure.is_file()
    shown = run(*command, "-k", "3,2", "--chains", "1")
    assert shown.exit_code == 0
    assert "log p per token" in shown.stdout
    assert "'2;3' is not a list of numbers" in complaint(*command, "-k", "2;3")
    assert "--topics has 2 more than once" in complaint(*command, "-k", "2,3,2")
    assert "more than once" in complaint(*command, "-k", "2,2")
    assert "--topics 0 is not allowed" in complaint(*command, "-k", "0,2")


def test_groups(table: Path, model: Path, tmp_path: Path) -> None:
    command = ("groups", model, "--input", table, "--by", "year")
    rows = list(csv.DictReader(io.StringIO(run(*command).stdout)))
    assert len(rows) == 3 * 4
    assert {row["group"] for row in rows} == {"1990", "1991", "1992"}
    assert rows[0]["label"] == "food"
    assert sum(float(row["mean"]) for row in rows[:4]) == pytest.approx(1, abs=1e-5)
    output = tmp_path / "shares.tsv"
    assert "12 rows" in run(*command, "-o", output).stdout
    assert output.read_text("utf-8").splitlines()[0].split("\t")[0] == "group"
    assert len(run_json(*command)["shares"]) == 12
    assert "there is no column 'party'" in complaint(*command[:-1], "party")
    assert "let the name end in .csv" in complaint(*command, "-o", tmp_path / "shares.pdf")
    short = tmp_path / "short.csv"
    short.write_text("year,text\n1990,soup\n", encoding="utf-8")
    wrong = ("groups", model, "--input", short, "--by", "year")
    assert "has 1 documents, but" in complaint(*wrong)


def test_two_models(table: Path, model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    run_json("fit", table, "--text-column", "text", "-k", "2", "-o", other, *QUICK)
    found = run_json("compare-models", model, other)
    assert len(found["pairs"]) == 4
    shown = run("compare-models", model, other)
    assert "topics are the same" in shown.stdout
    assert "does not hold a model" in complaint("compare-models", model, tmp_path)


def test_a_check(model: Path) -> None:
    found = run_json("misfit", model, "--replicates", "5")
    assert [row["topic"] for row in found["topics"]] != []
    assert {"observed", "expected", "deviation", "p_value"} <= set(found["topics"][0])
    assert "Mutual information" in run("misfit", model, "--replicates", "5").stdout
    assert "--replicates 1 is not allowed" in complaint("misfit", model, "--replicates", "1")


def test_seed_words_are_not_for_shards(tmp_path: Path, table: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("crime: murder police\n", encoding="utf-8")
    for where in (("--workers", "2"), ("--scheduler", "tcp://localhost:1")):
        said = complaint("fit", table, "-k", "2", "--seed-words", seeds, *where)
        assert "is not available for fits on shards" in said
        assert said.endswith("leave it out, or fit on this machine alone.\n")
