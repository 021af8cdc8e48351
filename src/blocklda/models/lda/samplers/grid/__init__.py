"""The samplers on a grid of documents and words."""
