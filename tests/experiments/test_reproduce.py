"""`blocklda reproduce` from start to end at toy size: files, resuming, mistakes."""

from __future__ import annotations

import csv
import json
import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blocklda import InputError
from blocklda.cli.commands import reproduce as command
from blocklda.evaluate.compare_start import StartCurves
from blocklda.experiments import data as data_module
from blocklda.experiments import mixing
from blocklda.experiments import reproduce as whole
from blocklda.experiments.data import read_real_corpus
from blocklda.experiments.mixing import missing_starts, mixing_plan, run_mixing, start_files
from blocklda.experiments.reproduce import chosen_studies, reproduce
from blocklda.experiments.studies import STUDIES
from tests.cli.terminal import run
from tests.experiments.toy import KOS, SIMULATED, TIMED, InThisProcess, write_corpora


class Steps:
    """Counts what a display is told."""

    def __init__(self) -> None:
        self.total: dict[str, int] = {}
        self.done: dict[str, int] = {}

    def begin(self, study: str, total: int, left: int) -> None:
        self.total[study], self.done[study] = total, total - left

    def advance(self, study: str, steps: int) -> None:
        self.done[study] += steps


@pytest.fixture(scope="module")
def corpora(tmp_path_factory) -> Path:
    return write_corpora(tmp_path_factory.mktemp("data"))


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run starts in this process; those of the fixture ``results`` have their own."""
    monkeypatch.setattr(mixing, "ProcessPoolExecutor", InThisProcess)
    before = signal.getsignal(signal.SIGINT)  # workers ignore it
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def results(tmp_path_factory, corpora):
    out = tmp_path_factory.mktemp("results")
    steps = Steps()
    studies = [SIMULATED, KOS, TIMED]
    claims = reproduce(studies, out, corpora, 2, steps, is_quick=True)
    return out, claims, steps


def test_every_study_leaves_its_files(results):
    out, claims, steps = results
    for study in ("simulated", "kos", "timing"):
        assert (out / study / "figure.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (out / study / "figure.svg").read_text(encoding="utf-8")
    page = (out / "results.md").read_text(encoding="utf-8")
    for claim in claims:
        assert f"| {claim.study} | {claim.says} | {claim.measured} | {claim.holds} |" in page
    assert "**Quick settings**" in page
    assert page.count("Log q minus that of single-site") == 2
    assert {one.study for one in claims} == {
        "simulated", "kos", "timing, native", "timing, python"
    }  # fmt: skip
    assert steps.done == steps.total
    assert not list(out.rglob("*.part"))


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what takes longest; the fixture ``results`` has the figures."""
    monkeypatch.setattr(whole, "save_figure", lambda *_: None)


def test_studies_that_were_finished_before_stay_on_the_page(
    results, corpora, tmp_path, monkeypatch, no_figures
):
    monkeypatch.setattr(whole, "chosen_studies", lambda names, is_quick: [SIMULATED, KOS, TIMED])
    shutil.copytree(results[0], tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "kos")
    claims = reproduce([SIMULATED], tmp_path / "out", corpora, 1, Steps(), is_quick=True)
    assert {one.study for one in claims} == {"simulated"}
    page = (tmp_path / "out" / "results.md").read_text(encoding="utf-8")
    assert "## simulated" in page
    assert "## timing" in page
    assert "## kos" not in page
    assert page.index("## simulated") < page.index("## timing")


def test_the_curves_are_those_of_the_plan(results, corpora):
    out, _, _ = results
    plan = mixing_plan(SIMULATED, corpora)
    wanted = plan.run_start(1)
    with (out / "simulated" / "curves.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["start"] == "1"]
    for s, name in enumerate(plan.contenders):
        of_sampler = [row for row in rows if row["sampler"] == name]
        levels = [float(row["log_posterior"]) for row in of_sampler]
        assert levels == pytest.approx(wanted.log_posterior[s].tolist(), abs=0.006)
        ends = {int(row["sweep"]): row["perplexity"] for row in of_sampler if row["perplexity"]}
        assert sorted(ends) == [2, 4, 6]
        shown = [float(ends[sweep]) for sweep in (2, 4, 6)]
        assert shown == pytest.approx(wanted.perplexity[s].tolist(), rel=1e-5)


def test_seconds_are_in_a_table(results):
    out, _, _ = results
    with (out / "timing" / "seconds.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    native = [row for row in rows if row["backend"] == "native"]
    assert len(native) == 2 * len(TIMED.topics) * len(TIMED.samplers) * TIMED.repeats
    assert all(float(row["seconds"]) > 0 for row in rows)


def test_a_run_goes_on_where_it_stopped(results, corpora, tmp_path, one_process):
    out, _, _ = results
    done = run_mixing(SIMULATED, out, corpora, 1, lambda _: pytest.fail("nothing is left to do"))
    again = tmp_path / "again"
    shutil.copytree(out / "simulated", again / "simulated")
    runs = again / "simulated" / "runs"
    kept = {name: (runs / name).read_bytes() for name in ("start-00.npz", "start-02.npz")}
    (runs / "start-01.npz").unlink()
    assert missing_starts(SIMULATED, again) == [1]
    told: list[int] = []
    resumed = run_mixing(SIMULATED, again, corpora, 1, told.append)
    assert sum(told) == SIMULATED.n_sweeps
    assert {name: (runs / name).read_bytes() for name in kept} == kept
    assert np.array_equal(resumed.log_posterior, done.log_posterior)
    assert np.array_equal(resumed.perplexity, done.perplexity)


def test_other_settings_in_the_folder_are_refused(results, corpora):
    out, _, _ = results
    with pytest.raises(InputError, match="was made with other settings: name another folder"):
        run_mixing(replace(SIMULATED, n_sweeps=8), out, corpora, 1, lambda _: None)


def test_what_cannot_be_run_is_told_before_any_worker_starts(tmp_path, corpora):
    with pytest.raises(InputError, match="n_topics=0"):
        run_mixing(replace(SIMULATED, n_topics=0), tmp_path, corpora, 1, lambda _: None)


# --- data


def test_a_folder_without_the_files(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"there is no docword.kos.txt.gz in .*data="):
        read_real_corpus("kos", tmp_path)
    monkeypatch.setenv("BLOCKLDA_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"there is no docword.nips.txt.gz"):
        read_real_corpus("nips")


def test_without_a_network_it_says_where_to_put_the_files(tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    monkeypatch.delenv("BLOCKLDA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(data_module, "SOURCE", "http://127.0.0.1:9/")
    with pytest.raises(InputError, match=r"could not be fetched .* put both in a folder"):
        read_real_corpus("kos")


def test_a_file_with_another_digest_is_not_believed(tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    source = write_corpora(tmp_path)
    monkeypatch.delenv("BLOCKLDA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(data_module, "SOURCE", f"{source.as_uri()}/")
    with pytest.raises(InputError, match="could not be fetched"):
        read_real_corpus("kos")


@pytest.mark.parametrize("is_damaged", [False, True])
def test_a_start_that_was_stopped_goes_on_from_where_it_was_put_aside(
    results, corpora, tmp_path, one_process, is_damaged
):
    shapes = mixing_plan(SIMULATED, corpora).curve_shapes
    wanted = StartCurves(**start_files(SIMULATED, results[0]).read("start-01", shapes))
    for r in (0, 2):
        (tmp_path / "simulated" / "runs").mkdir(parents=True, exist_ok=True)
        name = f"simulated/runs/start-{r:02d}.npz"
        shutil.copy(results[0] / name, tmp_path / name)
    start = mixing_plan(SIMULATED, corpora).start(1)
    for _ in range(4):
        start.turn()
    facts, arrays = start.to_parts()
    arrays["seconds"] = arrays["seconds"] + 1000  # tells that they were taken
    files = start_files(SIMULATED, tmp_path)
    files.write("start-01-under-way", arrays, facts)
    under_way = tmp_path / "simulated" / "runs" / "start-01-under-way.npz"
    if is_damaged:
        under_way.write_bytes(under_way.read_bytes()[:-100])
    comparison = run_mixing(SIMULATED, tmp_path, corpora, 1, lambda _: None)
    np.testing.assert_array_equal(comparison.log_posterior[:, 1], wanted.log_posterior)
    np.testing.assert_array_equal(comparison.perplexity[:, 1], wanted.perplexity)
    assert (comparison.seconds[:, 1, -1] < 1000).all() == is_damaged
    assert not under_way.exists()


# --- the command


@pytest.fixture
def toy_studies(monkeypatch, one_process, no_figures):
    monkeypatch.setattr(command, "chosen_studies", lambda names, is_quick: [SIMULATED])


def test_the_command_shows_the_claims(toy_studies, tmp_path):
    result = run("reproduce", "simulated", "--quick", "--out", tmp_path / "out", "-j", 2)
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("About ")
    assert "the paper says" in result.stdout
    assert (tmp_path / "out" / "results.md").exists()


def test_the_command_in_a_folder_with_studies_that_are_done(
    toy_studies, results, corpora, tmp_path, monkeypatch
):
    monkeypatch.setattr(whole, "chosen_studies", lambda names, is_quick: [SIMULATED, KOS])
    shutil.copytree(results[0] / "kos", tmp_path / "kos")
    given = ("--quick", "--out", tmp_path, "--data", corpora)
    result = run("reproduce", "simulated", *given)
    assert result.exit_code == 0, result.output
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "## kos" in page


def test_the_command_as_json(toy_studies, tmp_path):
    result = run("reproduce", "simulated", "--quick", "--out", tmp_path / "out", "--json")
    claims = json.loads(result.stdout)["claims"]
    assert {"study", "says", "measured", "holds"} == set(claims[0])


def test_an_interrupt_says_how_to_go_on(toy_studies, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "reproduce", interrupted)
    result = run("reproduce", "simulated", "--out", tmp_path / "out")
    assert result.exit_code == 130
    assert "the same command continues" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["kosmos"], "there is no study 'kosmos'; use one of: simulated, kos, nips, timing, all"),
        (["kos", "--data", "nowhere"], "there is no docword.kos.txt.gz in nowhere"),
        (["simulated", "--jobs", "0"], "--jobs 0 is not allowed"),
    ],
)
def test_mistakes_take_one_line(tmp_path, arguments, said):
    result = run("reproduce", *arguments, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert said in result.stderr
    assert not (tmp_path / "out").exists()


def test_studies_are_chosen_by_name():
    names = [study.name for study in chosen_studies(STUDIES, is_quick=False)]
    assert names == ["simulated", "kos", "nips", "timing"]
    for full, fast in zip(
        chosen_studies(STUDIES, is_quick=False), chosen_studies(STUDIES, is_quick=True), strict=True
    ):
        assert fast.name == full.name
        assert fast != full
