"""The readers of corpora, each with small valid files to begin with."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet
from scipy import sparse

import blocklda
from blocklda.formats import read_corpus, read_texts, read_vocabulary, write_corpus
from torture.fuzz.containers import gzip_mutated, zip_mutated
from torture.fuzz.mutations import Mutator, mutated
from torture.fuzz.readers import Prepared, Reader
from torture.fuzz.sanity import require_sane_chain, require_sane_corpus

__all__ = ["CORPUS", "CORPUS_READERS"]

COUNTS = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 1, 1, 1]])
WORDS = ("apple", "naïve", "crow", "dog")
CORPUS = blocklda.Corpus.from_matrix(COUNTS, WORDS, doc_names=["a", "b", "c"])

UCI = (b"3\n4\n6\n1 2 2\n1 4 1\n3 1 3\n3 2 1\n3 3 1\n3 4 1\n", b"1\r\n1\r\n0\r\n\r\n")
LDAC = (b"2 1:2 3:1\n0\n4 0:3 1:1 2:1 3:1\n",)
SVMLIGHT = (
    b"0 2:2 4:1\n0\n0 1:3 2:1 3:1 4:1\n",
    b"# zero-based\n+1 qid:3 0:1.0 3:2 # said\n\n-1 1:1e0\n",
)
MATRIX_MARKET = (
    b"%%MatrixMarket matrix coordinate integer general\n% said\n3 4 3\n1 2 2\n1 4 1\n3 1 3\n",
    b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n2 1 3.0e+00\n",
    b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n",
)
MALLET_STATE = (
    b"#doc source pos typeindex type topic\n#alpha : 0.5 0.25 \n#beta : 0.01\n"
    b"#empty-document : 1 b\n#unused-word : 2 crow\n"
    b"0 NA 0 0 apple 0\n0 NA 1 1 na\xc3\xafve 1\n2 c d 0 0 apple 1\n",
)
MALLET = (b"a X apple apple crow\nb X\nc X apple na\xc3\xafve dog\n",)
CSV = (
    b'id,text\na,"apple crow, ""dog"""\nb,\n\nc,"apple\nnaive"\n',
    b"id;text\r\n1;apple crow\r\n2;dog\r\n",
)
JSONL = (
    b'{"id": "a", "text": "apple crow", "n": 1.5}\n\n{"text": null}\n{"text": "dog \\u00ef"}\n',
)
LINES = ("apple crow\n\ndog naïve apple\n".encode(), b"\xef\xbb\xbfapple\r\ncrow")
GENES = (
    b"E1\tTBCE\tGene Expression\nE2\tTBCE\tGene Expression\nE3\tCD3\tAntibody Capture\n",
    b"E1\tTBCE\nE2\t\nE3\n",
)
VOCABULARY = ("apple\nnaïve\ncrow\ndog\n".encode(),)
DICTIONARY = (b"3\n0\tapple\t1\n1\tna\xc3\xafve\t2\n2\tcrow\t1\n3\tdog\t2\n",)

_SHEETS = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_KIND = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
SHARED_STRINGS = b'<sst xmlns="%s" count="1"><si><t>dog crow</t></si></sst>' % _SHEETS
STRINGS_RELATION = (
    b'<Relationship Id="rId9" Type="%s/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
) % _RELATIONS
STRINGS_TYPE = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % _KIND


def _of_file(name: str, seeds: tuple[bytes, ...], **reading: Any) -> Callable[[Path], Prepared]:
    def prepare(folder: Path) -> Prepared:
        path = folder / name
        return Prepared(path, seeds, lambda: require_sane_corpus(read_corpus(path, **reading)))

    return prepare


def _written(name: str, *others: bytes, **reading: Any) -> Callable[[Path], Prepared]:
    """Begin with what our own writer writes, too."""

    def prepare(folder: Path) -> Prepared:
        path = folder / name
        write_corpus(CORPUS, path)
        return _of_file(name, (path.read_bytes(), *others), **reading)(folder)

    return prepare


def _beside(name: str, counts: str, content: bytes, seeds: tuple[bytes, ...]) -> Reader:
    """Read the counts again and again while the words beside them change."""

    def prepare(folder: Path) -> Prepared:
        path, beside = folder / counts, folder / name
        path.write_bytes(content)
        return Prepared(beside, seeds, lambda: require_sane_corpus(read_corpus(path)))

    return Reader(prepare, mutated)


def _of_10x(folder: Path) -> Prepared:
    """Read a folder of 10x Genomics while the names of its genes change."""
    genes = folder / "features.tsv"
    (folder / "matrix.mtx").write_bytes(MATRIX_MARKET[0])
    (folder / "barcodes.tsv").write_bytes(b"AC-1\nAG-1\nAT-1\nCA-1\n")
    return Prepared(genes, GENES, lambda: require_sane_corpus(read_corpus(folder, "10x")))


def _of_words(folder: Path) -> Prepared:
    path = folder / "words"
    return Prepared(path, (*VOCABULARY, *DICTIONARY), lambda: _ignore(read_vocabulary(path)))


def _ignore(_: object) -> None:
    """Only whether it can be read is asked."""


def _of_texts(folder: Path) -> Prepared:
    """Read the documents themselves, with their groups, as reports do."""
    path = folder / "x.csv"
    seeds = (b"id,text,year\na,apple crow,2001\nb,,\nc,dog,1999-01-01\n",)

    def read() -> None:
        texts = read_texts(path, group_column="year")
        _ignore((texts.texts, texts.groups))

    return Prepared(path, seeds, read)


def _of_folder(folder: Path) -> Prepared:
    texts = folder / "texts"
    texts.mkdir()
    (texts / "b.txt").write_bytes(b"crow dog")
    path = texts / "a.txt"
    return Prepared(path, LINES, lambda: require_sane_corpus(read_corpus(texts)))


def _of_state(folder: Path) -> Prepared:
    path = folder / "x.state"

    def read() -> None:
        require_sane_chain(blocklda.read_mallet_state(path))

    return Prepared(path, MALLET_STATE, read)


def _of_scipy(folder: Path) -> Prepared:
    path = folder / "x.npz"
    seeds = []
    for kind in ("csr", "csc", "coo", "dia", "bsr"):
        for compressed in (False, True):
            sparse.save_npz(path, sparse.coo_matrix(COUNTS).asformat(kind), compressed)
            seeds.append(path.read_bytes())
    sparse.save_npz(path, sparse.csr_array(COUNTS), compressed=False)
    return _of_file("x.npz", (*seeds, path.read_bytes()))(folder)


def _of_h5ad(folder: Path) -> Prepared:
    path = folder / "x.h5ad"
    seeds = []
    for matrix in (sparse.csr_matrix(COUNTS), sparse.csc_matrix(COUNTS), COUNTS.astype(float)):
        with h5py.File(path, "w", libver="latest") as file:
            _write_h5ad(file, matrix)
        seeds.append(path.read_bytes())
    return _of_file("x.h5ad", tuple(seeds))(folder)


def _write_h5ad(file: h5py.File, matrix: Any) -> None:
    if sparse.issparse(matrix):
        group = file.create_group("X")
        group.attrs["encoding-type"] = f"{matrix.format}_matrix"
        group.attrs["shape"] = matrix.shape
        for name in ("data", "indices", "indptr"):
            group[name] = getattr(matrix, name)
    else:
        file.create_dataset("X", data=matrix, chunks=(2, 2), compression="gzip")
    for axis, names in (("obs", "abc"), ("var", WORDS)):
        frame = file.create_group(axis)
        frame.attrs["_index"] = "_index"
        frame["_index"] = list(names)
    file["layers/raw"] = COUNTS


def _of_parquet(folder: Path) -> Prepared:
    path = folder / "x.parquet"
    table = pa.table({"id": [1, 2, 3], "text": ["apple crow", None, "dog naïve dog"]})
    seeds = []
    for how in ("none", "snappy", "gzip", "zstd"):
        for coded in (True, False):
            pyarrow.parquet.write_table(table, path, compression=how, use_dictionary=coded)
            seeds.append(path.read_bytes())
    return _of_file("x.parquet", tuple(seeds))(folder)


def _of_xlsx(folder: Path) -> Prepared:
    path = folder / "x.xlsx"
    book = openpyxl.Workbook()
    for row in (("id", "text", "n"), ("a", "apple crow", 1.5), ("b", None, 2), ("c", "dog", True)):
        book.active.append(row)
    book.save(path)
    plain = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(plain)) as archive:
        members = {one.filename: archive.read(one) for one in archive.infolist()}
    # As Excel writes them: strings in a file of their own.
    members["xl/sharedStrings.xml"] = SHARED_STRINGS
    sheet = "xl/worksheets/sheet1.xml"
    members[sheet] = members[sheet].replace(b't="inlineStr"><is><t>dog</t></is>', b't="s"><v>0</v>')
    relations = "xl/_rels/workbook.xml.rels"
    members[relations] = members[relations].replace(b"</Relationships>", STRINGS_RELATION)
    types = "[Content_Types].xml"
    members[types] = members[types].replace(b"</Types>", STRINGS_TYPE)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return _of_file("x.xlsx", (plain, path.read_bytes()), text_column="text")(folder)


def _packed(seeds: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return tuple(gzip.compress(seed, 1, mtime=0) for seed in seeds)


def _reader(
    prepare: Callable[[Path], Prepared], mutate: Mutator = mutated, library: str = ""
) -> Reader:
    return Reader(prepare, mutate, library)


CORPUS_READERS = {
    "uci": _reader(_of_file("docword.x.txt", UCI)),
    "uci, gzip": _reader(_of_file("docword.x.txt.gz", _packed(UCI)), gzip_mutated),
    "uci, vocabulary beside": _beside("vocab.x.txt", "docword.x.txt", UCI[0], VOCABULARY),
    "ldac": _reader(_of_file("x.ldac", LDAC)),
    "svmlight": _reader(_of_file("x.svm", SVMLIGHT)),
    "matrix-market": _reader(_of_file("x.mtx", MATRIX_MARKET)),
    "matrix-market, transposed": _reader(_of_file("x.mtx", MATRIX_MARKET, transpose=True)),
    "10x, genes": _reader(_of_10x),
    "gensim": _reader(_written("x.mm", *MATRIX_MARKET)),
    "gensim, dictionary beside": _beside("x.dict.txt", "x.mm", MATRIX_MARKET[0], DICTIONARY),
    "word list": _reader(_of_words),
    "npz of SciPy": _reader(_of_scipy, zip_mutated),
    "npz of blocklda": _reader(_written("x.npz"), zip_mutated),
    "mallet": _reader(_written("x.mallet", *MALLET)),
    "mallet-state": _reader(_of_state),
    "mallet-state, gzip": _reader(_of_file("x.state.gz", _packed(MALLET_STATE)), gzip_mutated),
    "csv": _reader(_of_file("x.csv", CSV, text_column="text")),
    "csv, any column": _reader(_of_file("x.csv", CSV)),
    "tsv": _reader(_of_file("x.tsv", tuple(one.replace(b";", b"\t") for one in CSV[1:]))),
    "csv with groups": _reader(_of_texts),
    "jsonl": _reader(_of_file("x.jsonl", JSONL, text_column="text")),
    "lines": _reader(_of_file("x", LINES, format="lines")),
    "lines, gzip": _reader(_of_file("x", _packed(LINES), format="lines"), gzip_mutated),
    "text, format guessed": _reader(_of_file("x.txt", (*LINES, *UCI, *MALLET_STATE))),
    "texts": _reader(_of_folder),
    "xlsx": _reader(_of_xlsx, zip_mutated),
    "parquet": _reader(_of_parquet, library="pyarrow"),
    "h5ad": _reader(_of_h5ad, library="HDF5"),
}
