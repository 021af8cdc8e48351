"""The samplers over short lists of topics."""
