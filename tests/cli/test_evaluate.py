"""``blocklda evaluate``: the library's measures, with errors and in plain words."""

from __future__ import annotations

import numpy as np
import pytest

import blocklda
from blocklda.evaluate.measures import perplexity_text
from blocklda.models.lda.new_documents import completion_log_probability
from tests.cli.commands import bars, complaint, run_json, write_uci
from tests.cli.terminal import run


def test_json_has_the_numbers_of_the_library(files):
    result = run_json("evaluate", files.one_chain, files.new, "--words", 4, "--left-to-right")
    model = blocklda.LDA.load(files.one_chain)
    topics = model.components_
    assert (result["documents"], result["tokens"]) == (15, 1500)
    found = result["measures"]
    assert found["document_completion"]["perplexity"] == pytest.approx(model.perplexity(files.test))
    assert found["document_completion"]["heldout_tokens"] == 750
    whole = blocklda.evaluate.left_to_right(topics, model.alpha_, files.test)
    assert found["left_to_right"]["perplexity"] == pytest.approx(whole.perplexity)
    assert found["left_to_right"]["monte_carlo_se"] == pytest.approx(whole.standard_error / 1500)
    for name in ("npmi", "umass"):
        values = getattr(blocklda.evaluate, name)(topics, files.test, 4)
        assert found[name]["topics"] == pytest.approx(values.tolist())
        assert found[name]["mean"] == pytest.approx(values.mean())
    assert found["diversity"]["value"] == blocklda.evaluate.diversity(topics, 4)
    exclusive = blocklda.evaluate.exclusivity(topics, 4)
    assert found["exclusivity"]["mean"] == pytest.approx(exclusive.mean())


def test_the_error_over_documents_is_that_of_resampling_them(files):
    found = run_json("evaluate", files.one_chain, files.new)["measures"]["document_completion"]
    model = blocklda.LDA.load(files.one_chain)
    topics = model.frozen_topics(16)
    done = completion_log_probability(files.test, topics, model.alpha_)
    rng = np.random.default_rng(0)
    picked = rng.integers(0, 15, size=(20_000, 15))
    means = done.log_probabilities[picked].sum(axis=1) / done.n_tokens[picked].sum(axis=1)
    # The bootstrap divides by n where the formula divides by n − 1.
    bootstrap = means.std() * np.sqrt(15 / 14)
    assert found["log_probability_per_token_se"] == pytest.approx(bootstrap, rel=0.05)
    expected = found["perplexity"] * found["log_probability_per_token_se"]
    assert found["perplexity_se"] == pytest.approx(expected)


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_explains_itself(files, columns):
    done = run("evaluate", files.one_chain, files.new, columns=columns)
    assert (done.exit_code, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= columns
    text = " ".join(done.stdout.split())
    for name in ("perplexity", "NPMI", "UMass", "diversity", "exclusivity"):
        assert name in text
    assert "±" in text
    assert "Lower is better." in text
    assert "left to right" not in text
    assert "−" not in text, "minus signs are those of the other commands"
    assert "-1 never" in text


@pytest.mark.parametrize(
    ("level", "spread", "shown"),
    [
        (36.8041, 0.991, "36.80 ± 0.99"),
        (36.8041, 0.0996, "36.80 ± 0.10"),
        (9.9961, 0.01234, "9.996 ± 0.012"),
        (1640.4, 12.6, "1,640 ± 13"),
        (1640.4, 9.96, "1,640 ± 10"),
        (164012.4, 1263.1, "164,012 ± 1,263"),
        (36.8041, 0.0, "36.80"),
        (36.8041, np.nan, "36.80"),
    ],
)
def test_the_error_has_two_digits_and_the_perplexity_as_many_decimals(level, spread, shown):
    assert perplexity_text(level, spread / level) == shown


def test_documents_of_the_fit_are_noticed(files):
    done = run("evaluate", files.one_chain, files.documents)
    assert done.exit_code == 0
    assert done.stderr.startswith("blocklda: warning: these are the documents of the fit")


def test_one_document_has_no_error(files, tmp_path):
    result = run_json("evaluate", files.one_chain, write_uci(tmp_path, "one", bars(1)))
    assert result["measures"]["document_completion"]["perplexity_se"] is None
    done = run("evaluate", files.one_chain, tmp_path / "docword.one.txt")
    assert "±" not in done.stdout


def test_topics_without_words_in_the_documents(files, tmp_path):
    matrix = np.zeros((3, 25), dtype=int)
    matrix[:, 0] = 5
    corpus = blocklda.Corpus.from_matrix(matrix, files.train.vocabulary)
    found = run_json("evaluate", files.one_chain, write_uci(tmp_path, "poor", corpus))["measures"]
    assert found["npmi"] == {"mean": None, "topics": [None] * 10}
    done = run("evaluate", files.one_chain, tmp_path / "docword.poor.txt")
    assert "10 topics have no pair of top words" in " ".join(done.stdout.split())


def test_mistakes(files, tmp_path):
    assert "--words 1 is not allowed" in complaint(
        "evaluate", files.one_chain, files.new, "--words", 1
    )
    empty = blocklda.Corpus.from_matrix(np.zeros((3, 25), dtype=int), files.train.vocabulary)
    assert "all 3 documents are empty" in complaint(
        "evaluate", files.one_chain, write_uci(tmp_path, "empty", empty)
    )
