"""Every reader fed with a few broken files; `python -m torture.fuzz` feeds them with many more."""

from __future__ import annotations

import os
import random
import signal
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blocklda.support import memory
from blocklda.support.errors import BlockldaError
from torture.fuzz.plain import feed_plainly
from torture.fuzz.readers import Prepared, Reader, all_readers
from torture.fuzz.sanity import InsaneError
from torture.fuzz.tally import Tally

READERS = all_readers()
# C libraries that read everything themselves may end the process: they are fed in one of their own.
FED_HERE = [name for name, reader in READERS.items() if not reader.library]

FEW_MIB = 2**25


@pytest.fixture(scope="module", params=FED_HERE)
def fed(request, tmp_path_factory) -> Iterator[tuple[str, Prepared]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the corpus has an empty document
        yield request.param, READERS[request.param].prepare(tmp_path_factory.mktemp("reader"))


def test_seeds_are_read(fed) -> None:
    _, prepared = fed
    prepared.read_seeds()


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(number=st.integers(0, 2**64 - 1))
def test_broken_files_are_refused_or_read_as_something_sane(fed, number: int) -> None:
    name, prepared = fed
    rng = random.Random(number)
    data = READERS[name].mutate(rng.choice(prepared.seeds), rng, prepared.seeds)
    prepared.path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "available_bytes", lambda: FEW_MIB)
        try:
            prepared.read()
        except BlockldaError as error:
            assert str(error)  # noqa: PT017  # that it is one of ours is what is tested


def test_the_second_look_sees_what_cannot_be(tmp_path: Path) -> None:
    prepared = READERS["uci"].prepare(tmp_path)
    prepared.path.write_bytes(b"1\n1\n1\n1 1 1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("torture.fuzz.sanity.MAX_TOKENS", 0)
        with pytest.raises(InsaneError, match="tokens add up"):
            prepared.read()


def test_nothing_is_fed_again_after_a_process_that_died(tmp_path: Path) -> None:
    """A process that dies between two notes has fed inputs that count."""
    fed, notes = tmp_path / "fed", tmp_path / "notes"
    notes.mkdir()

    def prepare(folder: Path) -> Prepared:
        path = folder / "input"

        def read() -> None:
            with fed.open("ab") as file:
                file.write(b".")
            if path.read_bytes() == b"\x07":
                os.kill(os.getpid(), signal.SIGKILL)

        return Prepared(path, (b"\x00",), read)

    def random_byte(_data: bytes, rng: random.Random, _others: Sequence[bytes]) -> bytes:
        return bytes([rng.randrange(20)])

    tally = feed_plainly(Reader(prepare, random_byte), Tally(notes, "bytes"), 100, seed=1)
    assert tally.died > 0
    assert tally.plain == tally.read + tally.died == 100
    assert len(fed.read_bytes()) == 100 + 1  # the seed was read before
