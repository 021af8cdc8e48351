"""Models whose pages are looked at, by the tests of contents and by those in a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest

import blocklda
from blocklda.report.contents import page_contents
from tests.report.hostile import HOSTILE_TEXTS


@pytest.fixture(scope="session")
def two_chains() -> blocklda.LDA:
    """Bars by two short chains: small, with stable and perhaps unstable topics."""
    corpus = blocklda.simulate.bars(n_docs=40, seed=1).corpus
    settings = {"n_chains": 2, "n_sweeps": 60, "burn_in": 20, "thin": 2, "random_state": 3}
    model = blocklda.LDA(6, alpha=0.1, beta=0.01, **settings)
    return model.set_params(progress=False).fit(corpus)


@pytest.fixture(scope="session")
def hostile() -> blocklda.LDA:
    """Texts, words and names that would do harm if they were HTML or scripts."""
    corpus = blocklda.Corpus.from_texts(
        HOSTILE_TEXTS,
        doc_names=[f"</title><script>alert({i})</script>" for i in range(len(HOSTILE_TEXTS))],
        token_pattern=r"\S+",
        stop_words="none",
        lowercase=False,
    )
    model = blocklda.LDA(3, n_chains=2, n_sweeps=40, burn_in=10, thin=2, random_state=0)
    return model.set_params(progress=False).fit(corpus)


def contents(model: blocklda.LDA, **given: Any) -> dict[str, Any]:
    """Return what the page of a model shows, as a browser would read it."""
    settings = {"texts": None, "groups": None, "group_name": None, "title": None, "interval": 0.9}
    found = page_contents(model, **(settings | given))
    read: dict[str, Any] = json.loads(json.dumps(found, allow_nan=False))
    return read
