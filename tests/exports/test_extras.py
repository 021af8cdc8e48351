"""Without an optional package the error names the extra that brings it."""

from __future__ import annotations

import sys

import pytest

import blocklda
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
    words = rf"{method} needs {module}.* pip install 'blocklda\[{extra}\]'"
    with pytest.raises(blocklda.InputError, match=words):
        getattr(lda, method)()
