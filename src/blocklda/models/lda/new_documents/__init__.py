"""Documents that were not in the fit: their topics, and how well they are predicted."""

from __future__ import annotations

from blocklda.models.lda.new_documents.infer import completion_log_probability, infer_doc_topics

__all__ = ["completion_log_probability", "infer_doc_topics"]
