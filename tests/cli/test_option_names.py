"""Messages of the library in the words of the command line; help and completion."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings

import pytest
import typer

from blocklda.cli import app
from blocklda.cli.terminal.option_names import in_options, translated
from blocklda.formats import TEXT_FORMATS
from tests.cli.terminal import run

GROUP = typer.main.get_command(app)
COMMANDS = sorted(GROUP.commands)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("n_topics=0 is not allowed", "--topics 0 is not allowed"),
        ("sampler='magic' is unknown", "--sampler 'magic' is unknown"),
        ("use n_chains=4.", "use --chains 4."),
        ("alpha=-1.5: give more", "--alpha -1.5: give more"),
        ("set keep_draws=True, or keep_draws=False", "set --draws, or --no-draws"),
        ("try allow_memory_overcommit=True.", "try --allow-memory-overcommit."),
        ("name it with format=, one of", "name it with --format, one of"),
        ("(larger thin, fewer n_sweeps)", "(larger thin, fewer --sweeps)"),
        ("with a longer burn_in.", "with a longer --burn-in."),
        ("random_state=[1, 2] and thin=3;", "--seed [1, 2] and --thin 3;"),
        ("my_alpha=3, pre-alpha=3, n_topics_=3", "my_alpha=3, pre-alpha=3, n_topics_=3"),
        ("the alpha of a topic", "the alpha of a topic"),
        ("/runs/seed=1/thin=2.csv: empty", "/runs/seed=1/thin=2.csv: empty"),
        ("alpha=1/x and n_topics/x; beta=1.", "alpha=1/x and n_topics/x; --beta 1."),
        ("output='beta=2' is a file", "--output 'beta=2' is a file"),
        ("Java's -Dfile.encoding=UTF-8.", "Java's -Dfile.encoding=UTF-8."),
    ],
)
def test_parameters_become_options(message, said):
    assert translated(message, GROUP.options_of("fit")) == said


def test_a_commands_own_options_come_first():
    assert translated("n_draws=0", GROUP.options_of("transform")) == "--draws 0"
    assert translated("n_draws=0 of n_topics=2", GROUP.options_of("topics")) == (
        "--draws 0 of --topics 2"
    )


def test_outside_of_a_command_nothing_is_translated():
    assert in_options("use n_chains=4") == "use n_chains=4"


def test_the_filters_of_warnings_are_as_they_were():
    before, shown = list(warnings.filters), warnings.showwarning
    assert run("demo", "--docs", "5", "--sweeps", "2").exit_code == 0
    assert (warnings.filters, warnings.showwarning) == (before, shown)


@pytest.mark.parametrize("command", ["fit", "topics", "report", "transform", "evaluate", "convert"])
def test_help_ends_with_examples(command):
    done = run(command, "-h", columns=100)
    assert done.exit_code == 0
    _, examples = done.stdout.split("Examples")
    assert f"blocklda {command} " in examples
    assert max(map(len, done.stdout.splitlines())) <= 100


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_shows_what_options_take(command):
    shown = run(*([command] if command else []), "-h", columns=100).stdout
    for name in ("<bool>", "BOOLEAN", "range", "<int>", "INTEGER", "<float>", "FLOAT"):
        assert name not in shown
    if command in ("fit", "compare", "demo"):
        assert re.search(r"--topics +-k +K ", shown)
        assert re.search(r"--seed +N ", shown)


def test_unreadable_numbers_are_named_with_what_is_allowed():
    said = run("demo", "--docs", "four").stderr
    assert "--docs" in said
    assert "'four'" in said
    assert "Input should be" not in said
    choice = run("topics", "model", "--sort", "colour").stderr
    assert "'colour' is not one of 'size', 'number'" in choice
    assert "Value error" not in choice


@pytest.mark.parametrize("command", ["fit", "topics", "report", "transform", "evaluate", "convert"])
def test_examples_use_options_that_there_are(command):
    known = {name for option in GROUP.commands[command].params for name in option.opts}
    for line in GROUP.commands[command].epilog.splitlines():
        used = [word for word in line.split() if word.startswith("-")]
        assert set(used) <= known


def asked_by_a_shell(**question: str) -> str:
    """Return what a shell is answered, which asks by variables of the environment."""
    done = subprocess.run(
        [sys.executable, "-c", "from blocklda.cli import main; main()"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **question},
    )
    return done.stdout


def completed(line: str) -> set[str]:
    position = str(len(line.split(" ")) - 1)
    answer = asked_by_a_shell(
        _BLOCKLDA_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=position
    )
    return set(answer.split())


def test_the_shell_completes_commands_options_and_names():
    assert completed("blocklda t") == {"topics", "transform"}
    assert completed("blocklda fit --sampler sp") == {"sparse", "sparse-single-site"}
    assert "uci" in completed("blocklda convert --format ")
    assert completed("blocklda report --format ") == {"auto", *TEXT_FORMATS}
    assert completed("blocklda fit --learn-al") == {"--learn-alpha"}


def test_the_script_for_a_shell():
    script = asked_by_a_shell(_BLOCKLDA_COMPLETE="source_bash")
    assert "_BLOCKLDA_COMPLETE=complete_bash" in script
    assert "--show-completion" in run("--help").stdout
