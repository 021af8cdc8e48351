"""`init="annealed"`: the sweeps with which such a chain begins, for p(z) p(w | z)^b with b < 1.

Topics that are weighed by less than the whole likelihood still move freely; as b rises they settle
in better modes than plain sweeps find. These sweeps only decide where the chain begins: its
stationary distribution is that of the sampler that follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.models.lda.opening import Opening
from blocklda.models.lda.priors import Priors, padded_length
from blocklda.models.lda.reference import annealed as twin
from blocklda.models.lda.samplers.base import Sampler, TableBytes
from blocklda.models.lda.samplers.kernel_call import run_collapsed
from blocklda.models.lda.samplers.powers import sixteenths
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["ANNEALED", "levels"]


def levels(state: State, n_sweeps: int) -> Iterator[tuple[int, int]]:
    """Yield the powers of the next sweeps, each with how many sweeps have it."""
    sweeps = range(state.n_sweeps, state.n_sweeps + n_sweeps)
    for level, group in groupby(sixteenths(t, state.opening.n_sweeps) for t in sweeps):
        yield level, len(list(group))


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    return sum(
        run_collapsed(_native.annealed, state, n, sixteenths=level)
        for level, n in levels(state, n_sweeps)
    )


def _python_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    return sum(twin.sweep(state, level, n) for level, n in levels(state, n_sweeps))


def _table_bytes(corpus: Corpus, priors: Priors, options: SweepOptions) -> TableBytes:
    """Count n_vk and the powers of n_vk + β, which share 8 bytes."""
    return TableBytes(0, 8 * corpus.n_words * padded_length(priors.n_topics))


ANNEALED = Sampler(
    name=Opening.ANNEALED,
    summary="opening of a chain, one token at a time, with the likelihood to a power below 1",
    native=_native_sweep,
    python=_python_sweep,
    memory=_table_bytes,
)
"""Not among the samplers that have a name: a chain that never leaves it has another target."""
