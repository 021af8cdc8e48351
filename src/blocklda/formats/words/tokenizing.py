"""From a document to its words: by a pattern, by a user's function, or as they came."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from blocklda.data.text_settings import TextSettings
from blocklda.formats.words.pattern_limit import find_in_time
from blocklda.support.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

__all__ = ["require_tokenizer", "tokenizer_of", "vectorizer"]

Tokenize = Callable[[Any], list[str]]


def vectorizer(settings: TextSettings, vocabulary: Iterable[str] | None = None) -> CountVectorizer:
    """Return the CountVectorizer that these settings describe."""
    # scikit-learn takes a while to import, and most formats do without.
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415

    tokenize = _of_prepared(settings)
    return CountVectorizer(
        preprocessor=_as_it_is if settings.has_tokens else settings.prepared,
        tokenizer=tokenize,
        token_pattern=settings.token_pattern if tokenize is None else None,
        stop_words=_stop_words(settings),
        min_df=settings.min_df,
        max_df=settings.max_df,
        ngram_range=settings.ngrams,
        max_features=settings.max_words,
        vocabulary=None if vocabulary is None else tuple(vocabulary),
    )


def tokenizer_of(settings: TextSettings) -> Tokenize:
    """Return what makes words of a document: a text, or a list of words."""
    counter = vectorizer(settings)
    prepare, tokenize = counter.build_preprocessor(), counter.build_tokenizer()
    return lambda document: tokenize(prepare(document))


def require_tokenizer(settings: TextSettings, place: str) -> None:
    """Refuse texts that were cut by a function which is not here."""
    if settings.tokenizer is None or settings.has_tokens or settings.function is not None:
        return
    raise InputError.of(
        "{place}the texts of this corpus or model were split into words by {name}, a function "
        "that is not saved: [pass it again as {tokenizer=}, for example to LDA.load]."
    ).where(place=place, name=settings.tokenizer)


def _of_prepared(settings: TextSettings) -> Tokenize | None:
    """Return what makes words of a text, None for the pattern of the settings itself."""
    if settings.has_tokens:
        return lambda tokens: [settings.prepared(token) for token in _listed(tokens)]
    function = settings.function
    if function is None:
        return find_in_time(settings.token_pattern)
    return lambda text: _checked(function(text), settings.tokenizer)


def _listed(tokens: Any) -> Iterable[str]:
    """Return the words of a document; a text has them between spaces."""
    return tokens.split() if isinstance(tokens, str) else tokens


def _checked(tokens: Any, name: str | None) -> list[str]:
    """Return the words that a user's function found."""
    if isinstance(tokens, str | bytes) or not isinstance(tokens, Iterable):
        raise InputTypeError.of(
            "{tokenizer=!s} returned a {kind}: [let it return <a list of strings>]."
        ).where(tokenizer=name, kind=type(tokens).__name__)
    words = list(tokens)
    for word in words:
        if not isinstance(word, str):
            raise InputTypeError.of(
                "{tokenizer=!s} returned {word!r:.40}, a {kind}, among the words: [let it return "
                "<a list of strings>, for example word.text for spaCy's tokens]."
            ).where(tokenizer=name, word=word, kind=type(word).__name__)
    return words


def _as_it_is(document: Any) -> Any:
    return document


def _stop_words(settings: TextSettings) -> str | list[str] | None:
    """Return the stop words as scikit-learn wants them."""
    if settings.stop_words == "none":
        return None
    return settings.stop_words if isinstance(settings.stop_words, str) else [*settings.stop_words]
