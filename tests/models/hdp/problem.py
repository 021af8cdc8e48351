"""The problems on which an HDP is tested; `blocklda.testing` lists their states."""

from __future__ import annotations

from blocklda.testing.hdp_problem import HDPProblem as Problem
from blocklda.testing.hdp_problem import Key, rising, set_partitions, stirling

__all__ = [
    "CELLS_OF_THREE",
    "CELLS_OF_TWO",
    "CELLS_PER_WORD",
    "LARGE_TABLES",
    "LONE_BLOCK",
    "MANY_WORDS",
    "PER_WORD",
    "REVEALING",
    "SHARED",
    "SMALL",
    "TABLES_PER_WORD",
    "TWO_BLOCKS",
    "Key",
    "Problem",
    "rising",
    "set_partitions",
    "stirling",
]

REVEALING = Problem(((4, 1), (2, 0)), 5.0, 2.5, 0.7)
"""Large concentrations and a block of four: here a new topic's weight is not what it seems."""

SHARED = Problem(((3, 1), (1, 1)), 5.0, 2.0, 0.4)
"""Both documents have both words."""

SMALL = Problem(((3, 1), (2, 0)), 0.8, 0.6, 0.2)

CELLS_OF_TWO = Problem(((2, 1, 1), (1, 0, 2)), 5.0, 2.5, 0.6)
CELLS_OF_THREE = Problem(((1, 1, 0), (0, 1, 1), (2, 0, 0)), 5.0, 2.5, 0.5)
"""Grids of two and of three groups, in whose steps some topics are shared and others are not."""

PER_WORD = Problem(((4, 1), (2, 0)), 5.0, 2.5, (0.3, 1.6))
CELLS_PER_WORD = Problem(((2, 1), (1, 2)), 2.0, 1.0, (0.05, 4.0))
TABLES_PER_WORD = Problem(((2, 1), (1, 1)), 1.0, 6.0, (0.1, 1.2))
"""Words have priors of their own."""

MANY_WORDS = Problem(((3, 0, *(0,) * 8), (0, 2, *(0,) * 8)), 5.0, 2.0, 0.05)
"""Words that no document has: a topic that a token enters becomes far more likely for the next."""

LONE_BLOCK = Problem(((4, 0),), 5.0, 2.5, 0.7)
TWO_BLOCKS = Problem(((4, 0), (2, 0)), 5.0, 2.5, 0.7)
LARGE_TABLES = Problem(((2, 1), (2, 0)), 1.0, 6.0, 0.1)
"""Words that hold together, so that tables have several tokens of one word."""
