"""Where output cannot go: full disks, closed pipes, terminals without a width."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import run

ARGUMENTS = ["demo", "--docs", "40", "--sweeps", "10"]
DEMO = [sys.executable, "-m", "blocklda", *ARGUMENTS]
full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="only Linux has a device that is always full"
)
posix_shell = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


@full_device
@pytest.mark.parametrize("how", [[], ["--json"]])
def test_a_full_disk_gets_one_line(how: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*DEMO, *how], stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120
        )
    assert done.returncode == 2
    assert done.stderr == (
        "blocklda: cannot write the output: No space left on device. "
        "Free some space, or write elsewhere.\n"
    )


@posix_shell
@pytest.mark.parametrize("how", [[], ["--json"]])
def test_a_reader_that_has_seen_enough_ends_it_quietly(how: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*DEMO, *how],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@posix_shell
def test_without_stdout_it_runs_all_the_same() -> None:
    command = 'exec "$@" >&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command, "sh", *DEMO], capture_output=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("columns", [0, 7])
def test_a_width_that_cannot_be_is_not_believed(columns: int) -> None:
    shown = run(*ARGUMENTS, columns=columns).stdout
    assert "log posterior" in shown
    assert "held-out perplexity" in shown


def test_a_width_that_cannot_be_does_not_hide_the_help() -> None:
    assert "--sweeps" in run("demo", "--help", columns=0).stdout


@posix_shell
def test_a_table_on_a_terminal_has_no_control_characters_of_texts() -> None:
    """Through a pipe it has them: they are data there."""
    code = (
        "from blocklda.cli.terminal.output import result_bytes\n"
        "with result_bytes() as file:\n"
        "    file.write('\\x1b]52;c;aGk=\\x07,\\x9b2J\\n'.encode())\n"
    )
    import pty  # noqa: PLC0415  # there is none on Windows

    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", code], stdout=theirs, check=True, timeout=120)
    assert os.read(ours, 200).decode() == "\ufffd]52;c;aGk=\ufffd,\ufffd2J\r\n"
    os.close(ours)
    os.close(theirs)
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert piped.stdout.decode() == "\x1b]52;c;aGk=\x07,\x9b2J\n"
