"""Folders of 10x Genomics, and matrices that may have been saved the other way round."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
from scipy import sparse

from blocklda import (
    LDA,
    Corpus,
    DataWarning,
    FileFormatError,
    InputError,
    read_corpus,
    write_corpus,
)
from tests.cli.commands import QUICK, complaint, run_json
from tests.cli.terminal import run

COUNTS = np.array([[2, 0, 1, 0], [0, 3, 0, 1], [1, 1, 0, 0]])
"""Three cells, four genes."""

GENES = [("ENSG1", "CD3D"), ("ENSG2", "TBCE"), ("ENSG3", "TBCE"), ("ENSG4", "")]
CELLS = ["AAAC-1", "AAAG-1", "AAAT-1"]


def folder_of_10x(
    place: Path,
    counts: Any = COUNTS,
    genes: list[tuple[str, ...]] = GENES,  # type: ignore[assignment]  # longer ones have kinds
    cells: list[str] = CELLS,
    *,
    is_old: bool = False,
) -> Path:
    """Write what Cell Ranger writes: gzip files, or in its older versions plain ones."""
    place.mkdir()
    scipy.io.mmwrite(place / "matrix.mtx", sparse.coo_matrix(counts).T, field="integer")
    features = place / ("genes.tsv" if is_old else "features.tsv")
    features.write_text("".join("\t".join(gene) + "\n" for gene in genes), encoding="utf-8")
    (place / "barcodes.tsv").write_text("".join(f"{cell}\n" for cell in cells), encoding="utf-8")
    if not is_old:
        for file in list(place.iterdir()):
            file.with_name(file.name + ".gz").write_bytes(gzip.compress(file.read_bytes()))
            file.unlink()
    return place


@pytest.mark.parametrize("is_old", [True, False])
def test_cells_are_documents_and_genes_are_words(tmp_path: Path, is_old: bool) -> None:
    folder = folder_of_10x(tmp_path / "sample", is_old=is_old)
    corpus = read_corpus(folder)
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), COUNTS)
    assert corpus.vocabulary == ("CD3D", "TBCE", "TBCE-1", "ENSG4")
    assert corpus.doc_names == tuple(CELLS)
    assert read_corpus(folder, "10x") == corpus
    assert read_corpus([folder, folder]).n_docs == 6


def test_from_a_folder_to_topics_of_cells(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    programs = rng.dirichlet(np.full(60, 0.1), 3)
    counts = np.array([rng.multinomial(200, programs[cell % 3]) for cell in range(90)])
    genes = [(f"ENSG{i}", f"GENE{i}", "Gene Expression") for i in range(60)]
    cells = [f"CELL{i}-1" for i in range(90)]
    folder = folder_of_10x(tmp_path / "sample", counts, genes, cells)  # type: ignore[arg-type]
    model = tmp_path / "model"
    found = run_json("fit", folder, "-k", "3", *QUICK, "-o", model)
    assert (found["documents"], found["words"]) == (90, 60)
    shares = run_json("transform", model, folder)
    assert shares["documents"] == cells
    best = np.argmax(shares["doc_topic"], axis=1)
    assert all(len(set(best[kind::3])) == 1 for kind in range(3))


def test_only_genes_are_counted(tmp_path: Path) -> None:
    kinds = ["Gene Expression", "Gene Expression", "Antibody Capture", "Gene Expression"]
    genes = [(*gene, kind) for gene, kind in zip(GENES, kinds, strict=True)]
    folder = folder_of_10x(tmp_path / "sample", genes=genes)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="features left out: 1 of 'Antibody Capture'"):
        corpus = read_corpus(folder)
    assert corpus.vocabulary == ("CD3D", "TBCE", "ENSG4")
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), COUNTS[:, [0, 1, 3]])
    peaks = [(*gene, "Peaks") for gene in GENES]
    assert read_corpus(folder_of_10x(tmp_path / "atac", genes=peaks)).n_words == 4  # type: ignore[arg-type]


def test_files_of_different_samples(tmp_path: Path) -> None:
    short = folder_of_10x(tmp_path / "short", cells=CELLS[:2])
    with pytest.raises(FileFormatError, match=r"barcodes\.tsv\.gz has 2 names, but .* has 3 col"):
        read_corpus(short)
    few = folder_of_10x(tmp_path / "few", genes=GENES[:2])  # type: ignore[arg-type]
    with pytest.raises(FileFormatError, match=r"features\.tsv\.gz has 2 names, but .* has 4 rows"):
        read_corpus(few)
    with pytest.raises(FileFormatError, match=r"there is no matrix\.mtx"):
        read_corpus(tmp_path, "10x")
    whole = folder_of_10x(tmp_path / "whole")
    assert "--transpose does not apply to 10x files" in complaint(
        "fit", whole, "-k", "2", "--transpose"
    )


def test_the_matrix_of_a_folder_by_itself_looks_transposed(tmp_path: Path) -> None:
    matrix = folder_of_10x(tmp_path / "sample") / "matrix.mtx.gz"
    result = run("fit", matrix, "-k", "2", *QUICK)
    assert "looks transposed: features.tsv.gz names 4 genes, which are its rows" in result.stderr
    assert f"give the folder {matrix.parent}, or --transpose" in result.stderr
    corpus = read_corpus(matrix, transpose=True)
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), COUNTS)


@pytest.mark.parametrize("ending", ["mtx", "npz"])
def test_words_beside_that_fit_the_rows(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"genes.{ending}"
    matrix = sparse.csr_matrix(COUNTS.T)
    if ending == "mtx":
        scipy.io.mmwrite(path, matrix)
    else:
        sparse.save_npz(path, matrix)
    words = [f"gene{i}" for i in range(4)]
    (tmp_path / "genes.vocab").write_text("\n".join(words), encoding="utf-8")
    said = complaint("fit", path, "-k", "2")
    assert "has 4 words, which is the number of rows of the matrix, not of its 3 columns" in said
    assert said.endswith("give --transpose.\n")
    corpus = read_corpus(path, transpose=True)
    assert corpus.vocabulary == tuple(words)
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), COUNTS)
    assert read_corpus(path, vocabulary=words, transpose=True) == corpus
    with pytest.raises(FileFormatError, match="which is the number of rows of the matrix"):
        read_corpus(path, vocabulary=words)
    with pytest.raises(InputError, match=r"that many rows: if its rows are words, transpose it"):
        Corpus.from_matrix(matrix, words)


def test_many_empty_rows_look_transposed(tmp_path: Path) -> None:
    wide = np.zeros((9, 5), dtype=int)
    wide[:4] = 3
    settings: dict[str, Any] = {"n_sweeps": 10, "random_state": 0, "progress": False}
    with pytest.warns(UserWarning, match="More than half of the rows are empty: if rows are words"):
        LDA(2, **settings).fit(wide)
    path = tmp_path / "wide.mtx"
    scipy.io.mmwrite(path, sparse.coo_matrix(wide))
    assert "transpose the matrix; for files use --transpose." in run("fit", path, "-k", "2").stderr
    with pytest.warns(DataWarning, match="keeps its row") as half:
        LDA(2, **settings).fit(wide[:8])
    assert "More than half" not in str(half[0].message)
    named = Corpus.from_matrix(wide, list("abcde"), doc_names=list("123456789"))
    with pytest.warns(DataWarning, match="keeps its row") as clear:
        LDA(2, **settings).fit(named)
    assert "More than half" not in str(clear[0].message)
    with pytest.warns(DataWarning, match="keeps its row") as texts:
        LDA(2, **settings).fit(["hot soup and bread", "", ""])
    assert "rows are empty" not in str(texts[0].message)


def test_a_corpus_has_documents_in_rows(tmp_path: Path) -> None:
    path = tmp_path / "corpus.npz"
    write_corpus(Corpus.from_matrix(COUNTS), path)
    with pytest.raises(InputError, match="whose rows are documents: leave transpose=True out"):
        read_corpus(path, transpose=True)
