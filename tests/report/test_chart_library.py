"""The chart library is kept as npm has it, with its licences."""

from __future__ import annotations

import hashlib
import json

import pytest

from blocklda.report.page import chart_library
from tools.vega import KEPT, LICENCES, SCRIPTS

VERSIONS = json.loads((KEPT / "versions.json").read_text("utf-8"))


def test_nothing_else_is_kept():
    files = {part["file"] for part in VERSIONS.values()}
    assert {path.name for path in KEPT.iterdir()} == files | {"versions.json"}
    assert list(VERSIONS) == list(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_files_are_those_of_their_versions(name):
    content = (KEPT / VERSIONS[name]["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == VERSIONS[name]["sha256"]
    assert f'"{VERSIONS[name]["version"]}"' in content.decode()


@pytest.mark.parametrize("name", [*SCRIPTS, "d3-scale", "topojson-client", "fast-json-patch"])
def test_licences_are_there(name):
    assert f"{name} (" in LICENCES.read_text("utf-8")


def test_a_page_gets_all_of_it_and_is_told_of_no_other_file():
    script = chart_library()
    for name in SCRIPTS:
        assert f"{name} {VERSIONS[name]['version']}" in script.splitlines()[0]
    assert "sourceMappingURL" not in script
    assert len(script) > 0.99 * sum(path.stat().st_size for path in KEPT.glob("*.js"))
