"""Coverage-guided: atheris keeps the inputs that reach new lines of blocklda, and breaks those.

It wants a process of its own, instruments blocklda while it is imported, and never returns:
``python -m torture.fuzz.guided FOLDER READER INPUTS SEED``.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import atheris

from torture.fuzz.mutations import MAX_BYTES

__all__ = ["main"]

_BETWEEN_NOTES = 500
_OURS = 0.5
"""Share of inputs that our mutations break; libFuzzer's own do the others."""


def main(folder: str, name: str, n_inputs: int, seed: int) -> None:
    """Feed one reader and end the process."""
    with atheris.instrument_imports(include=["blocklda"], enable_loader_override=False):
        from torture.fuzz.feeding import Feeder, limit_this_process  # noqa: PLC0415
        from torture.fuzz.readers import all_readers  # noqa: PLC0415
        from torture.fuzz.tally import Tally  # noqa: PLC0415
    reader = all_readers()[name]
    work = Path(folder)
    (work / "reader").mkdir()
    prepared = reader.prepare(work / "reader")
    prepared.read_seeds()
    corpus = work / "corpus"
    corpus.mkdir()
    for i, content in enumerate(prepared.seeds):
        (corpus / str(i)).write_bytes(content)
    (work / "input").symlink_to(prepared.path)  # for whoever finds this process dead
    tally = Tally(work, name)
    feeder = Feeder(prepared, tally)

    def one(data: bytes) -> None:
        feeder.feed(data)
        tally.guided += 1
        if tally.guided >= n_inputs:
            feeder.note()
            os._exit(0)  # libFuzzer would go on to count and print
        if tally.guided % _BETWEEN_NOTES == 0:
            feeder.note()

    def mutate(data: bytes, max_size: int, mutation_seed: int) -> bytes:
        rng = random.Random(mutation_seed)
        if rng.random() < _OURS:
            return reader.mutate(data, rng, prepared.seeds)[:max_size]
        return bytes(atheris.Mutate(data, max_size))

    limit_this_process()
    # Atheris measures time on the wall, and takes 0 for no time at all; the feeder has a limit.
    options = [
        sys.argv[0], str(corpus), f"-seed={seed + 1}", f"-max_len={MAX_BYTES}", "-verbosity=0",
        "-rss_limit_mb=0", "-timeout=3600", "-detect_leaks=0", f"-artifact_prefix={work}/",
    ]  # fmt: skip
    atheris.Setup(options, one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
