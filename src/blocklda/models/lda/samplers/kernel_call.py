"""Calling the native kernels: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blocklda.models.lda.kernel_failure import raise_if_failed
from blocklda.models.lda.samplers.convolution import fft_convolve, fft_from
from blocklda.models.lda.state import State, SweepOptions

__all__ = [
    "NO_LIMIT",
    "Kernel",
    "block_arguments",
    "call_kernel",
    "run_collapsed",
    "state_arguments",
]

NO_LIMIT = 2**31
"""A block size that no block reaches, since a corpus holds fewer tokens."""

Kernel = Callable[..., tuple[int, int]]


def run_collapsed(kernel: Kernel, state: State, n_sweeps: int, **extra: Any) -> int:
    """Run a kernel that works on the dense counts n_vk; return its simulation steps."""
    steps, failed_entry = call_kernel(kernel, state, n_sweeps, **extra)
    raise_if_failed(state.corpus, failed_entry)
    return steps


def call_kernel(
    kernel: Kernel, state: State, n_sweeps: int, by_word: bool = False, **extra: Any
) -> tuple[int, int]:
    """Call a kernel on a state; return its simulation steps and the entry it failed at, or −1."""
    # The capsule's functions are not thread-safe: NumPy asks its users to hold this lock.
    with state.rng.bit_generator.lock:
        generator = state.rng.bit_generator.capsule
        return kernel(*state_arguments(state, by_word), generator, n_sweeps, **extra)


def state_arguments(state: State, by_word: bool = False) -> tuple[Any, ...]:
    """Return what every collapsed kernel takes first: corpus, priors and topics.

    ``by_word``: words have the rows of the corpus.
    """
    corpus = state.corpus.native_by_word if by_word else state.corpus.native
    return corpus, state.priors.native, state.topics


def block_arguments(options: SweepOptions) -> dict[str, Any]:
    """Return what the blocked kernels take beyond the rest."""
    return {
        "max_block": min(options.max_block or NO_LIMIT, NO_LIMIT),
        "fft_from": fft_from(options.convolution),
        "fft_convolve": fft_convolve,
    }
