"""Measurements: contenders alternate in one run, medians are compared, ratios are reported."""
