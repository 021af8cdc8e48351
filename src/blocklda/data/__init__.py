"""The corpus and how it is built: matrices, names, text settings, splitting."""
