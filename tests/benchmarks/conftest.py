"""The peers are imported here first: importing them warns, and in tests warnings are errors."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import gensim  # noqa: F401
    import lda  # noqa: F401
    import tomotopy  # noqa: F401
