"""Figures, with matplotlib: pip install 'blocklda[plot]'. One kind of figure per file."""

from __future__ import annotations

from blocklda.plots.sampler_comparison import comparison_figure, sampler_comparison
from blocklda.plots.saving import FIGURE_SUFFIXES, save_figure

__all__ = ["FIGURE_SUFFIXES", "comparison_figure", "sampler_comparison", "save_figure"]
