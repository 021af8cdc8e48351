"""Columns of polars, Arrow and Hugging Face's datasets: by what they offer, not by their names.

Where the packages are not installed, small objects offer what theirs do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow
import pytest

from blocklda import LDA, Corpus, InputError

TEXTS = ["the soup was hot", "cold soup", None, "late train"]
EXPECTED = Corpus.from_texts([text or "" for text in TEXTS])


class PolarsSeries:
    """A Series of polars: no ``ndim``, no index."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = list(values)

    def to_list(self) -> list[Any]:
        return self._values

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return pyarrow.chunked_array([self._values]).__arrow_c_stream__(requested_schema)


class PolarsFrame:
    """A DataFrame of polars."""

    def __init__(self, **columns: Sequence[Any]) -> None:
        self.columns = list(columns)
        self.dtypes = ["String"] * len(columns)
        self._columns = {name: PolarsSeries(values) for name, values in columns.items()}

    def __getitem__(self, name: str) -> PolarsSeries:
        return self._columns[name]

    def to_numpy(self) -> Any:
        return np.column_stack([column.to_list() for column in self._columns.values()])


class DatasetColumn(Sequence[Any]):
    """A column of a Hugging Face data set: a sequence that is read as it is used."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def __getitem__(self, i: Any) -> Any:
        return self._values[i]

    def __len__(self) -> int:
        return len(self._values)


class Dataset:
    """A data set of Hugging Face; a streamed one does not know its columns."""

    def __init__(self, *, is_streamed: bool = False, **columns: Sequence[Any]) -> None:
        self.column_names = None if is_streamed else list(columns)
        self._columns = columns

    def __getitem__(self, name: str) -> DatasetColumn:
        return DatasetColumn(self._columns[name])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in zip(*self._columns.values(), strict=True):
            yield dict(zip(self._columns, row, strict=True))


class OnlyArrow:
    """What offers Arrow's protocol and nothing else, as results of queries do."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._data.__arrow_c_stream__(requested_schema)


class OnlyAnArray:
    """What NumPy can read and nothing else."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(TEXTS, dtype=object)


COLUMNS = {
    "a Series of polars": PolarsSeries(TEXTS),
    "a column of a data set": DatasetColumn(TEXTS),
    "strings of Arrow": pyarrow.array(TEXTS),
    "long strings of Arrow": pyarrow.chunked_array([pyarrow.array(TEXTS, pyarrow.large_string())]),
    "views of strings of Arrow": pyarrow.array(TEXTS, pyarrow.string_view()),
    "coded strings of Arrow": pyarrow.array(TEXTS).dictionary_encode(),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_go_into_corpora_and_fits(kind: str) -> None:
    column = COLUMNS[kind]
    assert Corpus.from_texts(column) == EXPECTED
    lda = LDA(2, n_sweeps=20, random_state=0, progress=False)
    with pytest.warns(UserWarning, match="1 of 4 documents is empty"):
        lda.fit(column)
    assert lda.result_.corpus == EXPECTED
    with pytest.warns(UserWarning, match="1 of 4 documents is empty"):
        assert lda.transform(column).shape == (4, 2)


@pytest.mark.parametrize("column", [OnlyArrow(pyarrow.chunked_array([TEXTS])), OnlyAnArray()])
def test_protocols_alone_are_enough_for_a_corpus(column: Any) -> None:
    assert Corpus.from_texts(column) == EXPECTED


@pytest.mark.parametrize(
    "table",
    [
        PolarsFrame(body=TEXTS, year=[1, 2, 3, 4]),
        Dataset(body=TEXTS, year=[1, 2, 3, 4]),
        Dataset(is_streamed=True, body=TEXTS, year=[1, 2, 3, 4]),
        pyarrow.table({"body": TEXTS, "year": [1, 2, 3, 4]}),
        pyarrow.record_batch({"body": TEXTS, "year": [1, 2, 3, 4]}),
        OnlyArrow(pyarrow.table({"body": TEXTS, "year": [1, 2, 3, 4]})),
        [{"body": text, "year": 1} for text in TEXTS],
    ],
)
def test_tables_need_the_name_of_a_column(table: Any) -> None:
    assert Corpus.from_texts(table, text_column="body") == EXPECTED
    with pytest.raises(InputError, match=r"no column 'text': name the .*one of: 'body', 'year'"):
        Corpus.from_texts(table, text_column="text")


def test_lists_of_words_in_columns() -> None:
    lists = [["hot", "soup"], None, ["soup"]]
    expected = Corpus.from_tokens([["hot", "soup"], [], ["soup"]])
    for column in (pyarrow.array(lists), PolarsSeries(lists), DatasetColumn(lists)):
        assert Corpus.from_tokens(column) == expected
    assert Corpus.from_tokens(Dataset(words=lists), tokens_column="words") == expected


def test_several_data_sets_are_not_one() -> None:
    both = SimpleNamespace(column_names={"train": ["text"], "test": ["text"]})
    with pytest.raises(InputError, match=r"holds several data sets: choose one, .*data\['train'\]"):
        Corpus.from_texts(both, text_column="text")  # type: ignore[arg-type]


def test_counts_in_a_frame_of_polars() -> None:
    counts = PolarsFrame(soup=[1, 0], train=[0, 2])
    corpus = Corpus.from_matrix(counts)
    assert corpus.vocabulary == ("soup", "train")
    assert corpus.to_matrix().toarray().tolist() == [[1, 0], [0, 2]]


@pytest.mark.skipif(find_spec("polars") is None, reason="polars is not installed")
def test_polars_itself() -> None:
    import polars  # noqa: PLC0415

    frame = polars.DataFrame({"body": TEXTS, "year": [1, 2, 3, 4]})
    assert Corpus.from_texts(frame, text_column="body") == EXPECTED
    assert Corpus.from_texts(frame["body"]) == EXPECTED


@pytest.mark.skipif(find_spec("datasets") is None, reason="datasets is not installed")
def test_datasets_itself() -> None:
    import datasets  # noqa: PLC0415

    data = datasets.Dataset.from_dict({"body": TEXTS})
    assert Corpus.from_texts(data, text_column="body") == EXPECTED
    assert Corpus.from_texts(data["body"]) == EXPECTED
