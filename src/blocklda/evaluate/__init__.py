"""How good a state or a model is: the log posterior, held-out measures, coherence, diversity."""

from __future__ import annotations

from blocklda.evaluate.coherence import npmi, umass
from blocklda.evaluate.compare import compare_samplers
from blocklda.evaluate.compare_result import Comparison
from blocklda.evaluate.diversity import diversity, exclusivity
from blocklda.evaluate.document_completion import document_completion
from blocklda.evaluate.left_to_right import LeftToRight, left_to_right
from blocklda.evaluate.model_comparison import ModelComparison, compare_models
from blocklda.evaluate.predictive_checks import posterior_predictive_check
from blocklda.evaluate.search import search_n_topics
from blocklda.evaluate.search_result import KRow, KSearch
from blocklda.summaries.word_checks import TopicChecks

__all__ = [
    "Comparison",
    "KRow",
    "KSearch",
    "LeftToRight",
    "ModelComparison",
    "TopicChecks",
    "compare_models",
    "compare_samplers",
    "diversity",
    "document_completion",
    "exclusivity",
    "left_to_right",
    "npmi",
    "posterior_predictive_check",
    "search_n_topics",
    "umass",
]
