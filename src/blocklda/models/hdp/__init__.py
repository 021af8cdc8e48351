"""The hierarchical Dirichlet process: LDA whose number of topics is not fixed."""
