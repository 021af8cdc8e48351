"""Names that people give to topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["checked_labels", "topic_names"]

LONGEST = 200
"""Characters of a label; what is longer is a description."""


def checked_labels(labels: Any, n_topics: int) -> dict[int, str]:
    """Return labels by the number of their topic, all different; or say what is wrong with them."""
    if not isinstance(labels, Mapping):
        raise InputError.of(
            "{labels=} is not a mapping: [give <a dictionary from topics to labels, such as "
            '{{7: "text encoding"}}>].'
        ).where(labels=labels)
    checked: dict[int, str] = {}
    for topic, label in labels.items():
        # JSON has no keys but texts, and the report saves labels as JSON.
        given = int(topic) if isinstance(topic, str) and topic.isdecimal() else topic
        k = whole_number("a topic of labels", given, 0, n_topics - 1)
        if not isinstance(label, str) or not label.strip() or len(label) > LONGEST:
            raise InputError(
                f"the label of topic {k} is {label!r:.80}: give a text of 1 to {LONGEST} "
                "characters."
            )
        checked[k] = " ".join(label.split())
    _require_different(checked, n_topics)
    return dict(sorted(checked.items()))


def _require_different(labels: Mapping[int, str], n_topics: int) -> None:
    """Refuse labels that two topics would share: columns of frames are called by them."""
    seen: dict[str, int] = {}
    for k, name in enumerate(topic_names(labels, n_topics)):
        if name in seen:
            raise InputError(
                f"topics {seen[name]} and {k} would both be called {name!r:.80}: give each topic "
                "its own label, or merge them with merged()."
            )
        seen[name] = k


def topic_names(labels: Mapping[int, str], n_topics: int) -> list[str]:
    """Return the label of each topic, ``topic_3`` for one without."""
    return [labels.get(k, f"topic_{k}") for k in range(n_topics)]
