"""One-step tests of every sampler on random problems: p-values uniform, every mutant found."""
