"""Files as people have them: odd tables, workbooks, standard input, and files that are not read."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from typer.testing import CliRunner

from blocklda import LDA, Corpus, InputError, read_corpus
from blocklda.cli import app
from blocklda.exports.document_topics import write_table
from tests.cli.commands import QUICK, complaint, run_json
from tests.optional import need


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_delimiters_quotes_and_headers(tmp_path: Path) -> None:
    expected = Corpus.from_texts(["hot soup", "late | train"])
    piped = written(tmp_path, "piped.csv", "id|text\n1|hot soup\n2|'late | train'\n")
    assert read_corpus(piped, text_column="text", delimiter="|", quote="'") == expected
    bare = written(tmp_path, "bare.csv", "1;hot soup\n2;late train\n")
    corpus = read_corpus(bare, text_column="2", id_column="1", has_header=False)
    assert corpus == expected
    assert corpus.doc_names == ("1", "2")
    loose = written(tmp_path, "loose.tsv", 'id\ttext\n1\t5" hot soup\n2\t"late train\n')
    assert read_corpus(loose, text_column="text", quote="none") == expected
    tabs = written(tmp_path, "tabs.csv", "text\tyear\nhot soup\t1\nlate train\t2\n")
    assert read_corpus(tabs, delimiter="tab") == expected
    options = ("-k", "2", *QUICK, "--no-header", "--text-column", "2", "--delimiter", ";")
    assert run_json("fit", bare, *options)["documents"] == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"delimiter": "||"}, "delimiter='||' is not allowed"),
        ({"quote": "''"}, "quote=\"''\" is not allowed"),
        ({"delimiter": ",", "quote": ","}, "quote=',' is not allowed"),
        ({"text_column": "3", "has_header": False}, "there is no column '3'"),
    ],
)
def test_what_a_table_cannot_have(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    path = written(tmp_path, "table.csv", "id,text\n1,soup\n")
    with pytest.raises(InputError, match=said):
        read_corpus(path, **options)
    lines = written(tmp_path, "lines.txt", "soup\n")
    with pytest.raises(InputError, match="does not apply to lines files"):
        read_corpus(lines, delimiter=";")


def test_standard_input(tmp_path: Path) -> None:
    runner = CliRunner()
    command = ["fit", "-", "-k", "2", *QUICK, "--json"]
    done = runner.invoke(app, command, input="hot soup\nlate train\n")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["documents"] == 2
    table = [*command, "--format", "csv", "--text-column", "text"]
    done = runner.invoke(app, table, input="id,text\n1,hot soup\n2,late train\n3,soup\n")
    assert json.loads(done.stdout)["documents"] == 3
    done = runner.invoke(app, command, input="")
    assert done.exit_code == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("letter.docx", "save each as plain text"),
        ("paper.pdf", "pdftotext"),
        ("table.xls", "save it as .xlsx or .csv"),
        ("records.json", "holds an array, but records must be one per line"),
        ("model.pkl", "objects of a program are not supported"),
    ],
)
def test_files_that_are_not_read(tmp_path: Path, name: str, said: str) -> None:
    path = written(tmp_path, name, '[{"text": "soup"}]')
    assert said in complaint("fit", path, "-k", "2")


def test_workbooks(tmp_path: Path) -> None:
    openpyxl = need("openpyxl")
    book = openpyxl.Workbook()
    for row in (["id", "text", "year"], [1, "hot soup", 1990], [2.0, None, 1991], [3, "train", 1]):
        book.active.append(row)
    path = tmp_path / "speeches.xlsx"
    book.save(path)
    corpus = read_corpus(path, text_column="text", id_column="id")
    assert corpus == Corpus.from_texts(["hot soup", "", "train"])
    assert corpus.doc_names == ("1", "2", "3")
    shares = np.array([[0.25, 0.75]])
    write_table(tmp_path / "topics.xlsx", ["a"], shares)
    rows = list(openpyxl.load_workbook(tmp_path / "topics.xlsx").active.values)
    assert rows == [("document", "topic_0", "topic_1"), ("a", 0.25, 0.75)]
    broken = written(tmp_path, "broken.xlsx", "no workbook")
    with pytest.raises(InputError, match="cannot be read as a workbook"):
        read_corpus(broken)


def anndata(**parts: Any) -> SimpleNamespace:
    """Return what an AnnData object looks like."""
    whole = {
        "X": sparse.csr_matrix([[2, 1, 0], [0, 3, 1]]),
        "layers": {"raw": np.array([[4, 1, 0], [0, 3, 1]])},
        "obs_names": ["cell1", "cell2"],
        "var_names": ["geneA", "geneB", "geneC"],
        "obsm": {},
        "varm": {},
        "uns": {},
    }
    return SimpleNamespace(**{**whole, **parts})


def test_objects_of_single_cell_biologists() -> None:
    data = anndata()
    corpus = Corpus.from_anndata(data)
    assert corpus.vocabulary == ("geneA", "geneB", "geneC")
    assert corpus.doc_names == ("cell1", "cell2")
    assert Corpus.from_anndata(data, layer="raw").n_tokens == 9
    lda = LDA(2, n_sweeps=20, random_state=0, progress=False).fit(data)
    assert lda.result_.corpus == corpus
    assert lda.to_anndata(data) is data
    np.testing.assert_array_equal(data.obsm["X_lda"], lda.doc_topic_)
    np.testing.assert_array_equal(data.varm["lda"], lda.components_.T)
    with pytest.raises(InputError, match="no layer='counts': give one of 'raw'"):
        Corpus.from_anndata(data, layer="counts")
    with pytest.raises(InputError, match="has no X"):
        Corpus.from_anndata(anndata(X=None))
    with pytest.raises(InputError, match="a list was given, not an AnnData object"):
        Corpus.from_anndata([[1, 2]])
    with pytest.raises(InputError, match="a NoneType was given, not an AnnData object"):
        lda.to_anndata(None)
    others = anndata(obs_names=pd.Index(["cell2", "cell1"]))
    with pytest.raises(InputError, match="data has the names of the documents in another order"):
        lda.to_anndata(others)
    assert not others.obsm
    with pytest.raises(InputError, match="give the object that was fitted"):
        lda.to_anndata(anndata(obs_names=["x"]))


def test_a_matrix_of_10x_genomics_without_its_genes(tmp_path: Path) -> None:
    written(tmp_path, "matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 0\n")
    with pytest.raises(InputError, match=r"no features.tsv or genes.tsv .* transpose=True"):
        read_corpus(tmp_path)


def test_a_table_whose_first_row_is_a_document(tmp_path: Path) -> None:
    table = written(tmp_path, "speeches.csv", f"left,{'word ' * 30}\nright,soup\n")
    with pytest.raises(InputError, match=r"word …'; if the first row is a document.*has_header="):
        read_corpus(table, text_column="speech")
