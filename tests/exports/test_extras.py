"""Without an optional package the error names the extra that brings it."""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata

import pytest

import blocklda
from blocklda.support.extras import install_command
from tests.exports.fits import fit


@pytest.mark.parametrize(
    ("module", "extra", "method"),
    [
        ("pandas", "pandas", "topic_word_frame"),
        ("pandas", "pandas", "doc_topic_frame"),
        ("pandas", "pandas", "topics_frame"),
        ("pyLDAvis", "pyldavis", "to_pyldavis"),
        ("gensim", "gensim", "to_gensim"),
    ],
)
def test_the_error_names_the_extra(
    module: str, extra: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lda = fit()
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    words = rf"{method} needs {module}.* {re.escape(install_command(extra))}"
    with pytest.raises(blocklda.InputError, match=words):
        getattr(lda, method)()


class _Installed:
    """A distribution as a way of installing leaves it."""

    requires = ('pandas>=2.2; extra == "pandas"', 'dask>=2; extra == "dask"', "numpy>=2")

    def __init__(self, **files: str) -> None:
        self._files = files

    def read_text(self, name: str) -> str | None:
        return self._files.get(name.replace(".json", ""))


FROM_FOLDER = json.dumps({"url": "file:///somewhere", "dir_info": {}})


@pytest.mark.parametrize(
    ("files", "extra", "command"),
    [
        ({"INSTALLER": "pip\n"}, "pandas", "pip install 'blocklda[pandas]'"),
        ({"INSTALLER": "uv"}, "pandas", "uv pip install 'blocklda[pandas]'"),
        ({"direct_url": FROM_FOLDER}, "pandas", "pip install 'pandas>=2.2'"),
        ({"direct_url": FROM_FOLDER}, "unheard-of", "pip install 'blocklda[unheard-of]'"),
        ({"direct_url": "broken"}, "dask", "pip install 'blocklda[dask]'"),
    ],
)
def test_the_command_suits_the_way_of_installing(
    files: dict[str, str], extra: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda _: _Installed(**files))
    assert install_command(extra) == command


def test_a_package_that_was_never_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    assert install_command("plot") == "pip install 'blocklda[plot]'"
