"""Counts: lines of numbers read fast, and a wrong line found."""
