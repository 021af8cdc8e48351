"""Moves that a chain tries after each sweep: exact, and for any sampler."""
