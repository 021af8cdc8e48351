"""Models: what is sampled. One folder each; base.py says what a model is."""
