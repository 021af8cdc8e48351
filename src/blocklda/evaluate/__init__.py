"""How good a state or a model is: the log posterior and held-out measures."""

from __future__ import annotations

from blocklda.evaluate.document_completion import document_completion
from blocklda.evaluate.left_to_right import LeftToRight, left_to_right

__all__ = ["LeftToRight", "document_completion", "left_to_right"]
