"""How good a state or a model is: the log posterior and held-out measures."""

from __future__ import annotations

from blocklda.evaluate.document_completion import document_completion

__all__ = ["document_completion"]
