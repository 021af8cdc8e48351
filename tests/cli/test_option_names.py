"""Messages of the library in the words of the command line; help and completion."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from blocklda.cli import app
from blocklda.cli.terminal.option_names import in_options, worded
from blocklda.formats import TEXT_FORMATS
from blocklda.support.errors import InputError
from blocklda.support.messages import Given, Mention, Message, Part, Setting
from tests.cli.terminal import run

GROUP = typer.main.get_command(app)
COMMANDS = sorted(GROUP.commands)


OPTIONS = [
    (command, option)
    for command in COMMANDS
    for option in GROUP.commands[command].params
    if option.param_type_name == "option" and option.name != "help"
]


def said(*parts: Part, command: str = "fit") -> str:
    return worded(Message(*parts), GROUP.options_of(command))


@pytest.mark.parametrize(
    ("parts", "python", "option"),
    [
        ((Given("n_topics", 0), " is not allowed"), "n_topics=0 is not", "--topics 0 is not"),
        ((Given("sampler", "magic"), " is"), "sampler='magic' is", "--sampler 'magic' is"),
        (("use ", Setting("n_chains", 4), "."), "use n_chains=4.", "use --chains 4."),
        (("use ", Setting("n_components", 3), "."), "use n_components=3.", "use --topics 3."),
        ((Given("alpha", -1.5), ": more"), "alpha=-1.5: more", "--alpha -1.5: more"),
        ((Setting("keep_draws", True),), "keep_draws=True", "--draws"),
        ((Setting("keep_draws", False),), "keep_draws=False", "--no-draws"),
        (
            ("try ", Setting("allow_memory_overcommit", True), "."),
            "try allow_memory_overcommit=True.",
            "try --allow-memory-overcommit.",
        ),
        (("with ", Setting("format"), ", one"), "with format=, one", "with --format, one"),
        ((Message.of("longer {burn_in}."),), "longer burn_in.", "longer --burn-in."),
        ((Given("random_state", [1, 2]), ";"), "random_state=[1, 2];", "--seed [1, 2];"),
        ((Given("output", Path("a/beta=2")),), "output='a/beta=2'", "--output 'a/beta=2'"),
        ((Given("my_alpha", 3),), "my_alpha=3", "my_alpha=3"),
        ((Message.of("see {unstable_topics}"),), "see unstable_topics", "see blocklda topics"),
    ],
)
def test_parameters_become_options(parts, python, option):
    assert python in Message(*parts)
    assert option in said(*parts)


@pytest.mark.parametrize(
    "text", ["n_topics=0 of alpha=1", "/runs/seed=1/thin=2.csv: empty", "set keep_draws=True"]
)
def test_plain_text_is_never_searched_for_parameters(text):
    assert said(text) == text


@pytest.mark.parametrize(
    ("command", "option"), OPTIONS, ids=[f"{command}-{option.name}" for command, option in OPTIONS]
)
def test_every_parameter_of_every_command_has_both_wordings(command, option):
    name = option.name
    longest = max(option.opts, key=len)
    error = InputError(Given(name, 7), " or ", Setting(name), " or ", Mention(name, None))
    assert str(error) == f"{name}=7 or {name}= or {name}"
    assert said(error.message, command=command) == f"{longest} 7 or {longest} or {longest}"
    flag = f"{longest} True" if not option.is_flag else longest
    assert said(Setting(name, True), command=command) == flag
    if option.secondary_opts:
        assert said(Setting(name, False), command=command) == max(option.secondary_opts, key=len)


def test_a_commands_own_options_come_first():
    assert said(Given("n_draws", 0), command="transform") == "--draws 0"
    both = (Given("n_draws", 0), " of ", Given("n_topics", 2))
    assert said(*both, command="topics") == "--draws 0 of --topics 2"


def test_outside_of_a_command_the_wording_is_pythons():
    assert in_options(Message("use ", Setting("n_chains", 4))) == "use n_chains=4"


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
    refused = run("demo", "--docs", "four").stderr
    assert "--docs" in refused
    assert "'four'" in refused
    assert "Input should be" not in refused
    choice = run("topics", "model", "--sort", "colour").stderr
    assert "'colour' is not one of 'size', 'number'" in choice
    assert "Value error" not in choice


@pytest.mark.parametrize("command", ["fit", "topics", "report", "transform", "evaluate", "convert"])
def test_examples_use_options_that_there_are(command):
    known = {name for option in GROUP.commands[command].params for name in option.opts}
    for line in GROUP.commands[command].epilog.splitlines():
        used = [word for word in line.split() if word.startswith("-")]
        assert set(used) <= known


def completed(line: str) -> set[str]:
    """Return what a shell is answered, which asks by variables of the environment."""
    position = str(len(line.split(" ")) - 1)
    question = {"COMP_WORDS": line, "COMP_CWORD": position}
    runner = CliRunner(env={"_BLOCKLDA_COMPLETE": "complete_bash", **question})
    return set(runner.invoke(app, [], prog_name="blocklda").stdout.split())


def test_the_shell_completes_commands_options_and_names():
    assert completed("blocklda t") == {"topics", "transform"}
    assert completed("blocklda fit --sampler sp") == {"sparse", "sparse-single-site"}
    assert "uci" in completed("blocklda convert --format ")
    assert completed("blocklda report --format ") == {"auto", *TEXT_FORMATS}
    assert completed("blocklda fit --learn-al") == {"--learn-alpha"}


def test_the_script_for_a_shell():
    script = subprocess.run(
        [sys.executable, "-c", "from blocklda.cli import main; main()"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "_BLOCKLDA_COMPLETE": "source_bash"},
    )
    assert "_BLOCKLDA_COMPLETE=complete_bash" in script.stdout
    assert "--show-completion" in run("--help").stdout
