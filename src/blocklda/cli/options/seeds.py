"""A file of seed words as parameters of the estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blocklda.formats.seed_file import SeedFile
from blocklda.support import defaults
from blocklda.support.errors import InputError

__all__ = ["seed_settings"]


def seed_settings(seeds: SeedFile, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return seed words, and α with one number per topic if the file gives some topics their own.

    Topics without an α of their own have that of ``--alpha``, or 0.1.
    """
    n_topics, alpha = settings["n_topics"], settings["alpha"]
    if len(seeds.labels) > n_topics:
        raise InputError.of(
            "the file of seed words has {n_given} topics, but {n_topics=}: [give <at least "
            "{n_given}> topics]."
        ).where(n_given=len(seeds.labels), n_topics=n_topics)
    found: dict[str, Any] = {"seed_words": seeds.words} if seeds.words else {}
    if seeds.alphas:
        base = alpha if isinstance(alpha, float) else defaults.GIVEN_ALPHA
        found["alpha"] = [seeds.alphas.get(k, base) for k in range(n_topics)]
    return found
