"""`sampler="auto"`: the sampler that is fastest to quality, by a rule written down in advance."""

from __future__ import annotations

__all__ = ["AUTO", "choose_sampler"]

AUTO = "auto"

BLOCKS_PAY_UP_TO = 100
"""Topics up to which drawing blocks at once is worth its price.

On KOS and NIPS a sweep of `sparse` costs about what one of `sparse-single-site` does at K = 40 and
a third more at K = 1000, while it needs some percent fewer sweeps to the same log posterior
(`python -m benchmarks.peers --parts b,d` measures both). So the price decides, and it grows with
K. The dense samplers are slower than both at any K (`python -m benchmarks.sweeps`).
"""


def choose_sampler(sampler: str, n_topics: int) -> str:
    """Return a sampler's own name, or for "auto" the name of the one to take.

    The rule looks at K alone: nothing that it could misjudge, and nothing that changes on the way.
    """
    if sampler != AUTO:
        return sampler
    return "sparse" if n_topics <= BLOCKS_PAY_UP_TO else "sparse-single-site"
