"""Files damaged between a kill and going on, and models damaged between saving and loading.

Whatever is done to a file, the result is what it would have been, or one sentence names what is
damaged; where there is a checkpoint before it, that one is used.
"""

from __future__ import annotations

import random
import shutil
import time
import warnings
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import blocklda
from blocklda.support.errors import FileFormatError
from torture.cases import Case
from torture.fits import N_GENERATIONS, contents_of, differences, make
from torture.results import Row
from torture.victim import Suffering

Damage = Callable[[Case, random.Random], object]


def flip_a_bit(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    bit = rng.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def cut(path: Path, rng: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(len(content))])


def newest(case: Case, kind: str) -> Path:
    return case.checkpoint / f"{kind}-{case.numbers(kind)[-1]:06d}.npz"


def flip_anywhere(case: Case, rng: random.Random) -> None:
    flip_a_bit(rng.choice(sorted(case.checkpoint.glob("*.npz"))), rng)


def cut_all(case: Case, rng: random.Random) -> None:
    for path in case.checkpoint.glob("run-*.npz"):
        cut(path, rng)


def remove_draws_that_all_need(case: Case, rng: random.Random) -> None:
    oldest = case.numbers("run")[0]
    needed = [number for number in case.numbers("draws") if number <= oldest]
    (case.checkpoint / f"draws-{rng.choice(needed):06d}.npz").unlink()


CHECKPOINT_DAMAGE: dict[str, tuple[Damage, int, int, set[str]]] = {
    # What is done; how often in long and in quick form; what may come of it.
    "one bit of a checkpoint flipped": (
        flip_anywhere,
        300,
        12,
        {"went on unharmed", "went on from the one before", "refused in a sentence"},
    ),
    "the newest run file cut short": (
        lambda case, rng: cut(newest(case, "run"), rng),
        40,
        3,
        {"went on from the one before"},
    ),
    "the newest run file gone": (
        lambda case, _: newest(case, "run").unlink(),
        1,
        1,
        {"went on unharmed"},
    ),
    "all run files cut short": (cut_all, 20, 2, {"refused in a sentence"}),
    "the newest file of draws gone": (
        lambda case, _: newest(case, "draws").unlink(),
        1,
        1,
        {"went on from the one before"},
    ),
    "a file of draws gone that every generation needs": (
        remove_draws_that_all_need,
        4,
        1,
        {"refused in a sentence"},
    ),
}


def damaged_checkpoints(case: Case, quick: bool, rng: random.Random) -> list[Row]:
    """Kill a run, damage a copy of what it left, go on; again and again."""
    killed, copy = case.elsewhere("killed"), case.elsewhere("copy")
    victim = killed.start(
        Suffering(pause_at=N_GENERATIONS * 2 // 3)
    )  # some files of draws are there
    victim.wait_for("paused")
    victim.killed()
    corpus = blocklda.read_corpus(case.corpus)
    whole = contents_of(blocklda.LDA.load(case.model))
    rows = []
    for name, (damage, often, seldom, allowed) in CHECKPOINT_DAMAGE.items():
        row = Row("faults", name)
        for _ in range(seldom if quick else often):
            shutil.rmtree(copy.folder, ignore_errors=True)
            shutil.copytree(killed.folder, copy.folder)
            damage(copy, rng)
            outcome = going_on(copy, corpus, whole, row)
            row.count(outcome)
            row.expect(outcome in allowed, f"it {outcome}")
        rows.append(row)
    shutil.rmtree(copy.folder)
    shutil.rmtree(killed.folder)
    return rows


def going_on(case: Case, corpus: blocklda.Corpus, whole: dict[str, str], row: Row) -> str:
    """Go on with a damaged checkpoint; return what came of it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            # One checkpoint at the end: what is tested is reading.
            lda = make(case.fit).fit(corpus, checkpoint=case.checkpoint, every=10**6)
        except FileFormatError as error:
            row.expect(str(case.checkpoint) in str(error), f"it does not say where: {error}")
            return "refused in a sentence"
        except Exception as error:
            return f"raised {error!r}"
    apart = differences(whole, contents_of(lda))
    row.expect(not apart, f"wrong results: {apart}")
    if any("The previous checkpoint is used" in str(one.message) for one in said):
        return "went on from the one before"
    row.expect(not said, f"it said {[str(one.message) for one in said]}")
    return "went on unharmed"


def damaged_models(model: Path, quick: bool, rng: random.Random) -> Row:
    """Flip bits of a model's files, one at a time, and load it."""
    row = Row("faults", "one bit of a model flipped")
    lda = blocklda.LDA.load(model)
    whole, parameters = contents_of(lda), lda.get_params()
    paths = sorted(path for path in model.iterdir() if path.name != "lock")
    for _ in range(40 if quick else 1000):
        path = rng.choice(paths)
        content = path.read_bytes()
        flip_a_bit(path, rng)
        try:
            lda = blocklda.LDA.load(model)
        except FileFormatError as error:
            row.count("refused in a sentence")
            row.expect(str(model) in str(error), f"it does not say where: {error}")
        except Exception as error:
            row.expect(False, f"it raised {error!r}")
        else:
            row.count("loaded unharmed")
            is_same = contents_of(lda) == whole and lda.get_params() == parameters
            row.expect(is_same, f"a flipped bit of {path.name} went unnoticed")
        path.write_bytes(content)
    return row


def save_again_and_again(sources: list[str], target: str) -> None:
    models = [blocklda.LDA.load(source) for source in sources]
    while True:
        for lda in models:
            lda.save(target)
            time.sleep(0.02)


def loads_while_saving(model: Path, folder: Path, quick: bool) -> Row:
    """Load a model that another process replaces all the time by one or the other."""
    row = Row("faults", "a model loaded while it is replaced")
    lda = blocklda.LDA.load(model)
    longer = lda.n_sweeps + 2 * lda.thin
    shutil.copytree(model, folder / "one")
    lda.set_params(warm_start=True, n_sweeps=longer).fit(lda.result_.corpus).save(folder / "other")
    both = [folder / "one", folder / "other"]
    wholes = [contents_of(blocklda.LDA.load(path)) for path in both]
    target = folder / "target"
    shutil.copytree(model, target)
    saver = get_context("forkserver").Process(
        target=save_again_and_again, args=([str(path) for path in both], str(target)), daemon=True
    )
    saver.start()
    try:
        for _ in range(10 if quick else 200):
            try:
                found = contents_of(blocklda.LDA.load(target))
            except FileFormatError as error:
                row.expect(False, f"refused: {error}")
                continue
            row.count("loads of one or the other")
            row.expect(found in wholes, "a mixture of two models was loaded")
    finally:
        saver.kill()
        saver.join()
    return row
