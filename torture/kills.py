"""Runs killed by SIGKILL at random moments, gone on with, and compared with runs never killed.

Half of the kills come from outside, at a moment drawn from the time that a run takes; the others
from inside, at a drawn step of writing a file. Some runs are killed again and again. In half of the
runs the power fails with each kill: what was not synced is lost, all of it or some (see `power`).
A run of this program goes on from the counts of the one before; `--fits` takes some of the fits
alone, so that the whole can be done in parts.
"""

from __future__ import annotations

import itertools
import random
import shutil
import time
from collections.abc import Callable, Collection
from pathlib import Path

from torture.cases import DOORS, Case
from torture.fits import FITS, N_GENERATIONS, contents, differences, write_corpus
from torture.power import Power, compile_shim
from torture.processes import Ending, serve_victims
from torture.results import OUT, Row, read_results, results_path, run_alone, write_results
from torture.victim import Suffering

KILLS, QUICK_KILLS = 1_000, 6
MOST_KILLS_OF_A_RUN = 4
STEPS = {"began": 0.15, "fitted": 0.7, "end": 0.15}
"""How often a kill from inside comes before the first sweep, before the last, or at any step:
saving the model has as many steps as the checkpoints, which most kills shall hit."""
ENDED = "runs that ended as if never killed"
LUCK = (0.0, 0.0, 0.3, 0.7)
"""The shares of unsynced files that survive a power cut."""
QUICK_CASES = (("backward", "library"), ("sparse", "command line"))


def main(
    quick: bool,
    seed: int = 0,
    out: Path = OUT,
    size: int | None = None,
    fits: Collection[str] = tuple(FITS),
) -> list[Row]:
    work = out.resolve() / "kills"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shim = compile_shim(work)
    serve_victims(shim)
    corpus = write_corpus(work / "corpus.npz")
    pairs = QUICK_CASES if quick else itertools.product(FITS, DOORS)
    cases = [Case(fit, door, corpus, work / "never") for fit, door in pairs]
    share, rest = divmod(size or (QUICK_KILLS if quick else KILLS), len(cases))
    path = results_path(out, "kills", quick)
    before = {} if quick else read_results(path)
    rows = [before.get(str(case), _no_kills(case)) for case in cases]
    first: dict[str, dict[str, str]] = {}
    start = time.perf_counter()
    for number, (case, row) in enumerate(zip(cases, rows, strict=True)):
        n_kills = share + (number < rest)
        if case.fit not in fits or row.counts["kills"] >= n_kills or row.failures:
            continue
        whole = case.never_disturbed()
        apart = differences(first.setdefault(case.fit, whole), whole)
        row.expect(not apart, f"the two doors differ without a kill: {apart}")
        # Other moments than those of the run before.
        rng = random.Random(f"{seed} {case} {row.counts['kills']}")
        kill_runs(
            case, whole, n_kills, rng, row, shim,
            lambda: write_results(path, rows, time.perf_counter() - start),
        )  # fmt: skip
        shutil.rmtree(case.folder)
    serve_victims(None)
    shutil.rmtree(work)
    return rows


def _no_kills(case: Case) -> Row:
    return Row("kills", str(case), dict.fromkeys(("kills", ENDED), 0))


def kill_runs(
    case: Case,
    whole: dict[str, str],
    n_kills: int,
    rng: random.Random,
    row: Row,
    shim: Path,
    note: Callable[[], None],
) -> None:
    """Kill runs of a case until there were so many kills, and let each come to its end."""
    calm = case.elsewhere("calm").start().ended()  # how long it takes, and in how many steps
    if calm.code != 0:
        row.expect(False, f"a run that nobody killed ended with {calm.code}: {calm.stderr}")
        return
    while (left := n_kills - row.counts["kills"]) > 0 and not row.failures:
        run = case.elsewhere("killed")
        power = None
        if rng.random() < 0.5:
            power = Power(shim, run.folder.with_name("durable"), [run.checkpoint, run.model])
            power.settle()
        for _ in range(min(left, rng.randint(1, MOST_KILLS_OF_A_RUN))):
            ending = kill_once(run, calm, rng, power)
            if not ending.was_killed:
                row.expect(ending.code == 0, f"ended with {ending.code}: {ending.stderr}")
                break
            row.count("kills")
            row.count(where_it_was(run))
            if power is not None:
                cut_power(run, power, rng, row)
        last = run.start().ended()
        row.expect(last.code == 0, f"going on ended with {last.code}: {last.stderr}")
        # After a power cut it may say that it continues from the generation before.
        row.expect(not last.stderr or power is not None, f"going on said {last.stderr!r}")
        apart = differences(whole, contents(run.model)) if last.code == 0 else ["no model"]
        row.expect(not apart, f"ended with other {apart}")
        row.count(ENDED, 0 if apart else 1)
        if not row.failures:
            shutil.rmtree(run.folder)  # else it stays to be looked at
        note()
    shutil.rmtree(case.elsewhere("calm").folder)


def cut_power(run: Case, power: Power, rng: random.Random, row: Row) -> None:
    """Let the power fail: the last generation may be lost, those before it may not."""
    before = max(run.numbers("run"), default=0)
    n_lost = power.cut(rng, rng.choice(LUCK))
    row.count("power cuts")
    row.count("files lost or torn by them", n_lost)
    after = max(run.numbers("run"), default=0)
    row.expect(after >= before - 1, f"of {before} generations a power cut left {after}")


def kill_once(run: Case, calm: Ending, rng: random.Random, power: Power | None = None) -> Ending:
    """Kill a run in what is left of it, from outside or from inside."""
    durable = "" if power is None else str(power.durable)
    done = min(0.95, max(run.numbers("run"), default=0) / N_GENERATIONS)
    if rng.random() < 0.5:
        until = rng.choices(list(STEPS), list(STEPS.values()))[0]
        step = 1 + rng.randrange(max(1, round((1 - done) * calm.n_steps(until))))
        return run.start(Suffering(die_at_step=step, durable=durable)).ended()
    victim = run.start(Suffering(durable=durable))
    victim.wait_for("sweeping")
    return victim.killed(rng.uniform(0, (1 - done) * calm.seconds))


def where_it_was(run: Case) -> str:
    """Return what a killed process was at, by what it left."""
    left = list(run.checkpoint.glob("*"))
    runs, draws = (max(run.numbers(kind), default=0) for kind in ("run", "draws"))
    if "out_of_core" in FITS[run.fit]:
        return "between or while sweeps of shards were written"
    if runs == 0:
        return "before the first checkpoint"
    if draws > runs or any(path.suffix == ".part" for path in left):
        return "while a checkpoint was written"
    if any(path.suffix == ".part" for path in run.model.glob("*")):
        return "while the model was saved"
    return "between writes"


if __name__ == "__main__":
    run_alone("kills", __doc__, main, counted="kills", parts=("fits", tuple(FITS)))
