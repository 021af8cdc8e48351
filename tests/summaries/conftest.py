"""A small fitted model that the tests of this folder look at and do not change."""

from __future__ import annotations

import pytest

from blocklda.results.result import FitResult, result_of
from tests.summaries.models import small_lda


@pytest.fixture(scope="session")
def model() -> FitResult:
    return result_of(small_lda())
