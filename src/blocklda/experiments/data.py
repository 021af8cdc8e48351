"""The paper's two real corpora: found in a folder, or fetched once from UCI."""

from __future__ import annotations

import os
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats import read_corpus
from blocklda.support.errors import InputError
from blocklda.support.extras import import_extra
from blocklda.support.messages import Message

__all__ = ["REAL_CORPORA", "read_real_corpus"]

REAL_CORPORA = ("kos", "nips")

DATA_FOLDER_VARIABLE = "BLOCKLDA_DATA"

SOURCE = "https://archive.ics.uci.edu/ml/machine-learning-databases/bag-of-words/"

SHA256 = {
    "docword.kos.txt.gz": "6439c39f2fccb4876563e4b4c9628974d8ccbeada43d661292a5024911389e30",
    "docword.nips.txt.gz": "d45f9f7ceeadf118117e14346f018273007b765593a4dbe02915d37a1faa58b7",
    "vocab.kos.txt": "623b7b969793b32c4ea7d1ae8cd2e9ed99038bf51628f33f52349f9485aeab8e",
    "vocab.nips.txt": "be3f6337e3406ddc24837118e203da57c4c898ad5f6c9280908cd08a2609cf91",
}
"""Newman, D. (2008). Bag of Words. UCI Machine Learning Repository, doi 10.24432/C5ZG6P."""


def read_real_corpus(name: str, folder: str | os.PathLike[str] | None = None) -> Corpus:
    """Read "kos" or "nips" from a folder, or from the cache after fetching it.

    The folder is ``folder``, or else the one that the variable BLOCKLDA_DATA names. Without either
    the files are taken from the user's cache, where they are put at the first time.
    """
    named = folder or os.environ.get(DATA_FOLDER_VARIABLE)
    docword = _in_folder(name, Path(named)) if named else _fetched(name)
    return read_corpus(docword, "uci")


def _files(name: str) -> tuple[str, str]:
    return f"docword.{name}.txt.gz", f"vocab.{name}.txt"


def _in_folder(name: str, folder: Path) -> Path:
    docword, vocab = (folder / file for file in _files(name))
    for file in (docword, vocab):
        if not file.is_file():
            raise InputError.of(
                "there is no {file.name} in {folder}: [put the files of UCI's Bag of Words there "
                "({source}), or name another folder with {data=} or {variable}]."
            ).where(file=file, folder=folder, source=SOURCE, variable=DATA_FOLDER_VARIABLE)
    return docword


def _fetched(name: str) -> Path:
    """Return the docword file in the cache, fetched and compared with its digest."""
    who = Message.of("without a folder named by {data=} or {variable}, fetching the corpora").where(
        variable=DATA_FOLDER_VARIABLE
    )
    pooch = import_extra("pooch", "data", who)
    cache = pooch.create(
        path=pooch.os_cache("blocklda"), base_url=SOURCE, registry=SHA256, retry_if_failed=1
    )
    docword, vocab = _files(name)
    try:
        cache.fetch(vocab)
        return Path(cache.fetch(docword))
    except (OSError, ValueError) as error:
        found = f"{docword} and {vocab} could not be fetched from {SOURCE} ({type(error).__name__})"
        raise InputError.of(
            "{found}: [put both in a folder and name it with {data=} or {variable}, or put them in "
            "{cache.path}]."
        ).where(found=found, variable=DATA_FOLDER_VARIABLE, cache=cache) from error
