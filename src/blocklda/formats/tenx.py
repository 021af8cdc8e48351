"""A folder of 10x Genomics: matrix.mtx, features.tsv and barcodes.tsv, each of them plain or gzip.

The matrix has genes in rows and cells in columns. Cells are documents, called by their barcodes,
and genes are words, called by their names. Older folders have genes.tsv.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from blocklda.data.corpus import Corpus
from blocklda.formats.matrix_market import read_header
from blocklda.formats.numbers.entry_layout import Sizes
from blocklda.formats.numbers.entry_lines import read_entries
from blocklda.formats.numbers.tenx_files import CELLS, GENES, MATRIX, file_in, read_table
from blocklda.formats.options import ReadOptions
from blocklda.formats.streams.line_chunks import text_chunks
from blocklda.formats.words.vocabulary import corpus_of
from blocklda.support.errors import DataWarning, FileFormatError

__all__ = ["OPTIONS", "read", "recognises"]

OPTIONS: frozenset[str] = frozenset()

GENE_EXPRESSION = "Gene Expression"
"""The kind of features that are genes; antibodies and peaks are of other kinds."""


def recognises(path: Path) -> bool:
    """Return True for a folder with a matrix and the names of its rows."""
    return None not in (file_in(path, MATRIX), file_in(path, GENES))


def read(path: Path, options: ReadOptions) -> Corpus:
    """Read the matrix as cells × genes, with the names of both."""
    matrix, features = _file(path, MATRIX), _file(path, GENES)
    rows = read_table(features)
    with closing(text_chunks(matrix)) as chunks:
        layout, rest = read_header(matrix, chunks)
        _require_length(features, len(rows), matrix, layout.sizes.n_docs, "rows")
        cells = _cells(path, matrix, layout.sizes)
        counts = read_entries(layout, rest, chunks, transpose=True)
    kept = _genes_among(features, rows)
    names = options.vocabulary or _unique([_name(rows[i]) for i in kept])
    if len(kept) < len(rows):
        counts = counts[:, kept]
    return corpus_of(matrix, counts, names, doc_names=cells)


def _file(folder: Path, names: Sequence[str]) -> Path:
    found = file_in(folder, names)
    if found is None:
        wanted = " or ".join(names)
        raise FileFormatError(
            f"{folder}: there is no {wanted}, plain or gzip; give a folder that Cell Ranger wrote."
        )
    return found


def _cells(folder: Path, matrix: Path, sizes: Sizes) -> list[str] | None:
    """Return the barcodes of the cells, if the folder has them."""
    path = file_in(folder, CELLS)
    if path is None:
        return None
    cells = [row[0] for row in read_table(path)]
    _require_length(path, len(cells), matrix, sizes.n_words, "columns")
    return cells


def _require_length(path: Path, found: int, matrix: Path, wanted: int, axis: str) -> None:
    if found != wanted:
        raise FileFormatError(
            f"{path} has {found} names, but {matrix} has {wanted} {axis}; use the files of one "
            "sample."
        )


def _genes_among(path: Path, rows: list[list[str]]) -> list[int]:
    """Return the rows that are genes, if some are and the file says so; else all of them."""
    kinds = Counter(row[2] for row in rows if len(row) > 2)
    if kinds.keys() <= {GENE_EXPRESSION} or not kinds[GENE_EXPRESSION]:
        return list(range(len(rows)))
    del kinds[GENE_EXPRESSION]
    others = ", ".join(f"{n:,} of {kind!r:.40}" for kind, n in kinds.items())
    warnings.warn(
        DataWarning(f"{path}: only the genes are counted; features left out: {others}."),
        stacklevel=5,
    )
    return [i for i, row in enumerate(rows) if len(row) > 2 and row[2] == GENE_EXPRESSION]


def _name(row: list[str]) -> str:
    """Return the name of a gene, or its id where it has no name."""
    return (row[1] if len(row) > 1 else "") or row[0]


def _unique(names: list[str]) -> list[str]:
    """Add numbers to names that genes share, as scanpy does: TBCE, TBCE-1, TBCE-2."""
    taken = set(names)
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        found = name
        while seen[name] and found in taken:
            found = f"{name}-{seen[name]}"
            seen[name] += 1
        seen[name] = max(seen[name], 1)
        taken.add(found)
        unique.append(found)
    return unique
