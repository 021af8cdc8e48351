"""An input that is shown beside a model: it must have the documents that were fitted."""

from __future__ import annotations

from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats.texts import Texts
from blocklda.support.errors import InputError

__all__ = ["require_same_documents"]


def require_same_documents(model: Path, corpus: Corpus, path: str, texts: Texts) -> None:
    """Refuse texts of other documents than the model's."""
    remedy = "give the file that was fitted, or --input for each of several"
    if texts.n_docs != corpus.n_docs:
        raise InputError.of(
            "{path} has {texts.n_docs:,} documents, but {model} was fitted to {corpus.n_docs:,}: "
            "[{remedy}]."
        ).where(path=path, texts=texts, model=model, corpus=corpus, remedy=remedy)
    if texts.doc_names is None or corpus.doc_names is None:
        return
    names = enumerate(zip(texts.doc_names, corpus.doc_names, strict=True))
    for row, (name, expected) in names:
        if name != expected:
            raise InputError.of(
                "{path}: document (row) {row} is called {name!r:.80}, but {expected!r:.80} in "
                "{model}: [{remedy}, with the same {id_column=}]."
            ).where(path=path, row=row, name=name, model=model, expected=expected, remedy=remedy)
