"""New texts counted as those of another corpus were."""

from __future__ import annotations

from dataclasses import replace

from blocklda.data.corpus import Corpus
from blocklda.formats.options import ReadOptions
from blocklda.support.errors import InputError
from blocklda.support.messages import Remedy, Setting

__all__ = ["told_like"]


def told_like(options: ReadOptions, like: Corpus, place: str) -> ReadOptions:
    """Return options that count the words of ``like``; ``place`` is where the texts are."""
    if like.vocabulary is None:
        raise InputError(
            f"{place}: these are texts, but the words of the corpus or model they are to be "
            "counted for have no names: count the texts yourself, in the same columns."
        )
    if options.vocabulary is not None:
        raise InputError(
            f"{place}: of these texts the words of the corpus or model are counted and no others: ",
            Remedy("leave ", Setting("vocabulary"), " out"),
            ".",
            parameter="vocabulary",
        )
    if like.text_settings is not None and options.text is not None:
        raise InputError(
            f"{place}: these texts are counted as those of the corpus or model were: leave the "
            "text settings out."
        )
    text = options.text or like.text_settings
    return replace(options, vocabulary=like.vocabulary, text=text, warn_of_unknown=True)
