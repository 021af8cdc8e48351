"""A local cluster is reached from this machine only, and by this program only."""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

import distributed
import pytest

pytestmark = [
    pytest.mark.xdist_group("dask"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

LISTENING = "0A"
LOOPBACK = ("0100007F", "00000000000000000000000001000000")


def listening(pid: int) -> list[str]:
    """Return the hexadecimal addresses at which a process listens."""
    links = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    sockets = {link.removeprefix("socket:[").rstrip("]") for link in links if "socket:" in link}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTENING and inode in sockets:
                found.append(local.split(":")[0])
    return found


def test_nothing_listens_but_on_loopback(cluster, client):
    pids = [os.getpid(), *client.run(os.getpid).values()]
    addresses = [listening(pid) for pid in pids]
    assert all(addresses)  # scheduler, nannies and workers do listen
    assert {one for of_process in addresses for one in of_process} <= set(LOOPBACK)


def test_there_is_no_dashboard(cluster):
    port = cluster.scheduler.http_server.port
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=10)


def test_nobody_else_can_send_work(cluster):
    address = cluster.scheduler_address
    assert address.startswith("tls://127.0.0.1:")
    plain = address.replace("tls://", "tcp://")
    stranger = distributed.Security.temporary()
    for where, security in ((plain, None), (address, stranger)):
        with pytest.raises((OSError, TimeoutError, TypeError)):
            distributed.Client(where, security=security, timeout=2, set_as_default=False)
