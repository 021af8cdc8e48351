"""The samplers of LDA: one file or folder each, with its line in registry.py."""
