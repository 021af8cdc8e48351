"""Messages: what they say, what they mention, and what they are made of."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from blocklda.support.messages import (
    MOST_SENT,
    Allowed,
    Given,
    Message,
    Pointer,
    Remedy,
    Setting,
)


def sent(message):
    return pickle.loads(pickle.dumps(message))  # noqa: S301


def shouted(mention):
    return mention.parameter.upper()


SENTENCE = Message.of(
    "a.csv: {n_topics=} is not allowed{more}: [give {choices}, or {format=}]."
).where(
    n_topics=0,
    more=Pointer(Message.of(" (see {burn_in})")),
    choices=Allowed("1 or 2", choices=(1, 2)),
)


def test_a_message_is_the_string_of_its_parts():
    assert isinstance(SENTENCE, str)
    assert SENTENCE == "a.csv: n_topics=0 is not allowed (see burn_in): give 1 or 2, or format=."
    assert f"{SENTENCE}" == str(SENTENCE)
    assert type(str(SENTENCE)) is str


def test_mentions_are_worded_wherever_they_stand():
    said = "a.csv: N_TOPICS is not allowed (see BURN_IN): give 1 or 2, or FORMAT."
    assert SENTENCE.worded(shouted) == said


def test_messages_within_messages_keep_their_mentions():
    both = Message.joined(" ", [Message("More: ", SENTENCE), Message.of("{thin}.")])
    assert both.worded(shouted).startswith("More: a.csv: N_TOPICS is")
    assert both.worded(shouted).endswith("FORMAT. THIN.")
    assert [mention.parameter for mention in both.mentions()] == [
        "n_topics",
        "burn_in",
        "format",
        "thin",
    ]


def test_parameters_can_be_renamed():
    renamed = SENTENCE.renamed({"format": "to"})
    assert renamed.endswith("or to=.")
    assert renamed.worded(shouted).endswith("or TO.")
    assert SENTENCE.endswith("or format=.")


def test_passages_are_found_and_left_out():
    assert str(SENTENCE.passage(Remedy)) == "give 1 or 2, or format="
    assert SENTENCE.passage(Allowed).choices == (1, 2)
    assert SENTENCE.without(Pointer) == "a.csv: n_topics=0 is not allowed: give 1 or 2, or format=."
    assert Message("plain").passage(Remedy) is None


def test_a_sentence_becomes_a_clause():
    assert Message(SENTENCE.clause(), "; next.").endswith("or format=; next.")
    assert Message("Stop.").clause() == "Stop"
    assert Message("no stop").clause() == "no stop"
    assert Message().clause() == ""


@pytest.mark.parametrize(
    ("mention", "said"),
    [
        (Given("thin", 4), "thin=4"),
        (Given("init", "x" * 200), f"init='{'x' * 79}"),
        (Given("output", Path("x" * 200)), f"output='{'x' * 200}'"),
        (Given("alpha", [0.5], shown="[…]"), "alpha=[…]"),
        (Setting("format"), "format="),
        (Setting("keep_draws", False), "keep_draws=False"),
        (Setting("encoding", "utf-16", shown='"utf-16"'), 'encoding="utf-16"'),
    ],
)
def test_mentions_as_python_writes_them(mention, said):
    assert Message(mention) == said


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, sent])
def test_messages_are_copied_and_sent_with_their_parts(copied):
    other = copied(SENTENCE)
    assert type(other) is Message
    assert other == SENTENCE
    assert other.worded(shouted) == SENTENCE.worded(shouted)
    assert other.passage(Allowed).choices == (1, 2)
    assert next(other.mentions()).value == 0


@pytest.mark.parametrize("value", [lambda draw: None, bytes(MOST_SENT + 1)])
def test_a_value_that_cannot_be_sent_is_sent_as_it_is_shown(value):
    message = Message.of("{callback=} cannot be called.").where(callback=value)
    (mention,) = sent(message).mentions()
    assert mention.value == f"{value!r:.80}"
