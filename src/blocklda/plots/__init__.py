"""Figures, with matplotlib: pip install 'blocklda[plot]'. One kind of figure per file."""

from __future__ import annotations

from blocklda.plots.document_mixture import document_mixture
from blocklda.plots.effect import effect
from blocklda.plots.prevalence_over_groups import prevalence_over_groups
from blocklda.plots.rank_histograms import rank_histograms
from blocklda.plots.sampler_comparison import comparison_figure, sampler_comparison
from blocklda.plots.saving import FIGURE_SUFFIXES, save_figure
from blocklda.plots.search_n_topics import search_figure, search_n_topics
from blocklda.plots.topic_bars import topic_bars, topic_bars_figure
from blocklda.plots.topic_counts import topic_counts
from blocklda.plots.topic_map import topic_map
from blocklda.plots.trace import trace

__all__ = [
    "FIGURE_SUFFIXES",
    "comparison_figure",
    "document_mixture",
    "effect",
    "prevalence_over_groups",
    "rank_histograms",
    "sampler_comparison",
    "save_figure",
    "search_figure",
    "search_n_topics",
    "topic_bars",
    "topic_bars_figure",
    "topic_counts",
    "topic_map",
    "trace",
]
