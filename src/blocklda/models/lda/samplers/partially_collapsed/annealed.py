"""Annealed sweeps of the partially collapsed sampler: topics and φ with the likelihood to a power.

The joint distribution p(z) p(φ) p(w | z, φ)^b has the conditional distributions

    φ_k | z ~ Dirichlet(b n_·k + β),     z_i = k | φ, the rest  ∝  (n_dk + α_k) φ_kv^b,

so that a sweep at b < 1 is one at b = 1 with other concentrations and with φ^b in the place of φ.
Like the annealed sweeps of other samplers these only decide where a chain begins.
"""

from __future__ import annotations

from blocklda.models.lda.opening import Opening
from blocklda.models.lda.reference import partially_collapsed as twin
from blocklda.models.lda.samplers.annealed import levels
from blocklda.models.lda.samplers.base import Sampler
from blocklda.models.lda.samplers.partially_collapsed.sampler import PARTIALLY_COLLAPSED
from blocklda.models.lda.samplers.partially_collapsed.sweep import run_at_power
from blocklda.models.lda.state import State, SweepOptions

__all__ = ["ANNEALED_GIVEN_PHI"]


def _native_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    return sum(run_at_power(state, options, n, level) for level, n in levels(state, n_sweeps))


def _python_sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
    return sum(twin.sweep_at_power(state, options, n, b) for b, n in levels(state, n_sweeps))


ANNEALED_GIVEN_PHI = Sampler(
    name=Opening.ANNEALED_GIVEN_PHI,
    summary="opening of a chain given φ, with the likelihood to a power below 1",
    native=_native_sweep,
    python=_python_sweep,
    memory=PARTIALLY_COLLAPSED.memory,
)
"""Not among the samplers that have a name: a chain that never leaves it has another target."""
