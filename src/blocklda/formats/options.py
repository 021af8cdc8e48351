"""The options of readers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from blocklda.data.text_settings import TOKENS, TextSettings
from blocklda.support.errors import InputError

if TYPE_CHECKING:
    from blocklda.data.corpus import Corpus

__all__ = ["ReadOptions"]


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The options of readers; None where an option was not given.

    Every format takes a vocabulary; which of the others it looks at, its ``OPTIONS`` say.

    Attributes
    ----------
    vocabulary
        The words, one per column. Where texts are read, the only words that are counted.
    text
        How texts become words.
    text_column, id_column, group_column
        The columns of a table that hold the texts, the names of the documents and what to group
        them by. A corpus has no groups: they are for callers that need the documents themselves.
    tokens_column
        The column that holds lists of words, instead of one of texts.
    encoding
        The encoding of a text file; UTF-8 if nothing is said.
    delimiter, quote, has_header
        How a table of text is written: what is between fields, what is around a field that holds
        such a thing ("none" for nothing), and True if its first row names the columns.
    transpose
        True for a matrix of words × documents.
    layer
        Where an AnnData file has its counts, if not in X.
    text_columns
        Of several files, the column of texts that each was found to have.
    warn_of_unknown
        Whether to say how many words of texts the vocabulary does not have: it is a model's then,
        and nobody chose it for these texts.
    """

    vocabulary: Iterable[str] | None = None
    text: TextSettings | None = None
    text_column: str | None = None
    id_column: str | None = None
    group_column: str | None = None
    tokens_column: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    has_header: bool | None = None
    transpose: bool | None = None
    layer: str | None = None
    text_columns: dict[str, str] = field(default_factory=dict, compare=False)
    warn_of_unknown: bool = False

    def given(self) -> list[str]:
        """Return the names of the options that were given, the vocabulary apart."""
        columns = ("text_column", "id_column", "group_column", "tokens_column")
        of_tables = ("encoding", "delimiter", "quote", "has_header")
        names = ("text", *columns, *of_tables, "transpose", "layer")
        return [name for name in names if getattr(self, name) is not None]

    def as_like(self, like: Corpus, place: str) -> ReadOptions:
        """Return options that count the words of ``like``; ``place`` is where the texts are."""
        if like.vocabulary is None:
            raise InputError(
                f"{place}: these are texts, but the corpus or model has no vocabulary to count "
                "them with: count the texts yourself, in the same columns."
            )
        if self.vocabulary is not None:
            raise InputError.of(
                "{place}: only words of the corpus or model are counted in these texts: [leave "
                "{vocabulary=} out]."
            ).where(place=place, parameter="vocabulary")
        text = self._text_like(like.text_settings, place)
        return replace(self, vocabulary=like.vocabulary, text=text, warn_of_unknown=True)

    def _text_like(self, of_like: TextSettings | None, place: str) -> TextSettings | None:
        """Return the settings of the other corpus; the function it was cut by may be given again.

        Lists of words need no cutting, whatever the other corpus was made of.
        """
        given = self.text
        if of_like is None:
            return given
        if given == TextSettings.of_tokens({}):
            return replace(of_like, tokenizer=TOKENS, function=None)
        if of_like.has_tokens:
            raise InputError.of(
                "{place}: the documents of this corpus or model were lists of words, but these "
                "are texts: [split them in the same way and give the lists, with "
                "Corpus.from_tokens or {tokens_column=}]."
            ).where(place=place)
        if given is None:
            return of_like
        is_function = given.function is not None and of_like.tokenizer is not None
        if is_function and given == replace(TextSettings(), tokenizer=given.tokenizer):
            return replace(of_like, tokenizer=given.tokenizer, function=given.function)
        raise InputError(
            f"{place}: these texts are counted with the settings of the corpus or model: leave the "
            "text settings out."
        )
