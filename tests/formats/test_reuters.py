"""The LDA-C file that comes with the package lda, read by it and by us."""

from __future__ import annotations

from pathlib import Path

import lda
import lda.datasets
import pytest

from blocklda.formats import read_corpus


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # lda leaves its files open
def test_reuters() -> None:
    corpus = read_corpus(Path(lda.__file__).parent / "tests" / "reuters.ldac")
    assert (corpus.to_matrix().toarray() == lda.datasets.load_reuters()).all()
    assert corpus.vocabulary == tuple(lda.datasets.load_reuters_vocab())
    assert corpus.n_tokens == 84_010
