"""From texts to counts, by scikit-learn's CountVectorizer."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

from blocklda.corpus import Corpus
from blocklda.errors import InputError
from blocklda.text_settings import TextSettings

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import CountVectorizer

__all__ = ["count_texts", "vectorizer"]


def count_texts(
    texts: Iterable[str],
    settings: TextSettings | None = None,
    *,
    vocabulary: Iterable[str] | None = None,
    doc_names: Iterable[str] | None = None,
) -> Corpus:
    """Count the words of texts, which are taken one at a time.

    With a vocabulary no other words are counted, and document frequencies do not matter.
    ``doc_names`` is looked at after the last text, so it may be a list that grows with them.
    """
    settings = settings or TextSettings()
    counter = vectorizer(settings, vocabulary)
    try:
        with warnings.catch_warnings():
            # Stop words are left out as they are given; that some are not whole tokens is no harm.
            warnings.filterwarnings("ignore", "Your stop_words may be inconsistent", UserWarning)
            matrix = counter.fit_transform(texts)
    except InputError:
        raise
    except ValueError as error:
        raise _nothing_left(error, settings) from error
    words = counter.get_feature_names_out().tolist()
    return Corpus.from_matrix(matrix, words, doc_names=doc_names, text_settings=settings)


def vectorizer(settings: TextSettings, vocabulary: Iterable[str] | None = None) -> CountVectorizer:
    """Return the CountVectorizer that these settings describe."""
    # scikit-learn takes a while to import, and most formats do without.
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415

    return CountVectorizer(
        lowercase=settings.lowercase,
        token_pattern=settings.token_pattern,
        stop_words=_stop_words(settings),
        min_df=settings.min_df,
        max_df=settings.max_df,
        ngram_range=settings.ngrams,
        max_features=settings.max_words,
        vocabulary=None if vocabulary is None else tuple(vocabulary),
    )


def _stop_words(settings: TextSettings) -> str | list[str] | None:
    """Return the stop words as scikit-learn wants them."""
    if settings.stop_words == "none":
        return None
    return settings.stop_words if isinstance(settings.stop_words, str) else [*settings.stop_words]


def _nothing_left(error: ValueError, settings: TextSettings) -> InputError:
    """Say why no word is left; scikit-learn's own sentences tell the cases apart."""
    reason = str(error)
    if "empty vocabulary" in reason:
        return InputError(
            "no word is left to count: the texts are empty, or hold nothing but stop words "
            f"(stop_words={settings.stop_words!r:.40}) and what is no word to "
            f"token_pattern={settings.token_pattern!r}; change these settings."
        )
    if "no terms remain" in reason or "max_df corresponds to" in reason:
        return InputError(
            f"no word is left to count: min_df={settings.min_df} and max_df={settings.max_df} "
            "leave out all of them; lower min_df or raise max_df."
        )
    return InputError(f"the texts cannot be counted: {reason}")
