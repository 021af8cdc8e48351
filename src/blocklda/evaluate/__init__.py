"""How good a state or a model is: the log posterior, held-out measures, coherence, diversity."""

from __future__ import annotations

from blocklda.evaluate.coherence import npmi, umass
from blocklda.evaluate.diversity import diversity, exclusivity
from blocklda.evaluate.document_completion import document_completion
from blocklda.evaluate.search import search_n_topics
from blocklda.evaluate.search_result import KRow, KSearch

__all__ = [
    "KRow",
    "KSearch",
    "diversity",
    "document_completion",
    "exclusivity",
    "npmi",
    "search_n_topics",
    "umass",
]
