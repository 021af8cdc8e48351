"""A small fitted model that the tests of this folder look at and do not change."""

from __future__ import annotations

import pytest

from blocklda.results.fitted import Fitted, fitted
from tests.summaries.models import small_lda


@pytest.fixture(scope="session")
def model() -> Fitted:
    return fitted(small_lda())
