"""FFT convolution of block polynomials, and the block size from which it pays.

Kernels and twins call the same function here, so the two backends stay identical to the bit.
"""

from __future__ import annotations

import numpy as np
from scipy import fft

from blocklda.support.arrays import Floats
from blocklda.support.errors import unknown_choice

__all__ = ["CONVOLUTIONS", "FFT_PAYS_FROM", "check_convolution", "fft_convolve", "fft_from"]

CONVOLUTIONS = ("auto", "direct", "fft")

FFT_PAYS_FROM = 1500
"""Tokens in a block from which the FFT is faster; `benchmarks/convolution.py` measures it."""

_NEVER = 2**62


def check_convolution(convolution: str) -> str:
    """Return a valid choice, or say which there are."""
    if not isinstance(convolution, str) or convolution not in CONVOLUTIONS:
        raise unknown_choice("convolution", convolution, CONVOLUTIONS)
    return convolution


def fft_from(convolution: str) -> int:
    """Return the block size from which blocks are convolved by FFT."""
    return {"auto": FFT_PAYS_FROM, "direct": _NEVER, "fft": 2}[convolution]


def fft_convolve(left: Floats, right: Floats, out: Floats) -> None:
    """Write the first coefficients of the products of the rows of ``left`` and ``right``.

    All rows must be tilted and normalised: the error of an FFT is relative to the largest
    coefficient, so what is far below it comes out as noise around zero, and is cut off there. The
    caller must check that the coefficient it wants is not among those.
    """
    n_coefs = left.shape[1]
    length = fft.next_fast_len(2 * n_coefs - 1, real=True)
    transformed = fft.rfft(left, length, axis=1) * fft.rfft(right, length, axis=1)
    product = fft.irfft(transformed, length, axis=1)[:, :n_coefs]
    np.maximum(product, 0.0, out=out)
