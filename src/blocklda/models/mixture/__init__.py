"""Mixtures of multinomials: one component per document, their number given or not."""
