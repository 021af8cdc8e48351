"""`sampler="auto"`: the sampler that is fastest to quality, by a rule written down in advance."""

from __future__ import annotations

__all__ = ["AUTO", "choose_sampler"]

AUTO = "auto"

BLOCKS_PAY_UP_TO = 100
"""Topics up to which drawing blocks at once is worth its price.

A sweep of `sparse` costs about what one of `sparse-single-site` does at few topics. With more a
block costs more than its tokens one by one, and fewer blocks are drawn at once (`sparse/plan.py`);
what is left of their gain, some percent fewer sweeps to the same log posterior on KOS at K = 40, no
longer pays. `python -m benchmarks.peers --parts b,d` measures price and gain, and
`python -m benchmarks.sweeps` the dense samplers beside them.
"""


def choose_sampler(sampler: str, n_topics: int) -> str:
    """Return a sampler's own name, or for "auto" the name of the one to take.

    The rule looks at K alone: nothing that it could misjudge, and nothing that changes on the way.
    """
    if sampler != AUTO:
        return sampler
    return "sparse" if n_topics <= BLOCKS_PAY_UP_TO else "sparse-single-site"
