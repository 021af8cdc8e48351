"""`blocklda.parallel.write_shards`: texts to a folder of shards, counted by workers."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

from blocklda.files.atomic_write import named_path, require_place
from blocklda.files.sharded_corpus import MANIFEST, ShardedCorpus
from blocklda.parallel.clients import connected
from blocklda.parallel.machines import Machines
from blocklda.parallel.one_process import one_process
from blocklda.parallel.sources import TextOptions, shards_of_texts
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["write_shards"]


def write_shards(
    client: Any,
    texts: Any,
    folder: str | os.PathLike[str],
    *,
    n_shards: int | None = None,
    n_workers: int | None = None,
    out_of_core: bool = False,
    vocabulary: Any = None,
    text_column: str | None = None,
    id_column: str | None = None,
    **text_settings: Any,
) -> ShardedCorpus:
    """Count texts and write them as a sharded corpus, which :func:`blocklda.parallel.fit` takes.

    Texts are read twice: once for the words of all of them, and once for the counts. The words are
    those that :func:`~blocklda.read_corpus` finds on one machine; no machine holds more than the
    counts of one part.

    Parameters
    ----------
    client, n_workers
        As for :func:`blocklda.parallel.fit`.
    texts
        A folder of Parquet, CSV or JSON lines files, or of .txt files with one text each; a file or
        a list of files; an address of fsspec such as ``s3://bucket/folder`` for any of these; a
        Dask bag of strings or a Dask dataframe.
    folder
        Where to write, on a disk that all workers share. A sharded corpus that is there is
        replaced.
    n_shards
        How many shards; one for each file if nothing is said, or each partition. Neighbouring files
        are put together, or the counts of a file are cut.
    out_of_core
        True for this process alone, without Dask, one part after the other.
    vocabulary, text_column, id_column, **text_settings
        As for :func:`~blocklda.read_corpus`, with its ``format``, ``encoding``, ``delimiter``,
        ``quote`` and ``has_header``.

    Examples
    --------
    >>> import os
    >>> from blocklda import parallel
    >>> os.mkdir("reviews")
    >>> for year in ("2023", "2024"):
    ...     with open(f"reviews/{year}.csv", "w") as file:
    ...         for line in ("body", "soup and bread", "no sleep", "good soup"):
    ...             print(line, file=file)
    >>> written = parallel.write_shards(
    ...     None, "reviews", "shards", out_of_core=True, text_column="body"
    ... )
    >>> len(written.shards), written.n_docs
    (2, 6)
    """
    if n_shards is not None:
        n_shards = whole_number("n_shards", n_shards, 1)
    options = TextOptions.of(text_settings, vocabulary, text_column, id_column, n_shards)
    path = named_path(folder)
    if not path.exists():
        require_place(path)
    elif not (path / MANIFEST).is_file():
        raise InputError(f"{folder} exists and does not hold shards: give another name.")
    with ExitStack() as stack:
        machines: Machines
        if out_of_core:
            machines = one_process(client, n_workers, None)
        else:
            machines = cluster = stack.enter_context(connected(client, n_workers))
            cluster.require_workers()
        return shards_of_texts(texts, path, machines, options)
