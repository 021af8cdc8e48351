"""Texts counted part by part: the words and counts of one machine, whatever the parts."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import fsspec
import pandas as pd
import pytest

import blocklda
from blocklda import parallel
from blocklda.parallel.text_parts import find_parts
from tests.cli.commands import complaint, run_json
from tests.parallel.test_sources import texts

N_FILES = 5


def frames() -> list[pd.DataFrame]:
    """Return documents with names in five tables, not all of the same length."""
    frame = pd.DataFrame({"body": texts(60), "name": [f"d{i}" for i in range(60)]})
    ends = [0, 7, 20, 25, 48, 60]
    return [frame[first:last] for first, last in pairwise(ends)]


def write(kind: str, folder: Path) -> None:
    folder.mkdir()
    for number, frame in enumerate(frames()):
        path = folder / f"part-{number}.{kind}"
        if kind == "csv":
            frame.to_csv(path, index=False)
        elif kind == "jsonl":
            frame.to_json(path, orient="records", lines=True)
        elif kind == "parquet":
            frame.to_parquet(path)
        else:
            inner = folder / f"year-{number}"
            inner.mkdir()
            for name, body in zip(frame["name"], frame["body"], strict=True):
                (inner / f"{name}.txt").write_text(body)


def columns(kind: str) -> dict[str, str]:
    return {} if kind == "txt" else {"text_column": "body", "id_column": "name"}


def written(source: object, to: Path, **settings: object) -> blocklda.Corpus:
    return parallel.write_shards(None, source, to, out_of_core=True, **settings).whole()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "txt"])
def test_the_words_and_counts_of_one_machine(tmp_path, kind):
    write(kind, tmp_path / "texts")
    settings = {"min_df": 20, "max_df": 0.9, **columns(kind)}
    found = written(tmp_path / "texts", tmp_path / "shards", **settings)
    files = tmp_path / "texts" if kind == "txt" else sorted((tmp_path / "texts").iterdir())
    expected = blocklda.read_corpus(files, **settings)
    assert found == expected
    assert found.doc_names == expected.doc_names
    assert found.text_settings == expected.text_settings
    assert not (tmp_path / "shards.part").exists()


def test_how_many_shards(tmp_path):
    write("csv", tmp_path / "texts")
    sizes = [part.n_bytes for part in find_parts(tmp_path / "texts")]
    assert len(sizes) == N_FILES
    for n in (1, 2, 4, 5):
        parts = find_parts(tmp_path / "texts", n_shards=n)
        assert len(parts) == n
        assert sum(len(part.files) for part in parts) == N_FILES
        assert sum(part.n_bytes for part in parts) == sum(sizes)
    assert {part.n_shards for part in find_parts(tmp_path / "texts", n_shards=12)} == {3}
    two = parallel.write_shards(
        None, tmp_path / "texts", tmp_path / "two", n_shards=2, out_of_core=True, text_column="body"
    )
    assert len(two.shards) == 2
    # A file that is too small to be cut stays whole.
    more = {"n_shards": 10, "out_of_core": True, "text_column": "body"}
    assert (
        len(parallel.write_shards(None, tmp_path / "texts", tmp_path / "two", **more).shards) == 5
    )


@pytest.mark.parametrize("kind", ["csv", "txt"])
@pytest.mark.parametrize("where", ["memory", "file"])
def test_objects_of_a_storage(tmp_path, kind, where):
    write(kind, tmp_path / "texts")
    address = (
        f"memory://{tmp_path.name}/{kind}" if where == "memory" else f"file://{tmp_path}/texts"
    )
    if where == "memory":
        fsspec.filesystem("memory").put(f"{tmp_path}/texts/", address + "/", recursive=True)
    settings = columns(kind)
    found = written(address, tmp_path / "shards", **settings)
    here = written(tmp_path / "texts", tmp_path / "here", **settings)
    assert found == here
    assert found.doc_names == here.doc_names


def test_a_fit_of_an_address(tmp_path):
    write("jsonl", tmp_path / "texts")
    how = {"n_sweeps": 3, "burn_in": 1, "thin": 1, "out_of_core": True, "text_column": "body"}
    found = parallel.fit(None, f"file://{tmp_path}/texts", 3, **how)
    assert found.corpus.n_docs == 60
    assert len(found.corpus.shards) == N_FILES


@pytest.mark.xdist_group("dask")
def test_the_command_on_workers(cluster, client, tmp_path):
    write("parquet", tmp_path / "texts")
    who = ("--shards", 3, "--scheduler", cluster.scheduler_address)
    facts = run_json("convert", tmp_path / "texts", tmp_path / "out", "--text-column", "body", *who)
    assert facts["documents"] == 60
    manifest = json.loads((tmp_path / "out" / "corpus.json").read_text())
    assert len(manifest["shards"]) == 3
    files = sorted((tmp_path / "texts").iterdir())
    expected = blocklda.read_corpus(files, text_column="body")
    assert blocklda.read_corpus(tmp_path / "out") == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--workers", 2), "--workers 2 is for --shards"),
        (("--shards", 2, "--workers", 2, "--scheduler", "tcp://h:1"), "exclude each other"),
        (("--shards", 2, "--workers", 2, "--phrases"), "each shard is counted separately"),
        (("--shards", 2, "--workers", 2, "--to", "npz"), "already sets the format"),
    ],
)
def test_refusals_of_the_command(tmp_path, arguments, said):
    write("csv", tmp_path / "texts")
    options = ("--text-column", "body", *arguments)
    assert said in complaint("convert", tmp_path / "texts", tmp_path / "out", *options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("files", "given", "said"),
    [
        (("a.csv", "b.jsonl"), "", "has files of the kinds csv and jsonl"),
        (("a.dat",), "", "neither a sharded corpus"),
        ((), "missing", "does not exist|no such file|No such file|cannot|there is no"),
        (("docword.a.txt",), "docword.a.txt", "holds counts"),
    ],
)
def test_what_are_no_texts(tmp_path, files, given, said):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in files:
        (folder / name).write_text("body\nsoup\n")
    with pytest.raises(blocklda.InputError, match=said):
        written(folder / given if given else folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("memory://nothing/here", "there is nothing at"),
        ("unheard-of://here", "an address that fsspec knows"),
    ],
)
def test_addresses_that_lead_nowhere(tmp_path, address, said):
    with pytest.raises(blocklda.InputError, match=said):
        written(address, tmp_path / "out")
