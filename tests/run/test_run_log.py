"""A run says how far it is where no bar is shown."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import pytest

from blocklda import LDA, Corpus
from blocklda.evaluate import search_n_topics
from blocklda.run import run_log
from tests.cli.commands import QUICK
from tests.cli.terminal import run

LINE = r"sweep \d+ of 40 in each of 2 chains, \d+\.\d M tokens/s, log posterior -?[\d,]+"
X = [[2, 1, 0], [0, 3, 1], [1, 1, 1]]


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_log, "LOG_SECONDS", 0.0)


def test_the_logger_tells_whoever_listens(caplog: pytest.LogCaptureFixture) -> None:
    lda = LDA(2, n_sweeps=40, n_chains=2, random_state=0)
    lda.fit(X)
    assert not caplog.records
    with caplog.at_level(logging.INFO, logger="blocklda"):
        lda.fit(X)
    assert {record.name for record in caplog.records} == {"blocklda"}
    assert re.fullmatch(LINE, caplog.records[-1].getMessage())


def test_the_command_line_logs_where_there_is_no_terminal(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("hot soup\nlate train\n" * 4, encoding="utf-8")
    done = run("fit", path, "-k", "2", *QUICK)
    assert done.exit_code == 0
    assert re.search(r"^blocklda: \d{4}-\d\d-\d\d [\d:]+ sweep \d+ of 60, ", done.stderr, re.M)
    assert run("fit", path, "-k", "2", *QUICK, "-q", "-o", tmp_path / "model").stderr == ""
    assert logging.getLogger("blocklda").level == logging.NOTSET
    facts = json.loads((tmp_path / "model" / "model.json").read_text("utf-8"))["facts"]
    assert set(facts["saved_with"]) == {"python", "numpy", "scipy", "platform", "date"}


def test_notebooks_show_tables() -> None:
    corpus = Corpus.from_texts(["<b>hot</b> soup & bread", "late train"] * 10)
    assert "<td>documents</td><td>20</td>" in corpus._repr_html_()
    lda = LDA(2, n_sweeps=40, n_chains=2, random_state=0, progress=False).fit(corpus)
    assert lda.diagnostics()._repr_html_().startswith("<pre>")
    assert "<th>word</th>" in lda.topic_summaries()[0]._repr_html_()
    found = search_n_topics(corpus, [2], n_sweeps=20, n_words=2, random_state=0, progress=False)
    assert found._repr_html_().startswith("<pre>Prediction")
    frame = found.to_frame()
    assert frame.index.name == "n_topics"
    assert frame["heldout"].iloc[0] == found.rows[0].heldout.mean
    assert "heldout_se" in frame
    odd = Corpus.from_tokens([["<script>", "&"]])
    assert "<script>" not in odd._repr_html_()


def test_spellings_that_users_expect() -> None:
    settings = {"n_sweeps": 40, "random_state": 0, "progress": False}
    for one, other in (
        ({"learn_alpha": True}, {"learn_alpha": "asymmetric"}),
        ({"learn_alpha": False}, {"learn_alpha": "none"}),
        ({"learn_how": "optimized"}, {"learn_how": "optimised"}),
    ):
        first, second = LDA(2, **settings, **one).fit(X), LDA(2, **settings, **other).fit(X)
        assert first.components_.tolist() == second.components_.tolist()
        assert first.result_.settings == second.result_.settings
