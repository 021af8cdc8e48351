"""The corpus and its door: matrices, names, text settings, splitting."""
