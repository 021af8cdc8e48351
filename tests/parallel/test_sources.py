"""Shards from files and from Dask's collections: the same corpus as one machine reads."""

from __future__ import annotations

import json

import dask.bag
import dask.dataframe
import numpy as np
import pandas as pd
import pytest

import blocklda
from blocklda import parallel
from blocklda.files.sharded_corpus import MANIFEST, ShardedCorpus
from blocklda.formats.sharded import write_shards
from tests.cli.commands import complaint, run_json
from tests.cli.terminal import run
from tests.parallel.clusters import N_TOPICS, corpus, fit_json, on_one_machine

pytestmark = pytest.mark.xdist_group("dask")

WORDS = ["apple", "pear", "plum", "carrot", "leek", "the", "onion", "grape"]
QUICK = {"n_sweeps": 3, "burn_in": 1, "thin": 1, "seed": 3}


def texts(n: int = 40) -> list[str]:
    rng = np.random.default_rng(8)
    return [" ".join(rng.choice(WORDS, size=rng.integers(3, 12))) for _ in range(n)]


def check(found: parallel.ShardedFit, expected: blocklda.Corpus) -> None:
    assert found.corpus.whole() == expected
    assert found.corpus.whole().text_settings == expected.text_settings
    sizes = [shard.n_docs for shard in found.corpus.shards]
    chain, _ = on_one_machine(expected, 3, sizes, n_topics=3)
    np.testing.assert_array_equal(found.assignments(), chain.assignments())


@pytest.mark.parametrize("settings", [{}, {"min_df": 25, "max_df": 0.8}, {"max_words": 3}])
def test_a_bag_of_texts(client, settings):
    bag = dask.bag.from_sequence(texts(), npartitions=3)
    found = parallel.fit(client, bag, 3, **QUICK, **settings)
    assert [shard.n_docs for shard in found.corpus.shards] == [14, 14, 12]
    check(found, blocklda.Corpus.from_texts(texts(), **settings))


def test_a_vocabulary_that_is_given(client):
    bag = dask.bag.from_sequence(texts(), npartitions=2)
    found = parallel.fit(client, bag, 3, vocabulary=["plum", "leek", "pear"], **QUICK)
    check(found, blocklda.Corpus.from_texts(texts(), vocabulary=["plum", "leek", "pear"]))


def test_a_shard_without_words_is_named(client):
    bag = dask.bag.from_sequence([*texts(), "the", "the the"], partition_size=40)
    with pytest.raises(blocklda.InputError, match="shard 1: no word is left"):
        parallel.fit(client, bag, 3, **QUICK)


def test_a_folder_of_parquet(client, tmp_path):
    frame = pd.DataFrame({"body": texts(), "name": [f"d{i}" for i in range(40)]})
    for number, rows in enumerate((slice(0, 25), slice(25, 40))):
        frame[rows].to_parquet(tmp_path / f"part-{number}.parquet")
    found = parallel.fit(client, tmp_path, 3, text_column="body", id_column="name", **QUICK)
    expected = blocklda.Corpus.from_texts(texts(), doc_names=frame["name"])
    check(found, expected)
    assert found.corpus.whole().doc_names == expected.doc_names
    with pytest.raises(blocklda.InputError, match="no column 'nothing'"):
        parallel.fit(client, tmp_path, 3, text_column="nothing", **QUICK)


def test_a_dataframe(client):
    frame = pd.DataFrame({"body": texts(), "other": range(40)})
    found = parallel.fit(
        client, dask.dataframe.from_pandas(frame, npartitions=2), 3, text_column="body", **QUICK
    )
    check(found, blocklda.Corpus.from_texts(texts()))


# --- the folder


@pytest.mark.parametrize("n_shards", [1, 3, 6])
def test_shards_come_back_as_one_corpus(tmp_path, whole, n_shards):
    written = write_shards(whole, tmp_path / "shards", n_shards)
    assert len(written.shards) == n_shards
    back = blocklda.read_corpus(tmp_path / "shards")
    assert back == whole
    assert back.doc_names == whole.doc_names
    assert ShardedCorpus.open(tmp_path / "shards") == written


def test_convert(tmp_path, whole):
    blocklda.write_corpus(whole, tmp_path / "whole.npz")
    target = tmp_path / "shards"
    facts = run_json("convert", tmp_path / "whole.npz", target, "--shards", 3)
    assert facts["tokens"] == whole.n_tokens
    assert blocklda.read_corpus(target) == whole
    again = ("convert", tmp_path / "whole.npz", target, "--shards")
    assert "--force" in complaint(*again, 2)
    assert run(*again, 2, "--force").exit_code == 0
    assert sorted(path.name for path in target.iterdir()) == [
        MANIFEST,
        "shard-000001.npz",
        "shard-000002.npz",
    ]
    assert blocklda.read_corpus(target) == whole
    assert "give a whole number from 1 to 6" in complaint(*again, 7, "--force")
    assert "--shards 0 is not allowed" in complaint(*again, 0, "--force")
    assert "--shards 2 already sets the format" in complaint(*again, 2, "--force", "--to", "npz")
    (tmp_path / "texts").mkdir()
    other = ("convert", tmp_path / "whole.npz", tmp_path / "texts", "--shards", 2, "--force")
    assert "does not hold shards" in complaint(*other)


def test_empty_documents_at_the_end_make_no_shard(tmp_path):
    whole = corpus(n_docs=400)
    matrix = whole.to_matrix()
    lengths = np.cumsum(whole.doc_lengths())
    last = int(np.searchsorted(lengths, 40_000)) + 1  # the first piece ends here
    matrix.resize((last + 5, 300))
    matrix.data[matrix.indptr[last] :] = 0
    padded = blocklda.Corpus.from_matrix(matrix)
    assert len(write_shards(padded, tmp_path / "shards", 1).shards) == 1
    with pytest.raises(blocklda.InputError, match="from 1 to 1"):
        write_shards(padded, tmp_path / "others", 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content.update(kind="x"), "not version 1"),
        (lambda content: content.update(shards=[]), "it has no shards"),
        (lambda content: content.pop("n_words"), "n_words"),
        (lambda content: content["vocabulary"].pop(), "300"),
        (lambda content: content["shards"][0].update(file="../x.npz"), "not the name of a shard"),
        (lambda content: content["shards"][0].update(n_docs=-1), "n_docs=-1"),
        (lambda content: content["shards"][0].update(fingerprint="x"), "not the shard"),
        (lambda content: content["shards"].reverse(), None),
    ],
)
def test_a_manifest_that_was_changed(tmp_path, whole, change, said):
    write_shards(whole, tmp_path / "shards", 2)
    path = tmp_path / "shards" / MANIFEST
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    if said is None:  # another order is another corpus, and a good one
        assert blocklda.read_corpus(tmp_path / "shards").n_tokens == whole.n_tokens
        return
    with pytest.raises(blocklda.FileFormatError, match=said):
        blocklda.read_corpus(tmp_path / "shards")


# --- the command line


def test_fit_with_a_scheduler(cluster, client, folder, whole, tmp_path):
    blocklda.write_corpus(whole, tmp_path / "whole.npz")
    options = ("-k", N_TOPICS, "--sweeps", 6, "--burn-in", 2, "--thin", 2, "--seed", 5)
    here = ("--sampler", "partially-collapsed", "--moves", "none", "--init", "random")
    here = (*here, "-o", tmp_path / "here")
    given = ("--alpha", 0.1, "--beta", 0.01, "--chains", 1)
    done = run("fit", tmp_path / "whole.npz", *options, *here, *given, "--json")
    assert done.exit_code == 0, done.stderr
    expected = json.loads(done.stdout)
    address = ("--scheduler", cluster.scheduler_address, "--checkpoint", tmp_path / "run")
    same = (*given, "--init", "random")
    found = fit_json(folder, *options, *same, *address, "-o", tmp_path / "there")
    assert found["log_posterior"] == expected["log_posterior"]
    assert found["topics"] == expected["topics"]
    assert found["went_on_from_sweep"] is None
    loaded = blocklda.LDA.load(tmp_path / "there")
    np.testing.assert_array_equal(
        loaded.components_, blocklda.LDA.load(tmp_path / "here").components_
    )
    again = fit_json(folder, *options, *same, *address)
    assert again["went_on_from_sweep"] == 6
    # Sums over shards are added up in another order than draws.
    for one, other in zip(again["topics"], expected["topics"], strict=True):
        assert one["topic"] == other["topic"]
        assert one["prevalence"] == pytest.approx(other["prevalence"])
        assert [word["word"] for word in one["words"]] == [word["word"] for word in other["words"]]
    other = complaint("fit", folder, *options, *same, *address, "--alpha", 0.2)
    assert "was made with" in other


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--workers", 2), "--scheduler and --workers exclude each other"),
        (("--chains", 0), "--chains 0"),
        (("--jobs", 2), "--jobs 2 is not available with --scheduler: leave it out."),
        (("--sampler", "sparse"), "give auto or partially-collapsed"),
        (("--min-df", 2), "is a sharded corpus: leave --min-df"),
        ((), "no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
    ],
)
def test_options_that_do_not_go_with_a_scheduler(folder, options, said, monkeypatch):
    monkeypatch.setattr("blocklda.parallel.cluster.CONNECT_SECONDS", 0.5)
    wrong = complaint("fit", folder, "-k", 3, "--scheduler", "tcp://127.0.0.1:9", *options)
    assert said in wrong
