"""``blocklda fit``: the model of the library, saved, shown and gone on with."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blocklda
from blocklda.run.chain_run import ChainRun
from tests.cli.commands import GIVEN, QUICK, complaint, run_json, start, write_uci
from tests.cli.conftest import Files
from tests.cli.terminal import run


def test_the_model_is_that_of_the_library(files, tmp_path):
    options = ["--alpha", "0.2", "--beta", "0.05", "--sampler", "nested", "--init", "random"]
    options += ["--burn-in", "10", "--seed", "7", "--learn-alpha", "symmetric"]
    done = run("fit", files.documents, "-k", "6", *QUICK, *options, "-o", tmp_path / "model")
    assert done.exit_code == 0
    expected = blocklda.LDA(
        6,
        alpha=0.2,
        beta=0.05,
        sampler="nested",
        init="random",
        learn_alpha="symmetric",
        n_sweeps=60,
        burn_in=10,
        thin=2,
        random_state=7,
    ).fit(files.train)
    model = blocklda.LDA.load(tmp_path / "model")
    np.testing.assert_array_equal(model.components_, expected.components_)
    np.testing.assert_array_equal(model.alpha_, expected.alpha_)
    assert len(model.draws_) == 25
    assert model.chains_[0].corpus.vocabulary == files.train.vocabulary


@pytest.mark.parametrize(
    ("options", "alpha", "beta", "learned"),
    [
        ([], "auto", "auto", (True, True)),
        (["--alpha", "auto", "--beta", "0.02"], "auto", 0.02, (True, False)),
        (["--alpha", "1e-1"], 0.1, "auto", (False, True)),
        (["--learn-alpha", "none", "--learn-beta", "none"], "auto", "auto", (False, False)),
        (["--alpha", "0.3", "--learn-alpha", "asymmetric"], 0.3, "auto", (True, True)),
    ],
)
def test_priors_are_learned_unless_they_are_given(files, tmp_path, options, alpha, beta, learned):
    done = run("fit", files.documents, "-k", "4", *QUICK, *options, "-o", tmp_path / "model")
    assert done.exit_code == 0, done.stderr
    model = blocklda.LDA.load(tmp_path / "model")
    assert (model.alpha, model.beta) == (alpha, beta)
    assert (bool(np.ptp(model.alpha_) > 1e-9), model.beta_ not in (0.01, 0.02)) == learned


def test_the_same_command_gives_the_same_model(files, tmp_path):
    for name in ("one", "other"):
        run("fit", files.documents, "-k", "4", *QUICK, "-o", tmp_path / name)
    one, other = (blocklda.LDA.load(tmp_path / name) for name in ("one", "other"))
    np.testing.assert_array_equal(one.components_, other.components_)


def test_what_is_shown(files, tmp_path):
    folder = tmp_path / "my model"
    done = run("fit", files.documents, "-k", "5", *QUICK, *GIVEN, "-o", folder, columns=200)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "80 documents, 25 words, 8,000 tokens" in done.stdout
    assert "60 sweeps by the single-site sampler" in done.stdout
    assert "use --chains 4" in done.stdout
    assert f"blocklda topics '{folder}'" in done.stdout
    model = blocklda.LDA.load(folder)
    for topic in model.topic_summaries(n_words=8):
        assert " ".join(word.word for word in topic.words) in done.stdout


def test_without_an_output_it_says_how_to_save(files):
    done = run("fit", files.documents, "-k", "25", *QUICK)
    assert done.exit_code == 0
    assert "and 5 smaller topics" in done.stdout
    assert "The model was not saved: add -o MODEL_DIR" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_json(files, tmp_path):
    options = ("-k", "5", *QUICK, *GIVEN, "-o", tmp_path / "model")
    result = run_json("fit", files.documents, *options)
    model = blocklda.LDA.load(tmp_path / "model")
    assert (result["documents"], result["words"], result["tokens"]) == (80, 25, 8000)
    assert (result["n_topics"], result["seed"], result["sweeps"]) == (5, 0, 60)
    assert (result["draws"], result["interrupted"], result["text_settings"]) == (28, False, None)
    assert result["log_posterior"] == [model.log_posterior_[0, -1]]
    assert result["model"] == str(tmp_path / "model")
    assert "--chains" in result["verdict"]
    shares = [topic["prevalence"]["mean"] for topic in result["topics"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)


def test_quiet_is_silent(files, tmp_path):
    done = run("fit", files.documents, "-k", "3", *QUICK, "-o", tmp_path / "model", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
    assert (tmp_path / "model" / "model.json").exists()


def test_quiet_with_nothing_to_save_is_refused_before_the_fit(files, tmp_path):
    # So many sweeps that the test would not end if they were begun.
    command = ["fit", files.documents, "-k", "3", "--sweeps", 10**8, "--thin", 10**7, "-q"]
    assert "--quiet without --output would discard the fit" in complaint(*command)
    assert "would discard the fit" not in complaint(*command, "--json", "--seed", "-1")
    kept = run("fit", files.documents, "-k", "3", *QUICK, "-q", "--checkpoint", tmp_path / "run")
    assert (kept.exit_code, kept.output) == (0, "")


def test_a_model_is_replaced(files, tmp_path):
    for k in (3, 4):
        run("fit", files.documents, "-k", k, *QUICK, "-o", tmp_path / "model", "-q")
    assert blocklda.LDA.load(tmp_path / "model").n_topics == 4


def test_the_same_command_goes_on_from_a_checkpoint(files, tmp_path):
    command = [
        "fit",
        files.documents,
        "-k",
        "5",
        "--burn-in",
        "4",
        "--chains",
        "1",
        "--checkpoint",
        tmp_path / "run",
    ]
    first = run_json(*command, "--sweeps", "20")
    longer = run_json(*command, "--sweeps", "40", "-o", tmp_path / "model")
    again = run_json(*command, "--sweeps", "40")
    whole = run_json(*command[:-2], "--sweeps", "40")
    assert (first["draws"], longer["draws"], again["draws"]) == (4, 9, 9)
    went_on = [one["went_on_from_sweep"] for one in (first, longer, again, whole)]
    assert went_on == [None, 20, 40, None]
    shown = run(*command, "--sweeps", "44").stdout
    assert f"It resumed the run in {tmp_path / 'run'}, from sweep 40." in " ".join(shown.split())
    shown = run(*command, "--sweeps", "44").stdout
    assert "whose sweeps were all done." in " ".join(shown.split())
    assert "went on" not in run("fit", files.documents, "-k", "5", *QUICK).stdout
    assert longer["topics"] == again["topics"] == whole["topics"]
    assert longer["log_posterior"] == whole["log_posterior"]


def test_warnings_take_one_line_and_name_options(tmp_path):
    counts = np.ones((4, 3), dtype=int)
    counts[2] = 0
    corpus = blocklda.Corpus.from_matrix(counts, ["a", "b", "c"])
    done = run("fit", write_uci(tmp_path, "holes", corpus), "-k", "2", *QUICK)
    assert done.exit_code == 0
    assert done.stderr == (
        "blocklda: warning: 1 of 4 documents is empty, in row 2: it keeps its row, "
        "with the topics of the prior.\n"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-k", "0"], "--topics 0 is not allowed"),
        (["-k", "9000"], "--topics 9000 is more than the 8000 tokens"),
        (["-k", "many"], "'many'"),
        (["-k", "3.5"], "'3.5'"),
        (["-k", "3", "--alpha", "much"], "--alpha 'much' is not allowed: give a number"),
        (["-k", "3", "--beta", "0,1"], "--beta '0,1' is not allowed: give a number"),
        ([], "give -k; 10 to 50 is a usual first try"),
        ([], "blocklda search compares"),
        (["-k", "3", "--sampler", "magic"], "--sampler 'magic' is unknown"),
        (["-k", "3", "--alpha", "0"], "--alpha 0.0 is not allowed"),
        (["-k", "3", "--sweeps", "0"], "--sweeps 0 is not allowed"),
        (
            ["-k", "3", "--sweeps", "200", "--burn-in", "300"],
            "--sweeps 200 with --burn-in 300 and --thin 4 keeps no",
        ),
        (["-k", "3", "--sweeps", "some"], "--sweeps 'some' is not allowed"),
        (["-k", "3", "--burn-in", "some"], "--burn-in 'some' is not allowed"),
        (["-k", "3", "--chains", "0"], "--chains 0 is not allowed"),
        (["-k", "3", "--jobs", "0"], "--jobs 0 is not allowed"),
        (["-k", "3", "--seed", "-1"], "--seed -1 is not allowed"),
        (["-k", "3", "--every", "0"], "--every 0 is not allowed"),
        (["-k", "3", "--init", "there"], "--init 'there'"),
        (["-k", "3", "--learn-alpha", "yes"], "--learn-alpha 'yes' is not allowed"),
        (["-k", "3", "--learn-beta", "asymmetric"], "choose 'auto', 'none' or 'symmetric'"),
        (["-k", "3", "--format", "magic"], "there is no format 'magic'"),
        (["-k", "3", "--text-column", "body"], "--text-column 'body' does not apply to uci"),
        (["-k", "3", "--min-df", "often"], "--min-df 'often' is not allowed"),
        (["-k", "3", "--ngrams", "0"], "--ngrams 0 is not allowed"),
        (["-k", "3", "--stop-words", "no-such-file"], "--stop-words 'no-such-file' is not allowed"),
        (["-k", "3", "--vocabulary", "no-such-file"], "no-such-file"),
    ],
)
def test_mistakes(files, tmp_path, options, said):
    message = complaint("fit", files.documents, *options, "-o", tmp_path / "new" / "model")
    assert said in message
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file(tmp_path):
    message = complaint("fit", tmp_path / "nothing.txt", "-k", "3", "-o", tmp_path / "model")
    assert "nothing.txt" in message
    assert list(tmp_path.iterdir()) == []


def test_a_failed_fit_leaves_an_empty_folder_empty(files, tmp_path):
    (tmp_path / "model").mkdir()
    complaint("fit", tmp_path / "nothing.txt", "-k", "3", "-o", tmp_path / "model")
    assert list((tmp_path / "model").iterdir()) == []


def test_what_cannot_be_written_shows_before_the_fit(files, tmp_path):
    def fit(*options: object) -> str:
        # So many sweeps that the test would not end if they were begun.
        return complaint(
            "fit", files.documents, "-k", "3", "--sweeps", 10**8, "--thin", 10**7, *options
        )

    (tmp_path / "letter.txt").write_text("dear")
    assert "other files ('letter.txt')" in fit("-o", tmp_path)
    assert "it is a file" in fit("-o", tmp_path / "letter.txt")
    assert "cannot write" in fit("-o", tmp_path / "letter.txt" / "model")
    assert "is a file" in fit("--checkpoint", tmp_path / "letter.txt")
    assert "holds a model" in fit("--checkpoint", files.one_chain)
    same = tmp_path / "both"
    assert "are the same folder" in fit("-o", same, "--checkpoint", f"{same}/../both")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_checkpoint_with_other_settings(files, tmp_path):
    command = ["fit", files.documents, "--checkpoint", tmp_path, "--sweeps", "10"]
    assert run(*command, "-k", "3").exit_code == 0
    assert "was made with --topics 3, but now it is 4" in complaint(*command, "-k", "4")
    assert "was made with --seed 0, but now it is 1" in complaint(*command, "-k", "3", "--seed", 1)


# --- how much is done


def test_four_chains_until_the_answer_has_settled(files, tmp_path):
    result = run_json("fit", files.documents, "-k", "4", "-o", tmp_path / "model")
    assert (result["chains"], result["ending"]) == (4, "settled")
    assert result["level"] in ("green", "amber", "red")
    assert [one["purpose"] for one in result["findings"]] == [
        "prediction",
        "topics",
        "full posterior",
    ]
    model = blocklda.LDA.load(tmp_path / "model")
    assert (model.n_sweeps, model.n_sweeps_) == ("auto", result["sweeps"])
    assert str(model.result_.ending) == "settled"
    assert str(model.diagnostics().level) == result["level"]


def test_a_first_look(files):
    result = run_json("fit", files.documents, "-k", "4", "--quick")
    assert (result["chains"], result["sweeps"], result["ending"]) == (1, 100, "schedule")
    assert result["findings"][1]["sentence"].endswith("use --chains 4."), "in options, as verdict"
    more = run_json("fit", files.documents, "-k", "4", "--quick", "--chains", "2", "--sweeps", "30")
    assert (more["chains"], more["sweeps"]) == (2, 30)


def test_time_that_is_over(files):
    done = run("fit", files.documents, "-k", "4", "--max-seconds", "0.001", columns=200)
    assert done.exit_code == 0
    assert "it ended at the time limit" in done.stdout


def test_a_long_fit_is_announced_to_who_watches(files, monkeypatch):
    monkeypatch.setattr("blocklda.cli.commands.fit.LONG_SECONDS", 0.0)
    quiet = run("fit", files.documents, "-k", "4", *QUICK)
    assert "--quick gives a first look" not in quiet.stderr  # nobody watches a file
    monkeypatch.setattr("blocklda.cli.commands.fit.is_watched", lambda: True)
    told = run("fit", files.documents, "-k", "4", *QUICK)
    assert "--quick gives a first look" in told.stderr


# --- Ctrl-C


def interrupted(files: Files, folder: Path, *options: object) -> tuple[int, str, str]:
    """Press Ctrl-C once a run of its own has got so far that its checkpoint has draws."""
    run_folder = folder / "run"
    process = start(
        *("fit", files.documents, "-k", "5", *GIVEN, "--sweeps", 10**7, "--thin", 100),
        *("--checkpoint", run_folder, "--every", 100, "-o", folder / "model", *options),
    )
    deadline = time.monotonic() + 100
    while not list(run_folder.glob("run-000003.npz")) and time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=100)
    return process.returncode, out, err


@pytest.mark.parametrize(
    "options", [["--burn-in", "4"], ["--burn-in", "4", "--chains", "3", "-j", "2"]]
)
def test_ctrl_c_saves_the_draws(files, tmp_path, options):
    code, out, err = interrupted(files, tmp_path, *options, "--no-draws", "--json")
    assert code == 130
    assert err.count("\n") == 1
    assert "the same command continues from there" in err
    result = json.loads(out)
    assert result["interrupted"]
    model = blocklda.LDA.load(tmp_path / "model")
    assert 100 <= model.n_sweeps_ == result["sweeps"] < 10**7
    assert run("topics", tmp_path / "model").exit_code == 0


def test_ctrl_c_before_the_first_draw(files, tmp_path):
    code, out, err = interrupted(files, tmp_path, "--burn-in", 9 * 10**6)
    assert (code, out) == (130, "")
    assert re.fullmatch(
        r"blocklda: interrupted at sweep [\d,]+, before the first draw, which comes at sweep "
        "9,000,100, after a burn-in of 9,000,000: there is no model to save yet, and the same "
        "command continues from the checkpoint.\n",
        err,
    )
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_ctrl_c_before_the_first_draw_without_a_checkpoint(files, monkeypatch):
    def stopped(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(ChainRun, "advance", stopped)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = run("fit", files.documents, "-k", "4", "--sweeps", "300", "--burn-in", "100")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr == (
        "blocklda: interrupted before the first draw, which comes at sweep 104, after a "
        "burn-in of 100: there is no model to save yet, and with --checkpoint DIR the same command "
        "would continue from there.\n"
    )


def test_ctrl_c_when_only_some_chains_have_a_draw(files, tmp_path, monkeypatch):
    advance = ChainRun.advance

    def stopped(chain: ChainRun, until: int, *rest: Any) -> None:
        if chain.number == 0:
            advance(chain, until, *rest)
        elif chain.number == 1:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(ChainRun, "advance", stopped)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    command = ["fit", files.documents, "-k", "4", "--chains", "2", "--jobs", "1"]
    command += ["--sweeps", "200", "--burn-in", "4"]
    try:
        done = run(*command, "-o", tmp_path / "model")
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.exit_code == 130
    assert "of 200 sweeps; its draws so far (1) are kept" in done.stderr
    assert "A chain has no draw yet." in done.stdout
    monkeypatch.undo()
    topics = run_json("topics", tmp_path / "model")["topics"]
    assert sum(topic["prevalence"]["mean"] for topic in topics) == pytest.approx(1)
    assert {topic["prevalence"]["low"] for topic in topics} == {None}
    assert "interval" not in run("topics", tmp_path / "model").stdout


def test_a_fit_too_large_for_memory_can_be_tried_all_the_same(files, monkeypatch):
    monkeypatch.setattr("blocklda.models.lda.memory.FitSize.peak_bytes", lambda size: 10**18)
    said = complaint("fit", files.documents, "-k", 3, *QUICK)
    assert "needs 888.2 PiB of memory, but " in said
    assert said.endswith("or run it anyway with --allow-memory-overcommit.\n")
    tried = run_json("fit", files.documents, "-k", 3, *QUICK, "--allow-memory-overcommit")
    assert tried["n_topics"] == 3
