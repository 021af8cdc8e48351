"""One cluster for all tests that do not harm it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dask
import distributed
import pytest

import blocklda
from blocklda.formats.sharded import write_shards
from blocklda.parallel.clients import local_cluster
from tests.parallel.clusters import corpus


@pytest.fixture(scope="session")
def cluster() -> Iterator[distributed.LocalCluster]:
    with local_cluster(2) as found, dask.config.set(_credentials(found)):
        yield found


def _credentials(cluster: distributed.LocalCluster) -> dict[str, str]:
    """Return what lets this process in by the address alone, as users say it of their clusters."""
    keys = cluster.security.get_tls_config_for_role("client")
    return {
        "distributed.comm.tls.ca-file": keys["ca_file"],
        "distributed.comm.tls.client.cert": keys["cert"],
        "distributed.comm.tls.client.key": keys["key"],
    }


@pytest.fixture(scope="session")
def client(cluster: distributed.LocalCluster) -> Iterator[distributed.Client]:
    with distributed.Client(cluster) as found:
        yield found


@pytest.fixture(scope="session")
def whole() -> blocklda.Corpus:
    return corpus()


@pytest.fixture(scope="session")
def folder(whole: blocklda.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus in four shards."""
    path = tmp_path_factory.mktemp("shards") / "corpus"
    write_shards(whole, path, 4)
    return path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the corpus of these tests have empty documents, of which a fit would tell each time."""
    for item in items:
        if item.path.parent == Path(__file__).parent and "without_words" not in item.name:
            item.add_marker(pytest.mark.filterwarnings("ignore:.*empty:blocklda.DataWarning"))
