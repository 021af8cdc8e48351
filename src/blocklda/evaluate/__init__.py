"""How good a state or a model is: the log posterior, held-out measures, coherence, diversity."""

from __future__ import annotations

from blocklda.evaluate.coherence import npmi, umass
from blocklda.evaluate.diversity import diversity, exclusivity
from blocklda.evaluate.document_completion import document_completion

__all__ = ["diversity", "document_completion", "exclusivity", "npmi", "umass"]
