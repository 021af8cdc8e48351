"""Defaults of parameters that several interfaces share.

The estimator, a chain, a fit on shards, the plots and the command line take them from here. A
parameter of one function has its default there; numbers that are equal by chance stay apart.
"""

from __future__ import annotations

__all__ = [
    "ALPHA",
    "BACKEND",
    "BETA",
    "BURN_IN",
    "COMPONENT_BETA",
    "CONCENTRATION",
    "EVERY",
    "GIVEN_ALPHA",
    "GIVEN_BETA",
    "HDP_BETA",
    "HDP_SWEEPS",
    "INIT",
    "INITIAL_TOPICS",
    "INTERVAL",
    "LEARN_ALPHA",
    "LEARN_BETA",
    "LEARN_HOW",
    "LONG_BURN_IN",
    "MAX_DRAWS",
    "MAX_DRAWS_OF_SEVERAL",
    "MAX_SWEEPS_KEPT",
    "MOVES",
    "MOVES_OF_FIT",
    "N_CHAINS",
    "N_CHAINS_OF_COMMAND",
    "N_JOBS",
    "N_JOBS_OF_COMMAND",
    "N_SWEEPS",
    "N_SWEEPS_ON_SHARDS",
    "N_TOPICS",
    "N_WORDS",
    "PRIOR_OF_PRIORS",
    "QUICK_SWEEPS",
    "RANDOM_INIT",
    "RELEVANCE_WEIGHT",
    "SAMPLER_ON_SHARDS",
    "SEED",
    "SHORT_BURN_IN",
    "TABLE_MOVES",
    "THIN",
]

# --- the model

N_TOPICS = 10
ALPHA = "auto"
BETA = "auto"
LEARN_ALPHA = "auto"
LEARN_BETA = "auto"
"""An estimator learns the priors that were not given."""

GIVEN_ALPHA = 0.1
GIVEN_BETA = 0.01
"""Where learning starts, and the priors of what learns none: chains, fits on shards and
comparisons. They are those of the paper."""

LEARN_HOW = "sampled"
PRIOR_OF_PRIORS = (1.0, 1.0)
"""Shape and rate of the Gamma distribution of priors that are learned."""

CONCENTRATION = 1.0
"""Where α₀ and γ of an HDP start."""

HDP_BETA = 0.1
"""The word prior of an HDP, which is not learned: together with the number of topics it has two
regimes that chains did not leave."""

INITIAL_TOPICS = 200
"""With how many topics a chain of an HDP starts. Chains that start with many predict better than
those that start with few."""

TABLE_MOVES = 0.125
"""The share of documents whose tables are moved in a sweep of an HDP, in turn."""
COMPONENT_BETA = 0.1
"""Of mixtures: where the concentration starts, and the prior of the words of a component."""

# --- a fit

HDP_SWEEPS = 400
"""Of an HDP, whose number of topics changes long after predictions have settled."""

N_SWEEPS = "auto"
"""Until the answer has settled: see blocklda/diagnostics/stopping.py."""

MAX_SWEEPS_KEPT = 900
"""Sweeps after the burn-in at which "auto" ends in any case."""

N_SWEEPS_ON_SHARDS = 200
SAMPLER_ON_SHARDS = "partially-collapsed"
THIN = 4
BURN_IN = "auto"
SHORT_BURN_IN = 4
"""One chain with given priors: draws soon after a warm start already help prediction."""

LONG_BURN_IN = 100
"""Several chains, whose draws are compared and of which one starts at random, and learned priors,
which have to settle."""

MAX_DRAWS = 32
"""Draws of one chain that are kept if it takes more; means and traces are over all of them."""

MAX_DRAWS_OF_SEVERAL = 16
"""The same for each of several chains, which have more draws together and larger files."""

N_CHAINS = 1
N_CHAINS_OF_COMMAND = 4
"""A person who looks at topics needs to know which of them are reproducible."""

N_JOBS = 1
N_JOBS_OF_COMMAND = -1
"""The results do not depend on it."""

QUICK_SWEEPS = 100
"""Of one chain, for a first look at a corpus."""

INIT = "auto"
RANDOM_INIT = "random"
"""How a single chain starts, and a fit on shards, which has no other way."""

MOVES: tuple[str, ...] = ()
"""Of a chain: none."""

MOVES_OF_FIT = "auto"
"""Of a fit: merge-split in the burn-in if there are few words; see docs/explanation/moves.md."""

EVERY = 25
"""Sweeps from one checkpoint to the next."""

BACKEND = "native"
SEED = 0
"""Of functions that give the same numbers every time; an estimator has None, as in scikit-learn."""

# --- what is shown

INTERVAL = 0.9
"""The posterior probability inside a credible interval."""

N_WORDS = 10
"""The words that are said of a topic."""

RELEVANCE_WEIGHT = 0.6
"""The weight of a word's probability in its relevance, where readers named topics best in the study
of Sievert and Shirley (2014)."""
